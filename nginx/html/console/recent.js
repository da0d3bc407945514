// SPDX-License-Identifier: ISC
// The latest queries of this person in this browser. They are deleted when the person signs out.

import { PERSONAL } from "./tabs.js";
import { DATASETS, searchFor } from "./links.js";
import { EXAMPLES } from "./examples.js";

const NAME = `${PERSONAL}recent`;
const KEPT = 20;
const SHOWN = 8;
const CUT = 160; // characters of a query in the list

function recent() {
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

function option([dataset, query], note) {
	return { kind: "query", text: query.length > CUT ? `${query.slice(0, CUT)}…` : query, note, act: () => {
		location.hash = searchFor(dataset, query);
	} };
}

// Returns the options of a search box that somebody enters: latest queries, or examples, and the help.
export function firstOptions(schema) {
	const { dataset } = schema, list = recent().slice(0, SHOWN);
	const shown = list.length ? list.map((one) => option(one, DATASETS[one[0]]?.title ?? one[0]))
		: (EXAMPLES[dataset] ?? []).slice(0, 5).map(([query, words]) => option([dataset, query], words));
	return [...shown, { kind: "help", text: "Fields and examples", act: async () => (await import("./search-help.js")).searchHelp(schema) }];
}
