// SPDX-License-Identifier: ISC
// The editor of a detection rule. A dry run while typing shows the present matches of the query and
// the results of the samples.

import { foreign, h, show } from "../common/dom.js";
import { api } from "../common/api.js";
import { field, fieldFault, onSubmit } from "../common/form.js";
import { count, plural } from "../common/words.js";
import { ownersOnly } from "./owners.js";
import { badge, heading, toast } from "./parts.js";
import { aggregation } from "./facets.js";
import { DATASETS, searchFor } from "./links.js";
import { SearchBox } from "./searchbox.js";

const DRY_RUN_MS = 500;
const SEVERITIES = ["info", "low", "medium", "high", "critical"];
const SETS = ["hosts", "services", "dns", "whois", "certificates", "open_directories"];
const searched = (dataset) => dataset.replace("open_directories", "open-directories");

function split(text) {
	return text.split(/[\s,]+/u).filter(Boolean);
}

class Editor {
	#schemas;
	#rule;
	#signal;
	#buckets = new Map();
	#timer = 0;
	#running = null;

	constructor(main, rule, schemas, signal) {
		this.#rule = rule;
		this.#schemas = schemas;
		this.#signal = signal;
		this.box = new SearchBox({
			schema: () => schemas.get(searched(this.dataset.value)),
			buckets: (name) => this.#buckets.get(`${this.dataset.value} ${name}`) ?? [],
			askValues: (f, q) => this.#values(f, q),
			validate: (query, s) => this.#validate(query, s),
			submit: () => this.#later(0),
		});
		this.#build(main);
	}

