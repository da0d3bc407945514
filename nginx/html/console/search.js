// SPDX-License-Identifier: ISC
// The search page, #/search/DATASET?q=QUERY&view=map: a query, its hits, the values of its fields, a map and ports.

import { h, icon, show } from "../common/dom.js";
import { api } from "../common/api.js";
import { milliseconds } from "../common/words.js";
import { announce, emptyState, faultPanel, menu, toast } from "./parts.js";
import { DATASETS, noun, total } from "./links.js";
import { FIELDS, hitList, hitsOf } from "./hits.js";
import { SearchBox } from "./searchbox.js";
import { styleSheet } from "./sheets.js";

const PAGE = 50;
const FIRST_PAINTED = 15; // hits that fill a window; the others are added when these are painted
const SKELETON_MS = 150;
const NARROW = "(max-width: 860px)";
const DOTS = "M4 10h.01M10 10h.01M16 10h.01";
const VIEWS = [
	["", "List"],
	["map", "Map"],
	["ports", "Ports"],
];

function afterPaint(act) {
	requestAnimationFrame(() => setTimeout(act, 0));
}

let schemas = null; // a promise; schemas do not change while the page is open

function readSchemas() {
	schemas ??= api.get("/search/schemas").then((a) => new Map(a.schemas.map((s) => [s.dataset, s])));
	schemas.catch(() => {
		schemas = null;
	});
	return schemas;
}

class SearchPage {
	#known; // datasets by name
	#state = { dataset: "hosts", query: "", view: "" };
	#running = null;
	#cursor = null;
	#buckets = new Map(); // by "dataset field": values in earlier answers, for completion
	#parts = {};
	#facetsLoaded = null;

	constructor(main, known, signal) {
		this.#known = known;
		this.signal = signal;
		this.box = new SearchBox({
			schema: () => this.schema,
			buckets: (field) => this.#buckets.get(`${this.#state.dataset} ${field}`) ?? [],
			askValues: (field, query) => this.#askValues(field, query),
			validate: (q, s) => api.get(`/search/${this.#state.dataset}/validate`, { query: { q }, signal: s }),
			submit: (query) => this.go({ query }),
		});
		this.side = h("details.facets", { open: !matchMedia(NARROW).matches }, h("summary", null, "Filters"));
		this.#build(main);
	}

