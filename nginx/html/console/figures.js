// SPDX-License-Identifier: ISC
// What the datasets of the search are called, and how their numbers and times are told.

import { count } from "../common/words.js";

// one and many; the title of the page; the aggregatable fields that are shown at first; the fields of countries and ports.
export const DATASETS = {
	hosts: {
		one: "host",
		many: "hosts",
		title: "Hosts",
		country: "country_code",
		port: "services.port",
		facets: [
			"country_code",
			"services.port",
			"services.service_name",
			"services.product",
			"asn",
			"tags",
			"tags.classification",
			"services.http.title",
		],
	},
	services: {
		one: "service",
		many: "services",
		title: "Services",
		country: "country_code",
		port: "port",
		facets: ["country_code", "port", "service_name", "product", "version", "asn", "http.status_code", "http.title"],
	},
	dns: {
		one: "DNS record",
		many: "DNS records",
		title: "DNS",
		country: "",
		port: "",
		facets: ["record_type", "rcode", "tld", "apex_domain", "answer", "ttl", "wildcard", "source"],
	},
	whois: {
		one: "registration",
		many: "registrations",
		title: "Registrations",
		country: "whois.registrant.country_code",
		port: "",
		facets: ["whois.registrar", "tld", "whois.status", "whois.registrant.organisation", "whois.registrant.country_code", "whois.dnssec"],
	},
	certificates: {
		one: "certificate",
		many: "certificates",
		title: "Certificates",
		country: "subject.country_code",
		port: "",
		facets: ["issuer.common_name", "issuer.organisation", "apex_domains", "key_algorithm", "key_size", "expired", "self_signed", "tags"],
	},
	reports: {
		one: "report",
		many: "reports",
		title: "Reports",
		country: "countries",
		port: "",
		facets: ["publisher", "malware_families", "threat_actors", "techniques", "sectors", "countries", "indicator_types", "tlp"],
	},
	"open-directories": { one: "open directory", many: "open directories", title: "Open directories", country: "", port: "", facets: [] },
};

export function noun(dataset, n) {
	const { one, many } = DATASETS[dataset] ?? { one: dataset, many: dataset };
	return n === 1 ? one : many;
}

// "4,211 hosts, exactly": how sure a total is, from its relation.
export function total(dataset, { value, relation }) {
	const what = `${count(value)} ${noun(dataset, value)}`;
	return { eq: `${what}, exactly`, gte: `at least ${what}` }[relation] ?? `about ${what}`;
}

// 2026-10-19 15:39 UTC.
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
