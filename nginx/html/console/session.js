// SPDX-License-Identifier: ISC
// One browser session, #/sessions/PROJECT/SESSION: its metadata, the live view while it runs, and
// its evidence: screenshots and requests on one axis of time, the HAR file, playback.

import { h, show } from "../common/dom.js";
import { api } from "../common/api.js";
import { every } from "../common/poll.js";
import { at, card, facts } from "./facts.js";
import { announce, emptyState, faultPanel, reading } from "./parts.js";
import { recordHead } from "./record.js";
import { closeSession, profileWords, REASONS, sessionsPath, stateBadge, watchLink } from "./sessions.js";

const LOOK_MS = 1000;
const EVIDENCE_MS = 4000; // between two reads of the evidence of a session that runs

const WAITING = {
	queued: "It waits for a browser. That takes a few seconds, longer when all are in use.",
	starting: "Its browser is starting.",
	closing: "Its browser is ending.",
};

class Session {
	#main;
	#project;
	#signal;
	#record;
	#head = h("div");
	#live = h("div");
	#evidence = h("div");
	#evidencePart = null; // what reads it again

	constructor(main, record, signal) {
		this.#main = main;
		this.#project = { uuid: record.project_uuid };
		this.#signal = signal;
		this.#record = record;
		show(main, h("p.back", null, h("a", { href: `#/sessions/${record.project_uuid}` }, "← All sessions")), this.#head, this.#live, this.#evidence);
		this.#draw();
		this.#readEvidence();
		if (record.state !== "terminal") {
			every(LOOK_MS, signal, () => this.#look());
			every(EVIDENCE_MS, signal, () => this.#record.state !== "terminal" && this.#evidencePart?.follow());
		}
	}

	#path(tail = "") {
		return sessionsPath(this.#project, `/${this.#record.uuid}${tail}`);
	}

	#draw() {
		const s = this.#record, held = this.#head.querySelector("h1") === document.activeElement;
		show(this.#head, recordHead("Browser session", s.start_url, { under: [stateBadge(s), s.terminal_reason && ` ${REASONS[s.terminal_reason] ?? ""}`], actions: this.#actions() }));
		show(this.#live, WAITING[s.state] && h("p.card.waiting", { role: "status" }, WAITING[s.state]),
			card("", h("div.facts-row", null, facts([
				["Device", profileWords(s)],
				["Country", s.egress_country],
				["Window", `${s.viewport.width} × ${s.viewport.height}`],
				["Created", at(s.created_at)],
				["Ready", at(s.ready_at)],
				["Ends", s.state === "running" && at(s.expires_at)],
				["Ended", at(s.terminal_at)],
				["Replay of", s.replayed_from_session_uuid && h("a", { href: `#/sessions/${s.project_uuid}/${s.replayed_from_session_uuid}` }, "an earlier session")],
			]))));
		if (held)
			this.#head.querySelector("h1").focus({ preventScroll: true });
	}

	// Only the creator can watch, play back and replay; the service refuses others.
	#actions() {
		const s = this.#record, over = s.state === "terminal";
		return [
			s.state === "running" && watchLink(s),
			!over && s.state !== "closing" && h("button", { type: "button", onclick: () => this.#close() }, "Close the session"),
			over && s.ready_at && h("a.button", { href: `/viewer/play.html#${s.project_uuid}/${s.uuid}`, target: "_blank", rel: "noopener" }, "Play back"),
			over && h("button", { type: "button", title: "A new session with the same page, device and country", onclick: (e) => this.#replay(e.currentTarget) }, "Start again"),
		].filter(Boolean);
	}

	async #close() {
		const closed = await closeSession(this.#project, this.#record, this.#signal);
		if (closed)
			this.#take(closed);
	}

	async #replay(button) {
		button.disabled = true;
		try {
			const { session } = await api.post(this.#path("/replay"), undefined, { signal: this.#signal });
			location.hash = `#/sessions/${session.project_uuid}/${session.uuid}`;
		} catch (fault) {
			if (fault.name !== "AbortError")
				show(this.#evidence, faultPanel(fault));
		} finally {
			button.disabled = false;
		}
	}

	async #look() {
		if (this.#record.state === "terminal")
			return;
		try {
			this.#take((await api.get(this.#path(), { signal: this.#signal })).session);
		} catch (fault) {
			if (fault.name !== "AbortError")
				show(this.#live, faultPanel(fault));
		}
	}

	#take(record) {
		const news = record.state !== this.#record.state;
		this.#record = record;
		if (!news)
			return;
		this.#draw();
		announce(record.state === "terminal" ? "The session has ended." : `The session is ${record.state}.`);
		if (this.#evidencePart)
			this.#evidencePart.read(); // its last entries
		else
			this.#readEvidence();
	}

	// ---- evidence ----

	#readEvidence() {
		const s = this.#record;
		if (!s.ready_at) {
			show(this.#evidence, s.state === "terminal" && emptyState("No evidence", "Its browser never opened the page."));
			return;
		}
		let drawn = null, former = null;
		const part = reading({ signal: this.#signal, lines: 8,
			read: async (signal) => {
				const { readEvidence } = await import("./evidence.js");
				// A manager sees that the session exists, and nothing of what it saw (C-101).
				return readEvidence(this.#path(), signal, former).catch((fault) => {
					if (fault.code !== "permission_denied")
						throw fault;
					return null;
				});
			},
			box: h("div.stacked-parts"),
			empty: (e) => (e ? null : emptyState("Its evidence is private", "Screenshots and requests are for who started the session, and nobody else.")),
			draw: async (evidence, box) => {
				const { drawEvidence } = await import("./evidence.js"), news = evidence !== former;
				former = evidence;
				if (!box.firstChild) // the first time, and after a fault
					drawn = drawEvidence(box, { evidence, session: s });
				else if (news)
					drawn.take(evidence);
			} });
		this.#evidencePart = { follow: () => former && part.read(), read: part.read };
		show(this.#evidence, part.box);
	}
}

export async function openSession(main, route, signal) {
	const [project, uuid] = route.path;
	main.classList.add("record-page");
	try {
		const { session } = await api.get(sessionsPath({ uuid: project }, `/${uuid}`), { signal });
		document.title = "Browser session – surfaced";
		return new Session(main, session, signal) && null;
	} catch (fault) {
		if (fault.status !== 404 && fault.status !== 400)
			throw fault;
		show(main, h("h1.hidden", { tabindex: "-1" }, "Not found"), emptyState("No such session", "It is not in this project, or it is not yours to see.", h("a.button", { href: "#/sessions" }, "All sessions")));
		return null;
	}
}
