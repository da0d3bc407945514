// SPDX-License-Identifier: ISC
// Alerts of a project, #/alerts/PROJECT?tab=rules: the inbox, and by tab rules, silences, destinations and deliveries.

import { foreign, h, show } from "../common/dom.js";
import { api } from "../common/api.js";
import { plural } from "../common/words.js";
import { facts } from "./facts.js";
import { badge, emptyState, reading, toast } from "./parts.js";
import { areaWords } from "./areas.js";
import { Drawer, filterBar, pagedTable, recordKeys, tabButtons, when } from "./lists.js";
import { short } from "./links.js";
import { hashOf, projectHead, projectOf } from "./projects.js";

const TABS = [
	["inbox", "Inbox"],
	["rules", "Rules"],
	["silences", "Silences"],
	["destinations", "Destinations"],
	["deliveries", "Deliveries"],
];
const STATES = [
	["any", "Any state"],
	["open", "Open"],
	["acknowledged", "Acknowledged"],
	["closed", "Closed"],
];
const SEVERITIES = ["critical", "high", "medium", "low", "info"];

// The rows of alert_move (src/tbl/alert_moves.h): path, words, key on the keyboard, states from
// which the move is possible.
const MOVES = [
	["acknowledge", "Acknowledge", "a", ["open"]],
	["close", "Close", "c", ["open", "acknowledged"]],
	["reopen", "Reopen", "r", ["acknowledged", "closed"]],
];
const DONE = { acknowledge: "acknowledged", close: "closed", reopen: "reopened" };

class Inbox {
	#chosen = new Map(); // alerts by uuid
	#list = null;
	#drawer = new Drawer((alert) => this.page.address({ alert }));

	constructor(page) {
		this.page = page;
		this.bar = h("div.bulk", { role: "status" });
		this.results = h("section.results", { "aria-label": "Alerts" });
		this.node = h("div.list-and-drawer", null, h("div.stacked-lists", null, this.bar, this.results), this.#drawer.node);
		if (page.manages)
			recordKeys(this.node, this.#drawer, (uuid, key) => this.#key(this.byUuid.get(uuid), key));
	}

	filters(query, go) {
		return filterBar(
			[
				{ name: "state", label: "State", options: STATES },
				{ name: "severity", label: "Severity", options: [["", "Any"], ...SEVERITIES.map((s) => [s, s])] },
				{ name: "rule_uuid", label: "Rule", options: [["", "Any"], ...this.page.rules.map((r) => [r.uuid, r.name])] },
			],
			{ ...query, state: query.state ?? "open" },
			(name, value) => go({ [name]: value }),
		);
	}

	draw({ state = "open", severity, rule_uuid, alert }) {
		const query = { state: state === "any" ? "" : state, severity, rule_uuid, limit: 50 };
		const { page } = this,
			check = (a) =>
				h("input", {
					type: "checkbox",
					"aria-label": `Choose ${a.title.slice(0, 80)}`,
					checked: this.#chosen.has(a.uuid),
					onchange: (e) => this.#choose(a, e.target.checked),
				});
		this.#chosen.clear();
		this.#bulk();
		this.#list = pagedTable({
			signal: page.signal,
			caption: "Alerts",
			drawer: this.#drawer,
			keep: "alerts",
			choose: page.manages ? check : undefined,
			open: (a) => this.#open(a),
			columns: [
				["Alert", (a) => short(a.title, 200)],
				["Severity", (a) => (a.severity ? badge(a.severity, a.severity) : "–")],
				["Rule", (a) => short(page.ruleName(a.rule_uuid), 80)],
				["State", (a) => badge(a.state, a.state === "closed" ? "good" : "")],
				["Raised", (a) => [when(a.last_raised_at), a.raised_count > 1 && h("span.quiet", null, ` ×${a.raised_count}`)], "number"],
			],
			read: async (cursor, signal) => {
				const answer = await page.get("alerts", { ...query, cursor }, signal);
				for (const a of answer.alerts)
					this.byUuid.set(a.uuid, a);
				return { items: answer.alerts, next_cursor: answer.next_cursor };
			},
			empty: () =>
				emptyState(
					state === "open" ? "No open alerts" : "No alerts",
					page.rules.length
						? "No alert of this project matches these filters."
						: "Alerts come from rules. This project has none yet.",
					!page.rules.length && page.manages && h("a.button", { href: page.hash({ tab: "rules" }) }, "Make a rule"),
				),
		});
		show(this.results, this.#list.box);
		this.#drawer.hide();
		if (alert)
			this.#read(alert);
	}

	// Opens an alert that the address names; the list may not have it.
	async #read(uuid) {
		try {
			const { alert } = await this.page.get(`alerts/${uuid}`);
			this.byUuid.set(uuid, alert);
			this.#open(alert);
		} catch (fault) {
			if (fault.name !== "AbortError")
				toast(fault.message, "bad");
		}
	}

