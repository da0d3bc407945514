// SPDX-License-Identifier: ISC
// The hits of a search: a few lines for each host or service. hit-rows.js has the other datasets.

import { h } from "../common/dom.js";
import { ago, plural } from "../common/words.js";
import { instant, recordOf, short, tag } from "./links.js";
import { styleSheet } from "./parts.js";

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

export function seen(text) {
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

export function head(link, text, ...rest) {
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

const STACKED = { hosts: hostHit, services: serviceHit };
const NAMES = { "open-directories": "open_directories" };

// Returns the hits of an answer.
export function hitsOf(dataset, answer) {
	return answer[NAMES[dataset] ?? dataset] ?? [];
}

// Returns a list to which hits can be added: {node, add}. The module for other datasets is loaded when it is needed.
export async function hitList(dataset) {
	const rows = STACKED[dataset] ? {} : (await Promise.all([import("./hit-rows.js"), styleSheet("lists")]))[0];
	const make = STACKED[dataset] ?? rows.STACKED[dataset];
	if (!make)
		return rows.hitTable(dataset);
	const node = h("ol.hits", null);
	return { node, add: (hits) => node.append(...hits.map((r) => h("li.hit", null, make(r).flat(3).filter(Boolean)))) };
}
