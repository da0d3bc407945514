// SPDX-License-Identifier: ISC
// The map of countries and the chart of ports. Their parts are buttons that filter, and both have a
// table of the same numbers.

import { h, svg } from "../common/dom.js";
import { about, count } from "../common/words.js";
import { emptyState } from "./parts.js";
import { share, short } from "./links.js";
import { chosen, testOf } from "./query.js";
import { portName } from "./ports.js";
import { COLUMNS, countryName, HEIGHT, shade, tiles } from "./tiles.js";

function numbers(group, name) {
	const sum = group.buckets.reduce((n, b) => n + b.count, 0);
	return h(
		"details.as-table",
		null,
		h("summary", null, "The same numbers as a table"),
		h(
			"table",
			null,
			h("caption.hidden", null, `Counts of ${group.field}`),
			h(
				"thead",
				null,
				h(
					"tr",
					null,
					h("th", { scope: "col" }, group.field),
					h("th", { scope: "col" }, "Name"),
					h("th.number", { scope: "col" }, "Count"),
					h("th.number", { scope: "col" }, "Share"),
				),
			),
			h(
				"tbody",
				null,
				group.buckets.map((b) =>
					h(
						"tr",
						null,
						h("th", { scope: "row" }, short(b.value)),
						h("td", null, short(name(b.value))),
						h("td.number", null, count(b.count)),
						h("td.number", null, share(b.count, sum)),
					),
				),
			),
		),
	);
}

function sure(group) {
	return group.relation === "eq" ? "" : group.relation === "gte" ? "at least " : "about ";
}

function tile(place, bucket, { largest, group, state, pick }) {
	const name = countryName(place.code),
		n = bucket?.count ?? 0;
	return h(
		"button",
		{
			type: "button",
			class: `tile shade-${shade(n, largest)} ${state}`,
			disabled: n === 0,
			"aria-pressed": String(state === "and"),
			"aria-label": `${place.code}${n ? ` ${about(n)}` : ""}, ${name}: ${sure(group)}${count(n)}`,
			title: `${name}: ${sure(group)}${count(n)}`,
			onclick: () => pick(place.code),
		},
		h("span", null, place.code),
		" ",
		n > 0 && h("span.tile-count", null, about(n)),
	);
}

// The countries with most matches, by their names.
function most(buckets, pick) {
	return h(
		"p.small",
		null,
		"Most: ",
		buckets.slice(0, 8).map((b) => [h("button.link", { type: "button", onclick: () => pick(b.value) }, short(countryName(String(b.value))), ` ${count(b.count)}`), " "]),
	);
}

// Lists countries without a tile, such as Antarctica, after the map.
function elsewhere(left, pick) {
	return (
		left.length > 0 &&
		h(
			"p.small",
			null,
			"Elsewhere: ",
			left.map((b) => [
				h("button.link", { type: "button", onclick: () => pick(b.value) }, short(countryName(b.value)), ` ${count(b.count)}`),
				" ",
			]),
		)
	);
}

export function map(group, schema, query, toggle) {
	if (!group.buckets.length)
		return emptyState("No countries", "No match of this query has a country.");
	const field = schema.fields.find((f) => f.name === group.field),
		all = tiles();
	const counts = new Map(group.buckets.map((b) => [String(b.value).toUpperCase(), b])),
		largest = group.buckets[0].count;
	const pick = (code) => toggle(testOf(field, code));
	const places = new Set(all.map((t) => t.code));
	const sheet = h(
		"div.tiles",
		{ role: "group", "aria-label": "Countries, placed as on a map" },
		all.map((t) => tile(t, counts.get(t.code), { largest, group, pick, state: chosen(schema, query, field.name, t.code) })),
	);
	place(sheet, all);
	const legend = h(
		"p.quiet.small.shades",
		null,
		"few ",
		[1, 2, 3, 4, 5, 6].map((n) => h("i", { class: `shade-${n}` })),
		` ${count(largest)}, by the logarithm of the count`,
		group.has_more && "; the 100 commonest countries",
	);
	return h(
		"div.view",
		null,
		h("div.scroll", { tabindex: "0", role: "region", "aria-label": "Map" }, sheet),
		legend,
		most(group.buckets, pick),
		elsewhere(
			group.buckets.filter((b) => !places.has(String(b.value).toUpperCase())),
			pick,
		),
		numbers(group, (code) => countryName(String(code))),
	);
}

// Positions are set through CSSOM, because the content security policy forbids style attributes.
function place(sheet, all) {
	sheet.style.gridTemplateColumns = `repeat(${COLUMNS}, 1fr)`;
	sheet.style.gridTemplateRows = `repeat(${HEIGHT}, auto)`;
	[...sheet.children].forEach((node, i) => {
		node.style.gridArea = `${all[i].row + 1} / ${all[i].column + 1}`;
	});
}

const TALL = 160;

// The heights of 1, 10, 100 … on the axis of ports.
function marks(largest) {
	const all = [];
	for (let n = 1; n <= largest; n *= 10)
		all.push({ n, y: TALL - (TALL * Math.log(1 + n)) / Math.log(1 + largest) });
	return all;
}

function axis(largest) {
	return h(
		"li.port-axis",
		{ "aria-hidden": "true" },
		svg("svg", { viewBox: `0 0 40 ${TALL}` }, marks(largest).map(({ n, y }) => svg("text", { class: "tick", x: 36, y: Math.max(10, y + 4), "text-anchor": "end" }, about(n)))),
	);
}

function column(bucket, { largest, group, state, toggle, field }) {
	const name = portName(bucket.value),
		height = Math.max(2, (TALL * Math.log(1 + bucket.count)) / Math.log(1 + largest));
	const words = `${bucket.value}${name && ` ${name}`} ${about(bucket.count)}: ${sure(group)}${count(bucket.count)}`;
	return h(
		"li",
		{ class: state },
		h(
			"button.port-column",
			{
				type: "button",
				"aria-pressed": String(state === "and"),
				"aria-label": words,
				title: words,
				onclick: () => toggle(testOf(field, bucket.value)),
			},
			svg(
				"svg",
				{ class: "port-bar", viewBox: `0 0 20 ${TALL}`, "aria-hidden": "true" },
				marks(largest).map(({ y }) => svg("line", { class: "grid", x1: 0, x2: 20, y1: y, y2: y })),
				svg("rect", { x: 1, width: 18, y: TALL - height, height, rx: 2 }),
			),
			h("span.port-number", null, bucket.value),
			" ",
			h("span.port-name", null, name),
			" ",
			h("span.port-count", null, about(bucket.count)),
		),
	);
}

// Draws the most frequent ports as columns. Their heights are logarithmic.
export function ports(group, schema, query, toggle) {
	if (!group.buckets.length)
		return emptyState("No ports", "No match of this query has a service.");
	const field = schema.fields.find((f) => f.name === group.field),
		largest = group.buckets[0].count;
	return h(
		"div.view",
		null,
		h(
			"div.scroll",
			{ tabindex: "0", role: "region", "aria-label": "Ports" },
			h(
				"ol.ports",
				null,
				axis(largest),
				group.buckets.map((b) => column(b, { largest, group, toggle, field, state: chosen(schema, query, field.name, b.value) })),
			),
		),
		h(
			"p.quiet.small",
			null,
			`The height is the logarithm of the count; the first has ${count(largest)}.`,
			group.has_more && " The 100 commonest ports.",
		),
		numbers(group, portName),
	);
}
