// SPDX-License-Identifier: ISC
// Numbers and times in words.

const NUMBER = new Intl.NumberFormat("en");
const UNITS = [["second", 60], ["minute", 60], ["hour", 24], ["day", 30.44], ["month", 12], ["year", Infinity]];
const NOUNS = {
	hosts: ["host", "hosts"], services: ["service", "services"], dns: ["DNS record", "DNS records"],
	whois: ["registration", "registrations"], certificates: ["certificate", "certificates"],
	reports: ["report", "reports"], "open-directories": ["open directory", "open directories"],
};

export function number(n) {
	return NUMBER.format(n);
}

export function noun(dataset, n) {
	const [one, many] = NOUNS[dataset] ?? [dataset, dataset];
	return n === 1 ? one : many;
}

// "4,211 hosts, exactly": how sure a total is, from its relation.
export function total(dataset, { value, relation }) {
	const what = `${number(value)} ${noun(dataset, value)}`;
	return { eq: `${what}, exactly`, gte: `at least ${what}` }[relation] ?? `about ${what}`;
}

// "5 hours ago" or "in 3 days"; now is a number of milliseconds.
export function ago(text, now) {
	const at = Date.parse(text);
	if (Number.isNaN(at))
		return "";
	let n = Math.abs(now - at) / 1000, unit = 0;
	while (Math.round(n) >= UNITS[unit][1])
		n /= UNITS[unit++][1];
	const count = Math.round(n);
	if (unit === 0 && count < 45)
		return "now";
	const words = `${count} ${UNITS[unit][0]}${count === 1 ? "" : "s"}`;
	return at > now ? `in ${words}` : `${words} ago`;
}

export function day(text) {
	return String(text ?? "").slice(0, 10);
}

// 2026-10-19 15:39:09 UTC, without microseconds.
export function instant(text) {
	const match = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)/u.exec(text ?? "");
	return match ? `${match[1]} ${match[2]} UTC` : "";
}

export function share(part, whole) {
	if (!whole)
		return "0 %";
	const percent = 100 * part / whole;
	return percent > 0 && percent < 0.1 ? "< 0.1 %" : `${percent < 10 ? percent.toFixed(1) : Math.round(percent)} %`;
}
