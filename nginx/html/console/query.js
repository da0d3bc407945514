// SPDX-License-Identifier: ISC
// Parses the text of a query (surfaced-query(7)) into its tests, and changes it when a value is
// clicked.
//
//   country_code:DE AND NOT services.product:"Apache httpd"
//   ^ a test        ^   ^ sign ^ field      ^ value

import { quoted } from "./links.js";

export const SPACE = /\s/u;
const OPERATOR = /(?::=|!=|>=|<=|[:=<>])$/u;
const KEYWORDS = /^(?:AND|OR|NOT|TO)$/iu;
const SIGNS = "-!+";

// Returns the end of the quoted text, range or set that begins at i.
export function endOfQuote(text, i) {
	for (let at = i + 1; at < text.length; at++)
		if (text[at] === "\\")
			at++;
		else if (text[at] === '"')
			return at + 1;
	return text.length;
}

function endOfRange(text, i) {
	for (let at = i + 1; at < text.length; at++)
		if (text[at] === '"')
			at = endOfQuote(text, at) - 1;
		else if (text[at] === "]" || text[at] === "}")
			return at + 1;
	return text.length;
}

function endOfGroup(text, i) {
	let depth = 0;
	for (let at = i; at < text.length; at++) {
		if (text[at] === '"')
			at = endOfQuote(text, at) - 1;
		else if (text[at] === "\\")
			at++;
		else if (text[at] === "(")
			depth++;
		else if (text[at] === ")" && --depth === 0)
			return at + 1;
	}
	return text.length;
}

function endOfWord(text, i) {
	let at = i;
	while (at < text.length && !SPACE.test(text[at]) && !'()"'.includes(text[at]))
		at += text[at] === "\\" ? 2 : 1;
	return Math.min(at, text.length);
}

