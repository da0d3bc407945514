// SPDX-License-Identifier: ISC
// The hits of a search: one or a few lines for each record.

import { h } from "../common/dom.js";
import { ago, bytes, count, plural } from "../common/words.js";
import { instant, recordOf, short, tag } from "./links.js";

const SERVICES_SHOWN = 3;

// The members of large records that the lists show. Others are not requested.
export const FIELDS = {
	hosts: [
		"ip",
		"asn",
		"as_name",
		"country_code",
		"city",
		"hostnames",
		"tags",
		"service_count",
		"last_seen",
		"services.port",
		"services.transport",
		"services.service_name",
		"services.protocol",
		"services.product",
		"services.version",
		"services.tls_enabled",
		"services.http.title",
		"services.http.status_code",
		"services.tls.certificate.subject_cn",
	],
};

function seen(text) {
	return text && h("time.quiet", { datetime: text, title: instant(text) }, ago(text));
}

function tags(list, dataset) {
	return list?.length
		? h(
				"span.tags",
				null,
				list.slice(0, 6).map((t) => tag(t, dataset)),
				list.length > 6 && h("span.quiet", null, `+${list.length - 6}`),
			)
		: null;
}

function place(r) {
	return h(
		"span.place",
		null,
		[r.country_code, r.city].filter(Boolean).map((t, i) => [i > 0 && " ", short(t)]),
		r.asn && [r.country_code && " · ", `AS${r.asn} `, short(r.as_name ?? "")],
	);
}

function head(link, text, ...rest) {
	return h("div.hit-head", null, h("a.hit-name", { href: link, "data-entry": "" }, short(text)), rest);
}

// ---- hosts ----

function serviceLine(service, matched) {
	const { http = {}, tls = {} } = service;
	const title = http.title ?? tls.certificate?.subject_cn ?? service.banner;
	return h(
		"li.service",
		{ class: matched ? "service matched" : "service" },
		h("span.port", null, `${service.port}/${service.transport}`, matched && h("span.hidden", null, " matched")),
		h("span.proto", null, short(service.service_name ?? service.protocol ?? "–"), service.tls_enabled && h("span.quiet", null, " tls")),
		h("span.soft", null, short([service.product, service.version].filter(Boolean).join(" "))),
		h("span.quiet.title", null, title ? short(title) : http.status_code),
	);
}

// The matched services come first; the others are behind a button.
function services(host) {
	const matches = new Set((host.matched_services ?? []).map((m) => `${m.port} ${m.transport}`));
	const is = (s) => matches.has(`${s.port} ${s.transport}`);
	const all = [...(host.services ?? [])].sort((a, b) => Number(is(b)) - Number(is(a)));
	if (!all.length)
		return null;
	const list = h(
		"ul.services",
		null,
		all.slice(0, SERVICES_SHOWN).map((s) => serviceLine(s, is(s))),
	);
	if (all.length <= SERVICES_SHOWN)
		return list;
	const more = h(
		"button.link.small",
		{
			type: "button",
			onclick: () => {
				list.append(...all.slice(SERVICES_SHOWN).map((s) => serviceLine(s, is(s))));
				more.remove();
			},
		},
		`+${plural(all.length - SERVICES_SHOWN, "service")}`,
	);
	return [list, more];
}

function hostHit(r) {
	return [
		head(recordOf.host(r.ip), r.ip, place(r), tags(r.tags, "hosts"), seen(r.last_seen)),
		r.hostnames?.length &&
			h(
				"p.names.quiet",
				null,
				r.hostnames.slice(0, 3).map((n, i) => [i > 0 && ", ", short(n, 80)]),
				r.hostnames.length > 3 && ` +${r.hostnames.length - 3}`,
			),
		services(r),
	];
}

function serviceHit(r) {
	return [
		head(
			`${recordOf.host(r.ip)}`,
			`${r.ip.includes(":") ? `[${r.ip}]` : r.ip}:${r.port}`,
			place(r.host ?? {}),
			tags(r.tags, "services"),
			seen(r.last_seen),
		),
		h("ul.services", null, serviceLine(r, false)),
	];
}

// ---- records of one line ----

