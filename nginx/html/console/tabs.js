// SPDX-License-Identifier: ISC
// What the tabs of this browser tell one another: who has signed in, and that somebody has signed out.

const channel = new BroadcastChannel("surfaced");

// What belongs to a person in this browser has a name that begins with this, and goes when they sign out.
export const PERSONAL = "person:";

function forget(storage) {
	for (const name of Object.keys(storage))
		if (name.startsWith(PERSONAL) || name === "organisation")
			storage.removeItem(name);
}

// Leaves nothing of the person in this tab: the page is loaded anew, without its fragment.
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

// signedIn(person): another tab's person has signed in; signedOut(): everybody is to leave.
export function listen({ signedIn, signedOut }) {
	channel.addEventListener("message", ({ data }) => {
		if (data.kind === "signed-out")
			signedOut();
		else if (data.kind === "signed-in")
			signedIn(data.person);
	});
}

// A page that the browser kept for Back is not shown again: it may be of a session that is over.
addEventListener("pageshow", (e) => e.persisted && location.reload());