// Returns the end of the word that begins at i. Its operator may be followed by a range or a set.
function endOfName(text, i) {
	const end = endOfWord(text, i);
	const name = /^[^:=<>[{\s]+(?::=|!=|>=|<=|[:=<>])(?=[[{])/u.exec(text.slice(i, end));
	return name ? endOfRange(text, i + name[0].length) : end;
}

// Returns the end of the value that begins at i, or i when no value begins there.
function endOfValue(text, i) {
	if (text[i] === '"')
		return endOfQuote(text, i);
	if (text[i] === "(")
		return endOfGroup(text, i);
	if (text[i] === "[" || text[i] === "{")
		return endOfRange(text, i);
	return text[i] === ")" ? i : endOfWord(text, i);
}

function skip(text, i) {
	while (i < text.length && SPACE.test(text[i]))
		i++;
	return i;
}

// Returns the test that begins at i: {start, end, word}. word is set when the text is only AND, OR
// or NOT.
function testAt(text, i) {
	if (text[i] === ")")
		return { start: i, end: i + 1 };
	if (text[i] === '"' || text[i] === "(")
		return { start: i, end: endOfValue(text, i) };
	let end = endOfName(text, i);
	const word = text.slice(i, end);
	if (KEYWORDS.test(word) && word.toUpperCase() !== "TO")
		return { start: i, end, word: word.toUpperCase() };
	if (OPERATOR.test(word)) {
		const value = skip(text, end);
		end = value < text.length ? Math.max(end, endOfValue(text, value)) : end;
	}
	return { start: i, end: Math.max(end, i + 1) };
}

// Returns the tests and words outside all brackets, in their order.
export function parts(text) {
	const found = [];
	for (let i = skip(text, 0); i < text.length;) {
		let sign = "";
		const start = i;
		while (SIGNS.includes(text[i]) && i + 1 < text.length && !SPACE.test(text[i + 1]))
			sign += text[i++];
		const part = testAt(text, i);
		found.push({ ...part, start, sign, body: i });
		i = skip(text, part.end);
	}
	return found;
}

export function hasOr(text) {
	return parts(text).some((p) => p.word === "OR");
}

export function unquoted(text) {
	if (text[0] !== '"')
		return text.replace(/\\(.)/gsu, "$1");
	const escapes = { n: "\n", r: "\r", t: "\t" };
	return text.slice(1, -1).replace(/\\(.)/gsu, (_, c) => escapes[c] ?? c);
}

// Returns the test for a value of a facet. A facet counts whole titles and single names, for which
// "=" tests; ":" would find the words of a title in any order, and all names below a name.
export function testOf(field, value) {
	const exact = field.type === "text" || field.type === "dns";
	return `${field.name}${exact ? "=" : ":"}${quoted(value)}`;
}

function canonical(schema, name) {
	const lower = name.toLowerCase();
	const alias = schema.fields.find((f) => f.name === lower || f.aliases.includes(lower));
	if (alias)
		return alias.name;
	for (const prefix of schema.prefix_aliases ?? []) {
		const begin = prefix.slice(0, -1);
		if (lower.startsWith(begin) && schema.fields.some((f) => f.name === lower.slice(begin.length)))
			return lower.slice(begin.length);
	}
	return lower;
}

// Returns the field and value of a test of the form field:value, or null.
export function fieldAndValue(schema, text) {
	const match = /^([^\s:=<>()"]+)(:=|[:=])\s*("(?:[^"\\]|\\.)*"|[^\s()"[\]{}<>=]+)$/su.exec(text);
	return match ? { field: canonical(schema, match[1]), value: unquoted(match[3]) } : null;
}

// Returns the parts with their signs: {…part, not, from: the beginning of its NOT}.
function signed(text) {
	const found = [];
	let not = false,
		from = -1;
	for (const part of parts(text)) {
		if (part.word === "NOT") {
			not = !not;
			from = from < 0 ? part.start : from;
			continue;
		}
		const minus = [...part.sign].filter((c) => c !== "+").length % 2 === 1;
		found.push({ ...part, not: not !== minus, from: from < 0 ? part.start : from });
		not = false;
		from = -1;
	}
	return found;
}

function find(schema, text, field, value) {
	if (hasOr(text))
		return null;
	const wanted = String(value).toLowerCase();
	return (
		signed(text).find((p) => {
			const test = p.word ? null : fieldAndValue(schema, text.slice(p.body, p.end));
			return test && test.field === field && test.value.toLowerCase() === wanted;
		}) ?? null
	);
}

// Returns the tests of the form field:value outside all brackets, if they are joined only by AND:
// [{field, value, not}].
export function testsOf(schema, text) {
	return hasOr(text)
		? []
		: signed(text).flatMap((p) => {
				const test = p.word ? null : fieldAndValue(schema, text.slice(p.body, p.end));
				return test ? [{ ...test, not: p.not }] : [];
			});
}

// Returns "and" when the query requires the value, "not" when it excludes the value, else "".
export function chosen(schema, text, field, value) {
	const part = find(schema, text, field, value);
	return part ? (part.not ? "not" : "and") : "";
}

function strip(text) {
	const all = parts(text);
	const one = all.length === 1 && all[0].start === 0 && !all[0].sign && text[0] === "(" && all[0].end === text.length;
	return one ? text.slice(1, -1).trim() : text;
}

function without(text, part) {
	const all = signed(text);
	const at = all.findIndex((p) => p.start === part.start);
	let from = part.from,
		end = part.end;
	if (all[at - 1]?.word === "AND")
		from = all[at - 1].from;
	else if (all[at + 1]?.word === "AND")
		end = all[at + 1].end;
	const joined = `${text.slice(0, from).trimEnd()} ${text.slice(end).trimStart()}`.trim();
	return strip(joined);
}

export function and(text, test) {
	const query = text.trim();
	if (query === "" || query === "*" || query === "*:*")
		return test;
	return `${hasOr(query) ? `(${query})` : query} AND ${test}`;
}

// Returns the query after a click on a value. not: the click was on the button "−". A test that is
// in the query already is removed.
export function toggle(schema, text, test, not) {
	const { field, value } = fieldAndValue(schema, test) ?? {};
	const part = find(schema, text, field, value);
	const rest = part ? without(text, part) : text;
	if (part && part.not === not)
		return rest;
	return and(rest, not ? `NOT ${test}` : test);
}

export function canonicalField(schema, name) {
	const found = canonical(schema, name);
	return schema.fields.find((f) => f.name === found) ?? null;
}
