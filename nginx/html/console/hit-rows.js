// SPDX-License-Identifier: ISC
// The hits of datasets that most visits do not show: reports, and records that are one line of a table.

import { h } from "../common/dom.js";
import { ago, bytes, count, plural } from "../common/words.js";
import { head, seen } from "./hits.js";
import { instant, recordOf, short } from "./links.js";

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

// ---- reports ----

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

export const STACKED = { reports: reportHit };

function row(dataset, r) {
	return h(
		"tr",
		null,
		COLUMNS[dataset].map(([name, make, kind], i) =>
			h(i === 0 ? "th" : "td", { scope: i === 0 ? "row" : null, class: kind ?? "", "data-head": name }, make(r)),
		),
	);
}

export function hitTable(dataset) {
	const body = h("tbody");
	const names = COLUMNS[dataset].map(([name, , kind]) => h("th", { scope: "col", class: kind ?? "" }, name));
	const node = h("table.stack", null, h("thead", null, h("tr", null, names)), body);
	return { node, add: (hits) => body.append(...hits.map((r) => row(dataset, r))) };
}
