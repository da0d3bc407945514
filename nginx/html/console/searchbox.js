// SPDX-License-Identifier: ISC
// The search box: a text that grows, a list of options, and marks where the query is invalid.

import { h, show } from "../common/dom.js";
import { count } from "../common/words.js";
import { styleSheet } from "./parts.js";

const VALUES_MS = 250;
const VALIDATE_MS = 300;

export class SearchBox {
	#hooks;
	#options = null; // QueryOptions, when its module is loaded
	#place = null;
	#timers = { values: 0, validate: 0 };
	#validating = null;
	#modules = null; // complete.js, repair.js and the list, loaded at the first focus
	#returns = false; // the window lost the focus, not the text

	// hooks: schema(), buckets(field), askValues(field, text) returns whether there are new
	// values, validate(query, signal), submit(query); may be left out: begin() returns the options of a box that was just
	// entered, mended() is called when a query was repaired, signal ends what runs when the page is left
	constructor(hooks) {
		this.#hooks = hooks;
		this.copy = h("div.query-copy", { "aria-hidden": "true" });
		this.text = h("textarea", {
			rows: 1,
			"aria-label": "Query",
			"aria-controls": "query-options",
			"aria-autocomplete": "list",
			"aria-describedby": "query-note",
			autocomplete: "off",
			autocapitalize: "off",
			spellcheck: "false",
			maxlength: 8192,
			"data-search": "",
			placeholder: "A field, a value or a word",
		});
		this.list = h("ul.query-options", { id: "query-options", role: "listbox", "aria-label": "What could be typed", hidden: true });
		this.note = h("div.query-note", { id: "query-note", role: "status" });
		this.node = h("div.query-box", null, this.copy, this.text, this.note, this.list);
		this.#listen();
	}

	get value() {
		return this.text.value;
	}

	set value(query) {
		this.text.value = query;
		this.#close();
		this.#paint(null);
	}

	// The page that opens gives the text the focus, without a list over its hits.
	enter() {
		this.#returns = true;
		this.text.setAttribute("autofocus", "");
	}

	// Shows the error or the warnings in an answer about the present text.
	tell(verdict) {
		clearTimeout(this.#timers.validate);
		return this.#tell(this.value, verdict);
	}

	#listen() {
		const { text } = this;
		text.addEventListener("focus", () => this.#begin());
		text.addEventListener("click", () => this.value === "" && this.list.hidden && this.#begin());
		text.addEventListener("input", () => {
			this.#close();
			this.#paint(null);
			this.#offer();
			this.#validateSoon();
		});
		text.addEventListener("keydown", (e) => this.#key(e));
		text.addEventListener("blur", () => {
			this.#returns = document.activeElement === text;
			this.#close();
		});
		this.list.addEventListener("pointerdown", (e) => e.preventDefault()); // keeps the focus in the text
		this.list.addEventListener("click", (e) => this.#take(this.#options.of(e.target)));
		this.#hooks.signal?.addEventListener("abort", () => {
			this.#validating?.abort();
			clearTimeout(this.#timers.validate);
			clearTimeout(this.#timers.values);
		});
	}

	#load() {
		this.#modules ??= Promise.all([import("./complete.js"), import("./repair.js"), import("./query-options.js"), styleSheet("options")]);
		const mine = this.#modules;
		mine.then(([, , { QueryOptions }]) => {
			this.#options ??= new QueryOptions(this.text, this.list);
		}, () => {
			if (this.#modules === mine)
				this.#modules = null; // the next look tries again
		});
		return mine;
	}

	// Somebody who types can do without completion and repair; the messages of a query are shown anyway.
	#loadIfPossible() {
		return this.#load().catch(() => [{}, {}]);
	}

	// ---- options ----

	// Somebody enters the box: former queries, before anything is typed.
	async #begin() {
		const still = this.#returns, asked = this.value;
		this.#returns = false;
		await this.#loadIfPossible();
		const list = still ? [] : await this.#hooks.begin?.().catch(() => []);
		if (list?.length && this.#options && this.value === asked && document.activeElement === this.text)
			this.#options.draw(list);
	}

	async #offer() {
		const [{ options, valuesQuery }] = await this.#loadIfPossible();
		if (!options)
			return;
		const { schema, buckets, askValues } = this.#hooks;
		const { place, list } = options(schema(), this.value, this.text.selectionStart, buckets);
		this.#place = place;
		this.#options.draw(list);
		clearTimeout(this.#timers.values);
		if (place.kind !== "value" || !place.known?.aggregatable)
			return;
		const asked = this.value;
		this.#timers.values = setTimeout(async () => {
			if ((await askValues(place.known, valuesQuery(place.known, place.text))) && this.value === asked && document.activeElement === this.text)
				this.#options.draw(options(schema(), asked, this.text.selectionStart, buckets).list);
		}, VALUES_MS);
	}

	#close() {
		clearTimeout(this.#timers.values);
		this.#options?.draw([]);
	}

	async #take(option) {
		const [{ take }] = await this.#load();
		if (!option)
			return;
		if (!option.act)
			return this.#put(take(this.value, this.#place, option), option.kind === "field");
		this.#close();
		option.act();
	}

