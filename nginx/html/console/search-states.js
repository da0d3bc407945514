// SPDX-License-Identifier: ISC
// What the search page shows beside its hits: nothing found, an invalid query, the map and the ports, and more pages. Most first views do not need it.

import { foreign, h, show } from "../common/dom.js";
import { api } from "../common/api.js";
import { announce, emptyState, faultPanel } from "./parts.js";
import { DATASETS, noun } from "./links.js";

const helpButton = (schema) => h("button", { type: "button", onclick: async () => (await import("./search-help.js")).searchHelp(schema) }, "Fields and examples");

export function nothing(page, { query, dataset }) {
	return query
		? emptyState(`No ${noun(dataset, 2)} match`, "Remove a condition from the query, or search another dataset.", h("div.actions", null,
			h("button", { type: "button", onclick: () => page.go({ query: "" }) }, `Show all ${noun(dataset, 2)}`), helpButton(page.schema)))
		: emptyState(`There are no ${noun(dataset, 2)} yet`, `The operator loads them with surfacectl import ${dataset}.`);
}

// Marks what is wrong with a query.
export async function refused(page, { dataset, query }, hits, signal) {
	show(hits, emptyState(["The query ", h("code", null, foreign(query, 120)), " cannot be read"], "The mark in the search box shows where.", helpButton(page.schema)));
	const verdict = await api.get(`/search/${dataset}/validate`, { query: { q: query }, signal }).catch(() => null);
	if (verdict && !signal.aborted && page.box.value.trim() === query)
		await page.box.tell(verdict);
}

// Makes the button that loads the next page. load() adds its hits.
export function moreButton(hits, size, { load, again, signal }) {
	const button = h("button", { type: "button" }, `Load ${size} more`),
		foot = h("p.more", null, button);
	const entries = () => hits.querySelectorAll("[data-entry]");
	hits.append(foot);
	button.addEventListener("click", async () => {
		const first = entries().length;
		button.disabled = true;
		try {
			await load();
			foot.remove();
			entries()[first]?.focus();
			announce(`${entries().length} are shown.`);
		} catch (fault) {
			if (!signal.aborted)
				show(foot, faultPanel(fault, again));
		}
	});
}

// Draws the map or the ports.
export async function drawView(page, { dataset, query, view }, hits, { aggregation, signal }) {
	const meta = DATASETS[dataset];
	const [views, answer] = await Promise.all([
		import("./views.js"),
		page.aggregate(aggregation(query, [view === "map" ? meta.country : meta.port], 100), signal),
	]);
	if (!signal.aborted)
		show(hits, views[view](answer.groups[0], page.schema, query, (test) => page.toggle(test, false)));
}
