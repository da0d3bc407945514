// SPDX-License-Identifier: ISC
// The evidence of a browser session: screenshots, and requests as bars on one axis of time. Texts
// of sites are untrusted. Pictures are read from the API with the cookie.

import { foreign, h, show, svg } from "../common/dom.js";
import { api } from "../common/api.js";
import { bytes, clock, count, milliseconds, plural } from "../common/words.js";
import { failed, Timeline } from "../viewer/timeline.js";
import { badge, copyButton, emptyState, save } from "./parts.js";

const PAGE = 500; // events in one request
const ROWS = 300; // requests that are shown at first
const AXIS = 1000; // units of the axis
const LEAST = 6; // least width of a mark in units, so that it is visible on a phone
const TICKS = 5;
const KINDS = [["", "Everything"], ["request", "Requests"], ["websocket", "WebSockets"], ["dialog", "Dialogs"], ["download", "Downloads"], ["certificate", "Certificate faults"], ["crash", "Crashes"]];

// Reads the whole timeline, and the HAR file for the durations of requests.
export async function readEvidence(path, signal) {
	const events = [];
	let page;
	do {
		page = await api.get(`${path}/timeline`, { query: { limit: PAGE, cursor: page?.next_cursor }, signal });
		events.push(...page.events);
	} while (page.next_cursor);
	const har = await api.get(`${path}/network-events.har`, { signal, answer: "blob" });
	const took = new Map(JSON.parse(await har.text()).log.entries.map((e) => [e._id, e.time]));
	return { path, har, took, truncated: page.truncated, timeline: new Timeline({ events, duration: page.duration_ms }) };
}

function offset(ms) {
	return `${ms <= -1000 ? "−" : ""}${clock(Math.abs(ms) / 1000)}`;
}

function hostAndPath(url) {
	try {
		const u = new URL(url);
		return [u.host, u.pathname + u.search];
	} catch {
		return [url ?? "", ""];
	}
}

class Axis {
	constructor({ start, end }) {
		Object.assign(this, { start, end });
	}

	x(ms) {
		return Math.max(0, Math.min(AXIS, ((ms - this.start) / (this.end - this.start)) * AXIS));
	}

	line(...marks) {
		return svg("svg", { class: "time-line", viewBox: `0 0 ${AXIS} 16`, preserveAspectRatio: "none", "aria-hidden": "true" }, marks);
	}

	mark(ms, kind) {
		return svg("rect", { class: kind, x: Math.min(AXIS - LEAST, this.x(ms)), y: 0, width: LEAST, height: 16 });
	}

	bar(ms, took, kind) {
		const x = Math.min(AXIS - LEAST, this.x(ms));
		return this.line(svg("rect", { class: kind, x, y: 4, width: Math.max(LEAST, this.x(ms + took) - x), height: 8, rx: 2 }));
	}

	ticks() {
		return h("span.ticks", { "aria-hidden": "true" }, Array.from({ length: TICKS }, (_, i) => h("span", null, offset(this.start + ((this.end - this.start) * i) / (TICKS - 1)))));
	}
}

// ---- screenshots ----

// One screenshot is shown large; the arrow keys move to its neighbours. chosen(shot) is called each
// time.
function shotsPart(path, timeline, chosen) {
	const { shots } = timeline;
	if (!shots.length)
		return emptyState("No screenshots", "None has been stored yet.");
	const source = (s) => `/api/v1${path}/screenshots/${s.screenshot_uuid}`;
	const large = h("img", { alt: "" }), words = h("figcaption");
	const pick = (i, focus = true) => {
		const s = shots[i];
		buttons.forEach((b, n) => {
			b.setAttribute("aria-current", String(n === i));
			b.tabIndex = n === i ? 0 : -1;
		});
		if (focus)
			buttons[i].focus();
		strip.scrollLeft = buttons[i].offsetLeft - strip.offsetLeft - (strip.clientWidth - buttons[i].offsetWidth) / 2;
		large.src = source(s);
		large.alt = `Screenshot at ${offset(s.offset_ms)}`;
		show(words, h("strong", null, foreign(s.title || "Without a title", 300)), h("span.quiet", null, `at ${offset(s.offset_ms)}, tab ${s.tab}`),
			h("span.shot-address", null, foreign(s.url, 300), copyButton(s.url, "Copy the address", { words: false })));
		chosen(s);
	};
	const buttons = shots.map((s, i) => h("button", { type: "button", onclick: () => pick(i), "aria-label": `Screenshot ${i + 1} of ${shots.length}, at ${offset(s.offset_ms)}` },
		h("img", { src: source(s), alt: "", loading: "lazy" }), h("span.small", null, offset(s.offset_ms))));
	const strip = h("div.film", { role: "group", "aria-label": "Screenshots", onkeydown: (e) => {
		const now = buttons.indexOf(document.activeElement);
		const to = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: shots.length - 1 }[e.key];
		if (now < 0 || to === undefined || !shots[to])
			return;
		e.preventDefault();
		pick(to);
	} }, buttons);
	queueMicrotask(() => pick(shots.length - 1, false)); // after the page contains them, so that they have positions
	return [strip, h("figure.shot", null, large, words)];
}

// ---- requests ----

