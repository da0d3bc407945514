// SPDX-License-Identifier: ISC
// Browser sessions of a project, #/sessions/PROJECT?own=true: a form that starts a session, and the
// list. A UUID after the project opens a session (session.js); ?url= fills in the form for links of
// other pages.

import { h, show } from "../common/dom.js";
import { api } from "../common/api.js";
import { every } from "../common/poll.js";
import { agree } from "../common/dialog.js";
import { field, onSubmit } from "../common/form.js";
import { duration } from "../common/clock.js";
import { plural } from "../common/words.js";
import { badge, emptyState, reading, toast } from "./parts.js";
import { short } from "./links.js";
import { filterBar, pagedTable, when } from "./lists.js";
import { hashOf, projectHead, projectOf } from "./projects.js";

const SIZES = [[1280, 720], [1920, 1080], [1366, 768], [1024, 768], [390, 844]];
const STATES = ["queued", "starting", "running", "closing", "terminal"];
const PROFILES = { windows: "Windows", macos: "macOS", linux: "Linux" };
const LOOK_MS = 3000;

// The reasons for which a session ended (C-744).
export const REASONS = {
	closed_by_creator: "closed by the person who started it", closed_by_manager: "closed by a manager", expired: "its time limit was reached",
	idle_timeout: "nobody did anything", failed: "its browser failed", access_revoked: "the right to it was withdrawn",
};

export const sessionsPath = (project, tail = "") => `/projects/${project.uuid}/sessions${tail}`;

export const profileWords = (s) => PROFILES[s.browser_profile] ?? s.browser_profile;

export function stateBadge(s) {
	const tone = { running: "good", terminal: s.terminal_reason === "failed" ? "bad" : "" }[s.state] ?? "warn";
	return badge(s.state === "terminal" ? "ended" : s.state, tone);
}

// Makes a link to the live view, which gets its ticket itself (viewer/connect.js).
export function watchLink(s, name = "Watch") {
	return h("a.button", { href: `/viewer/#${s.project_uuid}/${s.uuid}`, target: "_blank", rel: "noopener" }, name);
}

// Asks and closes the session. Resolves to the new record, or undefined.
export async function closeSession(project, s, signal) {
	let closed;
	const yes = await agree("Close the session?", "Its browser ends at once. What it has collected is kept.", "Close the session", async () => {
		closed = (await api.del(sessionsPath(project, `/${s.uuid}`), { signal })).session;
	});
	return yes ? closed : undefined;
}

// ---- a new session ----

function startForm({ project }, capabilities, url, signal) {
	const address = h("input", { name: "start_url", type: "url", value: url, placeholder: "https://", autocomplete: "off", spellcheck: "false", maxlength: 2048, "data-search": true });
	const profile = h("select", { name: "browser_profile" }, capabilities.browser_profiles.map((p) => h("option", { value: p }, profileWords({ browser_profile: p }))));
	const country = h("select", { name: "egress_country" }, capabilities.egress_countries.map((c) => h("option", { value: c.code }, `${c.name} (${c.code})`)));
	const size = h("select", { name: "viewport" }, SIZES.map(([w, high]) => h("option", { value: `${w} ${high}` }, `${w} × ${high}`)));
	const form = h("form.start-session", null, field("Address of the page", address),
		field("Device", profile), field("Country", country), field("Window", size), h("div.buttons", null, h("button.main", { type: "submit" }, "Start")));
	return onSubmit(form, async () => {
		const [width, height] = size.value.split(" ").map(Number);
		const body = { start_url: completed(address.value), browser_profile: profile.value, egress_country: country.value, viewport: { width, height } };
		const { session } = await api.post(sessionsPath(project), body, { signal });
		location.hash = `#/sessions/${project.uuid}/${session.uuid}`;
	});
}

// Adds a scheme to an address that was typed without one.
function completed(text) {
	const url = text.trim();
	return !url || /^[a-z][a-z0-9+.-]*:/i.test(url) && !/^[^/]*:\d/.test(url) ? url : `https://${url}`;
}

function limitWords({ limits }) {
	return `You may have ${plural(limits.caller_sessions, "session")} at once, the organisation ${limits.organisation_sessions}. One lives ${duration(limits.lifetime_seconds)} at most, and ${duration(limits.idle_seconds)} when nobody does anything in it.`;
}

class Sessions {
	#where;
	#signal;
	#query = {};
	#list = null;
	#shown = new Map(); // by uuid: the session of a row
	#me = ""; // the credential of this person
	#results = h("section.results", { "aria-label": "Browser sessions" });
	#filters = h("div.filter-line");

