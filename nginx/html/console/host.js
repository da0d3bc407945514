// SPDX-License-Identifier: ISC
// One host, #/hosts/ADDRESS: its services, where it is, its names, tags and history.

import { h } from "../common/dom.js";
import { api } from "../common/api.js";
import { ago, plural } from "../common/words.js";
import { at, card, facts, pageAddress, some } from "./facts.js";
import { quoted, recordOf, searchFor, short, tag } from "./links.js";
import { block, historyCard, jsonCard, lens, recordHead, recordPage, searches, value } from "./record.js";

const v = (name, text, options) => text !== undefined && text !== "" && value(text, "hosts", name, options);
const each = (list, make) => list?.length > 0 && some(list, make, 6);

function urlOf(host, service) {
	const name = host.ip.includes(":") ? `[${host.ip}]` : host.ip;
	const scheme = service.tls_enabled ? "https" : "http",
		usual = service.port === (service.tls_enabled ? 443 : 80);
	return `${scheme}://${name}${usual ? "" : `:${service.port}`}/`;
}

function certificate(c) {
	const ends = c.not_after && Date.parse(c.not_after);
	return (
		c && [
			["Certificate", h("a", { href: recordOf.certificate(c.fingerprint_sha256) }, short(c.subject_cn ?? c.fingerprint_sha256, 80))],
			["Issuer", c.self_signed ? h("span.warn", null, "self-signed") : v("services.tls.certificate.issuer_cn", c.issuer_cn)],
			["Names", each(c.names, (n) => h("a", { href: recordOf.name(n) }, short(n, 120)))],
			["Valid until", c.not_after && h("span", { class: ends < Date.now() ? "bad" : "" }, c.not_after.slice(0, 10), ` (${ago(c.not_after)})`)],
			["Fingerprint", v("services.tls.certificate.fingerprint_sha256", c.fingerprint_sha256, { mono: true })],
		]
	);
}

function http(p) {
	return (
		p && [
			["Status", v("services.http.status_code", p.status_code)],
			["Title", p.title && value(p.title, "hosts", "services.http.title", { operator: "=" })],
			["Server", v("services.http.server", p.server)],
			["Headers", each(p.headers, (x) => v("services.http.headers", x))],
			["Offers", each(p.capabilities, (x) => v("services.http.capabilities", x))],
			["Body", v("services.http.body_hash", p.body_hash, { mono: true })],
			["Icon", v("services.http.favicon_hash", p.favicon_hash, { mono: true })],
			["Icon, MD5", v("services.http.favicon_md5", p.favicon_md5, { mono: true })],
			["Icon, mmh3", v("services.http.favicon_mmh3", p.favicon_mmh3, { mono: true })],
		]
	);
}

function tls(t) {
	return (
		t && [
			["TLS", v("services.tls.version", t.version)],
			["JARM", v("services.tls.jarm", t.jarm, { mono: true })],
			["JA4S", v("services.tls.ja4s", t.ja4s, { mono: true })],
			...(t.certificate ? certificate(t.certificate) : []),
		]
	);
}

function service(host, s) {
	const web = s.http || /^https?$/u.test(s.service_name ?? s.protocol ?? "");
	return h(
		"section.card.service-card",
		{ id: `service-${s.port}-${s.transport}` },
		h(
			"div.card-head",
			null,
			h(
				"h2",
				null,
				h("span.port", null, `${s.port}/${s.transport}`),
				" ",
				short(s.service_name ?? s.protocol ?? "", 60),
				lens("hosts", "services.port", s.port),
			),
			h(
				"span.tags",
				null,
				s.tags?.map((t) => h("a.badge", { href: searchFor("hosts", `services.tags:${quoted(t)}`) }, short(t, 60))),
				h("span.quiet", null, s.last_seen && `seen ${ago(s.last_seen)}`),
			),
		),
		facts([
			[
				"Software",
				(s.product || s.vendor) && [v("services.product", s.product ?? s.vendor), s.version && [" ", v("services.version", s.version)]],
			],
			["CPE", each(s.cpe, (c) => v("services.cpe", c, { mono: true }))],
			["Answers to", each(s.extra_names, (n) => h("a", { href: recordOf.name(n) }, short(n)))],
			...(http(s.http) ?? []),
			...(tls(s.tls) ?? []),
			["Banner hash", v("services.banner_hash", s.banner_hash, { mono: true })],
			["Address", web && pageAddress(urlOf(host, s))],
		]),
		s.banner && h("pre.banner", { tabindex: "0", "aria-label": `Banner of port ${s.port}` }, block(s.banner.trimEnd())),
	);
}

