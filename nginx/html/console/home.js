// SPDX-License-Identifier: ISC
// Home: a search box, active findings and alerts, running sessions, the rest of the quota, and of one project its last 30
// days, its most exposed assets and its newest findings. A tile leads to the project that has the most of what it counts.

import { foreign, h, show } from "../common/dom.js";
import { api, signedIn } from "../common/api.js";
import { asTable, bar, meter, stackedDays } from "../common/charts.js";
import { about, ago, count, day, plural } from "../common/words.js";
import { badge, emptyState, heading, reading } from "./parts.js";
import { hashOf } from "./projects.js";
import { ROUTES } from "./routes.js";

const SEVERITIES = ["critical", "high", "medium", "low", "info"];
const SHOWN = 6; // findings and assets of a project

const active = (p) => SEVERITIES.reduce((n, s) => n + p.open[s], 0);

// The project with the most, or the first one.
function most(projects, number) {
	return projects.reduce((best, p) => (!best || number(p) > number(best) ? p : best), null);
}

// The address of a page about a project.
const of = (page, project) => (project ? hashOf(page, { uuid: project.project_uuid }, {}) : `#/${page}`);

// A tile is a link where the page exists. project: the one with the most of what the tile counts.
function tile(page, title, number, project, ...rest) {
	const known = ROUTES.some((r) => r.page === page);
	return h(known ? "a.card.glance" : "div.card.glance", known ? { href: of(page, project), "data-entry": true } : null, h("h2", null, title), h("strong.count", null, number), rest);
}

function severities(counts) {
	const highest = Math.max(1, ...SEVERITIES.map((s) => counts[s]));
	return h("ul.severities", null, SEVERITIES.map((s) => h("li", { class: s }, h("span", null, badge(s, s)), bar(counts[s] / highest), h("span.number", null, count(counts[s])))));
}

function changeWords({ score, previous }) {
	return score === previous ? "unchanged" : `${count(Math.abs(score - previous))} ${score > previous ? "more" : "less"}`;
}

function quotaTile(quota) {
	const share = quota.limit ? quota.used / quota.limit : 1;
	return tile("usage", "Quota", `${Math.round(share * 100)} %`, null, meter(share, `${count(quota.used)} of ${count(quota.limit)} requests`, share >= 1 ? "bad" : share > 0.8 ? "warn" : ""),
		h("p.small.quiet", null, `${about(quota.used)} of ${about(quota.limit)} requests, until ${day(quota.reset_at, "UTC")}`));
}

function projectLine(project) {
	const open = SEVERITIES.filter((s) => project.open[s]).map((s) => badge(`${count(project.open[s])} ${s}`, s));
	return h("li", null, h("a", { href: of("findings", project), "data-entry": true }, h("bdi", null, project.name), h("span.marks", null, open.length ? open : h("span.small.quiet", null, "nothing active")),
		h("span.score", { title: "Exposure score" }, "Score ", h("strong", null, count(project.score)))));
}

// ---- one project ----

function chart(days, name) {
	const label = `Active findings of ${name}, a day`;
	const kinds = SEVERITIES.map((s) => ({ name: s, severity: s, values: days.map((d) => d.open[s]) })).reverse();
	const short = (d) => day(`${d.date}T12:00:00Z`, "UTC").replace(/ \d{4}$/, "");
	return [stackedDays(days.map((d) => ({ name: short(d), partial: d.partial })), kinds, label),
		asTable(label, ["Day", ...SEVERITIES, "New", "Closed"], days.map((d) => [d.date, ...SEVERITIES.map((s) => count(d.open[s])), count(d.new + d.reopened), count(d.closed + d.cleared)]))];
}

function entries(list, empty, make) {
	return list.length ? h("ul.projects", null, list.map((item) => h("li", null, make(item)))) : h("p.quiet.small", null, empty);
}

function detail(project, { days, assets, findings }) {
	const where = { uuid: project.project_uuid };
	return [h("section.card", null, h("h2", null, "Active findings, 30 days"), chart(days, project.name)),
		h("div.pair", null,
			h("section.card", null, h("h2", null, "Most exposed assets"), entries(assets, "No asset has an active finding.", (a) => h("a", { href: hashOf("inventory", where, { asset: a.asset_uuid }), "data-entry": true },
				foreign(a.name, 120), h("span.marks", null, SEVERITIES.filter((s) => a.open[s]).slice(0, 3).map((s) => badge(`${count(a.open[s])} ${s}`, s))), h("span.score", { title: "Exposure score" }, "Score ", h("strong", null, count(a.score)))))),
			h("section.card", null, h("h2", null, "Newest findings"), entries(findings, "There is no active finding.", (f) => h("a", { href: hashOf("findings", where, { finding: f.uuid }), "data-entry": true },
				foreign(f.title, 160), h("span.marks", null, badge(f.severity, f.severity), h("span.small.quiet", null, ago(f.created_at)))))))];
}

