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

// 3725 as 1:02:05.
export function clock(seconds) {
	const s = Math.max(0, Math.floor(seconds));
	const two = (n) => String(n).padStart(2, "0");
	const hours = Math.floor(s / 3600);
	const minutes = Math.floor(s / 60) % 60;
	return hours ? `${hours}:${two(minutes)}:${two(s % 60)}` : `${minutes}:${two(s % 60)}`;
}

export function duration(seconds) {
	const minutes = Math.round(seconds / 60);
	if (seconds < 90)
		return `${Math.round(seconds)} seconds`;
	return minutes < 90 ? `${minutes} minutes` : `${(seconds / 3600).toFixed(1)} hours`;
}

export function hour(date) {
	return date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
}

// As the evidence has it, and as the clock on the wall does.
export function moment(text) {
	const date = new Date(text);
	const here = hour(date);
	return `${date.toISOString().replace("T", " ")}, ${here} here`;
}

export function hostOf(url) {
	try {
		return new URL(url).host;
	} catch {
		return "";
	}
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

function span(seconds) {
	const [, unit, size] = UNITS.find(([limit]) => seconds < limit);
	return plural(Math.max(1, Math.floor(seconds / size)), unit);
}

// The time of an answer, seen from now: "5 minutes ago", "in 12 days", "just now".
export function ago(text, now = Date.now()) {
	const seconds = (now - new Date(text)) / 1000;
	if (Math.abs(seconds) < 5)
		return "just now";
	return seconds > 0 ? `${span(seconds)} ago` : `in ${span(-seconds)}`;
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
