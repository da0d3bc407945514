// SPDX-License-Identifier: ISC
// The options of the list under the search box: fields, values with their counts, and AND, OR and
// NOT.

import { typed } from "./caret.js";
import { quoted } from "./links.js";
import { canonicalField } from "./query.js";

const MOST = 12;
const WORDS = ["AND", "OR", "NOT"];
const BOOLEANS = ["true", "false"];
const TIMES = ["now-1d", "now-7d", "now-30d", "now"];

// Returns 0 when the name begins with the text, 1 when a part of the name does, 2 when the name
// contains the text, else -1.
function rank(name, text) {
	const at = name.indexOf(text);
	if (at < 0)
		return -1;
	return at === 0 ? 0 : "._".includes(name[at - 1]) ? 1 : 2;
}

function fieldOptions(schema, place) {
	const text = place.text.toLowerCase();
	const prefix = place.inside && schema.fields.some((f) => f.nested && f.name.startsWith(`${place.inside}.`)) ? `${place.inside}.` : "";
	const found = [];
	for (const field of schema.fields) {
		if (prefix && !field.name.startsWith(prefix))
			continue;
		const shown = field.name.slice(prefix.length);
		const names = prefix ? [shown] : [shown, ...field.aliases];
		const best = names
			.map((n) => [rank(n, text), n])
			.filter(([r]) => r >= 0)
			.sort((a, b) => a[0] - b[0])[0];
		if (best)
			found.push({
				kind: "field",
				text: shown,
				insert: `${shown}:`,
				type: field.type,
				alias: best[1] === shown ? "" : best[1],
				counted: field.aggregatable,
				order: best[0] * 100 + shown.split(".").length + (best[1] === shown ? 0 : 0.5),
			});
	}
	found.sort((a, b) => a.order - b.order || (a.text < b.text ? -1 : 1));
	return found.slice(0, MOST);
}

// Values of a field that are known without a request.
function fixed(field) {
	if (field?.type === "boolean")
		return BOOLEANS;
	return field?.type === "date" ? TIMES : [];
}

function valueOptions(field, place, buckets) {
	const text = place.text.toLowerCase();
	const known = buckets.length ? buckets : fixed(field).map((value) => ({ value }));
	return known
		.map((b) => ({ ...b, order: rank(String(b.value).toLowerCase(), text) }))
		.filter(
			(b) =>
				b.order >= 0 ||
				String(b.label ?? "")
					.toLowerCase()
					.includes(text),
		)
		.sort((a, b) => (a.order < 0 ? 3 : a.order) - (b.order < 0 ? 3 : b.order) || (b.count ?? 0) - (a.count ?? 0))
		.slice(0, MOST)
		.map((b) => ({ kind: "value", text: String(b.value), insert: quoted(b.value), count: b.count ?? null, label: b.label ?? "" }));
}

function words(text, place) {
	const before = text.slice(0, place.from).trimEnd();
	const begun = before === "" || /(?:^|[\s(])(?:AND|OR|NOT)$/iu.test(before) || /[(:]$/u.test(before);
	const fits = begun ? ["NOT"] : WORDS;
	return fits
		.filter((w) => (place.text && w.toLowerCase().startsWith(place.text.toLowerCase())) || (!place.text && !begun))
		.map((w) => ({ kind: "word", text: w, insert: `${w} ` }));
}

// Returns the options at the caret. buckets(name) returns the known values of a field.
export function options(schema, text, caret, buckets) {
	const place = typed(text, caret);
	if (place.kind === "none")
		return { place, list: [] };
	if (place.kind === "field")
		return { place, list: [...fieldOptions(schema, place), ...words(text, place)] };
	const field = canonicalField(schema, nestedName(schema, place, text));
	return { place: { ...place, known: field }, list: field ? valueOptions(field, place, buckets(field.name)) : [] };
}

// A name inside services:( … ) may lack "services.".
function nestedName(schema, place, text) {
	const at = text.lastIndexOf(place.field, place.from);
	const inside = typed(text, at).inside;
	const full = inside ? `${inside}.${place.field}` : place.field;
	return canonicalField(schema, full) ? full : place.field;
}

// Returns the query with the option inserted, and the new position of the caret.
export function take(text, place, option) {
	const rest = text.slice(place.to);
	const space = option.kind === "value" && !/^[\s)]/u.test(rest) && rest === "" ? " " : "";
	const insert = option.insert + space;
	const again = option.kind === "field" && rest.startsWith(":") ? insert.slice(0, -1) : insert;
	return { text: text.slice(0, place.from) + again + rest, caret: place.from + insert.length };
}

// Returns the query whose aggregation finds the values that begin with the typed text.
export function valuesQuery(field, text) {
	const clean = text.replace(/["*?\\]/gu, "");
	if ((field.type !== "keyword" && field.type !== "dns") || clean.length < 2)
		return "";
	return `${field.name}:${clean.replace(/[^\p{L}\p{N}_.-]/gu, (c) => `\\${c}`)}*`;
}
