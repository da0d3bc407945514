// SPDX-License-Identifier: ISC
// Shared parts of the pages of records: the head, cards of facts, the JSON, the history, and links
// to searches.

import { foreign, h, icon, show } from "../common/dom.js";
import { api } from "../common/api.js";
import { ago, count, plural } from "../common/words.js";
import { copyButton } from "./copy.js";
import { card } from "./facts.js";
import { emptyState, faultPanel, reading } from "./parts.js";
import { instant, quoted, searchFor } from "./links.js";
import { trailLine } from "./trail.js";

const LENS = "M8.5 3a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11M13 13l4 4";

// type of an indicator: the kind of record that is about its value
export const OF_TYPE = { ipv4: "host", ipv6: "host", domain: "name", certificate_sha256: "certificate" };

// Makes the head of a record: its kind, name, badges and actions.
export function recordHead(kind, name, { under, badges, actions = [], prose = false } = {}) {
	return h(
		"header.record-head",
		null,
		trailLine(),
		h("p.kicker", null, kind),
		h(
			"div.record-name",
			null,
			h("h1", { tabindex: "-1", class: prose ? "" : "mono" }, foreign(name, 300)),
			copyButton(name, `Copy ${kind}`, { words: false }),
		),
		under && h("p.under", null, under),
		badges?.length ? h("p.tags", null, badges) : null,
		actions.length > 0 && h("div.actions", null, actions),
	);
}

// Shows an untrusted text of several lines, such as a banner, with its white space. A button shows
// the part that is cut.
export function block(text, limit = 2000) {
	const lines = (part) => part.split(/\r?\n/u).map((line, i) => [i > 0 && "\n", foreign(line, Infinity)]);
	const all = String(text);
	if (all.length <= limit)
		return lines(all);
	const rest = h(
		"button.link",
		{ type: "button", onclick: () => rest.replaceWith(h("span", null, lines(all.slice(limit)))) },
		`… ${count(all.length - limit)} more characters`,
	);
	return [lines(all.slice(0, limit)), rest];
}

// Makes a link that searches a dataset for a value.
export function lens(dataset, field, value, operator = ":") {
	const query = `${field}${operator}${quoted(value)}`;
	return h("a.lens", { href: searchFor(dataset, query), "aria-label": `Search ${dataset} for ${query}`, title: query }, icon(LENS));
}

// Shows a value of a record with a menu of its searches.
export function value(text, dataset, field, { href, operator, shown, mono } = {}) {
	const body = foreign(shown ?? text, 400);
	return h(
		"span.value",
		{ class: mono ? "value mono" : "value" },
		href ? h("a", { href }, body) : body,
		field && lens(dataset, field, text, operator),
	);
}

// Shows the document as JSON, which is formatted when the card is opened.
export function jsonCard(document) {
	const text = () => JSON.stringify(document, null, 2),
		body = h("pre.json", { tabindex: "0", "aria-label": "JSON" });
	const box = h("details.card.json-card", null, h("summary", null, "JSON"), h("div.actions", null, copyButton(text, "Copy JSON")), body);
	box.addEventListener("toggle", () => box.open && show(body, block(text(), 100000)));
	return box;
}

// Makes links to searches about the record: [[words, dataset, query], …].
export function searches(list) {
	return card(
		"Search further",
		h(
			"ul.searches",
			null,
			list
				.filter(Boolean)
				.map(([words, dataset, query]) =>
					h("li", null, h("a", { href: searchFor(dataset, query) }, words), h("code.quiet", null, foreign(query, 120))),
				),
		),
	);
}

// Shows the page of one record. read(signal) returns the record; draw(data) returns {head, body, side}. When nothing is stored,
// missing {kind, name, title, words, actions, further} says so under the name, with searches where it may be named nevertheless.
export async function recordPage(main, { read, draw, missing, signal }) {
	main.className = "page wide record-page";
	const wait = setTimeout(
		() =>
			show(
				main,
				h(
					"div.skeleton",
					{ "aria-hidden": "true" },
					Array.from({ length: 9 }, () => h("i")),
				),
			),
		150,
	);
	let data;
	try {
		data = await read(signal);
	} catch (fault) {
		if (fault.status !== 404)
			throw fault;
		const { kind, name, title, words, actions = [], further = [] } = missing;
		show(main, recordHead(kind, name), h("div.record", null, h("div.record-main", null, card("", emptyState(title, words, actions))), h("div.record-side", null, searches(further))));
		return;
	} finally {
		clearTimeout(wait);
	}
	if (signal.aborted)
		return;
	const { head, body, side } = draw(data);
	show(main, head, h("div.record", null, h("div.record-main", null, body), h("div.record-side", null, side)));
}

// ---- history ----

const KINDS = {
	host_added: "First recorded",
	host_changed: "Host changed",
	host_gone: "Host gone",
	service_added: "Service appeared",
	service_changed: "Service changed",
	service_gone: "Service gone",
	added: "First recorded",
	changed: "Changed",
	gone: "Gone",
	coalesced: "More changes that day",
};

function flat(value, prefix = "") {
	if (value === null || typeof value !== "object" || Array.isArray(value))
		return [[prefix, Array.isArray(value) ? value.map((v) => (typeof v === "object" ? JSON.stringify(v) : v)).join(", ") : value]];
	return Object.entries(value).flatMap(([name, v]) => flat(v, prefix ? `${prefix}.${name}` : name));
}

function change(e) {
	const before = new Map(flat(e.before ?? {})),
		after = new Map(flat(e.after ?? {}));
	const names = [...new Set([...before.keys(), ...after.keys()])].filter(Boolean).slice(0, 12);
	return (
		names.length > 0 &&
		h(
			"ul.changes",
			null,
			names.map((n) =>
				h(
					"li",
					null,
					h("span.quiet", null, `${n} `),
					before.has(n) && h("del", null, foreign(before.get(n), 120)),
					before.has(n) && after.has(n) && " → ",
					after.has(n) && h("ins", null, foreign(after.get(n), 120)),
				),
			),
		)
	);
}

function eventNode(e) {
	return h(
		"li",
		{ class: `event ${e.kind}` },
		h("time.quiet", { datetime: e.at, title: instant(e.at) }, ago(e.at)),
		h(
			"div",
			null,
			h("strong", null, KINDS[e.kind] ?? e.kind),
			e.service && h("span.mono", null, ` ${e.service.port}/${e.service.transport}`),
			e.count > 1 && h("span.quiet", null, ` ${plural(e.count, "change")}`),
			change(e),
		),
	);
}

// Shows the history of a record, newest first, and from which time it is complete.
export function historyCard(path, signal) {
	const list = h("ol.events"),
		foot = h("div");
	const page = async (cursor) => {
		const answer = await api.get(path, { query: { limit: 20, cursor }, signal });
		list.append(...answer.events.map(eventNode));
		const more =
			answer.next_cursor &&
			h("button", { type: "button", onclick: () => page(answer.next_cursor).catch((fault) => show(foot, faultPanel(fault))) }, "Older changes");
		show(foot, more, h("p.quiet.small", null, `All changes since ${answer.since.slice(0, 10)} are here.`));
		return answer;
	};
	const { box } = reading({
		signal,
		lines: 3,
		read: () => page(""),
		draw: (data, b) => show(b, list, foot),
		empty: (a) => (a.events.length ? null : h("p.quiet.small", null, `No changes since ${a.since.slice(0, 10)}.`)),
	});
	return card("History", box);
}
