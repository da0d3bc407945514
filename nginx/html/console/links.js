// SPDX-License-Identifier: ISC
// Names of datasets, formats of numbers and times, and links between searches and records. Scanned
// addresses are shown as text, never as links.

import { foreign, h } from "../common/dom.js";
import { count } from "../common/words.js";

const PLAIN = /^[A-Za-z0-9_][A-Za-z0-9_./-]*$/u;
const KEYWORD = /^(?:AND|OR|NOT|TO)$/iu;

// Returns a value in the form of a query: quoted, unless every character stands for itself.
export function quoted(value) {
	const text = String(value);
	if (PLAIN.test(text) && !KEYWORD.test(text))
		return text;
	const escapes = { "\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t" };
	return `"${text.replace(/[\\"\n\r\t]/gu, (c) => escapes[c])}"`;
}

export function searchFor(dataset, query) {
	return `#/search/${dataset}?q=${encodeURIComponent(query)}`;
}

export const recordOf = {
	host: (ip) => `#/hosts/${encodeURIComponent(ip)}`,
	name: (name) => `#/names/${encodeURIComponent(name)}`,
	domain: (name) => `#/domains/${encodeURIComponent(name)}`,
	certificate: (fingerprint) => `#/certificates/${encodeURIComponent(fingerprint)}`,
	report: (uuid) => `#/reports/${encodeURIComponent(uuid)}`,
	directory: (d) => `#/directories/${encodeURIComponent(`${d.host ?? d.ip} ${d.port} ${d.path}`)}`,
};

// Cuts an untrusted text for a list.
export function short(text, limit = 160) {
	const all = String(text ?? "");
	return foreign(all.length > limit ? `${all.slice(0, limit)}…` : all);
}

const WEIGHT = { malicious: ["bad", "▲"], suspicious: ["warn", "◆"], benign: ["good", "●"] };

// Shows a tag of a record. Its classification is a colour, a shape and, for screen readers, a word.
export function tag(text, dataset, classification = "") {
	const [tone, shape] = WEIGHT[classification] ?? ["", ""];
	return h(
		"a.badge",
		{ class: `badge ${tone}`, href: searchFor(dataset, `tags:${quoted(text)}`) },
		shape && [h("span", { "aria-hidden": "true" }, shape), h("span.hidden", null, `${classification}: `)],
		short(text, 60),
	);
}

// ---- names, numbers and times ----

// Singular and plural, title of the page, and the fields of countries and ports.
export const DATASETS = {
	hosts: {
		one: "host",
		many: "hosts",
		title: "Hosts",
		country: "country_code",
		port: "services.port",
	},
	services: {
		one: "service",
		many: "services",
		title: "Services",
		country: "country_code",
		port: "port",
	},
	dns: {
		one: "DNS record",
		many: "DNS records",
		title: "DNS",
		country: "",
		port: "",
	},
	whois: {
		one: "registration",
		many: "registrations",
		title: "Registrations",
		country: "whois.registrant.country_code",
		port: "",
	},
	certificates: {
		one: "certificate",
		many: "certificates",
		title: "Certificates",
		country: "subject.country_code",
		port: "",
	},
	reports: {
		one: "report",
		many: "reports",
		title: "Reports",
		country: "countries",
		port: "",
	},
	"open-directories": { one: "open directory", many: "open directories", title: "Open directories", country: "", port: "" },
};

export function noun(dataset, n) {
	const { one, many } = DATASETS[dataset] ?? { one: dataset, many: dataset };
	return n === 1 ? one : many;
}

// Returns "4,211 hosts" or "at least 10,000 hosts": a total in words, with its relation.
export function total(dataset, { value, relation }) {
	const what = `${count(value)} ${noun(dataset, value)}`;
	return { eq: what, gte: `at least ${what}` }[relation] ?? `about ${what}`;
}

// Returns "2026-10-19 15:39 UTC".
export function instant(text) {
	const match = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/u.exec(text ?? "");
	return match ? `${match[1]} ${match[2]} UTC` : "";
}

export function share(part, whole) {
	if (!whole)
		return "0 %";
	const percent = (100 * part) / whole;
	return percent > 0 && percent < 0.1 ? "< 0.1 %" : `${percent < 10 ? percent.toFixed(1) : Math.round(percent)} %`;
}
