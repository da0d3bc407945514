// SPDX-License-Identifier: ISC
// Links between searches and records. What was scanned is text, and no link leads to it.

import { foreign, h, icon } from "../common/dom.js";
import { count } from "../common/words.js";

const PLAIN = /^[A-Za-z0-9_][A-Za-z0-9_./-]*$/u;
const KEYWORD = /^(?:AND|OR|NOT|TO)$/iu;
const LENS = "M8.5 3a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11M13 13l4 4";

// A value as a query has it: bare where every character means itself, else in quotes.
export function quoted(value) {
	const text = String(value);
	if (PLAIN.test(text) && !KEYWORD.test(text))
		return text;
	const escapes = { "\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t" };
	return `"${text.replace(/[\\"\n\r\t]/gu, (c) => escapes[c])}"`;
}

export function searchFor(dataset, query) {
	return `#/search/${dataset}?q=${encodeURIComponent(query)}`;
}

export const recordOf = {
	host: (ip) => `#/hosts/${encodeURIComponent(ip)}`,
	name: (name) => `#/names/${encodeURIComponent(name)}`,
	domain: (name) => `#/domains/${encodeURIComponent(name)}`,
	certificate: (fingerprint) => `#/certificates/${encodeURIComponent(fingerprint)}`,
	report: (uuid) => `#/reports/${encodeURIComponent(uuid)}`,
	directory: (d) => `#/directories/${encodeURIComponent(`${d.host ?? d.ip} ${d.port} ${d.path}`)}`,
};

// A link that searches a dataset for a value.
export function lens(dataset, field, value, operator = ":") {
	const query = `${field}${operator}${quoted(value)}`;
	return h("a.lens", { href: searchFor(dataset, query), "aria-label": `Search ${dataset} for ${query}`, title: query }, icon(LENS));
}

// Foreign text for a list, which has no room for the rest of it.
export function short(text, limit = 160) {
	const all = String(text ?? "");
	return foreign(all.length > limit ? `${all.slice(0, limit)}…` : all);
}

// Foreign text of several lines, such as a banner, for an element that keeps white space. A button shows what is cut.
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

// A value of a record with what can be done with it.
export function value(text, dataset, field, { href, operator, shown, mono } = {}) {
	const body = foreign(shown ?? text, 400);
	return h(
		"span.value",
		{ class: mono ? "value mono" : "value" },
		href ? h("a", { href }, body) : body,
		field && lens(dataset, field, text, operator),
	);
}

const WEIGHT = { malicious: ["bad", "▲"], suspicious: ["warn", "◆"], benign: ["good", "●"] };

// A tag of a record; its class of the tag list is a colour, a shape and, for readers of the screen, a word.
export function tag(text, dataset, classification = "") {
	const [tone, shape] = WEIGHT[classification] ?? ["", ""];
	return h(
		"a.badge",
		{ class: `badge ${tone}`, href: searchFor(dataset, `tags:${quoted(text)}`) },
		shape && [h("span", { "aria-hidden": "true" }, shape), h("span.hidden", null, `${classification}: `)],
		short(text, 60),
	);
}