function side(host) {
	return [
		card(
			"Where",
			facts([
				["Network", host.prefix && value(host.prefix, "hosts", "ip")],
				["AS", host.asn && [v("asn", host.asn, { shown: `AS${host.asn}` }), " ", short(host.as_name ?? "", 80)]],
				["Holder", v("organisation", host.organisation)],
				["Country", v("country_code", host.country_code)],
				["Region", v("region", host.region)],
				["City", v("city", host.city)],
			]),
		),
		(host.hostnames?.length || host.ptr) &&
			card(
				"Names",
				facts([
					["Reverse", host.ptr && h("a", { href: recordOf.name(host.ptr) }, short(host.ptr))],
					["Names", each(host.hostnames, (n) => h("a", { href: recordOf.name(n) }, short(n)))],
					["Domains", each(host.apex_domains, (n) => h("a", { href: recordOf.domain(n) }, short(n)))],
				]),
			),
		card(
			"What",
			facts([
				["OS", v("os", host.os)],
				["CPE", each(host.cpe, (c) => v("cpe", c, { mono: true }))],
				["Weaknesses", each(host.vulnerabilities, (c) => v("vulnerabilities", c))],
				["First seen", at(host.first_seen)],
				["Last seen", at(host.last_seen)],
			]),
		),
		searches([
			["Its network", "hosts", `ip:${host.prefix ?? host.ip}`],
			["Names that lead here", "dns", `answer_ip:${quoted(host.ip)}`],
			["Open directories on it", "open-directories", `ip:${quoted(host.ip)}`],
			["Reports that name it", "reports", `indicators.ip:${quoted(host.ip)}`],
		]),
	];
}

function draw(host, signal) {
	const services = host.services ?? [];
	const under = [host.city, host.country_code].filter(Boolean).join(", ");
	return {
		head: recordHead("Host", host.ip, {
			under: [
				short(under),
				host.asn && `${under ? " · " : ""}AS${host.asn} `,
				short(host.as_name ?? ""),
				` · ${plural(services.length, "service")}`,
			],
			badges: host.tags?.map((t) => tag(t, "hosts")),
		}),
		body: [
			h(
				"nav.ports-nav",
				{ "aria-label": "Services" },
				services.length > 3 &&
					services.map((s) =>
						h(
							"button.badge",
							{
								type: "button",
								onclick: () => {
									const node = document.getElementById(`service-${s.port}-${s.transport}`);
									node.scrollIntoView({ block: "start" });
								},
							},
							`${s.port}/${s.transport}`,
						),
					),
			),
			services.map((s) => service(host, s)),
			!services.length && card("", h("p.quiet", null, "No services are known.")),
			historyCard(`/search/hosts/${encodeURIComponent(host.ip)}/history`, signal),
			jsonCard(host),
		],
		side: side(host),
	};
}

export async function open(main, route, signal) {
	const ip = route.path[0] ?? "";
	document.title = `${ip} – surfaced`;
	await recordPage(main, {
		signal,
		draw: ({ host }) => draw(host, signal),
		read: (s) => api.get(`/search/hosts/${encodeURIComponent(ip)}`, { signal: s }),
		missing: {
			kind: "Host", name: ip, title: "This host is not known", words: "No import has seen it. Other data may name it.",
			further: [
				["Names that lead here", "dns", `answer_ip:${quoted(ip)}`],
				["Hosts of its network", "hosts", `ip:${ip.includes(":") ? `${ip}/48` : `${ip}/24`}`],
				["Open directories on it", "open-directories", `ip:${quoted(ip)}`],
				["Reports that name it", "reports", `indicators.ip:${quoted(ip)}`],
			],
		},
	});
}