	byUuid = new Map();

	#choose(alert, yes) {
		if (yes)
			this.#chosen.set(alert.uuid, alert);
		else
			this.#chosen.delete(alert.uuid);
		this.#bulk();
	}

	#bulk() {
		const all = [...this.#chosen.values()];
		show(
			this.bar,
			all.length > 0 && [
				h("span", null, `${plural(all.length, "alert")} chosen: `),
				MOVES.filter(([, , , from]) => all.some((a) => from.includes(a.state))).map(([path, label, , from]) =>
					h(
						"button",
						{
							type: "button",
							onclick: () =>
								this.#moveAll(
									all.filter((a) => from.includes(a.state)),
									path,
								),
						},
						label,
					),
				),
			],
		);
	}

	#key(alert, key) {
		const move = MOVES.find(([, , letter, from]) => letter === key && from.includes(alert?.state));
		if (move)
			this.#moveAll([alert], move[0]);
		else if (key === "s" && alert)
			this.#silence(alert);
	}

	async #silence(alert) {
		const { silenceDialog } = await import("./alert-forms.js");
		const done = await silenceDialog(this.page, alert.rule_uuid);
		if (done)
			toast("The rule is silent.");
	}

	async #moveAll(alerts, path) {
		let n = 0;
		try {
			for (const a of alerts) {
				const { alert } = await api.post(this.page.path(`alerts/${a.uuid}/${path}`), undefined, { signal: this.page.signal });
				this.#put(alert);
				n++;
			}
		} catch (fault) {
			if (fault.name !== "AbortError")
				toast(fault.message, "bad");
		}
		if (n)
			toast(`${plural(n, "alert")} ${DONE[path]}.`);
		this.#chosen.clear();
		this.#bulk();
	}

	#put(alert) {
		const held = this.#list.row(alert.uuid)?.contains(document.activeElement);
		this.byUuid.set(alert.uuid, alert);
		this.#list.put(alert);
		if (held)
			this.#list.row(alert.uuid).querySelector(".row-open").focus();
		if (this.#drawer.uuid === alert.uuid)
			this.#open(alert);
	}

	#open(shown) {
		const a = this.byUuid.get(shown.uuid) ?? shown,
			{ page } = this;
		const moves = page.manages ? MOVES.filter(([, , , from]) => from.includes(a.state)) : [];
		this.#drawer.open(
			{ uuid: a.uuid, row: this.#list.row(a.uuid), title: foreign(a.title, 400) },
			h("p.tags", null, a.severity && badge(a.severity, a.severity), badge(a.state, a.state === "closed" ? "good" : "")),
			page.manages &&
				h(
					"div.actions",
					null,
					moves.map(([path, label, key]) =>
						h(
							"button",
							{ type: "button", "aria-keyshortcuts": key, onclick: () => this.#moveAll([a], path) },
							label,
							h("kbd", { "aria-hidden": "true" }, key),
						),
					),
					h("button", { type: "button", onclick: () => this.#silence(a) }, "Silence the rule", h("kbd", { "aria-hidden": "true" }, "s")),
				),
			facts([
				["Rule", h("a", { href: page.hash({ tab: "rules" }) }, short(page.ruleName(a.rule_uuid), 120))],
				["First raised", when(a.created_at)],
				["Last raised", [when(a.last_raised_at), a.raised_count > 1 && ` (${a.raised_count} times)`]],
				["Acknowledged", a.acknowledged_at && when(a.acknowledged_at)],
				["Closed", a.closed_at && when(a.closed_at)],
			]),
			h("h3", null, a.source === "finding" ? "Its finding" : "Its service"),
			this.#source(a),
			h("h3", null, "What was sent"),
			this.#sent(a),
		);
	}

	#source({ source, source_uuid: uuid }) {
		const path = `/projects/${this.page.project.uuid}/esi/${source === "finding" ? "findings" : "services"}/${uuid}`;
		return reading({
			signal: this.page.signal,
			lines: 2,
			read: (s) => api.get(path, { signal: s }),
			draw: (answer, box) => {
				const r = answer.finding ?? answer.service;
				show(
					box,
					answer.finding
						? facts([
								["Title", h("a", { href: hashOf("findings", this.page.project, { status: "any", finding: uuid }) }, foreign(r.title, 300))],
								["Area", areaWords(r.finding_type)],
								["Status", r.status.replaceAll("_", " ")],
								["Last seen", when(r.last_seen_at)],
							])
						: facts([
								["Service", h("a", { href: hashOf("inventory", this.page.project, { tab: "services", service: uuid }) }, foreign(r.endpoint ?? r.service_key, 300))],
								["Software", foreign([r.product, r.version].filter(Boolean).join(" "), 200)],
								["Title", r.http_title && foreign(r.http_title, 300)],
								["Last seen", when(r.last_seen_at)],
							]),
				);
			},
		}).box;
	}

	#sent(alert) {
		const { page } = this;
		return reading({
			signal: page.signal,
			lines: 2,
			read: (s) => page.get("deliveries", { alert_uuid: alert.uuid, limit: 20 }, s),
			empty: (a) => (a.deliveries.length ? null : h("p.quiet.small", null, "Nothing: the rule has no destinations, or it was silent.")),
			draw: (a, box) =>
				show(
					box,
					h(
						"ul.searches",
						null,
						a.deliveries.map((d) =>
							h(
								"li",
								null,
								badge(d.state, { delivered: "good", failed: "bad" }[d.state] ?? ""),
								" ",
								short(page.destinationName(d.destination_uuid), 80),
								h("span.quiet.small", null, ` ${plural(d.attempts, "attempt")}`, d.failure && `, ${d.failure}`),
							),
						),
					),
				),
		}).box;
	}
}

