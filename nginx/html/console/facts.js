// SPDX-License-Identifier: ISC
// Facts about a record: lists of names and values, times, addresses of web pages, cards.

import { foreign, h } from "../common/dom.js";
import { ago, dayAndHour } from "../common/words.js";
import { copyButton } from "./copy.js";
import { instant } from "./links.js";

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