	// Loads the module of the facets, which fill this.side, without delaying the first hits.
	#facetsModule() {
		const hooks = { aggregate: (body) => this.aggregate(body), toggle: (test, not) => this.toggle(test, not), fieldsChanged: () => this.#run() };
		this.#facetsLoaded ??= Promise.all([import("./facets.js"), styleSheet("facets"), styleSheet("charts")]).then(([m]) => ({ ...m, part: new m.Facets(this.side, hooks) }));
		const mine = this.#facetsLoaded;
		mine.catch(() => {
			if (this.#facetsLoaded === mine)
				this.#facetsLoaded = null; // the next look tries again
		});
		return mine;
	}

	get schema() {
		return this.#known.get(this.#state.dataset);
	}

	// Adds a test to the query, or removes it.
	async toggle(test, not) {
		const { toggle } = await import("./query.js");
		this.go({ query: toggle(this.schema, this.#state.query, test, not), view: this.#state.view });
	}

	#build(main) {
		const dataset = h(
			"select",
			{ "aria-label": "Search in", onchange: (e) => this.go({ dataset: e.target.value, view: "" }) },
			[...this.#known.keys()].map((name) => h("option", { value: name }, DATASETS[name]?.title ?? name)),
		);
		const form = h(
			"form.search-bar",
			{
				role: "search",
				onsubmit: (e) => {
					e.preventDefault();
					this.box.submit();
				},
			},
			dataset,
			this.box.node,
			h("button.main", { type: "submit" }, "Search"),
			this.#menu(),
		);
		const title = h("h1.hidden", { tabindex: "-1" });
		const sum = h("p.total", { role: "status" }),
			verdicts = h("a.button.plain", { href: "#/verdicts", hidden: true }, "verdicts"),
			actions = h("div.actions", null, verdicts, this.#actions()),
			views = h("div.views", { role: "group", "aria-label": "Shown as" });
		const hits = h("section.results", { "aria-label": "Results" });
		this.#parts = { dataset, title, sum, views, hits, verdicts };
		show(main, title, form, this.box.note, h("div.results-head", null, sum, actions, views), h("div.search-body", null, this.side, hits));
	}

	#menu() {
		const items = h("div.recent");
		const box = menu("Recent queries", items, { summary: icon(DOTS), className: "button square" });
		box.addEventListener("toggle", async () => box.open && show(items, (await import("./recent.js")).recentItems()));
		return box;
	}

	#actions() {
		const button = (words, act) => h("button.plain", { type: "button", onclick: act }, words);
		return [
			button("as curl", async () => {
				const [{ curlDialog }, { fieldsOf }] = await Promise.all([import("./curl-dialog.js"), this.#facetsModule()]);
				curlDialog(`${location.origin}/api/v1`, this.#state.dataset, this.#state.query, fieldsOf(this.schema));
			}),
			button("export", async () => (await import("./export.js")).exportDialog(this.schema, this.#state.query)),
			button("copy link", async () => {
				await navigator.clipboard.writeText(location.href);
				toast("The link to this search is copied.");
			}),
		];
	}

	// ---- the place ----

	// Goes to a search. The fragment contains the whole search, so that Back and a copied link
	// lead to it.
	go(change) {
		const { dataset, query, view } = { ...this.#state, view: "", ...change };
		const words = new URLSearchParams();
		if (query)
			words.set("q", query);
		if (view)
			words.set("view", view);
		const hash = `#/search/${dataset}${words.size ? `?${words}` : ""}`;
		if (hash === location.hash || decodeURIComponent(hash) === decodeURIComponent(location.hash))
			this.#run();
		else
			location.hash = hash;
	}

	change(route) {
		const dataset = this.#known.has(route.path[0]) ? route.path[0] : "hosts";
		const query = route.query.get("q") ?? "",
			view = this.#views(dataset).some(([v]) => v === route.query.get("view")) ? route.query.get("view") : "";
		this.#parts.verdicts.hidden = dataset !== "reports";
		const other = dataset !== this.#state.dataset;
		this.#state = { dataset, query, view };
		if (this.box.value.trim() !== query || other)
			this.box.value = query;
		this.#parts.dataset.value = dataset;
		show(this.#parts.title, `Search ${DATASETS[dataset]?.many ?? dataset}`);
		document.title = `${query || DATASETS[dataset]?.title} – surfaced`;
		this.side.hidden = !this.schema.fields.some((f) => f.aggregatable);
		this.#drawViews();
		this.#run();
		return true;
	}

	#views(dataset) {
		const { country, port } = DATASETS[dataset] ?? {};
		return VIEWS.filter(([v]) => v === "" || (v === "map" ? country : port));
	}

	#drawViews() {
		const { view, dataset } = this.#state,
			all = this.#views(dataset);
		this.#parts.views.hidden = all.length === 1;
		show(
			this.#parts.views,
			all.map(([v, words]) => h("button", { type: "button", "aria-pressed": String(v === view), onclick: () => this.go({ view: v }) }, words)),
		);
	}

	// ---- one search ----

	async aggregate(body, signal = this.#running?.signal) {
		const answer = await api.post(`/search/${this.#state.dataset}/aggregate`, body, { signal });
		for (const group of answer.groups)
			this.#remember(group);
		return answer;
	}

	#remember({ field, buckets }) {
		const name = `${this.#state.dataset} ${field}`,
			all = new Map((this.#buckets.get(name) ?? []).map((b) => [b.value, b]));
		for (const bucket of buckets)
			all.set(bucket.value, bucket);
		this.#buckets.set(name, [...all.values()]);
	}

	async #askValues(field, query) {
		const { aggregation } = await this.#facetsModule();
		const { answer } = await api
			.post(`/search/${this.#state.dataset}/aggregate`, aggregation(query, [field.name], 25), { signal: this.signal })
			.then(
				(a) => ({ answer: a }),
				() => ({}),
			); // without schemas there is only no completion
		if (answer)
			this.#remember(answer.groups[0]);
		return Boolean(answer);
	}

	// Requests the page of hits and the facets together. Answers of an older search are
	// dropped.
	#run() {
		this.#running?.abort();
		const mine = (this.#running = new AbortController()),
			signal = AbortSignal.any([mine.signal, this.signal]);
		const { view } = this.#state;
		this.#cursor = null;
		this.#parts.hits.setAttribute("aria-busy", "true");
		this.#hits(signal, view === "");
		this.#facets(signal);
		if (view)
			this.#other(view, signal);
	}

	async #hits(signal, shown) {
		const { dataset, query } = this.#state,
			{ hits, sum } = this.#parts,
			begun = performance.now();
		const wait = setTimeout(
			() =>
				shown &&
				!signal.aborted &&
				show(
					hits,
					h(
						"div.skeleton",
						{ "aria-hidden": "true" },
						Array.from({ length: 8 }, () => h("i")),
					),
				),
			SKELETON_MS,
		);
		try {
			const answer = await this.#page(shown ? PAGE : 1, signal);
			if (signal.aborted)
				return;
			show(
				sum,
				h("strong", null, total(dataset, answer.total)),
				h("span.quiet", null, ` · ${milliseconds(Math.round(performance.now() - begun))}`),
			);
			this.box.tell({ valid: true, warnings: answer.warnings });
			if (query)
				import("./recent.js").then((m) => m.keepQuery(dataset, query), () => {}); // painting does not wait for it
			if (shown)
				await this.#list(answer, dataset, signal);
		} catch (fault) {
			if (!signal.aborted)
				await this.#refused(fault, signal);
		} finally {
			clearTimeout(wait);
			if (!signal.aborted)
				hits.removeAttribute("aria-busy");
		}
	}

	#page(limit, signal) {
		const { dataset, query } = this.#state;
		return api.get(`/search/${dataset}`, { query: { q: query, limit, cursor: this.#cursor, fields: FIELDS[dataset]?.join(",") }, signal });
	}

	// Marks an invalid query. Any other error is shown in a panel.
	async #refused(fault, signal) {
		const { hits, sum } = this.#parts,
			{ dataset, query } = this.#state;
		show(sum);
		if (fault.code === "invalid_search_query") {
			show(hits, emptyState("This query cannot be read", "The mark in the search box shows where. Correct it, then search again."));
			const verdict = await api.get(`/search/${dataset}/validate`, { query: { q: query }, signal }).catch(() => null);
			if (verdict && !signal.aborted && this.box.value.trim() === query)
				await this.box.tell(verdict);
			return;
		}
		show(
			hits,
			faultPanel(fault, () => this.#run()),
		);
	}

	async #list(answer, dataset, signal) {
		const { hits } = this.#parts,
			found = hitsOf(dataset, answer);
		if (!found.length) {
			show(hits, this.#nothing());
			return;
		}
		const list = await hitList(dataset);
		if (signal.aborted)
			return;
		list.add(found.slice(0, FIRST_PAINTED));
		show(hits, list.node);
		afterPaint(() => {
			if (signal.aborted)
				return;
			list.add(found.slice(FIRST_PAINTED));
			this.#more(answer, list, dataset, signal);
		});
	}

	#nothing() {
		const { query, dataset } = this.#state;
		return query
			? emptyState(
					`No ${noun(dataset, 2)} match`,
					"Take a test out of the query, or look in another dataset.",
					h("button", { type: "button", onclick: () => this.go({ query: "" }) }, `Show all ${noun(dataset, 2)}`),
				)
			: emptyState(`There are no ${noun(dataset, 2)} yet`, `The operator loads them with surfacectl import ${dataset}.`);
	}

	#more(answer, list, dataset, signal) {
		this.#cursor = answer.next_cursor;
		if (!answer.has_more)
			return;
		const button = h("button", { type: "button" }, `Load ${PAGE} more`),
			foot = h("p.more", null, button);
		this.#parts.hits.append(foot);
		button.addEventListener("click", async () => {
			button.disabled = true;
			try {
				const next = await this.#page(PAGE, signal),
					first = list.node.querySelectorAll("[data-entry]").length;
				list.add(hitsOf(dataset, next));
				foot.remove();
				this.#more(next, list, dataset, signal);
				list.node.querySelectorAll("[data-entry]")[first]?.focus();
				announce(`${list.node.querySelectorAll("[data-entry]").length} are shown.`);
			} catch (fault) {
				if (!signal.aborted)
					show(
						foot,
						faultPanel(fault, () => this.#run()),
					);
			}
		});
	}

	async #facets(signal) {
		const { query } = this.#state,
			{ schema } = this;
		let part;
		try {
			const { aggregation, fieldsOf, part: facets } = await this.#facetsModule();
			if (signal.aborted)
				return;
			part = facets;
			const fields = fieldsOf(schema);
			if (!fields.length) {
				part.draw(schema, query, []);
				return;
			}
			part.busy(true);
			const answer = await this.aggregate(aggregation(query, fields), signal);
			if (!signal.aborted)
				part.draw(schema, query, answer.groups);
		} catch (fault) {
			if (!signal.aborted)
				part?.fault(["invalid_search_query", "unreachable"].includes(fault.code) ? "" : fault.message);
		}
	}

	async #other(view, signal) {
		const { dataset, query } = this.#state,
			{ hits } = this.#parts,
			meta = DATASETS[dataset],
			{ schema } = this;
		try {
			const { aggregation } = await this.#facetsModule();
			const [views, answer] = await Promise.all([
				import("./views.js"),
				this.aggregate(aggregation(query, [view === "map" ? meta.country : meta.port], 100), signal),
			]);
			if (!signal.aborted)
				show(
					hits,
					(view === "map" ? views.map : views.ports)(answer.groups[0], schema, query, (test) => this.toggle(test, false)),
				);
		} catch (fault) {
			if (!signal.aborted)
				this.#refused(fault, signal);
		}
	}
}

export async function open(main, route, signal) {
	main.className = "page wide";
	const page = new SearchPage(main, await readSchemas(), signal);
	page.change(route);
	page.box.text.focus({ preventScroll: true });
	return page;
}
