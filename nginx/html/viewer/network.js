// SPDX-License-Identifier: ISC
// Network events, the past ones first and then as they arrive: a table that can be filtered, and the details
// of one. A row opens as a whole; by keyboard the table is one stop of Tab, and arrows go from row to row.

import { element } from "./element.js";
import { failed } from "./timeline.js";
import { moment } from "../common/clock.js";
import { bytes, milliseconds } from "../common/words.js";

const ROWS_MAX = 500; // rows in the page; older ones are counted alone
const KEPT_MAX = 5000;

// An address in its short form: the path, with the host when it is another one.
function shortUrl(url) {
	try {
		const u = new URL(url);
		return [u.host, u.pathname + u.search];
	} catch {
		return ["", url];
	}
}

function hay(e) {
	return `${e.method} ${e.url} ${e.status ?? ""} ${e.resource_type} ${e.mime ?? ""} ${e.failure ?? ""} ${e.kind}`.toLowerCase();
}

export class Network {
	#events = [];
	#ids = new Set(); // of all that have come: after a reconnect they come again
	#host = ""; // of the page
	#shown = null; // the row whose details are open
	#stop = null; // the row that Tab reaches
	#byRow = new WeakMap();
	#parts;

	// parts: {rows, scroll, empty, count, filter, failed, details, title, body, close}
	constructor(parts) {
		this.#parts = parts;
		parts.filter.addEventListener("input", () => this.#redraw());
		parts.failed.addEventListener("change", () => this.#redraw());
		parts.close.addEventListener("click", () => this.#closeDetails());
		parts.details.addEventListener("keydown", (e) => e.key === "Escape" && this.#closeDetails());
		parts.rows.addEventListener("click", (e) => this.#openRow(e.target.closest("tr")));
		parts.rows.addEventListener("keydown", (e) => this.#walk(e));
		parts.rows.addEventListener("focusin", (e) => this.#stopAt(e.target.closest("tr")));
	}

	// A row shows its host where it differs from this one.
	page(host) {
		if (host === this.#host)
			return;
		this.#host = host;
		for (const node of this.#parts.rows.querySelectorAll(".host"))
			node.hidden = node.textContent === host;
	}

	clear() {
		this.#events = [];
		this.#ids.clear();
		this.#closeDetails();
		this.#redraw();
	}

	add(all) {
		const events = all.filter((e) => !this.#ids.has(e.id));
		const { scroll, rows } = this.#parts;
		const follow = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 40;
		this.#events.push(...events);
		this.#events.splice(0, Math.max(0, this.#events.length - KEPT_MAX));
		for (const e of events)
			this.#ids.add(e.id);
		rows.append(...events.filter((e) => this.#wanted(e)).map((e) => this.#row(e)));
		while (rows.children.length > ROWS_MAX)
			rows.firstElementChild.remove();
		this.#keepStop();
		this.#tally();
		if (follow)
			scroll.scrollTop = scroll.scrollHeight;
	}

	#tally() {
		this.#parts.count.textContent = this.#ids.size;
		this.#parts.empty.hidden = this.#parts.rows.children.length > 0;
		this.#parts.empty.textContent = this.#events.length ?
			"No event matches the filter." : "Requests of the page appear here as they end.";
	}

	#wanted(e) {
		const words = this.#parts.filter.value.toLowerCase().split(/\s+/).filter(Boolean);
		const text = words.length ? hay(e) : "";
		return (!this.#parts.failed.checked || failed(e)) && words.every((w) => text.includes(w));
	}

	#redraw() {
		const wanted = this.#events.filter((e) => this.#wanted(e)).slice(-ROWS_MAX);
		this.#parts.rows.replaceChildren(...wanted.map((e) => this.#row(e)));
		this.#keepStop();
		this.#tally();
	}

	#row(e) {
		const row = element("tr", undefined, failed(e) ? "bad" : "");
		const cell = element("th");
		const open = element("button", undefined, "request");
		const [host, path] = shortUrl(e.url);
		cell.scope = "row";
		open.type = "button";
		open.title = e.url;
		open.tabIndex = -1;
		const where = element("span", host, "host");
		where.hidden = host === this.#host;
		open.append(element("span", e.method || e.kind, "method"), element("span", path, "path"), where);
		cell.append(open);
		this.#byRow.set(row, e);
		row.append(cell,
			element("td", e.status ?? (e.failure ? "failed" : "–"), "status"),
			element("td", e.resource_type || e.kind),
			element("td", bytes(e.bytes_received), "number"),
			element("td", milliseconds(e.duration_ms), "number"));
		return row;
	}

	// ---- from row to row ----

	#stopAt(row) {
		if (!row || row === this.#stop)
			return;
		const old = this.#stop?.querySelector(".request");
		if (old)
			old.tabIndex = -1;
		this.#stop = row;
		row.querySelector(".request").tabIndex = 0;
	}

	// Tab reaches the newest row until another one was chosen.
	#keepStop() {
		const { rows } = this.#parts;
		if (!this.#stop?.isConnected || !rows.contains(document.activeElement))
			this.#stopAt(rows.lastElementChild);
	}

	#walk(e) {
		const all = [...this.#parts.rows.children], at = all.indexOf(e.target.closest("tr"));
		const to = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + 10, PageUp: at - 10, Home: 0, End: all.length - 1 }[e.key];
		if (at < 0 || to === undefined || e.ctrlKey || e.altKey || e.metaKey)
			return;
		e.preventDefault();
		all[Math.min(all.length - 1, Math.max(0, to))].querySelector(".request").focus();
	}

	// ---- one of them ----

	#openRow(row) {
		if (row)
			this.#openDetails(this.#byRow.get(row), row);
	}

	#openDetails(e, row) {
		const { details, title, body } = this.#parts;
		this.#shown?.classList.remove("shown");
		this.#shown = row;
		row.classList.add("shown");
		title.textContent = `${e.method || e.kind} ${e.url}`;
		body.replaceChildren(...this.#sections(e));
		details.hidden = false;
		title.focus();
	}

	#closeDetails() {
		const { details, filter } = this.#parts;
		if (details.hidden)
			return;
		const held = details.contains(document.activeElement);
		details.hidden = true;
		if (held)
			(this.#shown?.isConnected ? this.#shown.querySelector(".request") : filter).focus();
		this.#shown?.classList.remove("shown");
		this.#shown = null;
	}

	#sections(e) {
		const facts = [["Time", moment(e.at)], ["Kind", e.kind], ["Type", e.resource_type], ["Status", e.status],
			["Failure", e.failure], ["Redirected from", e.redirected_from], ["Media type", e.mime], ["Protocol", e.protocol],
			["Address", e.remote_address && `${e.remote_address}${e.remote_port ? ` port ${e.remote_port}` : ""}`],
			["Sent", bytes(e.bytes_sent)], ["Received", bytes(e.bytes_received)],
			["Duration", e.duration_ms === null ? null : milliseconds(e.duration_ms)]];
		const tls = e.tls ? [["Version", e.tls.version], ["Cipher", e.tls.cipher], ["Subject", e.tls.subject],
			["Issuer", e.tls.issuer], ["Valid until", e.tls.not_after]] : [];
		const headers = (list) => list.map((h) => [h.name, h.value]);
		return [...this.#section("General", facts), ...this.#section("TLS", tls),
			...this.#section("Response headers", headers(e.response_headers)),
			...this.#section("Request headers", headers(e.request_headers))];
	}

	#section(title, pairs) {
		const list = element("dl");
		for (const [name, value] of pairs)
			if (value !== null && value !== undefined && value !== "")
				list.append(element("dt", name), element("dd", String(value)));
		return list.children.length ? [element("h3", title), list] : [];
	}
}
