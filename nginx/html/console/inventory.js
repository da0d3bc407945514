// SPDX-License-Identifier: ISC
// The inventory of a project, #/inventory/PROJECT?tab=services: its assets and services, and one of
// them beside the list.

import { foreign, h, show } from "../common/dom.js";
import { api } from "../common/api.js";
import { facts, pageAddress } from "./facts.js";
import { emptyState, reading, toast } from "./parts.js";
import { recordOf, short } from "./links.js";
import { Drawer, filterBar, pagedTable, searchFilter, tabButtons, when } from "./lists.js";
import { hashOf, projectHead, projectOf } from "./projects.js";

const KINDS = [
	["", "Any kind"],
	["domain", "Domains"],
	["host", "Host names"],
	["address", "Addresses"],
	["certificate", "Certificates"],
];
const KIND = { domain: "domain", host: "host name", address: "address", certificate: "certificate" };
const RECORDS = { domain: "domain", host: "name", address: "host", certificate: "certificate" };
const TABS = [
	["assets", "Assets"],
	["services", "Services"],
];

function software(s) {
	return [s.product ?? s.service_name, s.version].filter(Boolean).join(" ");
}

// Shows the members of an untrusted object with all nested ones.
function members(value, depth = 0) {
	if (value === null || value === undefined || value.length === 0)
		return h("span.quiet", null, "–");
	if (typeof value !== "object")
		return foreign(value, 1000);
	if (depth > 6)
		return foreign(JSON.stringify(value), 1000);
	if (Array.isArray(value))
		return h(
			"ul.members",
			null,
			value.map((v) => h("li", null, members(v, depth + 1))),
		);
	return h(
		"dl.facts",
		null,
		Object.entries(value).map(([name, v]) =>
			h("div", null, h("dt", null, foreign(name.replaceAll("_", " "), 100)), h("dd", null, members(v, depth + 1))),
		),
	);
}

class Inventory {
	#where;
	#signal;
	#query = {};
	#drawer = new Drawer((uuid) => hashOf("inventory", this.#where.project, { ...this.#query, asset: "", service: "", [this.#query.tab === "services" ? "service" : "asset"]: uuid }));
	#list = null;

	constructor(main, where, signal) {
		this.#where = where;
		this.#signal = signal;
		this.tabs = h("div.views", { role: "group", "aria-label": "Shown" });
		this.filters = h("div.filter-line");
		this.results = h("section.results", { "aria-label": "Inventory" });
		show(
			main,
			projectHead("inventory", "Inventory", where, this.tabs),
			this.filters,
			h("div.list-and-drawer", null, this.results, this.#drawer.node),
		);
	}

	#path(tail) {
		return `/projects/${this.#where.project.uuid}/esi/${tail}`;
	}

	#go(change) {
		location.hash = hashOf("inventory", this.#where.project, { ...this.#query, asset: "", service: "", ...change });
	}

