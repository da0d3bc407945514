// SPDX-License-Identifier: ISC
// One DNS name, #/names/NAME: its records by type, and searches for the name in other datasets.

import { foreign, h, show } from "../common/dom.js";
import { api } from "../common/api.js";
import { card, pageAddress } from "./facts.js";
import { emptyState } from "./parts.js";
import { quoted, recordOf, short } from "./links.js";
import { pagedTable, when } from "./lists.js";
import { lens, recordHead, searches } from "./record.js";

const PAGE = 100;
const TYPES = ["", "A", "AAAA", "CNAME", "MX", "NS", "TXT", "SOA", "PTR", "SRV", "CAA"];

function answer(r) {
	if (r.answer_ip)
		return h("a", { href: recordOf.host(r.answer_ip) }, short(r.answer_ip));
	if (r.answer_name)
		return h("a", { href: recordOf.name(r.answer_name) }, short(r.answer ?? r.answer_name, 300));
	return r.answer === undefined ? h("span.quiet", null, short(r.rcode)) : foreign(r.answer, 600);
}

function list(name, type, signal) {
	return pagedTable({
		signal,
		caption: `Records of ${name}`,
		keep: `records ${type}`,
		columns: [
			["Type", (r) => [h("code", null, short(r.record_type)), r.rcode !== "NOERROR" && h("span.warn", null, " ", short(r.rcode))]],
			["Answer", (r) => [answer(r), r.answer !== undefined && lens("dns", "answer", r.answer)]],
			["TTL", (r) => r.ttl ?? "–", "number"],
			["First seen", (r) => when(r.first_seen), "number"],
			["Last seen", (r) => when(r.last_seen), "number"],
		],
		read: async (cursor, s) => {
			try {
				const found = await api.get(`/search/dns/${encodeURIComponent(name)}`, { query: { type, limit: PAGE, cursor }, signal: s });
				return { items: found.records, next_cursor: found.next_cursor };
			} catch (fault) {
				if (fault.status === 404)
					return { items: [] };
				throw fault;
			}
		},
		empty: () => emptyState("No records", `No import has seen ${type ? `${type} records` : "records"} of this name.`),
	}).box;
}

export async function open(main, route, signal) {
	main.className = "page wide record-page";
	const name = route.path[0] ?? "",
		records = h("div"),
		bare = name.replace(/^\*\./u, "");
	document.title = `${name} – surfaced`;
	const draw = () => show(records, list(name, types.value, signal));
	const types = h(
		"select",
		{ "aria-label": "Type", onchange: draw },
		TYPES.map((value) => h("option", { value }, value || "All types")),
	);
	show(
		main,
		recordHead("DNS name", name),
		h(
			"div.record",
			null,
			h("div.record-main", null, h("section.card.list-card", null, h("div.card-head.padded", null, h("h2", null, "Records"), types), records)),
			h(
				"div.record-side",
				null,
				card("The domain", h("p", null, h("a", { href: recordOf.domain(bare) }, "Registration of its domain"))),
				card("Its web page", h("p", null, pageAddress(`https://${bare}/`))),
				searches([
					["Names below it", "dns", `host:${quoted(bare)}`],
					["Hosts with this name", "hosts", `hostnames=${quoted(name)}`],
					["Certificates for it", "certificates", `names=${quoted(name)}`],
					["Names that point to it", "dns", `answer_name=${quoted(name)}`],
					["Open directories on it", "open-directories", `host=${quoted(name)}`],
					["Reports that name it", "reports", `indicators.name=${quoted(name)}`],
				]),
			),
		),
	);
	draw();
}
