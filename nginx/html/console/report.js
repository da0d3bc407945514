// SPDX-License-Identifier: ISC
// One report, #/reports/UUID: its members, indicators, searches for these indicators, and exports.

import { foreign, h, show } from "../common/dom.js";
import { api, signedIn } from "../common/api.js";
import { agree } from "../common/dialog.js";
import { count, plural } from "../common/words.js";
import { copyButton } from "./copy.js";
import { at, card, facts, pageAddress, some } from "./facts.js";
import { badge, emptyState, reading } from "./parts.js";
import { DATASETS, recordOf, searchFor, short } from "./links.js";
import { pagedTable } from "./lists.js";
import { recordHead, recordPage, value, OF_TYPE } from "./record.js";

const PAGE = 100;
const TONES = { indicator: "high", mention: "", ignored: "" };

const each = (name, list) => list?.length > 0 && some(list, (text) => value(text, "reports", name));

const owns = () => signedIn.organisation?.role === "owner"; // owners have reports.manage

// Makes the buttons with which an owner accepts or rejects a value as an indicator. changed: {signal, again(): reads the list again}
function verdictButtons(i, changed) {
	const give = async (disposition) => {
		const { verdictDialog } = await import("./verdicts.js");
		if (await verdictDialog(i, disposition, changed.signal))
			changed.again();
	};
	return [
		i.disposition !== "indicator" && h("button", { type: "button", onclick: () => give("indicator") }, "Accept"),
		i.disposition !== "ignored" && h("button", { type: "button", onclick: () => give("ignored") }, "Reject"),
	];
}

function list(uuid, query, signal) {
	const changed = { signal, again: () => {
		table.read();
		dispatchEvent(new Event("verdict")); // the searches of the report change, too
	} };
	const table = pagedTable({
		signal,
		caption: "Indicators",
		keep: `indicators ${query.type} ${query.disposition}`,
		columns: [
			["Value", (i) => {
				const record = OF_TYPE[i.type], text = foreign(i.value, 300);
				return [record ? h("a", { href: recordOf[record](i.value) }, text) : text, copyButton(i.value, "Copy the value", { words: false })];
			}, "mono"],
			["Type", (i) => h("code", null, i.type)],
			["Counts as", (i) => [badge(i.disposition, TONES[i.disposition] ?? ""), i.ignored_by && h("span.quiet.small", null, " ", short(i.ignored_by, 60))]],
			["Confidence", (i) => `${i.confidence} %`, "number"],
			["Context", (i) => [i.context ? h("span.quiet.small", null, foreign(i.context, 300)) : "–", i.labels?.map((l) => [" ", h("span.badge", null, short(l, 60))])]],
			["Search", (i) => i.search && h("a", { href: searchFor(i.search.dataset, i.search.query), title: i.search.query }, `in ${DATASETS[i.search.dataset]?.many ?? i.search.dataset}`), "number"],
			...owns() ? [["", (i) => h("span.row-actions", null, verdictButtons(i, changed))]] : [],
		],
		read: async (cursor, s) => {
			const found = await api.get(`/reports/${uuid}/indicators`, { query: { ...query, limit: PAGE, cursor }, signal: s });
			return { items: found.indicators, next_cursor: found.next_cursor };
		},
		empty: () => emptyState("No indicators", "The report has none of this kind."),
	});
	return table.box;
}

function indicators(report, signal) {
	const box = h("div"),
		option = (value, words) => h("option", { value }, words);
	const draw = () => show(box, list(report.uuid, { type: type.value, disposition: said.value }, signal));
	const type = h(
		"select",
		{ "aria-label": "Type of indicators", onchange: draw },
		option("", "All types"),
		Object.entries(report.indicator_counts ?? {}).map(([name, n]) => option(name, `${name} (${count(n)})`)),
	);
	const said = h(
		"select",
		{ "aria-label": "Disposition", onchange: draw },
		[
			["", "All"],
			["indicator", "Indicators"],
			["mention", "Mentions"],
			["ignored", "Ignored"],
		].map(([v, words]) => option(v, words)),
	);
	draw();
	return h("section.card.list-card", null, h("div.card-head.padded", null, h("h2", null, "Indicators"), h("div.actions", null, h("a", { href: "#/verdicts" }, "Verdicts"), type, said)), box);
}

