// SPDX-License-Identifier: ISC
// Detection rules, #/rules: those of the catalogue and of the organisation, with their observations
// and settings; a tab has all observations. #/rules/new and #/rules/UUID/edit open the editor.

import { foreign, h, show } from "../common/dom.js";
import { api, everything, signedIn } from "../common/api.js";
import { count, plural } from "../common/words.js";
import { facts } from "./facts.js";
import { badge, emptyState, heading, reading, toast } from "./parts.js";
import { DATASETS, searchFor, short } from "./links.js";
import { Drawer, actionButton, filterBar, pagedTable, searchFilter, tabButtons } from "./lists.js";
import { hashOf } from "./projects.js";
import { any, isComing, isLive, isOn, SETS, SEVERITIES, stateWords, switchButton } from "./rule-settings.js";

const STATUSES = ["draft", "testing", "stable", "deprecated"];
const MOVES = [
	["stage", "Start testing", ["draft"]],
	["publish", "Mark as stable", ["testing"]],
	["redraft", "Back to draft", ["testing", "deprecated"]],
	["deprecate", "Deprecate", ["testing", "stable"]],
];
const AGAIN_MS = 2000; // between two looks at a rule in the drawer
const CHANGED_MS = 20000; // for so long after a change, its effects are awaited
const SHOWN = 5; // findings of a project in the drawer
const stateBadge = (r) => (isLive(r) ? badge("On", "good") : badge(isOn(r) ? "Not evaluated" : "Off"));
const searched = (dataset) => dataset.replace("open_directories", "open-directories");

function hash(query, path = "") {
	const words = new URLSearchParams(Object.entries(query).filter(([, v]) => v));
	return `#/rules${path}${words.size ? `?${words}` : ""}`;
}

