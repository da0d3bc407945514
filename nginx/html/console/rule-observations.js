// SPDX-License-Identifier: ISC
// What detection rules observe: the tab of all observations, and those of one rule in its drawer.

import { h, show } from "../common/dom.js";
import { api } from "../common/api.js";
import { spark } from "../common/charts.js";
import { count, plural } from "../common/words.js";
import { badge, emptyState, reading } from "./parts.js";
import { recordOf, short } from "./links.js";
import { filterBar, pagedTable, searchFilter, when } from "./lists.js";
import { any, SETS, SEVERITIES } from "./rule-settings.js";

const GONE = {
	changed: "no longer matches",
	removed: "the record is gone",
	excluded: "excluded",
	rule_changed: "the rule changed",
	rule_ended: "the rule ended",
	stale: "not seen for 30 days",
};

// Makes a link to the page of the observed record.
function observed(o) {
	const { record: r } = o,
		text = short(o.record_key, 160);
	const href = r.ip
		? recordOf.host(r.ip)
		: r.fingerprint_sha256
			? recordOf.certificate(r.fingerprint_sha256)
			: r.host
				? recordOf.name(r.host)
				: r.domain
					? recordOf.domain(r.domain)
					: "";
	return href ? h("a", { href, "data-entry": "" }, text) : text;
}

function matched(o) {
	return o.matched.slice(0, 4).map((m, i) => [i > 0 && " ", h("code", null, short(`${m.field}:${m.value}`, 80))]);
}

function activity(r, signal) {
	return reading({
		signal,
		lines: 1,
		read: (s) => api.get(`/rules/${r.uuid}/activity`, { query: { window: "30d" }, signal: s }),
		draw: ({ days }, box) =>
			show(
				box,
				spark(
					days.map((d) => d.active),
					`Active observations a day: ${days.map((d) => d.active).join(", ")}`,
				),
				h(
					"p.quiet.small",
					null,
					`${plural(
						days.reduce((n, d) => n + d.appeared, 0),
						"observation",
					)} appeared, ${count(days.reduce((n, d) => n + d.gone, 0))} went.`,
				),
			),
	}).box;
}

function latest(r, all, signal) {
	return reading({
		signal,
		lines: 2,
		read: (s) => api.get(`/rules/${r.uuid}/observations`, { query: { limit: 10 }, signal: s }),
		empty: (a) => (a.observations.length ? null : h("p.quiet.small", null, "It has observed nothing.")),
		draw: (a, box) =>
			show(
				box,
				h(
					"ul.searches",
					null,
					a.observations.map((o) =>
						h(
							"li",
							null,
							observed(o),
							h("span.quiet.small", null, o.state === "gone" ? ` gone: ${GONE[o.gone_reason] ?? o.gone_reason}` : ""),
							h("div", null, matched(o)),
						),
					),
				),
				a.has_more && h("p", null, h("a", { href: all }, "All of them")),
			),
	}).box;
}

// Draws the tab of all observations. hash(query) is an address of the page of rules; go(change) changes its query.
export function drawObservations({ filters, results, query, hash, go, signal }) {
	const { state, severity, dataset, ip, rule_uuid, tag } = query,
		names = new Map();
	const nameOf = (uuid) => {
		if (!names.has(uuid))
			names.set(uuid, api.get(`/rules/${uuid}`, { signal }).then((a) => a.rule.name, () => "a rule that is gone"));
		const node = h("span.quiet", null, "…");
		names.get(uuid).then((name) => show(node, short(name, 100)));
		return node;
	};
	const changed = (name, value) => go({ [name]: value });
	show(
		filters,
		searchFilter("ip", "Address", query, changed),
		filterBar(
			[
				{ name: "state", label: "State", options: any(["active", "gone"]) },
				{ name: "severity", label: "Severity", options: any(SEVERITIES) },
				{ name: "dataset", label: "Records", options: any(SETS) },
			],
			query,
			changed,
		),
		rule_uuid && h("span.small", null, "of ", nameOf(rule_uuid), " ", h("a", { href: hash({ tab: "observations" }) }, "all rules")),
	);
	const list = pagedTable({
		signal,
		caption: "Observations",
		keep: "observations",
		columns: [
			["Record", (o) => [observed(o), o.suspect && badge("suspect", "warn")]],
			["Rule", (o) => nameOf(o.rule_uuid)],
			["Because of", matched],
			["State", (o) => (o.state === "active" ? badge("active") : h("span.quiet", null, GONE[o.gone_reason] ?? "gone"))],
			["First seen", (o) => when(o.first_seen_at), "number"],
			["Last seen", (o) => when(o.last_seen_at), "number"],
		],
		read: async (cursor, s) => {
			const answer = await api.get("/rules/observations", { query: { state, severity, dataset, ip, rule_uuid, tag, limit: 50, cursor }, signal: s });
			return { items: answer.observations, next_cursor: answer.next_cursor };
		},
		empty: () => emptyState("No observations", "Turn a rule on: it observes the records that match it."),
	});
	show(results, list.box);
}

// Draws what a rule observed lately. all: the address of all its observations.
export function drawLatest(box, r, all, signal) {
	show(box, h("h3", null, "Activity, 30 days"), activity(r, signal), h("h3", null, "Observations"), latest(r, all, signal));
}
