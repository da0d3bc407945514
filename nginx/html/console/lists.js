// SPDX-License-Identifier: ISC
// Lists: a table of all records; of a project: filters, a table with pages, and a drawer beside it with one record.

import { foreign, h, rows, show } from "../common/dom.js";
import { ago } from "../common/words.js";
import { faultPanel, reading } from "./parts.js";
import { instant } from "./links.js";

// A table of records, for draw of reading(): columns are [head, cell(record), class]; the first one names the record.
// On narrow screens each record becomes a block with the heads beside its values.
export function table(caption, columns) {
	const body = h("tbody");
	const cells = (record) => columns.map(([head, cell, kind], i) => h(i ? "td" : "th", { class: kind, scope: i ? null : "row", "data-head": head || null }, cell(record)));
	const node = h("div.card.list-card", null, h("table.stack", null, h("caption.hidden", null, caption),
		h("thead", null, h("tr", null, columns.map(([head, , kind]) => (head ? h("th", { scope: "col", class: kind }, head) : h("td"))))), body));
	return { node, draw: (records, key = (r) => r.uuid) => rows(body, records, key, (record) => h("tr", { "data-entry": true }, cells(record))) };
}

// Makes links to the parts of one page. parts are [name, words]; the fragment of a part is base/name.
export function subpages(label, base, parts, now) {
	return h("nav.subpages", { "aria-label": label }, parts.map(([name, words]) => h("a", { href: `${base}/${name}`, "aria-current": name === now ? "page" : null }, words)));
}

// Makes selects: [{name, label, options: [[value, words], …]}]. values: the present values.
// changed(name, value) is called.
export function filterBar(filters, values, changed) {
	return h(
		"div.filters",
		{ role: "group", "aria-label": "Filters" },
		filters.map(({ name, label, options }) =>
			h(
				"label.filter",
				null,
				h("span.quiet", null, label),
				h(
					"select",
					{ onchange: (e) => changed(name, e.target.value) },
					options.map(([value, words]) => h("option", { value, selected: value === (values[name] ?? "") }, words)),
				),
			),
		),
	);
}

// Makes a text field that filters when Enter is pressed or the field loses the focus.
export function searchFilter(name, label, values, changed) {
	return h("label.filter", null, h("span.quiet", null, label),
		h("input", { type: "search", value: values[name] ?? "", onchange: (e) => changed(name, e.target.value.trim()) }));
}

// Makes buttons that choose a part of a page: tabs are [[name, words], …].
export function tabButtons(tabs, now, go) {
	return tabs.map(([name, words]) => h("button", { type: "button", "aria-pressed": String(name === now), onclick: () => go(name) }, words));
}

// Makes a button that cannot be pressed again while act() runs; its refusal is shown in a notice.
export function actionButton(words, act, kind = "") {
	return h(
		"button",
		{
			type: "button",
			class: kind,
			onclick: async (e) => {
				e.target.disabled = true;
				try {
					await act(); // console.js shows a fault
				} finally {
					e.target.disabled = false;
				}
			},
		},
		words,
	);
}

export function when(text) {
	return text ? h("time", { datetime: text, title: instant(text) }, ago(text)) : "–";
}

// A table whose rows open a record.
//   columns: [[title, make(item), class], …]; read(cursor, signal): {items, next_cursor}; empty(): nodes; open(item);
//   choose(item): a checkbox before the first cell
// Answers {box, read(): again, put(item): the row of an item that has changed, change(uuid, members): of one that has these members
// now, row(uuid)}.
export function pagedTable({ columns, read, empty, open, choose, signal, caption }) {
	const body = h("tbody"),
		foot = h("p.more"),
		byUuid = new Map(),
		items = new Map();
	const opener = (item, inner) => h("button.link.row-open", { type: "button", "data-entry": "", onclick: () => open(item) }, inner);
	const row = (item) => {
		const cells = columns.map(([name, make, kind], i) => {
			const inner = make(item),
				lead = i === 0 && open;
			return h(
				i === 0 ? "th" : "td",
				{ scope: i === 0 ? "row" : null, class: kind ?? "", "data-head": name || null },
				lead ? h("span.row-lead", null, choose?.(item), opener(item, inner)) : inner,
			);
		});
		const node = h("tr", null, cells);
		byUuid.set(item.uuid, node);
		items.set(item.uuid, item);
		return node;
	};
	const page = async (cursor, s) => {
		const answer = await read(cursor, s);
		body.append(...answer.items.map(row));
		show(
			foot,
			answer.next_cursor &&
				h(
					"button",
					{ type: "button", onclick: () => page(answer.next_cursor, signal).catch((fault) => show(foot, faultPanel(fault))) },
					"Load more",
				),
		);
		return answer;
	};
	const table = h(
		"table.stack",
		null,
		h("caption.hidden", null, caption),
		h(
			"thead",
			null,
			h(
				"tr",
				null,
				columns.map(([name, , kind]) => (name ? h("th", { scope: "col", class: kind ?? "" }, name) : h("td"))),
			),
		),
		body,
	);
	const list = reading({
		signal,
		draw: (data, box) => show(box, table, foot),
		empty: (data) => (data.items.length ? null : empty()),
		read: (s) => {
			show(body);
			return page("", s);
		},
	});
	const put = (item) => byUuid.get(item.uuid)?.replaceWith(row(item));
	return { ...list, put, change: (uuid, members) => items.has(uuid) && put({ ...items.get(uuid), ...members }), row: (uuid) => byUuid.get(uuid) };
}

// Shows a record beside a list. Escape or its button closes the drawer and returns the focus.
export class Drawer {
	#from = null;

	constructor(closed = () => {}) {
		this.node = h("aside.drawer.card", { hidden: true, "aria-label": "The chosen record" });
		this.closed = closed;
		this.node.addEventListener("keydown", (e) => e.key === "Escape" && this.close());
	}

	// row: the row of the list that is marked while the drawer is open.
	mark(row) {
		this.node.parentElement.querySelector("tr.current")?.classList.remove("current");
		row?.classList.add("current");
	}

	open(title, ...children) {
		this.#from ??= document.activeElement;
		const head = h("h2", { tabindex: "-1" }, title);
		show(
			this.node,
			h("div.card-head", null, head, h("button.plain.square", { type: "button", "aria-label": "Close", onclick: () => this.close() }, "✕")),
			children,
		);
		this.node.hidden = false;
		this.node.parentElement.classList.add("with-drawer");
		head.focus({ preventScroll: true });
		this.node.scrollIntoView({ block: "nearest" });
	}

	close() {
		if (this.node.hidden)
			return;
		this.node.hidden = true;
		this.node.parentElement.classList.remove("with-drawer");
		this.mark(null);
		this.closed();
		if (this.#from?.isConnected)
			this.#from.focus();
		this.#from = null;
	}
}

// Shows the members of an untrusted object with all nested ones.
export function members(value, depth = 0) {
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
