// SPDX-License-Identifier: ISC
// Times of a browser session in words, and the host of an address, for the viewer and the pages about sessions.

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
	return date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
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
