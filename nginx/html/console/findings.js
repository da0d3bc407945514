// SPDX-License-Identifier: ISC
// The findings of a project, #/findings/PROJECT?severity=high&finding_type=dangling_dns: counts by
// area and severity, and a finding with its evidence, its history and the moves that its status
// allows.

import { foreign, h, show } from "../common/dom.js";
import { api } from "../common/api.js";
import { count, plural } from "../common/words.js";
import { badge, emptyState, reading, toast } from "./parts.js";
import { AREAS, areaWords } from "./areas.js";
import { share, short } from "./links.js";
import { Drawer, filterBar, pagedTable, recordKeys, when } from "./lists.js";
import { hashOf, projectHead, projectOf } from "./projects.js";

const SEVERITIES = ["critical", "high", "medium", "low", "info"];
const STATUSES = [
	["", "Any status"],
	["active", "Open or acknowledged"],
	["open", "Open"],
	["acknowledged", "Acknowledged"],
	["accepted_risk", "Risk accepted"],
	["false_positive", "False positive"],
	["resolved", "Resolved"],
];
const STATUS = Object.fromEntries(STATUSES);
const TONES = { open: "", acknowledged: "", accepted_risk: "warn", false_positive: "", resolved: "good" };

// The rows of finding_move (src/tbl/finding_moves.h): path, words, what happened, the key, states from which the move is
// possible.
const MOVES = [
	["acknowledge", "Acknowledge", "acknowledged", "a", ["open"]],
	["resolve", "Resolve", "resolved", "r", ["open", "acknowledged", "accepted_risk", "false_positive"]],
	["accept-risk", "Accept the risk", "an accepted risk", "i", ["open", "acknowledged", "false_positive"]],
	["false-positive", "False positive", "marked as a false positive", "f", ["open", "acknowledged", "accepted_risk"]],
	["reopen", "Reopen", "open again", "o", ["acknowledged", "accepted_risk", "false_positive", "resolved"]],
];

const EVENTS = {
	found: "Found",
	changed: "Severity or confidence changed",
	resolve: "Resolved",
	acknowledge: "Acknowledged",
	accept_risk: "Risk accepted",
	false_positive: "Marked as a false positive",
	reopen: "Reopened",
	seen_again: "Seen again",
	clear: "Not there any more",
};

function words(name) {
	return String(name ?? "").replaceAll("_", " ");
}

// Returns the filters of an area. The path stands for the type; where two types share a path, the
// filter kind distinguishes them.
function areaQuery(area, type, { status, severity, stale, exposure_kind, limit }) {
	return { status, severity, stale, limit, kind: area.path === "secrets" ? type : exposure_kind };
}

class Findings {
	#where;
	#query;
	#list = null;
	#wanted = ""; // the finding that is being opened
	#moving = false;
	#signal;
	#drawer = new Drawer((finding) => hashOf("findings", this.#where.project, { ...this.#query, finding }));

