// SPDX-License-Identifier: ISC
// Writes records as lines of CSV (RFC 4180). A cell that a spreadsheet would evaluate as a formula
// gets an apostrophe in front.

const COMPUTED = /^[=+\-@\t\r]/u;

export function cell(value) {
	let text = value === null || value === undefined ? "" : String(value);
	if (typeof value !== "number" && COMPUTED.test(text))
		text = `'${text}`;
	return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function line(cells) {
	return `${cells.map(cell).join(",")}\r\n`;
}

// Returns all values at a path, in order: services.port of a host has one for each service.
function valuesAt(record, path) {
	let found = [record];
	for (const name of path.split("."))
		found = found.flatMap((v) => v?.[name] ?? []);
	return found.filter((v) => typeof v !== "object");
}

function joined(values) {
	return values.length === 1 ? values[0] : values.join("; ");
}

export function record(document, columns) {
	return line(columns.map((column) => joined(valuesAt(document, column))));
}
