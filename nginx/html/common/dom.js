// SPDX-License-Identifier: ISC
// Elements of the page. Text only ever becomes text nodes: nothing here, and nothing in the console, parses markup.

const PROPERTIES = new Set(["value", "checked", "indeterminate", "selected", "disabled", "hidden", "open"]);
const LOCAL = /^(?:#|\/(?![/\\\s])|blob:)/; // the addresses that a link or a picture may have
const SVG = "http://www.w3.org/2000/svg";

function set(node, name, value) {
	if (name.startsWith("on")) {
		node.addEventListener(name.slice(2), value);
	} else if (PROPERTIES.has(name)) {
		node[name] = value;
	} else if (value !== false && value !== null && value !== undefined) {
		if ((name === "href" || name === "src") && !LOCAL.test(value))
			throw new TypeError(`${name} may not lead elsewhere: ${value}`);
		node.setAttribute(name, value === true ? "" : value);
	}
}

function fill(node, props, children) {
	for (const [name, value] of Object.entries(props ?? {}))
		set(node, name, value);
	node.append(...nodes(children));
	return node;
}

// Lists are flattened; null, undefined and false are nothing; everything else is a node or text.
function nodes(children) {
	return children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false)
		.map((c) => (c instanceof Node ? c : String(c)));
}

// h("button.main", { type: "button", onclick: save, "aria-label": "Save it" }, "Save"): tag, classes, attributes (names
// that begin with "on" are listeners; a few, such as value and checked, are properties), children.
export function h(tag, props, ...children) {
	const [name, ...classes] = tag.split(".");
	const node = document.createElement(name);
	if (classes.length)
		node.className = classes.join(" ");
	return fill(node, props, children);
}

export function svg(tag, props, ...children) {
	return fill(document.createElementNS(SVG, tag), props, children);
}

// An icon of 20 by 20: the path of its strokes.
export function icon(path) {
	return svg("svg", { viewBox: "0 0 20 20", "aria-hidden": "true", class: "icon" }, svg("path", { d: path }));
}

// The children replace what the parent had.
export function show(parent, ...children) {
	parent.replaceChildren(...nodes(children));
	return parent;
}

const drawn = new WeakMap(); // node: the text of the item that it shows

// A list with a node for each item: make(item) is called for items that are new or have changed, the other nodes stay,
// with the focus that may be in them.
export function rows(parent, items, key, make) {
	const old = new Map([...parent.children].filter((n) => drawn.has(n)).map((n) => [n.dataset.key, n]));
	const list = items.map((item) => {
		const name = String(key(item)), text = JSON.stringify(item), known = old.get(name);
		if (known && drawn.get(known) === text)
			return known;
		const node = make(item);
		node.dataset.key = name;
		drawn.set(node, text);
		return node;
	});
	list.forEach((node, i) => {
		if (parent.children[i] !== node)
			parent.insertBefore(node, parent.children[i] ?? null);
	});
	while (parent.children.length > list.length)
		parent.lastElementChild.remove();
	return parent;
}

const CUT = 2000;

// Controls as the symbols of their names (ESC as U+241B); what would change the direction of the text, or is invisible,
// as its number.
function visible(text) {
	return text.replace(/[\u0000-\u001f\u007f]/g, (c) => (c === "\u007f" ? "\u2421" : String.fromCharCode(0x2400 + c.charCodeAt(0))))
		.replace(/[\u0080-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, (c) => `\u27e8U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}\u27e9`);
}

// Text that others wrote: banners, titles, names of hosts, URLs, names that members chose. Cut at 2,000 characters; a
// button shows the rest.
export function foreign(value, limit = CUT) {
	const all = String(value ?? "");
	if (all.length <= limit)
		return h("bdi", null, visible(all));
	const text = h("bdi", null, visible(all.slice(0, limit)), "…");
	const more = h("button.link", { type: "button", onclick: () => {
		show(text, visible(all));
		more.remove();
	} }, "more");
	return h("span", null, text, " ", more);
}
