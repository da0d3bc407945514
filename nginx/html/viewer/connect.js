// SPDX-License-Identifier: ISC
// The first page, of the live viewer and of playback: a ticket comes in the fragment of a link or is pasted. It must not
// stay where it can be read, so it leaves the address bar and the form at once.

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const TICKET = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{8,512}$/;

// What was pasted or came in the fragment: {project, session, ticket}, each "" when it is not there.
export function readLink(text) {
	const trimmed = text.trim();
	const hash = trimmed.indexOf("#");
	const parts = (hash < 0 ? trimmed : trimmed.slice(hash + 1)).split("/");
	if (parts.length === 3)
		return { project: parts[0], session: parts[1], ticket: parts[2] };
	return { project: "", session: "", ticket: parts.length === 1 ? parts[0] : "" };
}

// The faults of a link, by member; empty when it can be tried.
export function linkFaults(link) {
	const faults = {};
	if (!TICKET.test(link.ticket))
		faults.ticket = link.ticket ? "This is no ticket and no link of the viewer." : "A ticket or a link is needed.";
	if (!UUID.test(link.project))
		faults.project = "A UUID, like 7be1c0de-0000-4000-8000-000000000000.";
	if (!UUID.test(link.session))
		faults.session = "A UUID, like 7be1c0de-0000-4000-8000-000000000000.";
	return faults;
}

const $ = (id) => document.getElementById(id);
const NAMES = ["ticket", "project", "session"];

function fault(name, words) {
	$(`${name}-fault`).textContent = words ?? "";
	$(name).setAttribute("aria-invalid", String(Boolean(words)));
}

function formLink() {
	const link = readLink($("ticket").value);
	return { ticket: link.ticket, project: link.project || $("project").value.trim(), session: link.session || $("session").value.trim() };
}

export class ConnectForm {
	#go;
	#show;

	// go: opens a link that has no fault; show: shows the form.
	constructor(go, show) {
		this.#go = go;
		this.#show = show;
		$("connect-form").addEventListener("submit", (e) => {
			e.preventDefault();
			this.tryLink(formLink());
		});
		$("ticket").addEventListener("input", () => {
			const link = readLink($("ticket").value);
			for (const name of ["project", "session"])
				if (link[name])
					$(name).value = link[name];
		});
	}

	tryLink(link) {
		const faults = linkFaults(link);
		NAMES.forEach((name) => fault(name, faults[name]));
		$("project").value = link.project;
		$("session").value = link.session;
		const first = NAMES.find((name) => faults[name]);
		if (first) {
			this.#show();
			$(first).focus();
			return;
		}
		$("ticket").value = "";
		this.#go(link);
	}

	// The form again, with the reason why the ticket did not work.
	refuse(words) {
		fault("ticket", words);
		this.#show();
		$("ticket").focus();
	}
}