	constructor(main, where, signal) {
		this.#where = where;
		this.#signal = signal;
		this.filters = h("div.filter-line");
		this.strip = h("div");
		this.areas = h("aside.facets");
		this.results = h("section.results", { "aria-label": "Findings" });
		show(
			main,
			projectHead("findings", "Findings", where, h("a.button", { href: hashOf("detectors", where.project, {}) }, "Detectors")),
			this.strip,
			this.filters,
			h("div.search-body.with-areas", null, this.areas, h("div.list-and-drawer", null, this.results, this.#drawer.node)),
		);
		if (where.manages)
			recordKeys(main, this.#drawer, (uuid, letter) => this.#key(uuid, letter));
		this.#overview();
	}

	#path(tail = "") {
		return `/projects/${this.#where.project.uuid}/esi/findings${tail}`;
	}

	#go(change) {
		location.hash = hashOf("findings", this.#where.project, { ...this.#query, finding: "", ...change });
	}

	change(route) {
		if (route.path[0] && route.path[0] !== this.#where.project.uuid)
			return false;
		this.#query = Object.fromEntries(route.query);
		this.#query.status ??= "active";
		const stale = [
			["", "Old and new"],
			["false", "Seen lately"],
			["true", "Not seen for 30 days"],
		];
		show(
			this.filters,
			filterBar(
				[
					{ name: "status", label: "Status", options: STATUSES.map(([v, w]) => [v || "any", w]) },
					{ name: "severity", label: "Severity", options: [["", "Any"], ...SEVERITIES.map((s) => [s, s])] },
					{ name: "stale", label: "Age", options: stale },
				],
				{ ...this.#query, status: this.#query.status || "any" },
				(name, value) => this.#go({ [name]: value }),
			),
			this.#query.rule_uuid && h("span.small", null, "of one rule ", h("button.link", { type: "button", onclick: () => this.#go({ rule_uuid: "" }) }, "all rules")),
		);
		this.#mark();
		this.#draw();
		return true;
	}

	#draw() {
		const { status, severity, finding_type, stale, exposure_kind, rule_uuid } = this.#query;
		const query = { status: status === "any" ? "" : status, severity, finding_type, stale, exposure_kind, rule_uuid, limit: 50 };
		this.#drawer.hide();
		this.#wanted = "";
		const area = rule_uuid ? null : AREAS[finding_type],
			path = area ? `/projects/${this.#where.project.uuid}/esi/${area.path}` : this.#path();
		const [lead, ...own] = area?.columns ?? [
			["Finding", () => null],
			["Area", (f) => [short(areaWords(f.finding_type), 60), f.exposure_kind && h("span.quiet.small", null, " ", short(words(f.exposure_kind), 60))]],
		];
		this.#list = pagedTable({
			signal: this.#signal,
			caption: "Findings",
			drawer: this.#drawer,
			keep: "findings",
			columns: [
				[lead[0], (f) => lead[1](f) || short(f.title, 200)],
				["Severity", (f) => badge(f.severity, f.severity)],
				...own,
				["Status", (f) => [badge(STATUS[f.status] ?? f.status, TONES[f.status]), f.stale && h("span.quiet.small", null, " stale")]],
				["Last seen", (f) => when(f.last_seen_at), "number"],
			],
			read: async (cursor, signal) => {
				const answer = await api.get(path, { query: { ...(area ? areaQuery(area, finding_type, query) : query), cursor }, signal });
				return { items: answer.findings, next_cursor: answer.next_cursor };
			},
			empty: () =>
				emptyState(
					"No findings",
					Object.values({ severity, finding_type, stale, rule_uuid }).some(Boolean) || status !== "active"
						? "No finding matches these filters. Remove one of them."
						: "This project has no active findings.",
					h(
						"button",
						{ type: "button", onclick: () => this.#go({ status: "any", severity: "", finding_type: "", stale: "", rule_uuid: "" }) },
						"Show all findings",
					),
				),
			open: (f) => this.#openFound(f.uuid),
		});
		show(this.results, this.#list.box);
		if (this.#query.finding)
			this.#openFound(this.#query.finding);
	}

	// Records of a typed area have other members, so the drawer reads the finding itself.
	async #openFound(uuid) {
		this.#wanted = uuid;
		try {
			const { finding } = await api.get(this.#path(`/${uuid}`), { signal: this.#signal });
			this.#open(finding);
		} catch (fault) {
			if (fault.name !== "AbortError")
				toast(fault.message, "bad");
		}
	}

	// ---- counts ----

	#overview() {
		reading({
			signal: this.#signal,
			lines: 1,
			box: this.strip,
			read: (s) => api.get(`/projects/${this.#where.project.uuid}/dashboard`, { signal: s }),
			draw: ({ dashboard }, box) => {
				const { by_severity: counts, by_type: types } = dashboard.findings,
					mean = dashboard.mean_open_days?.by_severity ?? {};
				show(
					box,
					h(
						"div.severity-strip",
						{ role: "group", "aria-label": "Active findings by severity" },
						SEVERITIES.map((s) =>
							h(
								"button.severity-cell",
								{
									type: "button",
									class: `severity-cell ${s}`,
									"data-severity": s,
									onclick: () => this.#go({ severity: this.#query.severity === s ? "" : s, status: "active" }),
								},
								h("span.severity-count", null, count(counts[s] ?? 0)),
								badge(s, s),
								h(
									"span.quiet.small",
									null,
									mean[s] === null || mean[s] === undefined ? "–" : `Mean age ${plural(Math.round(mean[s]), "day")}`,
								),
							),
						),
					),
				);
				this.#types(types);
				this.#mark();
			},
		});
	}

	#types(types) {
		const sum = types.reduce((n, t) => n + t.count, 0);
		this.areas.hidden = types.length === 0; // the list takes its place
		show(
			this.areas,
			types.length > 0 &&
				h(
					"section.facet",
					null,
					h("div.facet-head", null, h("h2", null, "Areas")),
					h(
						"ul",
						null,
						types.map((t) =>
							h(
								"li",
								null,
								h(
									"button.facet-value",
									{
										type: "button",
										"data-type": t.finding_type,
										title: share(t.count, sum),
										onclick: () => this.#go({ finding_type: this.#query.finding_type === t.finding_type ? "" : t.finding_type }),
									},
									h("span.facet-text", null, short(areaWords(t.finding_type), 60)),
									h("span.facet-count", null, count(t.count)),
								),
							),
						),
					),
				),
		);
	}

	#mark() {
		for (const node of this.strip.querySelectorAll("[data-severity]"))
			node.setAttribute("aria-pressed", String(node.dataset.severity === this.#query?.severity));
		for (const node of this.areas.querySelectorAll("[data-type]")) {
			const yes = node.dataset.type === this.#query?.finding_type;
			node.setAttribute("aria-pressed", String(yes));
			node.parentElement.className = yes ? "and" : "";
		}
	}

	// ---- one finding ----

	async #open(f) {
		const { findingNodes } = await import("./finding.js");
		const moves = this.#where.manages ? MOVES.filter(([, , , , from]) => from.includes(f.status)) : [];
		if (this.#wanted !== f.uuid)
			return; // another one was opened meanwhile
		this.#drawer.open(
			{ uuid: f.uuid, row: this.#list.row(f.uuid), title: foreign(f.title, 400) },
			h(
				"p.tags",
				null,
				badge(f.severity, f.severity),
				badge(STATUS[f.status] ?? f.status, TONES[f.status]),
				f.stale && badge("not seen for 30 days"),
			),
			moves.length > 0 &&
				h(
					"div.actions",
					null,
					moves.map((move) =>
						h("button", { type: "button", "aria-keyshortcuts": move[3], onclick: () => this.#move(f, move) }, move[1], h("kbd", { "aria-hidden": "true" }, move[3])),
					),
				),
			findingNodes(f, { project: this.#where.project, signal: this.#signal }),
			h("h3", null, "History"),
			this.#history(f),
		);
	}

	#history(f) {
		return reading({
			signal: this.#signal,
			lines: 2,
			read: (s) => api.get(this.#path(`/${f.uuid}/history`), { query: { limit: 50 }, signal: s }),
			draw: (a, box) =>
				show(
					box,
					h(
						"ol.events",
						null,
						(a.events ?? a.history ?? []).map((e) =>
							h(
								"li.event",
								null,
								h("span.quiet", null, when(e.at)),
								h(
									"div",
									null,
									h("strong", null, EVENTS[e.event] ?? words(e.event)),
									e.from_status &&
										e.from_status !== e.to_status &&
										h("span.quiet", null, ` ${STATUS[e.from_status]} → ${STATUS[e.to_status]}`),
									e.membership_uuid ? h("span.quiet", null, " by a member") : null,
								),
							),
						),
					),
				),
		}).box;
	}

	async #move(f, [path, , done]) {
		if (this.#moving)
			return;
		this.#moving = true;
		try {
			const { finding } = await api.post(this.#path(`/${f.uuid}/${path}`), undefined, { signal: this.#signal });
			const row = this.#list.row(f.uuid), held = row?.contains(document.activeElement);
			this.#list.change(finding.uuid, finding);
			if (held)
				this.#list.row(f.uuid).querySelector(".row-open").focus();
			if (this.#drawer.uuid === f.uuid)
				await this.#open(finding);
			toast(["“", foreign(finding.title, 80), `” is ${done}.`]);
			this.#overview();
		} catch (fault) {
			if (fault.name !== "AbortError")
				toast(fault.message, "bad");
		} finally {
			this.#moving = false;
		}
	}

	#key(uuid, letter) {
		const f = this.#list.item(uuid), move = MOVES.find(([, , , key, from]) => key === letter && from.includes(f?.status));
		if (move)
			this.#move(f, move);
	}
}

export async function open(main, route, signal) {
	main.className = "page wide";
	const where = await projectOf(main, "Findings", route, signal);
	if (!where)
		return null;
	const page = new Findings(main, where, signal);
	page.change(route);
	return page;
}
