// SPDX-License-Identifier: ISC
// The evidence of a browser session: screenshots, and requests as bars on one axis of time. Texts
// of sites are untrusted. Pictures are read from the API with the cookie.

import { foreign, h, show, svg } from "../common/dom.js";
import { api } from "../common/api.js";
import { clock } from "../common/clock.js";
import { bytes, count, milliseconds, plural } from "../common/words.js";
import { failed, Timeline } from "../viewer/timeline.js";
import { copyButton, save } from "./copy.js";
import { badge, emptyState } from "./parts.js";

const PAGE = 500; // events in one request
const ROWS = 300; // requests that are shown at first
const AXIS = 1000; // units of the axis
const LEAST = 6; // least width of a mark in units, so that it is visible on a phone
const TICKS = 5;
const KINDS = [["", "Everything"], ["request", "Requests"], ["websocket", "WebSockets"], ["dialog", "Dialogs"], ["download", "Downloads"], ["certificate", "Certificate faults"], ["crash", "Crashes"]];

// Reads the whole timeline, and the HAR file for the durations of requests. Returns former, the result of the read before, when
// there is no new event.
export async function readEvidence(path, signal, former) {
	const events = [];
	let page;
	do {
		page = await api.get(`${path}/timeline`, { query: { limit: PAGE, cursor: page?.next_cursor }, signal });
		events.push(...page.events);
	} while (page.next_cursor);
	if (former && former.timeline.events.length === events.length)
		return former;
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

// One screenshot is shown large; the arrow keys move to its neighbours. While the newest one is shown, new ones replace it.
class Shots {
	#path;
	#chosen; // is called with the one that is shown
	#shots = [];
	#buttons = [];
	#now = -1;
	#large;
	#words = h("figcaption");
	#strip = h("div.film", { role: "group", "aria-label": "Screenshots", onkeydown: (e) => this.#key(e) });
	box = h("div");

	// size: the size of the pictures, by which their place is reserved before they are loaded
	constructor(path, size, chosen) {
		this.#path = path;
		this.#chosen = chosen;
		this.#large = h("img", { alt: "", width: String(size.width), height: String(size.height) });
		this.#large.style.maxWidth = `min(${size.width}px, ${Math.round((70 * size.width) / size.height)}vh)`;
	}

	take(shots) {
		const follow = this.#now === this.#shots.length - 1;
		this.#strip.append(...shots.slice(this.#shots.length).map((s, i) => this.#button(s, this.#shots.length + i)));
		this.#buttons = [...this.#strip.children];
		this.#shots = shots;
		this.#buttons.forEach((b, i) => b.setAttribute("aria-label", `Screenshot ${i + 1} of ${shots.length}, at ${offset(shots[i].offset_ms)}`));
		if (!shots.length)
			show(this.box, emptyState("No screenshots", "None has been stored yet."));
		else if (!this.#strip.isConnected)
			show(this.box, this.#strip, h("figure.shot", null, this.#large, this.#words));
		if (shots.length)
			queueMicrotask(() => (follow ? this.#pick(shots.length - 1, false) : this.#chosen(shots[this.#now]))); // after the page contains them, so that they have positions
	}

	#source(s) {
		return `/api/v1${this.#path}/screenshots/${s.screenshot_uuid}`;
	}

	#button(s, i) {
		return h("button", { type: "button", onclick: () => this.#pick(i) }, h("img", { src: this.#source(s), alt: "", loading: "lazy" }), h("span.small", null, offset(s.offset_ms)));
	}

	#pick(i, focus = true) {
		const s = this.#shots[i], button = this.#buttons[i], strip = this.#strip;
		this.#buttons.forEach((b, n) => {
			b.setAttribute("aria-current", String(n === i));
			b.tabIndex = n === i ? 0 : -1;
		});
		if (focus || strip.contains(document.activeElement))
			button.focus();
		strip.scrollLeft = button.offsetLeft - strip.offsetLeft - (strip.clientWidth - button.offsetWidth) / 2;
		if (i !== this.#now)
			this.#large.src = this.#source(s);
		this.#now = i;
		this.#large.alt = `Screenshot at ${offset(s.offset_ms)}`;
		show(this.#words, h("strong", null, foreign(s.title || "Without a title", 300)), h("span.quiet", null, `at ${offset(s.offset_ms)}, tab ${s.tab}`),
			h("span.shot-address", null, foreign(s.url, 300), copyButton(s.url, "Copy the address", { words: false })));
		this.#chosen(s);
	}

	#key(e) {
		const now = this.#buttons.indexOf(document.activeElement);
		const to = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: this.#shots.length - 1 }[e.key];
		if (now < 0 || to === undefined || !this.#shots[to])
			return;
		e.preventDefault();
		this.#pick(to);
	}
}

// ---- requests ----

class Requests {
	#axis;
	#all = [];
	#took;
	#body = h("tbody");
	#axisHead = h("th.time", { scope: "col" });
	#kinds = h("select", { onchange: (e) => this.#want("kind", e.target.value) });
	#wanted = { text: "", failed: false, kind: "" };
	#most = ROWS;

	constructor() {
		this.filters = h("div.filters", { role: "group", "aria-label": "Filters" },
			h("label.filter", null, h("span.quiet", null, "Filter"), h("input", { type: "search", placeholder: "host, path, status", oninput: (e) => this.#want("text", e.target.value) })),
			h("label.filter", null, h("span.quiet", null, "Kind"), this.#kinds),
			h("label.check", null, h("input", { type: "checkbox", onchange: (e) => this.#want("failed", e.target.checked) }), h("span", null, "Failed only")));
		this.marks = h("tr.marks-row", null, h("th", { scope: "row" }), h("td"), h("td"), h("td"), h("td.time"));
		this.table = h("table.stack.requests", null, h("caption.hidden", null, "Network events of the session, in the order of their time"),
			h("thead", null, h("tr", null, [["Request"], ["Status"], ["Size", "number"], ["Took", "number"]].map(([t, kind]) => h("th", { scope: "col", class: kind ?? "" }, t)), this.#axisHead)),
			h("tbody", null, this.marks), this.#body);
		this.foot = h("p.more");
	}

	// timeline and took: from readEvidence
	take(timeline, took) {
		const kinds = new Set(timeline.requests.map((e) => e.kind));
		this.#axis = new Axis(timeline);
		this.#all = timeline.requests;
		this.#took = took;
		show(this.#kinds, KINDS.filter(([k]) => !k || kinds.has(k)).map(([value, words]) => h("option", { value, selected: value === this.#wanted.kind }, words)));
		show(this.#axisHead, h("span.hidden", null, "Time"), this.#axis.ticks());
		show(this.marks.firstElementChild, plural(timeline.shots.length, "screenshot"));
		this.draw();
	}

	#want(name, value) {
		this.#wanted[name] = value;
		this.#most = ROWS;
		this.draw();
	}

	// Marks the screenshots on the axis, and the one that is shown in another way.
	mark(shots, now) {
		show(this.marks.lastElementChild, this.#axis.line(shots.map((s) => this.#axis.mark(s.offset_ms, s.screenshot_uuid === now.screenshot_uuid ? "shot-now" : "shot-mark"))));
	}

	#matches(e) {
		const words = this.#wanted.text.toLowerCase().split(/\s+/u).filter(Boolean), text = `${e.kind} ${e.url} ${e.status ?? ""} ${e.failure ?? ""}`.toLowerCase();
		return (!this.#wanted.failed || failed(e)) && (!this.#wanted.kind || e.kind === this.#wanted.kind) && words.every((w) => text.includes(w));
	}

	draw() {
		const found = this.#all.filter((e) => this.#matches(e));
		show(this.#body, found.slice(0, this.#most).map((e) => this.#row(e)));
		show(this.foot, !found.length && (this.#all.length ? "No event matches these filters." : "The session has no network events."),
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

// Shows evidence in a box. take(evidence) of the returned object shows newer evidence and keeps the reader's choices.
export function drawEvidence(box, { evidence, session }) {
	const requests = new Requests();
	let now = evidence;
	const shots = new Shots(evidence.path, session.viewport, (s) => requests.mark(now.timeline.shots, s));
	const cut = h("p.warn.small", { hidden: true }, "There was more than a session stores: the last events are missing.");
	show(box, h("section.card.evidence", null, h("div.card-head", null, h("h2", null, "Screenshots")), shots.box),
		h("section.card.evidence", null,
			h("div.card-head", null, h("h2", null, "Requests"), requests.filters,
				h("button", { type: "button", onclick: () => save([now.har], "application/json", `session-${session.uuid}.har`) }, "Download HAR")),
			cut, h("div.requests-scroll", { tabindex: "0", role: "region", "aria-label": "Requests" }, requests.table), requests.foot));
	const take = (news) => {
		now = news;
		cut.hidden = !news.truncated;
		requests.take(news.timeline, news.took);
		shots.take(news.timeline.shots);
	};
	take(evidence);
	return { take };
}