class Alerts {
	#parts = {};
	#inbox = null;
	#query = {};
	rules = [];
	destinations = [];

	constructor(main, where, signal) {
		Object.assign(this, { project: where.project, manages: where.manages, signal });
		this.#parts = { tabs: h("div.views", { role: "group", "aria-label": "Shown" }), filters: h("div.filter-line"), body: h("div") };
		show(main, projectHead("alerts", "Alerts", where, this.#parts.tabs), this.#parts.filters, this.#parts.body);
	}

	path(tail) {
		return `/projects/${this.project.uuid}/alerting/${tail}`;
	}

	get(tail, query, signal = this.signal) {
		return api.get(this.path(tail), { query, signal });
	}

	hash(query) {
		return hashOf("alerts", this.project, query);
	}

	// The address of this page with a change of its query.
	address(change) {
		return this.hash({ ...this.#query, ...change });
	}

	ruleName(uuid) {
		return this.rules.find((r) => r.uuid === uuid)?.name ?? "a rule that is gone";
	}

	destinationName(uuid) {
		return this.destinations.find((d) => d.uuid === uuid)?.name ?? "a destination that is gone";
	}

	// Reads the names of rules and destinations, which all tabs show.
	async load() {
		const [rules, destinations] = await Promise.all([this.get("rules", { limit: 100 }), this.get("destinations", { limit: 100 })]);
		Object.assign(this, { rules: rules.rules, destinations: destinations.destinations });
	}

	change(route) {
		if (route.path[0] && route.path[0] !== this.project.uuid)
			return false;
		this.#query = Object.fromEntries(route.query);
		const { tab = "inbox" } = this.#query,
			{ tabs, filters, body } = this.#parts;
		show(
			tabs,
			tabButtons(TABS, tab, (name) => {
				location.hash = this.hash({ tab: name === "inbox" ? "" : name });
			}),
		);
		show(filters);
		if (tab === "inbox") {
			this.#inbox ??= new Inbox(this);
			show(
				filters,
				this.#inbox.filters(this.#query, (change) => {
					location.hash = this.address({ alert: "", ...change });
				}),
			);
			show(body, this.#inbox.node);
			this.#inbox.draw(this.#query);
		} else {
			this.#other(tab);
		}
		return true;
	}

	async #other(tab) {
		const { drawTab } = await import("./alert-tabs.js");
		const { filters, body } = this.#parts;
		show(body);
		drawTab(this, tab, this.#query, filters, body);
	}
}

export async function open(main, route, signal) {
	main.className = "page wide";
	const where = await projectOf(main, "Alerts", route, signal);
	if (!where)
		return null;
	const page = new Alerts(main, where, signal);
	await page.load();
	page.change(route);
	return page;
}
