// SPDX-License-Identifier: ISC
// Requests and other network events beside the picture, each with a bar of its time among those around it. The table
// holds those near the present moment: a session may have thousands.

import { element } from "./element.js";
import { clock } from "../common/clock.js";
import { bytes, milliseconds } from "../common/words.js";
import { failed, lastAt } from "./timeline.js";

const ROWS = 400;
const LEAST = 0.6; // percent of the width of the shortest bar

function shortUrl(url) {
	try {
		const u = new URL(url);
		return [u.pathname === "/" ? u.host : u.pathname.split("/").filter(Boolean).at(-1) + u.search, u.host];
	} catch {
		return [url, ""];
	}
}

export class Waterfall {
	#parts;
	#seek;
	#all = [];
	#shown = []; // those that match the filter
	#from = 0; // the first of them in the table
	#durations = new Map();
	#now = null;
	#ms = 0;
	#whole = 1; // milliseconds of the longest burst: all bars have one scale, so that a longer bar is a longer time

	// parts: {rows, scroll, empty, count, filter, failed}; seek: goes to a moment.
	constructor(parts, seek) {
		this.#parts = parts;
		this.#seek = seek;
		parts.filter.addEventListener("input", () => this.#filter());
		parts.failed.addEventListener("change", () => this.#filter());
		parts.rows.addEventListener("click", (e) => this.#go(e.target.closest("tr")));
	}

	show(requests) {
		this.#all = requests;
		this.#parts.count.textContent = requests.length;
		this.#filter();
	}

	// map: milliseconds by the id of an event. A burst ends with the last of its requests.
	durations(map) {
		this.#durations = map;
		for (const e of this.#all)
			e.burst.to = Math.max(e.burst.to, e.offset_ms + (map.get(e.network_event_id) ?? 0));
		this.#draw();
	}

	#go(row) {
		if (row)
			this.#seek(Number(row.dataset.ms));
	}

	#filter() {
		const words = this.#parts.filter.value.toLowerCase().split(/\s+/).filter(Boolean);
		this.#shown = this.#all.filter((e) => (!this.#parts.failed.checked || failed(e)) &&
			words.every((w) => `${e.kind} ${e.url} ${e.status ?? ""} ${e.failure ?? ""}`.toLowerCase().includes(w)));
		this.#from = 0;
		this.#draw();
	}

	#draw() {
		const { rows, empty } = this.#parts;
		this.#whole = Math.max(1, ...this.#all.map((e) => e.burst.to - e.burst.from));
		rows.replaceChildren(...this.#shown.slice(this.#from, this.#from + ROWS).map((e) => this.#row(e)));
		empty.hidden = this.#shown.length > 0;
		empty.textContent = this.#all.length ? "No event matches the filter." : "The session has no network events.";
		this.#now = null;
		this.#mark();
	}

	#row(e) {
		const row = element("tr", undefined, failed(e) ? "bad" : "");
		const name = element("th"), open = element("button", undefined, "request"), bar = element("td", undefined, "bar-cell");
		const [path, host] = shortUrl(e.url ?? "");
		const took = this.#durations.get(e.network_event_id) ?? 0;
		const left = (100 * (e.offset_ms - e.burst.from)) / this.#whole;
		const width = Math.min(100 - left, Math.max(LEAST, (100 * took) / this.#whole));
		row.dataset.ms = e.offset_ms;
		name.scope = "row";
		open.type = "button";
		open.title = e.failure ? `${e.url}\n${e.failure}` : e.url ?? "";
		open.append(element("span", e.kind === "request" ? "" : e.kind, "method"), element("span", path || e.kind, "path"), element("span", host, "host"));
		name.append(open);
		const line = element("span", undefined, "bar-line");
		line.style.setProperty("--left", `${Math.min(100 - LEAST, left)}%`);
		line.style.setProperty("--width", `${Math.max(LEAST, width)}%`);
		bar.append(line, element("span", `${e.offset_ms < 0 ? "−" : ""}${clock(Math.abs(e.offset_ms) / 1000)}, ${milliseconds(took)}, ${bytes(e.bytes ?? 0)}`, "bar-words"));
		row.append(name, element("td", e.status ?? (e.failure ? "failed" : "–"), "status"), bar);
		return row;
	}

	// Marks the latest request at or before the moment.
	moment(ms) {
		const at = lastAt(this.#shown, ms);
		this.#ms = ms;
		if (at >= 0 && (at < this.#from || at >= this.#from + ROWS)) {
			this.#from = Math.max(0, at - ROWS / 2);
			this.#draw();
		} else {
			this.#mark();
		}
	}

	#mark() {
		const { rows, scroll } = this.#parts;
		const at = lastAt(this.#shown, this.#ms);
		const row = at < 0 ? null : rows.children[at - this.#from] ?? null;
		if (row === this.#now)
			return;
		this.#now?.classList.remove("shown");
		this.#now = row;
		row?.classList.add("shown");
		if (row && !scroll.matches(":hover"))
			scroll.scrollTop = row.offsetTop - scroll.clientHeight / 2;
	}
}