class Requests {
	#axis;
	#all;
	#took;
	#body = h("tbody");
	#foot = h("p.more");
	#wanted = { text: "", failed: false, kind: "" };
	#most = ROWS;

	// axis: the axis of time; timeline and took: from readEvidence
	constructor(axis, timeline, took) {
		this.#axis = axis;
		this.#all = timeline.requests;
		this.#took = took;
		const kinds = new Set(this.#all.map((e) => e.kind));
		const want = (name) => (e) => {
			this.#wanted[name] = e.target.type === "checkbox" ? e.target.checked : e.target.value;
			this.#most = ROWS;
			this.draw();
		};
		this.filters = h("div.filters", { role: "group", "aria-label": "Filters" },
			h("label.filter", null, h("span.quiet", null, "Filter"), h("input", { type: "search", placeholder: "host, path, status", oninput: want("text") })),
			h("label.filter", null, h("span.quiet", null, "Kind"), h("select", { onchange: want("kind") }, KINDS.filter(([k]) => !k || kinds.has(k)).map(([value, words]) => h("option", { value }, words)))),
			h("label.check", null, h("input", { type: "checkbox", onchange: want("failed") }), h("span", null, "Failed only")));
		this.marks = h("tr.marks-row", null, h("th", { scope: "row" }, plural(timeline.shots.length, "screenshot")), h("td"), h("td"), h("td"), h("td.time"));
		this.table = h("table.stack.requests", null, h("caption.hidden", null, "Network events of the session, in the order of their time"),
			h("thead", null, h("tr", null, [["Request"], ["Status"], ["Size", "number"], ["Took", "number"]].map(([t, kind]) => h("th", { scope: "col", class: kind ?? "" }, t)), h("th.time", { scope: "col" }, h("span.hidden", null, "Time"), axis.ticks()))),
			h("tbody", null, this.marks), this.#body);
		this.foot = this.#foot;
		this.draw();
	}

	// Marks the screenshots on the axis, and the one that is shown in another way.
	mark(shots, now) {
		show(this.marks.lastElementChild, this.#axis.line(shots.map((s) => this.#axis.mark(s.offset_ms, s === now ? "shot-now" : "shot-mark"))));
	}

	#matches(e) {
		const words = this.#wanted.text.toLowerCase().split(/\s+/u).filter(Boolean), text = `${e.kind} ${e.url} ${e.status ?? ""} ${e.failure ?? ""}`.toLowerCase();
		return (!this.#wanted.failed || failed(e)) && (!this.#wanted.kind || e.kind === this.#wanted.kind) && words.every((w) => text.includes(w));
	}

	draw() {
		const found = this.#all.filter((e) => this.#matches(e));
		show(this.#body, found.slice(0, this.#most).map((e) => this.#row(e)));
		show(this.#foot, !found.length && (this.#all.length ? "No event matches these filters." : "The session has no network events."),
			found.length > this.#most && h("button", { type: "button", onclick: () => {
				this.#most = Infinity;
				this.draw();
			} }, `Show all ${count(found.length)}`));
	}

	#row(e) {
		const [host, path] = hostAndPath(e.url), took = this.#took.get(e.network_event_id) ?? 0;
		return h("tr", { class: failed(e) ? "failed" : "", "data-entry": true },
			h("th", { scope: "row" }, h("span.mono.request-path", { title: (e.url ?? "").slice(0, 500) }, e.kind !== "request" && `${e.kind} `, foreign((path === "/" ? host : path || host).slice(0, 200))),
				path !== "/" && path && h("span.quiet.small", null, " ", foreign(host, 120)), e.failure && h("span.bad.small", null, " ", foreign(e.failure, 200))),
			h("td", { "data-head": "Status" }, e.failure ? badge("failed", "bad") : e.status ?? "–"),
			h("td.number", { "data-head": "Size" }, e.bytes === null ? "–" : bytes(e.bytes)),
			h("td.number", { "data-head": "Took" }, milliseconds(Math.round(took))),
			h("td.time", { title: offset(e.offset_ms) }, this.#axis.bar(e.offset_ms, took, failed(e) ? "bar-failed" : "bar-request"), h("span.hidden", null, offset(e.offset_ms))));
	}
}

// session: the record; again(): reads the evidence of a running session again.
export function drawEvidence(box, { evidence, session, again }) {
	const { path, har, took, timeline, truncated } = evidence;
	const requests = new Requests(new Axis(timeline), timeline, took);
	const shots = shotsPart(path, timeline, (s) => requests.mark(timeline.shots, s));
	show(box, h("section.card.evidence", null,
		h("div.card-head", null, h("h2", null, "Screenshots"), session.state !== "terminal" && h("button", { type: "button", onclick: again }, "Read again")), shots),
	h("section.card.evidence", null,
		h("div.card-head", null, h("h2", null, "Requests"), requests.filters,
			h("button", { type: "button", onclick: () => save([har], "application/json", `session-${session.uuid}.har`) }, "Download HAR")),
		truncated && h("p.warn.small", null, "There was more than a session stores: the last events are missing."),
		h("div.requests-scroll", { tabindex: "0", role: "region", "aria-label": "Requests" }, requests.table), requests.foot));
}