class Rules {
	#signal;
	#query = {};
	#list = null;
	#drawer = new Drawer((rule) => hash({ ...this.#query, rule }));
	#timer = 0;
	#until = 0;

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
		location.hash = hash({ ...this.#query, rule: "", ...change });
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
		this.#drawer.hide();
		if (tab === "observations")
			this.#observations();
		else
			this.#rules();
		if (this.#query.rule)
			api.get(`/rules/${this.#query.rule}`, { signal: this.#signal }).then(({ rule }) => this.#open(rule));
		return true;
	}

	async #observations() {
		const { drawObservations } = await import("./rule-observations.js");
		if (this.#query.tab === "observations")
			drawObservations({ filters: this.filters, results: this.results, query: this.#query, hash, go: (change) => this.#go(change), signal: this.#signal });
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
							["", "On and off"],
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
			drawer: this.#drawer,
			keep: "rules",
			open: (r) => this.#open(r),
			columns: [
				["Rule", (r) => short(r.name, 160)],
				["Severity", (r) => badge(r.settings.severity ?? r.severity, r.settings.severity ?? r.severity)],
				["Records", (r) => r.dataset.replaceAll("_", " ")],
				["Tags", (r) => r.tags.slice(0, 3).map((t) => [h("span.badge", null, short(t, 40)), " "])],
				["Status", (r) => r.status],
				["State", stateBadge],
				["Active findings", (r) => (r.active_findings === null ? h("span.quiet", null, "–") : count(r.active_findings)), "number"],
				["Observed", (r) => (r.run ? [r.run.relation === "gte" && "≥ ", count(r.run.active_count)] : h("span.quiet", null, "–")), "number"],
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
			dataset = searched(r.dataset),
			state = h("p", { role: "status" }),
			seen = h("div");
		const actions = [
			own && h("a.button", { href: `#/rules/${r.uuid}/edit` }, "Edit"),
			...(own
				? MOVES.filter(([, , from]) => from.includes(r.status)).map(([path, label]) =>
						actionButton(label, () => this.#put(api.post(`/rules/${r.uuid}/${path}`))),
					)
				: []),
			this.owner &&
				actionButton("Settings", async () => {
					const { settingsDialog } = await import("./rule-dialog.js");
					const rule = await settingsDialog(r, this.#signal);
					if (rule)
						this.#put({ rule });
				}),
			this.owner &&
				actionButton("Copy", async () => {
					const { rule } = await api.post(`/rules/${r.uuid}/copy`);
					location.hash = `#/rules/${rule.uuid}/edit`;
				}),
			own && actionButton("Delete", () => this.#delete(r), "danger"),
		];
		this.#drawer.open(
			{ uuid: r.uuid, row: this.#list?.row(r.uuid), title: foreign(r.name, 300) },
			h(
				"p.tags",
				null,
				badge(r.settings.severity ?? r.severity, r.settings.severity ?? r.severity),
				badge(r.status, r.status === "stable" ? "good" : ""),
				!this.owner && stateBadge(r),
			),
			h("div.actions", null, this.owner && switchButton(r, (request) => this.#put(request, true)), actions),
			state,
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
			seen,
		);
		this.#follow(r, state, seen);
	}

	// Shows what changes by itself, and reads the rule again while that may go on.
	#follow(r, state, seen) {
		show(state, stateWords(r), r.run?.error && [" ", badge(r.run.error.replaceAll("_", " "), "bad")]);
		show(
			seen,
			r.active_findings !== null && [h("h3", null, "Active findings"), this.#findings(r)],
			r.run && this.#observed(r),
		);
		this.#later(r, state, seen);
	}

	#later(r, state, seen) {
		clearTimeout(this.#timer);
		if (isComing(r) || Date.now() < this.#until)
			this.#timer = setTimeout(() => this.#again(r, state, seen), AGAIN_MS);
	}

	async #again(r, state, seen) {
		if (this.#drawer.uuid !== r.uuid || this.#signal.aborted)
			return;
		const answer = await api.get(`/rules/${r.uuid}`, { signal: this.#signal }).catch(() => null); // the next look may succeed
		if (this.#drawer.uuid !== r.uuid || this.#signal.aborted)
			return;
		if (!answer || JSON.stringify(answer.rule) === JSON.stringify(r)) {
			this.#later(r, state, seen);
			return;
		}
		this.#list.put(answer.rule);
		this.#drawer.mark(this.#list.row(r.uuid));
		this.#follow(answer.rule, state, seen);
	}

	async #put(request, switched = false) {
		const { rule } = await request;
		this.#until = Date.now() + CHANGED_MS;
		this.#list.put(rule);
		this.#open(rule);
		if (switched)
			this.#drawer.node.querySelector("[role=switch]").focus();
	}

	#observed(r) {
		const box = h("div");
		import("./rule-observations.js").then(({ drawLatest }) => drawLatest(box, r, hash({ tab: "observations", rule_uuid: r.uuid }), this.#signal));
		return box;
	}

	// The newest active findings of each project, with a link to all of them.
	#findings(r) {
		return reading({
			signal: this.#signal,
			lines: 2,
			read: async (s) => {
				const projects = r.active_findings ? await everything("/projects", "projects", { signal: s }) : [];
				const pages = projects.map(async (project) => ({
					project,
					...(await api.get(`/projects/${project.uuid}/esi/findings`, { query: { rule_uuid: r.uuid, status: "active", limit: SHOWN }, signal: s })),
				}));
				return (await Promise.all(pages)).filter((p) => p.findings.length);
			},
			empty: (list) => (list.length ? null : h("p.quiet.small", null, "It has no active findings.")),
			draw: (list, box) =>
				show(
					box,
					list.map(({ project, findings }) => [
						h("p.small", null, h("a", { href: hashOf("findings", project, { rule_uuid: r.uuid }) }, "All in ", foreign(project.name, 100))),
						h(
							"ul.searches",
							null,
							findings.map((f) => h("li", null, h("a", { href: hashOf("findings", project, { rule_uuid: r.uuid, finding: f.uuid }), "data-entry": "" }, short(f.title, 160)))),
						),
					]),
				),
		}).box;
	}

	async #delete(r) {
		const { agree } = await import("../common/dialog.js");
		if (
			await agree("Delete the rule?", `“${r.name}” and its observations are deleted. Its findings stay.`, "Delete", () =>
				api.del(`/rules/${r.uuid}`),
			)
		) {
			this.#drawer.close();
			this.#list.read();
		}
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
