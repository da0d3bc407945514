// SPDX-License-Identifier: ISC
// The registration of a domain, #/domains/DOMAIN.

import { h } from "../common/dom.js";
import { api } from "../common/api.js";
import { ago } from "../common/words.js";
import { at, card, facts, some } from "./facts.js";
import { quoted, recordOf, searchFor, short } from "./links.js";
import { historyCard, jsonCard, recordHead, recordPage, searches, value } from "./record.js";

const v = (name, text, options) => text !== undefined && value(text, "whois", name, options);

// A status of EPP in words. Statuses that suspend a domain are marked.
function status(text) {
	const tone = /hold|pendingDelete|redemption/iu.test(text) ? "warn" : "";
	return h("a.badge", { class: `badge ${tone}`, href: searchFor("whois", `whois.status:${quoted(text)}`) }, short(text));
}

const further = (domain) => [
	["Its names", "dns", `host:${quoted(domain)}`],
	["Its hosts", "hosts", `hostnames:${quoted(domain)}`],
	["Its certificates", "certificates", `names:${quoted(domain)}`],
	["Reports that name it", "reports", `indicators.name:${quoted(domain)}`],
];

function draw({ whois_domain: d }, asked, signal) {
	const { whois: w = {} } = d,
		over = w.expires_at && Date.parse(w.expires_at) < Date.now(),
		holder = w.registrant ?? {};
	return {
		head: recordHead("Registration", d.domain, {
			under: [
				short(w.registrar ?? ""),
				w.expires_at &&
					h("span", { class: over ? "bad" : "" }, `${w.registrar ? " · " : ""}${over ? "expired" : "expires"} ${ago(w.expires_at)}`),
				asked.toLowerCase() !== d.domain && h("span", null, " · the domain of ", h("a", { href: recordOf.name(asked) }, short(asked))),
			],
			badges: w.status?.map(status),
		}),
		body: [
			card(
				"Registration",
				facts([
					["Registrar", v("whois.registrar", w.registrar)],
					["IANA number", v("whois.registrar_iana_id", w.registrar_iana_id)],
					["Created", at(w.created_at)],
					["Updated", at(w.updated_at)],
					["Expires", at(w.expires_at)],
					["DNSSEC", w.dnssec !== undefined && v("whois.dnssec", w.dnssec, { shown: w.dnssec ? "signed" : "unsigned" })],
					[
						"Name servers",
						w.nameservers?.length > 0 &&
							some(w.nameservers, (n) => value(n, "whois", "whois.nameservers", { href: recordOf.name(n), operator: "=" })),
					],
				]),
			),
			historyCard(`/search/whois/${encodeURIComponent(d.domain)}/history`, signal),
			jsonCard(d),
		],
		side: [
			card(
				"Holder",
				facts([
					["Organisation", v("whois.registrant.organisation", holder.organisation)],
					["Country", v("whois.registrant.country_code", holder.country_code)],
					["E-mail hash", v("whois.registrant.email_hash", holder.email_hash, { mono: true })],
					["First seen", at(d.first_seen)],
					["Last seen", at(d.last_seen)],
				]),
			),
			searches(further(d.domain)),
		],
	};
}

export async function open(main, route, signal) {
	const name = route.path[0] ?? "";
	document.title = `${name} – surfaced`;
	await recordPage(main, {
		signal,
		draw: (data) => draw(data, name, signal),
		read: (s) => api.get(`/search/whois/${encodeURIComponent(name)}`, { signal: s }),
		missing: {
			kind: "Registration", name, title: "This registration is not known", words: "It was not imported. Other data may name the domain.",
			actions: h("a.button", { href: recordOf.name(name) }, "Its DNS records"),
			further: further(name),
		},
	});
}
