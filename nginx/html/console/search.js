// SPDX-License-Identifier: ISC
// The search page, #/search/DATASET?q=QUERY&view=map: a query, its hits, the values of its fields, a map and ports.

import { h, show } from "../common/dom.js";
import { api, signedIn } from "../common/api.js";
import { milliseconds } from "../common/words.js";
import { keepHere, keptHere, entry, place } from "./memory.js";
import { faultPanel, skeleton, styleSheet } from "./parts.js";
import { DATASETS, total } from "./links.js";
import { FIELDS, hitList, hitsOf } from "./hits.js";
import { SearchBox } from "./searchbox.js";

const PAGE = 50;
const FIRST_PAINTED = 15; // hits that fill a window; the others are added when these are painted
const SKELETON_MS = 150;
const NARROW = "(max-width: 860px)";
const VIEWS = [
	["", "List"],
	["map", "Map"],
	["ports", "Ports"],
];

const rest = () => import("./search-states.js");

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
	#kept = {}; // for Back: the hits and the groups that were loaded, and the answer with the total
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
			mended: () => this.box.submit(),
			begin: async () => (await import("./recent.js")).firstOptions(this.schema),
			signal,
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
		);
		const title = h("h1.hidden", { tabindex: "-1" });
		const sum = h("p.total", { role: "status" }),
			actions = h("div.actions"),
			views = h("div.views", { role: "group", "aria-label": "Shown as" });
		const hits = h("section.results", { "aria-label": "Results" });
		this.#parts = { dataset, title, sum, views, hits, actions };
		show(main, title, form, h("div.results-head", null, sum, actions, views), h("div.search-body", null, this.side, hits));
	}

	// The buttons beside the total.
	#drawActions() {
		const button = (words, act) => h("button.plain", { type: "button", onclick: act }, words);
		show(
			this.#parts.actions,
			this.#state.dataset === "reports" && [
				h("a.button", { href: "#/verdicts" }, "Verdicts"),
				signedIn.organisation?.role === "owner" && h("a.button", { href: "#/reports/new" }, "Add a report"),
			],
			button("as curl", async () => {
				const [{ curlDialog }, { fieldsOf }] = await Promise.all([import("./curl-dialog.js"), this.#facetsModule()]);
				curlDialog(`${location.origin}/api/v1`, this.#state.dataset, this.#state.query, fieldsOf(this.schema));
			}),
			button("export", async () => (await import("./export.js")).exportDialog(this.schema, this.#state.query)),
			button("copy link", async () => (await import("./copy.js")).copyLink()),
		);
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
		const other = dataset !== this.#state.dataset;
		this.#state = { dataset, query, view };
		if (this.box.value.trim() !== query || other)
			this.box.value = query;
		this.#parts.dataset.value = dataset;
		show(this.#parts.title, `Search ${DATASETS[dataset]?.many ?? dataset}`);
		document.title = `${query || DATASETS[dataset]?.title} – surfaced`;
		this.side.hidden = !this.schema.fields.some((f) => f.aggregatable);
		this.#drawViews();
		this.#drawActions();
		Object.assign(this, { entry: entry(), address: location.hash });
		this.#run(view ? undefined : keptHere("search"));
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

	// Requests the page of hits and the facets together, unless Back leads to what was loaded before. Answers of an older
	// search are dropped.
	#run(former) {
		this.#running?.abort();
		const mine = (this.#running = new AbortController()),
			signal = AbortSignal.any([mine.signal, this.signal]);
		const { view } = this.#state;
		this.#parts.hits.setAttribute("aria-busy", "true");
		this.#kept = { groups: null, ...former, hits: [] };
		this.#hits(signal, view === "", former);
		this.#facets(signal);
		if (view)
			this.#other(signal);
	}

	async #hits(signal, shown, former) {
		const { dataset, query } = this.#state,
			{ hits, sum } = this.#parts,
			begun = performance.now();
		const wait = setTimeout(() => shown && !signal.aborted && show(hits, skeleton(8)), SKELETON_MS);
		try {
			const answer = former?.answer ?? await this.#page(shown ? PAGE : 1, "", signal);
			if (signal.aborted)
				return;
			show(sum, h("strong", null, total(dataset, answer.total)), !former && h("span.quiet", null, ` · ${milliseconds(Math.round(performance.now() - begun))}`));
			this.box.tell({ valid: true, warnings: answer.warnings });
			if (query)
				import("./recent.js").then((m) => m.keepQuery(dataset, query), () => {}); // painting does not wait for it
			if (shown)
				await this.#list(former?.hits ?? hitsOf(dataset, answer), answer, signal);
		} catch (fault) {
			clearTimeout(wait); // the skeleton would cover what follows
			if (signal.aborted)
				return;
			show(sum);
			if (fault.code === "invalid_search_query")
				await (await rest()).refused(this, this.#state, hits, signal);
			else
				show(hits, faultPanel(fault, () => this.#run()));
		} finally {
			clearTimeout(wait);
			if (!signal.aborted)
				hits.removeAttribute("aria-busy");
		}
	}

	#page(limit, cursor, signal) {
		const { dataset, query } = this.#state;
		return api.get(`/search/${dataset}`, { query: { q: query, limit, cursor, fields: FIELDS[dataset]?.join(",") }, signal });
	}

	// answer: of the page that was read last
	async #list(found, answer, signal) {
		const { hits } = this.#parts, { dataset } = this.#state;
		if (!found.length) {
			show(hits, (await rest()).nothing(this, this.#state));
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
			this.#loaded(found, answer, list, signal);
			place();
		});
	}

	// Keeps what is loaded for Back, and offers the next page.
	async #loaded(found, answer, list, signal) {
		Object.assign(this.#kept, { answer, hits: [...this.#kept.hits, ...found] });
		keepHere("search", this.#kept);
		if (!answer.has_more)
			return;
		const load = async () => {
			const next = await this.#page(PAGE, answer.next_cursor, signal), more = hitsOf(this.#state.dataset, next);
			list.add(more);
			this.#loaded(more, next, list, signal);
		};
		(await rest()).moreButton(this.#parts.hits, PAGE, { load, again: () => this.#run(), signal });
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
			const groups = this.#kept.groups ?? (await this.aggregate(aggregation(query, fields), signal)).groups;
			if (signal.aborted)
				return;
			this.#kept.groups = groups;
			part.draw(schema, query, groups);
		} catch (fault) {
			if (!signal.aborted)
				part?.fault(["invalid_search_query", "unreachable"].includes(fault.code) ? "" : fault.message);
		}
	}

	async #other(signal) {
		try {
			const { aggregation } = await this.#facetsModule();
			await (await rest()).drawView(this, this.#state, this.#parts.hits, { aggregation, signal });
		} catch (fault) {
			if (!signal.aborted && fault.code !== "invalid_search_query") // that of the hits is shown
				show(this.#parts.hits, faultPanel(fault, () => this.#run()));
		}
	}

	// The page is left: records that are opened from here lead to one another.
	async leave() {
		const { entry: name, address: from } = this, hashes = [...this.#parts.hits.querySelectorAll("a.hit-name")].map((a) => a.hash), more = this.#kept.answer?.has_more;
		(await import("./trail.js")).leaveTrail({ hashes, from, more, entry: name });
	}
}

export async function open(main, route, signal) {
	main.className = "page wide";
	const page = new SearchPage(main, await readSchemas(), signal);
	page.change(route);
	signal.addEventListener("abort", () => page.leave());
	if (!page.box.value)
		page.box.enter();
	return page;
}
