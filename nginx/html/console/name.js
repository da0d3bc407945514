// SPDX-License-Identifier: ISC
// One DNS name, #/names/NAME: its records by type, and searches for the name in other datasets.

import { foreign, h, show } from "../common/dom.js";
import { api } from "../common/api.js";
import { ago } from "../common/words.js";
import { emptyState, faultPanel, reading } from "./parts.js";
import { instant, lens, quoted, recordOf, short } from "./links.js";
import { card, pageAddress, recordHead, searches } from "./record.js";

const PAGE = 100;
const TYPES = ["", "A", "AAAA", "CNAME", "MX", "NS", "TXT", "SOA", "PTR", "SRV", "CAA"];

function answer(r) {
	if (r.answer_ip)
		return h("a", { href: recordOf.host(r.answer_ip) }, short(r.answer_ip));
	if (r.answer_name)
		return h("a", { href: recordOf.name(r.answer_name) }, short(r.answer ?? r.answer_name, 300));
	return r.answer === undefined ? h("span.quiet", null, short(r.rcode)) : foreign(r.answer, 600);
}

function time(text) {
	return text && h("time", { datetime: text, title: instant(text) }, ago(text));
}

function row(r) {
	return h(
		"tr",
		null,
		h(
			"th",
			{ scope: "row", "data-name": "Type" },
			h("code", null, short(r.record_type)),
			r.rcode !== "NOERROR" && h("span.warn", null, " ", short(r.rcode)),
		),
		h("td", { "data-name": "Answer" }, answer(r), r.answer !== undefined && lens("dns", "answer", r.answer)),
		h("td.number", { "data-name": "TTL" }, r.ttl ?? "–"),
		h("td.number", { "data-name": "First seen" }, time(r.first_seen)),
		h("td.number", { "data-name": "Last seen" }, time(r.last_seen)),
	);
}

function list(name, type, signal) {
	const body = h("tbody"),
		foot = h("p.more");
	const table = h(
		"table.stack",
		null,
		h(
			"thead",
			null,
			h(
				"tr",
				null,
				["Type", "Answer", "TTL", "First seen", "Last seen"].map((t, i) => h("th", { scope: "col", class: i > 1 ? "number" : "" }, t)),
			),
		),
		body,
	);
	const page = async (cursor) => {
		const found = await api.get(`/search/dns/${encodeURIComponent(name)}`, { query: { type, limit: PAGE, cursor }, signal });
		body.append(...found.records.map(row));
		show(
			foot,
			found.has_more &&
				h(
					"button",
					{ type: "button", onclick: () => page(found.next_cursor).catch((fault) => show(foot, faultPanel(fault))) },
					"More records",
				),
		);
		return found;
	};
	const read = () =>
		page("").catch((fault) => {
			if (fault.status === 404)
				return { records: [] };
			throw fault;
		});
	return reading({
		signal,
		read,
		draw: (data, box) => show(box, table, foot),
		empty: (a) =>
			a.records.length ? null : emptyState("No records", `No import has seen ${type ? `${type} records` : "records"} of this name.`),
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