	constructor(main, where, route, signal) {
		this.#where = where;
		this.#signal = signal;
		const form = reading({ signal, lines: 2, box: h("section.card", { "aria-label": "New session" }),
			read: async (s) => (await api.get(sessionsPath(where.project, "/capabilities"), { signal: s })).capabilities,
			empty: (c) => (c.egress_countries.length ? null : emptyState("No session can start now", "No route to the Internet works now. The operator of the service can repair it.")),
			draw: (c, box) => show(box, h("h2", null, "Open a page"), startForm(where, c, route.query.get("url") ?? "", signal), h("p.quiet.small", null, limitWords(c))) });
		show(main, projectHead("sessions", "Browser sessions", where), form.box, this.#filters, this.#results);
		every(LOOK_MS, signal, () => this.#look());
	}

	change(route) {
		if (route.path[1] || route.path[0] && route.path[0] !== this.#where.project.uuid)
			return false;
		this.#query = { state: route.query.get("state") ?? "", own: route.query.get("own") ?? "" };
		const choices = [
			{ name: "own", label: "Started by", options: [["", this.#where.manages ? "Anybody" : "Me"], ...this.#where.manages ? [["true", "Me"]] : []] },
			{ name: "state", label: "State", options: [["", "Any"], ...STATES.map((s) => [s, s === "terminal" ? "ended" : s])] },
		];
		show(this.#filters, filterBar(choices, this.#query, (name, value) => {
			location.hash = hashOf("sessions", this.#where.project, { ...this.#query, [name]: value });
		}));
		this.#draw();
		return true;
	}

	#draw() {
		const { project } = this.#where, filtered = Object.values(this.#query).some(Boolean);
		this.#shown.clear();
		this.#list = pagedTable({ signal: this.#signal, caption: "Browser sessions", keep: "sessions",
			open: (s) => {
				location.hash = `#/sessions/${project.uuid}/${s.uuid}`;
			},
			columns: [
				["Page", (s) => short(s.start_url, 120)],
				["State", (s) => [stateBadge(s), s.terminal_reason && h("span.quiet.small", null, ` ${REASONS[s.terminal_reason] ?? ""}`)]],
				["Browser", (s) => `${s.egress_country}, ${profileWords(s)}`],
				["Started by", (s) => (s.creator.uuid === this.#me ? "you" : h("span.quiet", null, "another: its evidence is private"))],
				["Started", (s) => when(s.created_at), "number"],
				["", (s) => this.#actions(s), "row-actions"],
			],
			read: async (cursor, signal) => {
				this.#me ||= (await api.get("/access/self", { signal })).access.api_key.uuid;
				const page = await api.get(sessionsPath(project), { query: { ...this.#query, limit: 50, cursor }, signal });
				for (const s of page.sessions)
					this.#shown.set(s.uuid, s);
				return { items: page.sessions, next_cursor: page.next_cursor };
			},
			empty: () => (filtered ? emptyState("No sessions", "No session matches these filters. Remove one of them.")
				: emptyState("No sessions yet", "A session opens a page in a browser of the service, far from your network, and keeps what the page did.")),
		});
		show(this.#results, this.#list.box);
	}

	#actions(s) {
		return [s.state === "running" && s.creator.uuid === this.#me && watchLink(s),
			s.state !== "terminal" && s.state !== "closing" && h("button", { type: "button", onclick: () => this.#close(s) }, "Close")];
	}

	async #close(s) {
		const closed = await closeSession(this.#where.project, s, this.#signal);
		if (closed)
			this.#put(closed);
	}

	#put(s) {
		const held = this.#list.row(s.uuid)?.contains(document.activeElement);
		this.#shown.set(s.uuid, s);
		this.#list.put(s);
		if (held)
			this.#list.row(s.uuid).querySelector(".row-open").focus();
	}

	// Reads sessions that have not ended again, because they change.
	async #look() {
		for (const [uuid, s] of this.#shown) {
			if (s.state === "terminal")
				continue;
			try {
				const { session } = await api.get(sessionsPath(this.#where.project, `/${uuid}`), { signal: this.#signal });
				if (session.state !== this.#shown.get(uuid)?.state)
					this.#put(session);
			} catch (fault) {
				if (fault.name === "AbortError")
					return;
				toast(fault.message, "bad");
				this.#shown.delete(uuid); // not read again
			}
		}
	}
}

export async function open(main, route, signal) {
	main.className = "page wide";
	if (route.path[1]) {
		const { openSession } = await import("./session.js");
		return openSession(main, route, signal);
	}
	const where = await projectOf(main, "Browser sessions", route, signal);
	if (!where)
		return null;
	const page = new Sessions(main, where, route, signal);
	page.change(route);
	return page;
}
