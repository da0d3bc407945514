// SPDX-License-Identifier: ISC
// Converts an error of the validation of a query to the characters to mark, and to a correction.
// Positions count characters from 1, while an index of a string counts UTF-16 units from 0.

export function indexOf(text, position) {
	let index = 0,
		left = position - 1;
	for (const character of text) {
		if (left-- <= 0)
			break;
		index += character.length;
	}
	return Math.min(index, text.length);
}

// Returns the characters to mark: the word at the position, or one character.
export function marked(text, position) {
	const from = indexOf(text, position);
	const rest = text.slice(from);
	const word = /^"(?:[^"\\]|\\.)*"?|^[^\s()":=<>,[\]{}]+/su.exec(rest);
	if (rest === "")
		return { from: Math.max(0, text.length - 1), to: text.length };
	return { from, to: from + (word ? word[0].length : [...rest][0].length) };
}

function replaced(text, { from, to }, by) {
	return { text: text.slice(0, from) + by + text.slice(to), caret: from + by.length };
}

// Returns a correction {label, text: the corrected query, caret}, or null for the many errors that
// only the author can correct.
export function repair(text, error) {
	const { message, position } = error;
	const at = indexOf(text, position);
	const near = /did you mean "?([^"?]+)"?\?/u.exec(message);
	if (near)
		return { label: near[1], ...replaced(text, marked(text, position), near[1]) };
	if (message.startsWith("no white space can stand before"))
		return spaces(text, at);
	if (message.startsWith("this ( is never closed"))
		return { label: "add )", text: `${text.trimEnd()})`, caret: text.trimEnd().length + 1 };
	if (message.startsWith("this quote is never closed"))
		return { label: 'add "', text: `${text.trimEnd()}"`, caret: text.trimEnd().length + 1 };
	if (message.startsWith("this ) was never opened"))
		return { label: "remove )", ...replaced(text, { from: at, to: at + 1 }, "") };
	return quotes(text, at, message);
}

function spaces(text, at) {
	const end = at + /^\s*/u.exec(text.slice(at))[0].length;
	const begin = at - /\s*$/u.exec(text.slice(0, at))[0].length;
	return begin === end ? null : { label: "remove the space", ...replaced(text, { from: begin, to: end }, "") };
}

// Returns the correction that puts one word in quotes.
function quotes(text, at, message) {
	const word = /^[^\s()"]+/u.exec(text.slice(at));
	if (!/needs? quotes|in quotes/u.test(message) || !word)
		return null;
	const by = `"${word[0].replaceAll("\\", "\\\\")}"`;
	return { label: by, ...replaced(text, { from: at, to: at + word[0].length }, by) };
}