	change(route) {
		if (route.path[0] && route.path[0] !== this.#where.project.uuid)
			return false;
		this.#query = Object.fromEntries(route.query);
		const { tab = "assets", asset, service } = this.#query;
		show(
			this.tabs,
			tabButtons(TABS, tab, (name) => this.#go({ tab: name })),
		);
		this.#drawer.hide();
		if (tab === "services")
			this.#services();
		else
			this.#assets();
		if (tab === "services" ? service : asset)
			this.#read(tab, tab === "services" ? service : asset);
		return true;
	}

	#text(name, label) {
		return searchFilter(name, label, this.#query, (n, v) => this.#go({ [n]: v }));
	}

	#assets() {
		const { kind, name } = this.#query;
		show(
			this.filters,
			filterBar([{ name: "kind", label: "Kind", options: KINDS }], this.#query, (n, v) => this.#go({ [n]: v })),
			this.#text("name", "Name"),
		);
		this.#show(
			"Assets",
			"assets",
			{ kind, name },
			[
				["Name", (a) => short(a.name, 200)],
				["Kind", (a) => KIND[a.kind] ?? a.kind],
				["Found by", (a) => short(a.discovery_channel ?? a.source_name ?? "–", 60)],
				["First seen", (a) => when(a.first_seen_at), "number"],
				["Last seen", (a) => when(a.last_seen_at), "number"],
			],
			(a) => this.#drawAsset(a),
		);
	}

	#services() {
		const { protocol, port, product, technology, asset_uuid } = this.#query;
		show(
			this.filters,
			this.#text("port", "Port"),
			this.#text("protocol", "Protocol"),
			this.#text("product", "Product"),
			this.#text("technology", "Technology"),
		);
		this.#show(
			"Services",
			"services",
			{ protocol, port, product, technology, asset_uuid },
			[
				["Service", (s) => h("span.mono", null, short(s.endpoint ?? s.url ?? s.service_key, 160))],
				["Protocol", (s) => short(s.protocol ?? "–", 40)],
				["Software", (s) => short(software(s) || "–", 100)],
				["Title", (s) => short(s.http_title ?? "", 100)],
				["Last seen", (s) => when(s.last_seen_at), "number"],
			],
			(s) => this.#drawService(s),
		);
	}

	#show(caption, member, query, columns, open) {
		const filtered = Object.values(query).some(Boolean);
		this.#list = pagedTable({
			signal: this.#signal,
			caption,
			drawer: this.#drawer,
			keep: member,
			columns,
			open,
			read: async (cursor, signal) => {
				const answer = await api.get(this.#path(member), { query: { ...query, limit: 50, cursor }, signal });
				return { items: answer[member], next_cursor: answer.next_cursor };
			},
			empty: () =>
				emptyState(
					`No ${member}`,
					filtered ? "Nothing matches these filters. Remove one of them." : `Nothing has been imported into this project yet: surfacectl import ${member}.`,
					filtered &&
						h(
							"button",
							{
								type: "button",
								onclick: () => {
									location.hash = hashOf("inventory", this.#where.project, { tab: this.#query.tab });
								},
							},
							"Remove the filters",
						),
				),
		});
		show(this.results, this.#list.box);
	}

	// ---- one record ----

	// Opens a record that the address names; the list may not have it.
	async #read(tab, uuid) {
		try {
			const { asset, service } = await api.get(this.#path(`${tab}/${uuid}`), { signal: this.#signal });
			if (asset)
				this.#drawAsset(asset);
			else
				this.#drawService(service);
		} catch (fault) {
			if (fault.name !== "AbortError")
				toast(fault.message, "bad");
		}
	}

	#drawAsset(a) {
		const record = RECORDS[a.kind],
			{ project } = this.#where;
		this.#drawer.open(
			{ uuid: a.uuid, row: this.#list.row(a.uuid), title: foreign(a.name, 300) },
			facts([
				["Kind", KIND[a.kind] ?? a.kind],
				["Record", record && h("a", { href: recordOf[record](a.name) }, "Open its record")],
				["Services", h("a", { href: hashOf("inventory", project, { tab: "services", asset_uuid: a.uuid }) }, "Its services")],
				["Found by", foreign([a.discovery_channel, a.discovery_provider].filter(Boolean).join(", ") || "–", 200)],
				["Source", a.source_name && foreign([a.source_name, a.source_ref].filter(Boolean).join(" "), 200)],
				["First seen", when(a.first_seen_at)],
				["Last seen", when(a.last_seen_at)],
			]),
			Object.keys(a.metadata ?? {}).length > 0 && [h("h3", null, "More"), members(a.metadata)],
			h("h3", null, "Findings"),
			this.#findings({ asset_uuid: a.uuid }),
		);
	}

	#drawService(s) {
		this.#drawer.open(
			{ uuid: s.uuid, row: this.#list.row(s.uuid), title: foreign(s.endpoint ?? s.url ?? s.service_key, 300) },
			facts([
				["Protocol", s.protocol && foreign(s.protocol, 60)],
				["Software", software(s) && foreign(software(s), 200)],
				["Technologies", s.technologies.length > 0 && foreign(s.technologies.join(", "), 400)],
				["Address", s.ip && h("a", { href: recordOf.host(s.ip) }, foreign(s.ip, 60))],
				["Name", s.hostname && h("a", { href: recordOf.name(s.hostname) }, foreign(s.hostname, 253))],
				["Port", s.port],
				["TLS", s.tls_enabled === null ? null : s.tls_enabled ? "yes" : "no"],
				["Status", s.http_status_code],
				["Title", s.http_title && foreign(s.http_title, 300)],
				["URL", s.url && pageAddress(s.url)],
				["Confidence", s.confidence !== null && `${Math.round(s.confidence * 100)} %`],
				["First seen", when(s.first_seen_at)],
				["Last seen", when(s.last_seen_at)],
				["Asset", h("a", { href: hashOf("inventory", this.#where.project, { asset: s.asset_uuid }) }, "Its asset")],
			]),
			Object.keys(s.metadata ?? {}).length > 0 && [h("h3", null, "More"), members(s.metadata)],
			h("h3", null, "Findings"),
			this.#findings({ service_uuid: s.uuid }),
		);
	}

	#findings(query) {
		return reading({
			signal: this.#signal,
			lines: 2,
			read: (s) => api.get(this.#path("findings"), { query: { ...query, limit: 10 }, signal: s }),
			empty: (a) => (a.findings.length ? null : h("p.quiet.small", null, "None.")),
			draw: (a, box) =>
				show(
					box,
					h(
						"ul.searches",
						null,
						a.findings.map((f) =>
							h("li", null, h("a", { href: hashOf("findings", this.#where.project, { status: "any", finding: f.uuid }) }, foreign(f.title, 160)), h("span.quiet.small", null, ` ${f.severity}, ${f.status.replaceAll("_", " ")}`)),
						),
					),
				),
		}).box;
	}
}

export async function open(main, route, signal) {
	main.className = "page wide";
	const where = await projectOf(main, "Inventory", route, signal);
	if (!where)
		return null;
	const page = new Inventory(main, where, signal);
	page.change(route);
	return page;
}
