// SPDX-License-Identifier: ISC
// Shared parts of the pages of records: the head, cards of facts, the JSON, the history, and links
// to searches.

import { foreign, h, show } from "../common/dom.js";
import { api } from "../common/api.js";
import { ago, dayAndHour, plural } from "../common/words.js";
import { copyButton } from "./copy.js";
import { emptyState, faultPanel, reading } from "./parts.js";
import { block, instant, searchFor } from "./links.js";

// Makes the head of a record: its kind, name, badges and actions.
export function recordHead(kind, name, { under, badges, actions = [], prose = false } = {}) {
	return h(
		"header.record-head",
		null,
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

// Shows [[name, nodes], …] as a list without the pairs that have no value.
export function facts(pairs) {
	const known = pairs.filter(([, v]) => v !== undefined && v !== null && v !== false && v !== "" && !(Array.isArray(v) && !v.length));
	return h(
		"dl.facts",
		null,
		known.map(([name, v]) => h("div", null, h("dt", null, name), h("dd", null, v))),
	);
}

// The address of a web page: a text, never a link, with what can be done with it.
export function pageAddress(url) {
	return [h("span.mono", null, foreign(url, 300)), " ", copyButton(url, "Copy the address", { words: false }),
		h("a.small.nowrap", { href: `#/sessions?url=${encodeURIComponent(url)}` }, "Open in a browser session")];
}

export function card(title, ...children) {
	return h("section.card", null, title && h("h2", null, title), children);
}

export function at(text) {
	return text && h("time", { datetime: text, title: instant(text) }, `${dayAndHour(text)} `, h("span.quiet", null, `(${ago(text)})`));
}

// Makes a list of the first items, with a button for the rest.
export function some(items, make, first = 8) {
	const list = h(
		"ul.some",
		null,
		items.slice(0, first).map((i) => h("li", null, make(i))),
	);
	if (items.length <= first)
		return list;
	const more = h(
		"button.link.small",
		{
			type: "button",
			onclick: () => {
				list.append(...items.slice(first).map((i) => h("li", null, make(i))));
				more.remove();
			},
		},
		`+${items.length - first} more`,
	);
	return h("div", null, list, more);
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

// Shows the page of one record. read(signal) returns the record; draw(data) returns {main, side};
// missing is shown for 404.
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
		show(main, h("h1.hidden", { tabindex: "-1" }, "Not found"), emptyState(...missing));
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
	host_added: "First seen",
	host_changed: "Host changed",
	host_gone: "Host gone",
	service_added: "Service appeared",
	service_changed: "Service changed",
	service_gone: "Service gone",
	added: "First seen",
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
