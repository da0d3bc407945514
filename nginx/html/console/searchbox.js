// SPDX-License-Identifier: ISC
// The search box: a text that grows, a list of options, and marks where the query is invalid.

import { h, show } from "../common/dom.js";
import { count, plural } from "../common/words.js";
import { announce } from "./parts.js";

const VALUES_MS = 250;
const VALIDATE_MS = 300;

function optionNode(option, id) {
	const right =
		option.kind === "field"
			? [h("span.quiet", null, option.type), option.counted && h("span.quiet", { title: "can be counted" }, "∗")]
			: option.count !== null && option.count !== undefined && h("span.quiet", null, count(option.count));
	return h(
		"li",
		{ id, role: "option", "aria-selected": "false" },
		h(
			"span.option-text",
			null,
			h("bdi", null, option.text),
			option.alias && h("span.quiet", null, ` ${option.alias}`),
			option.label && h("span.quiet", null, " ", h("bdi", null, option.label)),
		),
		right && h("span.option-right", null, right),
	);
}

export class SearchBox {
	#hooks;
	#list = [];
	#place = null;
	#active = -1;
	#timers = { values: 0, validate: 0 };
	#validating = null;
	#modules = null; // complete.js and repair.js, loaded at the first key

	// hooks: schema(), buckets(field), askValues(field, text) returns whether there are new
	// values, validate(query, signal), submit(query)
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
		this.options = h("ul.query-options", { id: "query-options", role: "listbox", "aria-label": "What could be typed", hidden: true });
		this.note = h("p.query-note", { id: "query-note", role: "status" });
		this.node = h("div.query-box", null, this.copy, this.text, this.options);
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

	// Shows the error or the warnings in an answer about the present text.
	tell(verdict) {
		clearTimeout(this.#timers.validate);
		return this.#tell(this.value, verdict);
	}

	#listen() {
		const { text } = this;
		text.addEventListener("focus", () => this.#load(), { once: true });
		text.addEventListener("input", () => {
			this.#paint(null);
			this.#offer();
			clearTimeout(this.#timers.validate);
			this.#timers.validate = setTimeout(() => this.#validate(), VALIDATE_MS);
		});
		text.addEventListener("keydown", (e) => this.#key(e));
		text.addEventListener("blur", () => this.#close());
		this.options.addEventListener("pointerdown", (e) => e.preventDefault()); // keeps the focus in the text
		this.options.addEventListener("click", (e) => {
			const node = e.target.closest("li");
			if (node)
				this.#take([...this.options.children].indexOf(node));
		});
	}

	#load() {
		this.#modules ??= Promise.all([import("./complete.js"), import("./repair.js")]);
		const mine = this.#modules;
		mine.catch(() => {
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

	async #offer() {
		const [{ options, valuesQuery }] = await this.#loadIfPossible();
		if (!options)
			return;
		const { schema, buckets, askValues } = this.#hooks;
		const { place, list } = options(schema(), this.value, this.text.selectionStart, buckets);
		this.#place = place;
		this.#draw(list);
		clearTimeout(this.#timers.values);
		if (place.kind !== "value" || !place.known?.aggregatable)
			return;
		const asked = this.value;
		this.#timers.values = setTimeout(async () => {
			if ((await askValues(place.known, valuesQuery(place.known, place.text))) && this.value === asked && document.activeElement === this.text)
				this.#draw(options(schema(), asked, this.text.selectionStart, buckets).list);
		}, VALUES_MS);
	}

	#draw(list) {
		this.#list = list;
		this.#active = -1;
		show(
			this.options,
			list.map((o, i) => optionNode(o, `query-option-${i}`)),
		);
		this.options.hidden = list.length === 0;
		if (list.length)
			announce(`${plural(list.length, "suggestion")}, the down arrow reaches them.`);
		this.text.removeAttribute("aria-activedescendant");
	}

	#close() {
		clearTimeout(this.#timers.values);
		this.#draw([]);
	}

	#move(by) {
		const n = this.#list.length,
			next = (this.#active + by + n + (this.#active < 0 && by < 0 ? 1 : 0)) % n;
		this.options.children[this.#active]?.setAttribute("aria-selected", "false");
		this.#active = next;
		const node = this.options.children[next];
		node.setAttribute("aria-selected", "true");
		node.scrollIntoView({ block: "nearest" });
		this.text.setAttribute("aria-activedescendant", node.id);
	}

	async #take(index) {
		const [{ take }] = await this.#load();
		const option = this.#list[index];
		if (option)
			this.#put(take(this.value, this.#place, option), option.kind === "field");
	}

	#put({ text, caret }, again) {
		this.text.focus();
		this.text.value = text;
		this.text.setSelectionRange(caret, caret);
		this.#close();
		this.#paint(null);
		if (again)
			this.#offer();
		clearTimeout(this.#timers.validate);
		this.#timers.validate = setTimeout(() => this.#validate(), VALIDATE_MS);
	}

	#key(e) {
		if (e.isComposing)
			return;
		const open = this.#list.length > 0;
		const arrow = { ArrowDown: 1, ArrowUp: -1 }[e.key];
		if (arrow && open) {
			e.preventDefault();
			this.#move(arrow);
		} else if (e.key === "ArrowDown" && !this.value.includes("\n")) {
			e.preventDefault();
			this.#offer();
		} else if (e.key === "Escape" && open) {
			e.preventDefault();
			this.#close();
		} else if (e.key === "Enter" && !e.shiftKey) {
			e.preventDefault();
			if (this.#active >= 0)
				this.#take(this.#active);
			else
				this.submit();
		}
	}

	submit() {
		this.#close();
		this.#hooks.submit(this.value.trim());
	}

	// ---- faults ----

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
		const button = mend && h("button", { type: "button", onclick: () => this.#put(mend, false) }, h("bdi", null, mend.label));
		return h(
			"span.note-line",
			{ class: bad ? "note-line bad" : "note-line warn" },
			h("span", { "aria-hidden": "true" }, bad ? "✕" : "▲"),
			h("span", null, `Character ${count(position)}: `, h("bdi", null, message)),
			button,
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
