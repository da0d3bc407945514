// SPDX-License-Identifier: ISC
// The latest queries of this person in this browser. They are deleted when the person signs out.

import { h } from "../common/dom.js";
import { PERSONAL } from "./tabs.js";
import { DATASETS, searchFor, short } from "./links.js";

const NAME = `${PERSONAL}recent`;
const KEPT = 20;
const SHOWN = 12;

const EXAMPLES = [
	["hosts", "services:(title:login -port:80,443)"],
	["hosts", "services.tls.certificate.not_after:[now TO now+30d]"],
	["dns", "record_type:CNAME rcode:NXDOMAIN"],
	["certificates", "self_signed:true expired:false"],
];

export function recent() {
	try {
		return JSON.parse(localStorage.getItem(NAME) ?? "[]");
	} catch {
		return [];
	}
}

export function keepQuery(dataset, query) {
	const others = recent().filter(([d, q]) => d !== dataset || q !== query);
	localStorage.setItem(NAME, JSON.stringify([[dataset, query], ...others].slice(0, KEPT)));
}

function item([dataset, query]) {
	return h(
		"a",
		{ href: searchFor(dataset, query) },
		h("span.mono", null, short(query, 90)),
		h("span.quiet", null, ` ${DATASETS[dataset]?.title ?? dataset}`),
	);
}

// Returns the queries as links for a menu.
export function recentItems() {
	const list = recent().slice(0, SHOWN);
	return [h("p.menu-title", null, list.length ? "Recent queries" : "Examples"), (list.length ? list : EXAMPLES).map(item)];
}