// The card of a project, with a choice when there are several.
function projectPart(projects, signal) {
	let project = most(projects, active);
	const part = reading({ signal, lines: 8, box: h("div.stacked-parts"),
		read: async (s) => {
			const path = `/projects/${project.project_uuid}`;
			const [{ days }, { assets }, { findings }] = await Promise.all([api.get(`${path}/dashboard/days`, { query: { window: "30d" }, signal: s }), api.get(`${path}/dashboard/top-assets`, { query: { limit: SHOWN }, signal: s }),
				api.get(`${path}/esi/findings`, { query: { status: "active", limit: SHOWN }, signal: s })]);
			return { days, assets, findings };
		},
		draw: (data, box) => show(box, detail(project, data)) });
	const choice = h("select", { "aria-label": "Project", onchange: () => {
		project = projects.find((p) => p.project_uuid === choice.value);
		part.read();
	} }, projects.map((p) => h("option", { value: p.project_uuid, selected: p === project }, p.name)));
	return [h("div.card-head.bare", null, h("h2", null, projects.length > 1 ? "Project" : foreign(project.name)), projects.length > 1 && choice), part.box];
}

// ---- the page ----

function searchBox() {
	const input = h("input", { type: "search", name: "q", "aria-label": "Search hosts", placeholder: "Search hosts: an address, a name, or a query", autocomplete: "off", spellcheck: "false", "data-search": true });
	return h("form.home-search", { role: "search", onsubmit: (e) => {
		e.preventDefault();
		location.hash = `#/search/hosts${input.value.trim() ? `?${new URLSearchParams({ q: input.value.trim() })}` : ""}`;
	} }, input, h("button.main", { type: "submit" }, "Search"));
}

function draw(d, box, signal) {
	const { findings, alerts, sessions, surface, projects } = d;
	show(box, h("div.glances", null,
		tile("findings", "Active findings", count(findings.open + findings.acknowledged), most(projects, active), severities(findings.by_severity),
			h("p.small.quiet", null, `${count(findings.acknowledged)} acknowledged`)),
		tile("alerts", "Open alerts", count(alerts.open), most(projects, (p) => p.alerts), h("p.small.quiet", null, `${count(alerts.acknowledged)} acknowledged`),
			alerts.deliveries_failed > 0 && h("p.small.bad", null, `${plural(alerts.deliveries_failed, "delivery", "deliveries")} failed`)),
		tile("inventory", "Surface", plural(surface.assets, "asset"), most(projects, (p) => p.assets), h("p.small.quiet", null, `${plural(surface.services, "service")}; ${count(surface.new)} new, ${count(surface.gone)} gone in 30 days`),
			h("p.small.quiet", null, `Exposure score ${count(d.exposure.score)}, ${changeWords(d.exposure)} in 30 days`)),
		tile("sessions", "Browser sessions", plural(sessions.running, "running", "running"), most(projects, (p) => p.sessions), h("p.small.quiet", null, sessions.limit ? `${count(sessions.queued + sessions.starting)} waiting, of ${count(sessions.limit)} at once` : "The organisation is not entitled to them.")),
		d.quota && quotaTile(d.quota)),
	h("section.card", null, h("h2", null, "Projects"), projects.length ? h("ul.projects", null, projects.map(projectLine))
		: emptyState("No project yet", "Alerts, findings and browser sessions belong to a project.", signedIn.organisation.role === "owner" && h("a.button.main", { href: "#/settings/organisation" }, "Make one"))),
	projects.length > 0 && projectPart(projects, signal));
}

export async function open(main, route, signal) {
	const part = reading({ signal, draw: (d, box) => draw(d, box, signal), lines: 10, box: h("div.stacked-parts"), read: async (s) => (await api.get("/dashboard", { signal: s })).dashboard });
	show(main, heading(["Welcome, ", foreign(signedIn.session.person.name)]), searchBox(), part.box);
}
