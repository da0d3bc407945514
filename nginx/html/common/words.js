// SPDX-License-Identifier: ISC
// Numbers, sizes and times in words, for the console and the viewer.

export function bytes(n) {
	if (n < 1000)
		return `${n} B`;
	const units = ["kB", "MB", "GB"];
	let unit = -1;
	do {
		n /= 1000;
		unit++;
	} while (n >= 999.5 && unit < 2);
	return `${n < 10 ? n.toFixed(1) : Math.round(n)} ${units[unit]}`;
}

export function milliseconds(n) {
	if (n === null)
		return "–";
	return n < 1000 ? `${n} ms` : `${(n / 1000).toFixed(1)} s`;
}

const NUMBER = new Intl.NumberFormat("en");
const SHORT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

// 12204 as 12,204.
export function count(n) {
	return NUMBER.format(n);
}

// 12204 as 12.2K.
export function about(n) {
	return SHORT.format(n);
}

// plural(1, "key") is "1 key", plural(2, "key") "2 keys".
export function plural(n, one, many = `${one}s`) {
	return `${count(n)} ${n === 1 ? one : many}`;
}

const UNITS = [[60, "second", 1], [3600, "minute", 60], [86400, "hour", 3600], [86400 * 60, "day", 86400], [86400 * 730, "month", 86400 * 30.44],
	[Infinity, "year", 86400 * 365.25]];

const SLACK_S = 120; // what was set for a day ends in a day also a minute later

function span(seconds, round) {
	const [, unit, size] = UNITS.find(([limit]) => seconds < limit);
	return plural(Math.max(1, round(seconds / size)), unit);
}

// The time of an answer, seen from now: "5 minutes ago", "in 12 days", "just now".
export function ago(text, now = Date.now()) {
	const seconds = (now - new Date(text)) / 1000;
	if (Math.abs(seconds) < 5)
		return "just now";
	return seconds > 0 ? `${span(seconds, Math.floor)} ago` : `in ${span(-seconds > 3600 ? SLACK_S - seconds : -seconds, Math.floor)}`;
}

// 20 Feb 2027: a day, of the reader's own calendar or of UTC.
export function day(text, timeZone = undefined) {
	return new Date(text).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone });
}

// 20 Feb 2027, 14:02.
export function dayAndHour(text) {
	return `${day(text)}, ${new Date(text).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })}`;
}

// ["a", "b", "c"] as "a, b and c".
export function list(words) {
	return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
