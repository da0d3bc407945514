// SPDX-License-Identifier: ISC
// The first page, of the live viewer and of playback: a ticket comes in the fragment of a link or is pasted. It must not
// stay where it can be read, so it leaves the address bar and the form at once. Links of the console have none.

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const TICKET = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{8,512}$/;

// What was pasted or came in the fragment: {project, session, ticket}, each "" when it is not there.
export function readLink(text) {
	const trimmed = text.trim();
	const hash = trimmed.indexOf("#");
	const parts = (hash < 0 ? trimmed : trimmed.slice(hash + 1)).split("/");
	if (parts.length === 3)
		return { project: parts[0], session: parts[1], ticket: parts[2] };
	if (parts.length === 2)
		return { project: parts[0], session: parts[1], ticket: "" };
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
	#kind;

	// go: opens a link that has no fault; show: shows the form; kind: of the tickets, "stream" or "evidence".
	constructor(go, show, kind) {
		this.#go = go;
		this.#show = show;
		this.#kind = kind;
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

	// A link of the console has no ticket: whoever is signed in there takes one, and the next ones too.
	async take({ project, session }) {
		this.#fill({ project, session });
		try {
			const { ownTicket } = await import("./own-ticket.js");
			this.#go({ project, session, ticket: await ownTicket(this.#kind, project, session), own: true });
		} catch (refusal) {
			this.refuse(refusal.message);
		}
	}

	#fill(link) {
		NAMES.forEach((name) => fault(name));
		$("project").value = link.project;
		$("session").value = link.session;
	}

	tryLink(link) {
		if (!link.ticket && UUID.test(link.project) && UUID.test(link.session)) {
			this.take(link);
			return;
		}
		const faults = linkFaults(link);
		this.#fill(link);
		NAMES.forEach((name) => fault(name, faults[name]));
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