	#build(main) {
		const r = this.#rule ?? {},
			choice = (name, values, now, change) =>
				h(
					"select",
					{ name, onchange: change },
					values.map((v) => h("option", { value: v, selected: v === now }, v.replaceAll("_", " "))),
				);
		this.dataset = choice("dataset", SETS, r.dataset ?? "services", () => this.#later(0));
		this.dataset.disabled = Boolean(this.#rule) && r.status !== "draft";
		this.exclude = h("input", {
			name: "exclude",
			class: "mono",
			value: r.exclude ?? "",
			spellcheck: "false",
			maxlength: 8192,
			oninput: () => this.#later(DRY_RUN_MS),
		});
		this.tests = h("textarea", {
			name: "tests",
			rows: 8,
			class: "mono",
			spellcheck: "false",
			value: JSON.stringify(r.tests ?? [], null, 2),
			oninput: () => this.#later(DRY_RUN_MS),
		});
		this.result = h("section.card.dry-run", { role: "status", "aria-label": "Dry run" });
		this.box.value = r.query ?? "";
		this.box.text.name = "query"; // a fault of the member query is shown here
		this.box.text.addEventListener("input", () => this.#later(DRY_RUN_MS));
		const input = (name, value, extra = {}) => h("input", { name, value: value ?? "", ...extra });
		const form = h(
			"form.card.editor",
			null,
			field("Name", input("name", r.name, { maxlength: 200 })),
			h(
				"div.pair",
				null,
				field("Records", this.dataset),
				field("Severity", choice("severity", SEVERITIES, r.severity ?? "medium")),
				field(
					"Scope",
					choice("scope", ["all", "surface"], r.scope ?? "all"),
					"all: every record; surface: those in the inventories of projects.",
				),
			),
			h("div.field", null, h("span.label", null, "Query"), this.box.node, h("span.fault")),
			field("Except", this.exclude, "Records that match and are harmless, in the same language."),
			field("Description", h("textarea", { name: "description", rows: 3, value: r.description ?? "", maxlength: 20000 })),
			h(
				"div.pair",
				null,
				field("Tags", input("tags", (r.tags ?? []).join(", ")), "Separated by commas."),
				field("Techniques", input("techniques", (r.techniques ?? []).join(", ")), "Such as T1190."),
			),
			field("References", h("textarea", { name: "references", rows: 2, value: (r.references ?? []).join("\n") }), "A URL a line."),
			field("Samples", this.tests, 'Such as [{"name": "open", "expect": "match", "record": {"port": 6379}}].'),
			h(
				"div.buttons",
				null,
				h("button.main", { type: "submit" }, this.#rule ? "Save" : "Create a draft"),
				h("a.button", { href: "#/rules" }, "Cancel"),
			),
		);
		onSubmit(form, (f) => this.#save(f));
		show(main, heading(this.#rule ? "Change a detection rule" : "New detection rule"), h("div.record", null, form, this.result));
		this.#later(0);
	}

	async #values(f, query) {
		const dataset = searched(this.dataset.value);
		const answer = await api.post(`/search/${dataset}/aggregate`, aggregation(query, [f.name], 25), { signal: this.#signal }).catch(() => null); // completion is a convenience
		if (answer)
			this.#buckets.set(`${this.dataset.value} ${f.name}`, answer.groups[0].buckets);
		return Boolean(answer);
	}

	#samples() {
		try {
			return JSON.parse(this.tests.value.trim() || "[]");
		} catch {
			return null;
		}
	}

	// Answers the search box from the dry run, which validates the query, too.
	#validate(query, signal) {
		return api.get(`/search/${searched(this.dataset.value)}/validate`, { query: { q: query }, signal });
	}

	// ---- the dry run ----

	#later(milliseconds) {
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => this.#run(), milliseconds);
	}

	async #run() {
		this.#running?.abort();
		const mine = (this.#running = new AbortController()),
			samples = this.#samples(),
			query = this.box.value.trim();
		if (!query) {
			show(this.result, h("h2", null, "Dry run"), h("p.quiet", null, "Type a query to see what the rule would match."));
			return;
		}
		this.result.setAttribute("aria-busy", "true");
		try {
			const body = {
				dataset: this.dataset.value,
				query,
				...(this.exclude.value.trim() ? { exclude: this.exclude.value.trim() } : {}),
				...(samples?.length ? { tests: samples } : {}),
			};
			const answer = await api.post("/rules/validate", body, { signal: AbortSignal.any([mine.signal, this.#signal]) });
			if (!mine.signal.aborted)
				this.#tell(answer, samples === null);
			if (answer.matches?.value && !answer.error)
				await this.#fresh(AbortSignal.any([mine.signal, this.#signal]));
		} catch (fault) {
			if (!mine.signal.aborted && fault.name !== "AbortError")
				show(
					this.result,
					h("h2", null, "Dry run"),
					h("p.fault", null, fault.message),
					fault.fields?.map((f) => h("p.fault", null, `${f.field}: ${f.message}`)),
				);
		} finally {
			if (!mine.signal.aborted)
				this.result.removeAttribute("aria-busy");
		}
	}

	get #whole() {
		const except = this.exclude.value.trim();
		return except ? `(${this.box.value.trim()}) AND NOT (${except})` : this.box.value.trim();
	}

	// Of hosts and services, a rule observes only those that were seen in the last 30 days.
	async #fresh(signal) {
		if (!["hosts", "services"].includes(this.dataset.value))
			return;
		const { count: n } = await api.get(`/search/${this.dataset.value}/count`, { query: { q: `(${this.#whole}) AND last_seen:>=now-30d` }, signal });
		this.result.querySelector(".dry-count")?.append(h("span.small.quiet", null, `; ${count(n)} of them ${n === 1 ? "was" : "were"} seen in the last 30 days, and a rule observes no others`));
	}

	#tell(a, brokenSamples) {
		const dataset = searched(this.dataset.value),
			n = a.matches?.value ?? 0;
		if (a.error?.member === "query")
			this.box.tell({ valid: false, error: a.error });
		show(
			this.result,
			h("h2", null, "Dry run"),
			a.error
				? h(
						"p.fault",
						null,
						`${a.error.member === "query" ? "The query" : "The exception"}, character ${count(a.error.position)}: `,
						h("bdi", null, a.error.message),
					)
				: null,
			a.matches &&
				h(
					"p.dry-count",
					null,
					h("strong", null, `${a.matches.relation === "gte" ? "≥ " : ""}${count(n)}`),
					` ${n === 1 ? DATASETS[dataset].one : DATASETS[dataset].many} would match`,
				),
			h(
				"p.tags",
				null,
				a.too_broad && badge("too broad: more than 10,000", "bad"),
				!a.error && !a.anchored && badge("no anchor: every record is tested", "warn"),
				a.uses_now && badge("depends on the time"),
			),
			a.sample?.length > 0 && [
				h("h3", null, "For example"),
				h(
					"ul",
					null,
					a.sample.map((key) => h("li.mono.small", null, foreign(key, 200))),
				),
				h("p.small", null, h("a", { href: searchFor(dataset, this.#whole), target: "_blank", rel: "noopener" }, "See all in a new tab")),
			],
			brokenSamples && h("p.fault", null, "The samples are not valid JSON."),
			a.tests?.length > 0 && [
				h("h3", null, plural(a.tests.length, "sample")),
				h(
					"ul",
					null,
					a.tests.map((t) => h("li", null, badge(t.passed ? "passes" : "fails", t.passed ? "good" : "bad"), " ", foreign(t.name, 200))),
				),
			],
		);
	}

	async #save(form) {
		const e = form.elements,
			samples = this.#samples();
		if (samples === null)
			throw fieldFault("tests", "This is not valid JSON.");
		const body = {
			dataset: this.dataset.value,
			name: e.name.value.trim(),
			severity: e.severity.value,
			scope: e.scope.value,
			query: this.box.value.trim(),
			exclude: e.exclude.value.trim(),
			description: e.description.value,
			tags: split(e.tags.value),
			techniques: split(e.techniques.value),
			references: e.references.value
				.split("\n")
				.map((u) => u.trim())
				.filter(Boolean),
			tests: samples,
		};
		if (this.#rule) {
			// members that this page does not edit stay
			const { version, author, licence, false_positives, produces } = this.#rule;
			Object.assign(body, { version, author, licence, false_positives, produces });
		}
		const { rule } = await (this.#rule ? api.put(`/rules/${this.#rule.uuid}`, body) : api.post("/rules", body));
		toast(this.#rule ? "The rule is saved." : "The draft is made. Start testing it to see what it observes.");
		location.hash = `#/rules?name=${encodeURIComponent(rule.name)}`;
	}
}

export async function openEditor(main, route, signal) {
	if (!ownersOnly(main, "Detection rule", "An owner of the organisation writes its detection rules.", "#/rules", "Detection rules"))
		return null;
	const [uuid, what] = route.path;
	const [schemas, answer] = await Promise.all([
		api.get("/search/schemas", { signal }),
		uuid !== "new" && what === "edit" ? api.get(`/rules/${encodeURIComponent(uuid)}`, { signal }) : null,
	]);
	new Editor(main, answer?.rule ?? null, new Map(schemas.schemas.map((s) => [s.dataset, s])), signal);
	return null;
}
