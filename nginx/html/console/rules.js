// SPDX-License-Identifier: ISC
// Detection rules, #/rules: those of the catalogue and of the organisation, with their observations
// and settings; a tab has all observations. #/rules/new and #/rules/UUID/edit open the editor.

import { foreign, h, show } from "../common/dom.js";
import { api, signedIn } from "../common/api.js";
import { agree } from "../common/dialog.js";
import { spark } from "../common/charts.js";
import { count, plural } from "../common/words.js";
import { badge, emptyState, heading, reading, toast } from "./parts.js";
import { DATASETS, recordOf, searchFor, short } from "./links.js";
import { Drawer, actionButton, filterBar, pagedTable, searchFilter, tabButtons, when } from "./lists.js";
import { facts } from "./record.js";

const SEVERITIES = ["critical", "high", "medium", "low", "info"];
const STATUSES = ["draft", "testing", "stable", "deprecated"];
const SETS = ["hosts", "services", "dns", "whois", "certificates", "open_directories"];
const MOVES = [
	["stage", "Stage", ["draft"]],
	["publish", "Publish", ["testing"]],
	["redraft", "Back to draft", ["testing", "deprecated"]],
	["deprecate", "Deprecate", ["testing", "stable"]],
];
const GONE = {
	changed: "no longer matches",
	removed: "the record is gone",
	excluded: "excluded",
	rule_changed: "the rule changed",
	rule_ended: "the rule ended",
	stale: "not seen for 30 days",
};

const any = (list) => [["", "Any"], ...list.map((v) => [v, v.replaceAll("_", " ")])];
const searched = (dataset) => dataset.replace("open_directories", "open-directories");

function hash(query, path = "") {
	const words = new URLSearchParams(Object.entries(query).filter(([, v]) => v));
	return `#/rules${path}${words.size ? `?${words}` : ""}`;
}

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

class Rules {
	#signal;
	#query = {};
	#list = null;
	#drawer = new Drawer();
	#names = new Map();

