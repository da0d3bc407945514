// SPDX-License-Identifier: ISC
// Home: open findings and alerts, running sessions, and the rest of the quota. Each tile leads to
// its page.

import { foreign, h, show } from "../common/dom.js";
import { api, signedIn } from "../common/api.js";
import { bar, meter } from "../common/charts.js";
import { about, count, day, plural } from "../common/words.js";
import { badge, emptyState, heading, reading } from "./parts.js";
import { ROUTES } from "./routes.js";

const SEVERITIES = ["critical", "high", "medium", "low", "info"];

// A tile is a link where the page exists.
function tile(page, title, number, ...rest) {
	const known = ROUTES.some((r) => r.page === page);
	return h(known ? "a.card.glance" : "div.card.glance", known ? { href: `#/${page}`, "data-entry": true } : null, h("h2", null, title), h("strong.count", null, number), rest);
}

function severities(of) {
	const most = Math.max(1, ...SEVERITIES.map((s) => of[s]));
	return h("ul.severities", null, SEVERITIES.map((s) => h("li", { class: s }, h("span", null, badge(s, s)), bar(of[s] / most), h("span.number", null, count(of[s])))));
}

function changeWords({ score, previous }) {
	return score === previous ? "unchanged" : `${count(Math.abs(score - previous))} ${score > previous ? "more" : "less"}`;
}

function quotaTile(quota) {
	const share = quota.limit ? quota.used / quota.limit : 1;
	return tile("usage", "Quota", `${Math.round(share * 100)} %`, meter(share, `${count(quota.used)} of ${count(quota.limit)} requests`, share >= 1 ? "bad" : share > 0.8 ? "warn" : ""),
		h("p.small.quiet", null, `${about(quota.used)} of ${about(quota.limit)} requests, until ${day(quota.reset_at, "UTC")}`));
}

function projectLine(project) {
	const open = SEVERITIES.filter((s) => project.open[s]).map((s) => badge(`${count(project.open[s])} ${s}`, s));
	return h("li", { "data-entry": true }, h("bdi", null, project.name), h("span.marks", null, open.length ? open : h("span.small.quiet", null, "nothing active")), h("span.score", { title: "Exposure score" }, "Score ", h("strong", null, count(project.score))));
}

function draw(d, box) {
	const { findings, alerts, sessions, surface } = d;
	show(box, h("div.glances", null,
		tile("findings", "Active findings", count(findings.open + findings.acknowledged), severities(findings.by_severity),
			h("p.small.quiet", null, `${count(findings.acknowledged)} acknowledged`)),
		tile("alerts", "Open alerts", count(alerts.open), h("p.small.quiet", null, `${count(alerts.acknowledged)} acknowledged`),
			alerts.deliveries_failed > 0 && h("p.small.bad", null, `${plural(alerts.deliveries_failed, "delivery", "deliveries")} failed`)),
		tile("inventory", "Surface", plural(surface.assets, "asset"), h("p.small.quiet", null, `${plural(surface.services, "service")}; ${count(surface.new)} new, ${count(surface.gone)} gone in 30 days`),
			h("p.small.quiet", null, `Exposure score ${count(d.exposure.score)}, ${changeWords(d.exposure)} in 30 days`)),
		tile("sessions", "Browser sessions", plural(sessions.running, "running", "running"), h("p.small.quiet", null, sessions.limit ? `${count(sessions.queued + sessions.starting)} waiting, of ${count(sessions.limit)} at once` : "The organisation is not entitled to them.")),
		d.quota && quotaTile(d.quota)),
	h("section.card", null, h("h2", null, "Projects"), d.projects.length ? h("ul.projects", null, d.projects.map(projectLine))
		: emptyState("No project yet", "Alerts, findings and browser sessions belong to a project.", signedIn.organisation.role === "owner" && h("a.button.main", { href: "#/settings/organisation" }, "Make one"))));
}

export async function open(main, route, signal) {
	const part = reading({ signal, draw, lines: 10, box: h("div.stacked-parts"), read: async (s) => (await api.get("/dashboard", { signal: s })).dashboard });
	show(main, heading(["Welcome, ", foreign(signedIn.session.person.name)]), part.box);
}
