// SPDX-License-Identifier: ISC
// Network events, as they arrive: a table that can be filtered, and the details of one.

import { bytes, milliseconds, moment } from "./words.js";

const ROWS_MAX = 500; // rows in the page; older ones are counted alone
const KEPT_MAX = 5000;

function failed(e) {
	return e.failure !== null || (e.status !== null && e.status >= 400);
}

function element(name, text, className) {
	const node = document.createElement(name);
	if (text !== undefined)
		node.textContent = text;
	if (className)
		node.className = className;
	return node;
}

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
	#seen = 0;
	#shown = null; // the event in the details
	#parts;

	// parts: {rows, scroll, empty, count, filter, failed, details, title, body, close}
	constructor(parts) {
		this.#parts = parts;
		parts.filter.addEventListener("input", () => this.#redraw());
		parts.failed.addEventListener("change", () => this.#redraw());
		parts.close.addEventListener("click", () => this.#closeDetails());
		parts.details.addEventListener("keydown", (e) => e.key === "Escape" && this.#closeDetails());
	}

	clear() {
		this.#events = [];
		this.#seen = 0;
		this.#closeDetails();
		this.#redraw();
	}

	add(events) {
		const { scroll, rows } = this.#parts;
		const follow = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 40;
		this.#events.push(...events);
		this.#events.splice(0, Math.max(0, this.#events.length - KEPT_MAX));
		this.#seen += events.length;
		rows.append(...events.filter((e) => this.#wanted(e)).map((e) => this.#row(e)));
		while (rows.children.length > ROWS_MAX)
			rows.firstElementChild.remove();
		this.#tally();
		if (follow)
			scroll.scrollTop = scroll.scrollHeight;
	}

	#tally() {
		this.#parts.count.textContent = this.#seen;
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
		open.append(element("span", e.method || e.kind, "method"), element("span", path, "path"), element("span", host, "host"));
		open.addEventListener("click", () => this.#openDetails(e, open));
		cell.append(open);
		row.append(cell,
			element("td", e.status ?? (e.failure ? "failed" : "–"), "status"),
			element("td", e.resource_type || e.kind),
			element("td", bytes(e.bytes_received), "number"),
			element("td", milliseconds(e.duration_ms), "number"));
		return row;
	}

	// ---- one of them ----

	#openDetails(e, from) {
		const { details, title, body } = this.#parts;
		this.#shown = from;
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
			(this.#shown?.isConnected ? this.#shown : filter).focus();
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