	#put({ text, caret }, again) {
		this.text.focus();
		this.text.value = text;
		this.text.setSelectionRange(caret, caret);
		this.#close();
		this.#paint(null);
		if (again)
			this.#offer();
		this.#validateSoon();
	}

	#key(e) {
		if (e.isComposing)
			return;
		const open = !this.list.hidden;
		const arrow = { ArrowDown: 1, ArrowUp: -1 }[e.key];
		if (arrow && open) {
			e.preventDefault();
			this.#options.move(arrow);
		} else if (e.key === "ArrowDown" && !this.value.includes("\n")) {
			e.preventDefault();
			this.#offer();
		} else if (e.key === "Escape" && open) {
			e.preventDefault();
			this.#close();
		} else if (e.key === "Enter" && !e.shiftKey) {
			e.preventDefault();
			if (this.#options?.active)
				this.#take(this.#options.active);
			else
				this.submit();
		}
	}

	submit() {
		this.#close();
		this.#hooks.submit(this.value.trim());
	}

	// ---- faults ----

	#validateSoon() {
		clearTimeout(this.#timers.validate);
		this.#timers.validate = setTimeout(() => this.#validate(), VALIDATE_MS);
	}

	async #validate() {
		this.#validating?.abort();
		const mine = (this.#validating = new AbortController()),
			query = this.value;
		try {
			const verdict = query.trim() ? await this.#hooks.validate(query, mine.signal) : { valid: true };
			if (!mine.signal.aborted && this.value === query)
				await this.#tell(query, verdict);
		} catch {
			// A failure of the service is shown by the search.
		}
	}

	async #tell(query, verdict) {
		const faults = verdict.valid === false ? [verdict.error] : (verdict.warnings ?? []);
		const [, { marked, repair }] = faults.length ? await this.#loadIfPossible() : [{}, {}];
		if (this.value !== query)
			return;
		this.#paint(marked ? faults.map((f) => marked(query, f.position)) : null, verdict.valid === false);
		this.text.setAttribute("aria-invalid", String(verdict.valid === false));
		show(
			this.note,
			faults.slice(0, 3).map((fault) => this.#fault(query, fault, repair?.(query, fault), verdict.valid === false)),
		);
	}

	#fault(query, { message, position }, mend, bad) {
		const put = () => {
			this.#put(mend, false);
			this.#hooks.mended?.();
		};
		return h(
			"p.note-line",
			{ class: bad ? "note-line bad" : "note-line warn" },
			h("span", { "aria-hidden": "true" }, bad ? "✕" : "▲"),
			h("span", null, `Character ${count(position)}: `, h("bdi", null, message.replace("/search/schemas lists them", "“Fields and examples” lists them"))),
			mend && h("button", { type: "button", onclick: put }, h("bdi", null, mend.label)),
		);
	}

	// The copy behind the text determines its height and contains the marks.
	#paint(marks, bad = true) {
		const text = this.value,
			nodes = [];
		let at = 0;
		for (const { from, to } of marks ?? []) {
			if (from < at)
				continue;
			nodes.push(text.slice(at, from), h("mark", { class: bad ? "bad" : "warn" }, text.slice(from, to)));
			at = to;
		}
		show(this.copy, nodes, `${text.slice(at)}\u200b`);
		if (!marks) {
			show(this.note);
			this.text.removeAttribute("aria-invalid");
		}
	}
}
