// SPDX-License-Identifier: ISC
// Lists: a table of all records; of a project: filters, a table with pages, and a drawer beside it with one record.

import { h, rows, show } from "../common/dom.js";
import { ago } from "../common/words.js";
import { copyLink } from "./copy.js";
import { keepHere, keptHere, readdress } from "./memory.js";
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
//   drawer: the one in which open(item) shows the record
//   keep: names the list among those of its page; Back reads as many pages as were loaded
// Answers {box, read(): again, put(item): the row of an item that has changed, change(uuid, members): of one that has these members
// now, row(uuid), item(uuid)}.
export function pagedTable({ columns, read, empty, open, choose, drawer, signal, caption, keep }) {
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
		const node = h("tr", { class: drawer?.uuid && drawer.uuid === item.uuid ? "current" : null, "data-uuid": item.uuid }, cells);
		byUuid.set(item.uuid, node);
		items.set(item.uuid, item);
		return node;
	};
	let pages = 0;
	const page = async (cursor, s) => {
		const answer = await read(cursor, s);
		body.append(...answer.items.map(row));
		pages++;
		if (keep)
			keepHere(keep, pages);
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
		read: async (s) => {
			const wanted = Math.max(1, pages || (keep && keptHere(keep)) || 1);
			show(body);
			pages = 0;
			const first = await page("", s);
			for (let answer = first; pages < wanted && answer.next_cursor;)
				answer = await page(answer.next_cursor, s);
			return first;
		},
	});
	const put = (item) => {
		const old = byUuid.get(item.uuid);
		old?.replaceWith(row(item));
	};
	return { ...list, put, change: (uuid, members) => items.has(uuid) && put({ ...items.get(uuid), ...members }), row: (uuid) => byUuid.get(uuid), item: (uuid) => items.get(uuid) };
}

// Shows a record beside a list. Escape or its button closes the drawer and returns the focus. The keys j and k open the next
// and the previous row (keyboard.js).
//   address(uuid): the address of the page with the record open, or without one
export class Drawer {
	#from = null;
	#address;

	constructor(address) {
		this.#address = address;
		this.node = h("aside.drawer.card", { hidden: true, "aria-label": "The chosen record" });
		this.node.addEventListener("keydown", (e) => e.key === "Escape" && this.close());
	}

	// The record that is open, or "".
	get uuid() {
		return this.node.hidden ? "" : this.node.dataset.uuid;
	}

	// row: the row of the list that is marked while the drawer is open.
	open({ uuid, row, title }, ...children) {
		if (!this.node.isConnected)
			return; // the page was left while the record was read
		const head = h("h2", { tabindex: "-1" }, title);
		if (this.node.hidden)
			this.#from = document.activeElement;
		show(
			this.node,
			h(
				"div.card-head",
				null,
				head,
				h(
					"span.nowrap",
					null,
					h("button.plain", { type: "button", onclick: copyLink }, "Copy link"),
					h("button.plain.square", { type: "button", "aria-label": "Close", onclick: () => this.close() }, "✕"),
				),
			),
			children,
		);
		this.node.dataset.uuid = uuid;
		this.node.hidden = false;
		this.node.parentElement.classList.add("with-drawer");
		this.mark(row);
		readdress(this.#address(uuid));
		head.focus({ preventScroll: true });
		this.node.scrollIntoView({ block: "nearest" });
	}

	mark(row) {
		this.node.parentElement?.querySelector("tr.current")?.classList.remove("current");
		row?.classList.add("current");
	}

	// The page shows something else; its address is not changed.
	hide() {
		this.node.hidden = true;
		this.node.parentElement?.classList.remove("with-drawer");
		this.mark(null);
	}

	close() {
		if (this.node.hidden)
			return;
		const row = this.node.parentElement.querySelector("tr.current .row-open");
		this.hide();
		readdress(this.#address(""));
		(row ?? (this.#from?.isConnected ? this.#from : null))?.focus();
	}
}

// Letters act on the record of the row that has the focus, or on the one in the drawer: act(uuid, letter) is called, unless
// shortcuts are turned off (keyboard.js) or something is typed.
export function recordKeys(node, drawer, act) {
	node.addEventListener("keydown", (e) => {
		const uuid = e.target.closest("tr[data-uuid]")?.dataset.uuid ?? (drawer.node.contains(e.target) && drawer.uuid);
		if (uuid && !e.ctrlKey && !e.metaKey && !e.altKey && !e.target.matches("input:not([type=checkbox]), textarea, select") && localStorage.getItem("keys") !== "off")
			act(uuid, e.key);
	});
}