function pivots(uuid, signal) {
	const part = reading({
		signal,
		lines: 3,
		read: (s) => api.get(`/reports/${uuid}/pivots`, { signal: s }),
		empty: (a) => (a.pivots.length ? null : h("p.quiet.small", null, "None of its indicators can be searched for.")),
		draw: (a, box) =>
			show(
				box,
				h(
					"ul.searches",
					null,
					a.pivots.map((p) =>
						h(
							"li",
							null,
							h(
								"a",
								{ href: searchFor(p.dataset, p.query) },
								`${plural(p.indicators, "indicator")} in ${DATASETS[p.dataset]?.many ?? p.dataset}`,
							),
							h("code.quiet", null, short(p.query, 110)),
						),
					),
				),
			),
	});
	addEventListener("verdict", () => part.read(), { signal });
	return card("Searches", part.box);
}

function exports(uuid) {
	const organisation = signedIn.organisation ? `?org_uuid=${signedIn.organisation.uuid}` : "";
	return ["csv", "ndjson", "stix"].map((kind) =>
		h(
			"a.button",
			{ href: `/api/v1/reports/${uuid}/indicators.${kind}${organisation}`, download: `${uuid}.${kind === "stix" ? "json" : kind}` },
			kind.toUpperCase(),
		),
	);
}

// Withdraws a report of the organisation. Searches do not find it any more; the audit log shows who
// withdrew it.
async function withdraw(r, signal) {
	if (await agree("Withdraw the report?", "Searches and look-ups find it no more.", "Withdraw", () => api.del(`/reports/${r.uuid}`, { signal })))
		location.hash = "#/search/reports";
}

// A part whose module is loaded when the report is shown.
function textOf(r, signal) {
	const box = h("div");
	import("./report-text.js").then(({ textCard }) => show(box, textCard(r, signal)));
	return box;
}

function draw({ report: r }, signal, again) {
	const own = owns() && r.visibility === "account" && r.status !== "withdrawn";
	const edit = async () => {
		const { editDialog } = await import("./report-text.js");
		if (await editDialog(r, signal))
			again();
	};
	return {
		head: recordHead("Report", r.title ?? "(without a title)", {
			prose: true,
			under: [short(r.publisher ?? ""), r.published_at && [r.publisher && " · ", at(r.published_at)]],
			actions: [...exports(r.uuid), own && h("button", { type: "button", onclick: edit }, "Edit"), own && h("button.danger", { type: "button", onclick: () => withdraw(r, signal) }, "Withdraw")].filter(Boolean),
			badges: [
				r.tlp && badge(`TLP ${r.tlp}`),
				r.visibility === "account" && badge("private to the organisation", "accent"),
				r.status === "withdrawn" && badge("withdrawn", "warn"),
				r.truncated && badge("indicators were cut", "warn"),
			].filter(Boolean),
		}),
		body: [r.summary && card("Summary", h("p.prose", null, foreign(r.summary, 4000))), r.visibility === "account" && r.status !== "withdrawn" && textOf(r, signal), indicators(r, signal)],
		side: [
			card(
				"About",
				facts([
					["Actors", each("threat_actors", r.threat_actors)],
					["Malware", each("malware_families", r.malware_families)],
					["Techniques", each("techniques", r.techniques)],
					["CVEs", each("cves", r.cves)],
					["Sectors", each("sectors", r.sectors)],
					["Countries", each("countries", r.countries)],
					["Tags", each("tags", r.tags)],
					["Language", r.language],
					["Source", r.source_kind],
					["Revision", r.revision],
					["Original", r.url && pageAddress(r.url)],
					["Imported", at(r.imported_at)],
				]),
			),
			pivots(r.uuid, signal),
		],
	};
}

export async function open(main, route, signal) {
	const uuid = route.path[0] ?? "";
	if (uuid === "new") {
		const { openNewReport } = await import("./report-new.js");
		return openNewReport(main, signal);
	}
	document.title = "Report – surfaced";
	const again = () => recordPage(main, {
		signal,
		draw: (data) => draw(data, signal, again),
		read: (s) => api.get(`/reports/${encodeURIComponent(uuid)}`, { signal: s }),
		missing: {
			kind: "Report", name: uuid, title: "This report is not there", words: "It was withdrawn, or your organisation may not see it.",
			actions: h("a.button", { href: "#/search/reports" }, "All reports"),
		},
	});
	await again();
	return null;
}
