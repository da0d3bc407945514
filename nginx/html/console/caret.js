// SPDX-License-Identifier: ISC
// Finds which part of a query is being typed at the caret.

import { endOfQuote, SPACE, unquoted } from "./query.js";

// Returns the part at the caret: {kind: "field" or "value", from, to, text, field}.
export function typed(text, caret) {
	let from = caret;
	const before = text.slice(0, caret);
	const quote = /([^\s:=<>()"]+)(:=|!=|[:=])\s*"((?:[^"\\]|\\.)*)$/su.exec(before);
	if (quote && evenQuotes(before.slice(0, quote.index)))
		return {
			kind: "value",
			field: quote[1].replace(/^[-!+]+/u, ""),
			text: unquoted(`"${quote[3]}"`),
			from: caret - quote[3].length - 1,
			to: endOfQuote(text, caret - quote[3].length - 1),
		};
	if (!evenQuotes(before))
		return { kind: "none", from: caret, to: caret, text: "" };
	while (from > 0 && !SPACE.test(text[from - 1]) && !'()"'.includes(text[from - 1]))
		from--;
	let to = caret;
	while (to < text.length && !SPACE.test(text[to]) && !'()"'.includes(text[to]))
		to++;
	const word = text.slice(from, to);
	const value = /^([-!+]*)([^:=<>[{]+)(:=|!=|>=|<=|[:=<>])(?:[[{](?:[^,]*,)*)?/u.exec(word);
	if (value && caret >= from + value[0].length)
		return { kind: "value", field: value[2], from: from + value[0].length, to, text: text.slice(from + value[0].length, caret) };
	const sign = /^[-!+]*/u.exec(word)[0].length;
	return { kind: "field", from: from + sign, to, text: text.slice(from + sign, caret), inside: nestedAt(text, from) };
}

function evenQuotes(text) {
	let inside = false;
	for (let i = 0; i < text.length; i++)
		if (text[i] === "\\")
			i++;
		else if (text[i] === '"')
			inside = !inside;
	return !inside;
}

// Returns the name before the bracket that is open at i, such as "services" in services:(port:22 |
function nestedAt(text, i) {
	let depth = 0;
	for (let at = i - 1; at >= 0; at--) {
		if (text[at] === ")")
			depth++;
		else if (text[at] === "(" && depth-- === 0) {
			const name = /([a-z_.]+):\s*$/iu.exec(text.slice(0, at));
			return name ? name[1].toLowerCase() : nestedAt(text, at);
		}
	}
	return "";
}
