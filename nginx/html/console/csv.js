// SPDX-License-Identifier: ISC
// Writes records as lines of CSV (RFC 4180), in the dialect of src/json/cells.h, which exports and the program surface
// print: a member that is a list, or is below one, is a JSON array with null for what is absent, so that columns of one list
// have an item for each of its objects. A text that a spreadsheet would evaluate as a formula gets an apostrophe in front.

const COMPUTED = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/u;

export function cell(value) {
	const text = value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : typeof value === "string" && COMPUTED.test(value) ? `'${value}` : String(value);
	return /[",\r\n]|^ | $/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function line(cells) {
	return `${cells.map(cell).join(",")}\r\n`;
}

function valueAt(value, path) {
	if (Array.isArray(value))
		return value.map((item) => valueAt(item, path) ?? null);
	if (!path.length || typeof value !== "object" || value === null)
		return value;
	return valueAt(value[path[0]], path.slice(1));
}

export function record(document, columns) {
	return line(columns.map((column) => valueAt(document, column.split("."))));
}
