// SPDX-License-Identifier: ISC
// The list under the search box: what could be typed, and what was searched before. It is loaded when the box gets the
// focus. The focus stays in the text; aria-activedescendant names the option that the arrows have reached.

import { h, show } from "../common/dom.js";
import { count, plural } from "../common/words.js";
import { announce } from "./parts.js";

function optionNode(option, id) {
	const right =
		option.kind === "field"
			? [h("span.quiet", null, option.type), option.counted && h("span.quiet", { title: "Its values can be counted" }, "Σ")]
			: option.note
				? h("span.quiet", null, option.note)
				: option.count !== null && option.count !== undefined && h("span.quiet", null, count(option.count));
	return h(
		"li",
		{ id, role: "option", class: option.kind, "aria-selected": "false" },
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

export class QueryOptions {
	#text;
	#node;
	#active = -1;
	list = [];

	constructor(text, node) {
		this.#text = text;
		this.#node = node;
	}

	// The option that the arrows have reached, or undefined.
	get active() {
		return this.list[this.#active];
	}

	// The option of a node within the list.
	of(node) {
		return this.list[[...this.#node.children].indexOf(node.closest("li"))];
	}

	draw(list) {
		this.list = list;
		this.#active = -1;
		show(
			this.#node,
			list.map((o, i) => optionNode(o, `query-option-${i}`)),
		);
		this.#node.hidden = list.length === 0;
		if (list.length)
			announce(`${plural(list.length, "suggestion")}, the down arrow reaches them.`);
		this.#text.removeAttribute("aria-activedescendant");
	}

	move(by) {
		const n = this.list.length,
			next = (this.#active + by + n + (this.#active < 0 && by < 0 ? 1 : 0)) % n;
		this.#node.children[this.#active]?.setAttribute("aria-selected", "false");
		this.#active = next;
		const node = this.#node.children[next];
		node.setAttribute("aria-selected", "true");
		node.scrollIntoView({ block: "nearest" });
		this.#text.setAttribute("aria-activedescendant", node.id);
	}
}