const COLUMNS = {
	dns: [
		["Name", (r) => h("a.hit-name", { href: recordOf.name(r.host), "data-entry": "" }, short(r.host))],
		["Type", (r) => h("code", null, short(r.record_type))],
		[
			"Answer",
			(r) =>
				r.answer_ip
					? h("a", { href: recordOf.host(r.answer_ip) }, short(r.answer_ip))
					: r.answer_name
						? h("a", { href: recordOf.name(r.answer_name) }, short(r.answer ?? r.answer_name))
						: r.answer
							? short(r.answer)
							: h("span.quiet", null, short(r.rcode)),
		],
		["TTL", (r) => r.ttl, "number"],
		["Seen", (r) => seen(r.last_seen), "number"],
	],
	whois: [
		["Domain", (r) => h("a.hit-name", { href: recordOf.domain(r.domain), "data-entry": "" }, short(r.domain))],
		["Registrar", (r) => short(r.whois?.registrar ?? "–")],
		["Holder", (r) => short([r.whois?.registrant?.organisation, r.whois?.registrant?.country_code].filter(Boolean).join(", ") || "–")],
		["Created", (r) => (r.whois?.created_at ?? "–").slice(0, 10), "number"],
		["Expires", (r) => ends(r.whois?.expires_at), "number"],
	],
	certificates: [
		[
			"Subject",
			(r) => [
				h(
					"a.hit-name",
					{ href: recordOf.certificate(r.fingerprint_sha256), "data-entry": "" },
					short(r.subject?.common_name ?? r.names?.[0] ?? r.fingerprint_sha256),
				),
				r.names?.length > 1 && h("span.quiet", null, ` +${plural(r.names.length - 1, "name")}`),
			],
		],
		["Issuer", (r) => (r.self_signed ? h("span.warn", null, "self-signed") : short(r.issuer?.common_name ?? r.issuer?.organisation ?? "–"))],
		["Key", (r) => [short(r.key_algorithm ?? ""), r.key_size && ` ${r.key_size}`]],
		["From", (r) => (r.not_before ?? "–").slice(0, 10), "number"],
		["Until", (r) => ends(r.not_after), "number"],
	],
	"open-directories": [
		["Server", (r) => h("a.hit-name", { href: recordOf.directory(r), "data-entry": "" }, short(`${r.host ?? r.ip}:${r.port}`))],
		["Path", (r) => h("code", null, short(r.path))],
		["Files", (r) => [r.truncated && "≥ ", count(r.file_count ?? r.files?.length ?? 0)], "number"],
		["Size", (r) => (r.total_size === undefined ? "–" : bytes(r.total_size)), "number"],
		[
			"Found",
			(r) =>
				short(
					(r.matched_files?.length ? r.matched_files : (r.files ?? []))
						.slice(0, 3)
						.map((f) => f.name)
						.join(", "),
				),
		],
		["Seen", (r) => seen(r.last_seen), "number"],
	],
};

// The last day of a validity, marked when it has passed.
function ends(text) {
	if (!text)
		return "–";
	const over = Date.parse(text) < Date.now();
	return h(
		"span",
		{ class: over ? "bad" : "", title: `${instant(text)}, ${ago(text)}` },
		text.slice(0, 10),
		over && h("span.hidden", null, " (over)"),
	);
}

function reportHit(r) {
	const about = [...(r.threat_actors ?? []), ...(r.malware_families ?? [])].slice(0, 8);
	return [
		head(
			recordOf.report(r.uuid),
			r.title || "(without a title)",
			h("span.place", null, short(r.publisher ?? "")),
			r.tlp && h("span.badge", null, `TLP ${r.tlp}`),
			seen(r.published_at ?? r.last_seen),
		),
		r.summary && h("p.summary", null, short(r.summary, 320)),
		about.length > 0 &&
			h(
				"p.names",
				null,
				about.map((a) => [h("span.badge", null, short(a, 60)), " "]),
				r.indicator_types?.length && h("span.quiet", null, ` ${r.indicator_types.join(", ")}`),
			),
	];
}

const STACKED = { hosts: hostHit, services: serviceHit, reports: reportHit };
const NAMES = { "open-directories": "open_directories" };

// Returns the hits of an answer.
export function hitsOf(dataset, answer) {
	return answer[NAMES[dataset] ?? dataset] ?? [];
}

function row(dataset, r) {
	return h(
		"tr",
		null,
		COLUMNS[dataset].map(([name, make, kind], i) =>
			h(i === 0 ? "th" : "td", { scope: i === 0 ? "row" : null, class: kind ?? "", "data-name": name }, make(r)),
		),
	);
}

// Returns a list to which hits can be added: {node, add}.
export function hitList(dataset) {
	const make = STACKED[dataset];
	if (make) {
		const node = h("ol.hits", null);
		return { node, add: (hits) => node.append(...hits.map((r) => h("li.hit", null, make(r).flat(3).filter(Boolean)))) };
	}
	const body = h("tbody");
	const names = COLUMNS[dataset].map(([name, , kind]) => h("th", { scope: "col", class: kind ?? "" }, name));
	const node = h("table.stack", null, h("thead", null, h("tr", null, names)), body);
	return { node, add: (hits) => body.append(...hits.map((r) => row(dataset, r))) };
}