	constructor(main, signal) {
		this.#signal = signal;
		this.owner = signedIn.organisation?.role === "owner";
		this.tabs = h("div.views", { role: "group", "aria-label": "Shown" });
		this.filters = h("div.filter-line");
		this.results = h("section.results", { "aria-label": "Results" });
		show(
			main,
			heading(
				"Detection rules",
				this.tabs,
				h("button", { type: "button", onclick: () => this.#export() }, "Export"),
				this.owner && h("button", { type: "button", onclick: () => this.#import() }, "Import"),
				this.owner && h("a.button.main", { href: "#/rules/new" }, "New rule"),
			),
			this.filters,
			h("div.list-and-drawer", null, this.results, this.#drawer.node),
		);
	}

	#go(change) {
		location.hash = hash({ ...this.#query, ...change });
	}

	change(route) {
		if (route.path.length)
			return false;
		this.#query = Object.fromEntries(route.query);
		const { tab = "rules" } = this.#query;
		show(
			this.tabs,
			tabButtons([["rules", "Rules"], ["observations", "Observations"]], tab, (name) => {
				location.hash = hash({ tab: name === "rules" ? "" : name });
			}),
		);
		this.#drawer.close();
		if (tab === "observations")
			this.#observations();
		else
			this.#rules();
		return true;
	}

	#search(name, label) {
		return searchFilter(name, label, this.#query, (n, v) => this.#go({ [n]: v }));
	}

	// Exports the filtered rules. The tab of observations has no export.
	async #export() {
		const { tab, name, origin, dataset, status, severity, tag, enabled } = this.#query;
		const { exportRules } = await import("./rule-files.js");
		exportRules(tab ? {} : { name, origin, dataset, status, severity, tag, enabled }, this.#signal).catch((fault) => fault.name !== "AbortError" && toast(fault.message, "bad"));
	}

	async #import() {
		const { importDialog } = await import("./rule-files.js");
		if (await importDialog(this.#signal))
			this.#list?.read();
	}

	// ---- rules ----

	#rules() {
		const { name, origin, dataset, status, severity, tag, enabled } = this.#query;
		const filtered = [name, origin, dataset, status, severity, tag, enabled].some(Boolean);
		const changed = (n, v) => this.#go({ [n]: v });
		show(
			this.filters,
			this.#search("name", "Name"),
			filterBar(
				[
					{
						name: "origin",
						label: "From",
						options: [
							["", "Anywhere"],
							["catalogue", "The catalogue"],
							["account", "Our own"],
						],
					},
					{ name: "dataset", label: "Records", options: any(SETS) },
					{ name: "status", label: "Status", options: any(STATUSES) },
					{ name: "severity", label: "Severity", options: any(SEVERITIES) },
					{
						name: "enabled",
						label: "State",
						options: [
							["", "On or off"],
							["true", "On"],
							["false", "Off"],
						],
					},
				],
				this.#query,
				changed,
			),
		);
		this.#list = pagedTable({
			signal: this.#signal,
			caption: "Detection rules",
			open: (r) => this.#open(r),
			columns: [
				["Rule", (r) => short(r.name, 160)],
				["Severity", (r) => badge(r.settings.severity ?? r.severity, r.settings.severity ?? r.severity)],
				["Records", (r) => r.dataset.replaceAll("_", " ")],
				["Tags", (r) => r.tags.slice(0, 3).map((t) => [h("span.badge", null, short(t, 40)), " "])],
				["Status", (r) => [r.status, !r.settings.enabled && h("span.quiet", null, ", off")]],
				["Active", (r) => (r.run ? [r.run.relation === "gte" && "≥ ", count(r.run.active_count)] : h("span.quiet", null, "–")), "number"],
			],
			read: async (cursor, signal) => {
				const answer = await api.get("/rules", {
					query: { name, origin, dataset, status, severity, tag, enabled, limit: 50, cursor },
					signal,
				});
				return { items: answer.rules, next_cursor: answer.next_cursor };
			},
			empty: () =>
				emptyState(
					"No rules",
					filtered ? "No rule matches these filters." : "The operator loads the catalogue with surfacectl rules load.",
					filtered && h("a.button", { href: "#/rules" }, "All rules"),
				),
		});
		show(this.results, this.#list.box);
	}

	#open(r) {
		const own = r.origin === "account" && this.owner,
			dataset = searched(r.dataset);
		const actions = [
			own && h("a.button", { href: `#/rules/${r.uuid}/edit` }, "Edit"),
			...(own
				? MOVES.filter(([, , from]) => from.includes(r.status)).map(([path, label]) =>
						actionButton(label, () => this.#put(api.post(`/rules/${r.uuid}/${path}`))),
					)
				: []),
			this.owner &&
				actionButton(r.settings.enabled ? "Turn off" : "Turn on", () =>
					this.#put(api.put(`/rules/${r.uuid}/settings`, this.#settings(r, { enabled: !r.settings.enabled }))),
				),
			this.owner &&
				actionButton("Copy", async () => {
					const { rule } = await api.post(`/rules/${r.uuid}/copy`);
					location.hash = `#/rules/${rule.uuid}/edit`;
				}),
			own && actionButton("Delete", () => this.#delete(r), "danger"),
		];
		this.#drawer.mark(this.#list.row(r.uuid));
		this.#drawer.open(
			foreign(r.name, 300),
			h(
				"p.tags",
				null,
				badge(r.settings.severity ?? r.severity, r.settings.severity ?? r.severity),
				badge(r.status, r.status === "stable" ? "good" : ""),
				!r.settings.enabled && badge("off", "warn"),
				r.run?.error && badge(r.run.error.replaceAll("_", " "), "bad"),
			),
			h("div.actions", null, actions),
			r.description && h("p.prose", null, foreign(r.description, 3000)),
			h("pre", { tabindex: "0", "aria-label": "Query" }, foreign(r.query, 8192), r.exclude && ["\nexcept ", foreign(r.exclude, 8192)]),
			h("p.small", null, h("a", { href: searchFor(dataset, r.query) }, `Search ${DATASETS[dataset].many} for it`)),
			facts([
				["From", r.origin === "catalogue" ? "the catalogue" : "this organisation"],
				["Scope", r.scope === "all" ? "all records" : "the inventories of projects"],
				["Version", r.version],
				["Finds", r.produces && `${r.produces.area.replaceAll("_", " ")}${r.produces.exposure_kind ? ` · ${r.produces.exposure_kind}` : ""}`],
				["Tags", r.tags.length > 0 && r.tags.map((t) => [h("a.badge", { href: hash({ tag: t }) }, short(t, 60)), " "])],
				["Techniques", r.techniques.length > 0 && r.techniques.join(", ")],
				["False positives", r.false_positives.length > 0 && foreign(r.false_positives.join("; "), 600)],
				[
					"References",
					r.references.length > 0 &&
						h(
							"ul",
							null,
							r.references.map((u) => h("li", null, foreign(u, 300))),
						),
				],
				["Samples", plural(r.tests.length, "test")],
			]),
			r.run
				? [h("h3", null, "Activity, 30 days"), this.#activity(r), h("h3", null, "Observations"), this.#latest(r)]
				: h("p.quiet", null, "The rule is not evaluated for this organisation, so it observes nothing."),
		);
	}

	#settings({ settings: s }, change) {
		return {
			enabled: s.enabled,
			exclude: s.exclude,
			findings: s.findings,
			project_uuids: s.project_uuids,
			...(s.severity ? { severity: s.severity } : {}),
			...change,
		};
	}

	async #put(request) {
		const { rule } = await request;
		this.#list.put(rule);
		this.#open(rule);
	}

	async #delete(r) {
		if (
			await agree("Delete the rule?", `“${r.name}” and its observations are deleted. Its findings stay.`, "Delete", () =>
				api.del(`/rules/${r.uuid}`),
			)
		) {
			this.#drawer.close();
			this.#list.read();
		}
	}

	#activity(r) {
		return reading({
			signal: this.#signal,
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

	#latest(r) {
		return reading({
			signal: this.#signal,
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
					a.has_more && h("p", null, h("a", { href: hash({ tab: "observations", rule_uuid: r.uuid }) }, "All of them")),
				),
		}).box;
	}

	// ---- observations ----

	async #name(uuid) {
		if (!this.#names.has(uuid))
			this.#names.set(
				uuid,
				api.get(`/rules/${uuid}`, { signal: this.#signal }).then(
					(a) => a.rule.name,
					() => "a rule that is gone",
				),
			);
		return this.#names.get(uuid);
	}

	#ruleName(uuid) {
		const node = h("span.quiet", null, "…");
		this.#name(uuid).then((name) => show(node, short(name, 100)));
		return node;
	}

	#observations() {
		const { state, severity, dataset, ip, rule_uuid, tag } = this.#query;
		show(
			this.filters,
			this.#search("ip", "Address"),
			filterBar(
				[
					{ name: "state", label: "State", options: any(["active", "gone"]) },
					{ name: "severity", label: "Severity", options: any(SEVERITIES) },
					{ name: "dataset", label: "Records", options: any(SETS) },
				],
				this.#query,
				(n, v) => this.#go({ [n]: v }),
			),
			rule_uuid && h("span.small", null, "of ", this.#ruleName(rule_uuid), " ", h("a", { href: hash({ tab: "observations" }) }, "all rules")),
		);
		const list = pagedTable({
			signal: this.#signal,
			caption: "Observations",
			columns: [
				["Record", (o) => [observed(o), o.suspect && badge("suspect", "warn")]],
				["Rule", (o) => this.#ruleName(o.rule_uuid)],
				["Because of", matched],
				["State", (o) => (o.state === "active" ? badge("active") : h("span.quiet", null, GONE[o.gone_reason] ?? "gone"))],
				["First seen", (o) => when(o.first_seen_at), "number"],
				["Last seen", (o) => when(o.last_seen_at), "number"],
			],
			read: async (cursor, signal) => {
				const answer = await api.get("/rules/observations", {
					query: { state, severity, dataset, ip, rule_uuid, tag, limit: 50, cursor },
					signal,
				});
				return { items: answer.observations, next_cursor: answer.next_cursor };
			},
			empty: () => emptyState("No observations", "Turn a rule on: it observes the records that match it."),
		});
		show(this.results, list.box);
	}
}

export async function open(main, route, signal) {
	main.className = "page wide";
	if (route.path.length) {
		const { openEditor } = await import("./rule-editor.js");
		return openEditor(main, route, signal);
	}
	const page = new Rules(main, signal);
	page.change(route);
	return page;
}
