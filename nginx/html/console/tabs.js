// SPDX-License-Identifier: ISC
// Messages between the tabs of this browser: who has signed in, and that somebody has signed out.

const channel = new BroadcastChannel("surfaced");

// The prefix of names of personal data in localStorage, which are deleted at the sign-out.
export const PERSONAL = "person:";

function forget(storage) {
	for (const name of Object.keys(storage))
		if (name.startsWith(PERSONAL) || name === "organisation")
			storage.removeItem(name);
}

// Removes everything of the person from this tab: loads the page again, without its fragment.
export function leave() {
	document.body.replaceChildren();
	forget(sessionStorage);
	forget(localStorage);
	history.replaceState(null, "", location.pathname);
	location.reload();
}

export function tellSignedOut() {
	channel.postMessage({ kind: "signed-out" });
}

export function tellSignedIn(session) {
	channel.postMessage({ kind: "signed-in", person: session.person.uuid });
}

// signedIn(person): a person has signed in in another tab. signedOut(): all tabs must be left. signal ends the listening.
export function listen({ signedIn, signedOut }, signal) {
	channel.addEventListener("message", ({ data }) => {
		if (data.kind === "signed-out")
			signedOut();
		else if (data.kind === "signed-in")
			signedIn(data.person);
	}, { signal });
}

// A page that the browser kept for Back is loaded again, because its session may have ended.
addEventListener("pageshow", (e) => e.persisted && location.reload());
