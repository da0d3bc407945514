// SPDX-License-Identifier: ISC
// The help of the search: examples, what can be written, and the fields of a dataset with their types.

import { h, show } from "../common/dom.js";
import { api } from "../common/api.js";
import { ask } from "../common/dialog.js";
import { plural } from "../common/words.js";
import { styleSheet } from "./parts.js";
import { EXAMPLES } from "./examples.js";
import { DATASETS, searchFor } from "./links.js";

const WRITTEN = [
	["a b, a AND b", "both"],
	["a OR b", "one of them, or both"],
	["NOT a, -a", "not this one"],
	["( )", "a group"],
	["field:value", "has the value; a name also matches names below it"],
	["field=value", "exactly the value"],
	["field:a,b", "one of several numbers, addresses or countries; other values as field:{a,b}"],
	["field:[a TO b], field:>=a", "a range of numbers, times or addresses; * leaves an end open"],
	["field:ngin*", "a pattern: * is any characters, ? is one"],
	["field:*", "has any value"],
	["services:( )", "all tests inside are about the same service; files:( ) and indicators:( ) likewise"],
	["\"two words\"", "a value with spaces, colons or brackets"],
	["now-7d", "a time: now, with s, m, h, d or w"],
];
// What is compared, in the words of the list of fields.
const TYPES = { keyword: "the whole value, in any case", text: "words, in any order", dns: "a name, and names below it", ip: "an address or a network", integer: "a number", number: "a number", boolean: "true or false", date: "a time" };

function table(caption, heads, lines) {
	return h("table", null, h("caption.hidden", null, caption), h("thead", null, h("tr", null, heads.map((t) => h("th", { scope: "col" }, t)))), h("tbody", null, lines));
}

function line([first, ...rest]) {
	return h("tr", null, h("th.mono", { scope: "row" }, first), rest.map((cell) => h("td", null, cell)));
}

function fieldsOf(schema) {
	const body = h("tbody"), sum = h("p.quiet.small", { role: "status" });
	const filter = h("input", { type: "search", "aria-label": "Filter fields", placeholder: "Filter fields", oninput: () => draw() });
	const draw = () => {
		const words = filter.value.trim().toLowerCase();
		const found = schema.fields.filter((f) => [f.name, ...f.aliases].some((name) => name.includes(words)));
		show(body, found.map((f) => line([f.name, f.aliases.join(", "), `${f.type}: ${TYPES[f.type] ?? "a value"}`, f.aggregatable ? "yes" : ""])));
		show(sum, plural(found.length, "field"));
	};
	draw();
	return h("section.help-part", null, h("div.card-head", null, h("h3", null, "Fields"), filter), sum,
		h("div.scroll.help-fields", { tabindex: "0", role: "region", "aria-label": "Fields" },
			h("table", null, h("caption.hidden", null, "Fields"), h("thead", null, h("tr", null, ["Field", "Or", "Compares", "Counted"].map((t) => h("th", { scope: "col" }, t)))), body)));
}

// Shows the help about one dataset.
export async function searchHelp(schema) {
	await styleSheet("options");
	const { title } = DATASETS[schema.dataset];
	return ask({ title: `${title}: fields and examples`, label: "Close", cancel: "", wide: true, body: [
		h("h3", { tabindex: "-1", autofocus: true }, "Examples"),
		table("Examples", ["Query", "Finds"], (EXAMPLES[schema.dataset] ?? []).map(([query, words]) => line([h("a", { href: searchFor(schema.dataset, query) }, query), words]))),
		h("h3.help-part", null, "What can be written"),
		table("What can be written", ["Written", "Matches"], WRITTEN.map(line)),
		fieldsOf(schema),
		h("p.quiet.small", null, "Programs send the same queries to the API: ", h("a", { href: "/api/v1/openapi.json", download: "openapi.json" }, "openapi.json"), " describes it."),
	] });
}

// Shows the help from any page: about the dataset that the address names, else about hosts.
export async function helpOfSearch() {
	const { schemas } = await api.get("/search/schemas"), wanted = /^#\/search\/([a-z-]+)/u.exec(location.hash)?.[1];
	return searchHelp(schemas.find((s) => s.dataset === wanted) ?? schemas[0]);
}
