// SPDX-License-Identifier: ISC
// The tabs of the session's browser.

import { markSelected, tablistKeys } from "../common/tablist.js";
import { hostOf } from "../common/clock.js";

export class Tabs {
	#list;
	#onChoose;
	#onClose;
	active = 0;

	constructor(list, onChoose, onClose) {
		this.#list = list;
		this.#onChoose = onChoose;
		this.#onClose = onClose;
		tablistKeys(list, (tab) => this.#choose(tab));
		list.addEventListener("keydown", (e) => {
			if (e.key === "Delete" && e.target.dataset.tab)
				this.#close(e.target);
		});
	}

	#choose(tab) {
		if (tab.getAttribute("aria-selected") !== "true")
			this.#onChoose(Number(tab.dataset.tab));
	}

	#close(tab) {
		if (this.#list.children.length > 1)
			this.#onClose(Number(tab.dataset.tab));
	}

	// Nodes stay what they are while their tab lives, so that the focus stays too.
	show(message) {
		const old = new Map([...this.#list.children].map((n) => [Number(n.dataset.tab), n]));
		const nodes = message.tabs.map((t) => this.#node(old.get(t.tab) ?? this.#make(t.tab), t, message.tabs.length));
		const focused = this.#list.contains(document.activeElement);
		for (const [tab, node] of old)
			if (!message.tabs.some((t) => t.tab === tab))
				node.remove();
		nodes.forEach((node, i) => {
			if (this.#list.children[i] !== node)
				this.#list.insertBefore(node, this.#list.children[i] ?? null);
		});
		this.active = message.active;
		markSelected(nodes, nodes.find((n) => Number(n.dataset.tab) === message.active));
		if (focused && !this.#list.contains(document.activeElement))
			this.#list.querySelector('[aria-selected="true"]')?.focus();
	}

	end() {
		for (const node of this.#list.children)
			node.classList.remove("loading");
	}

	#make(tab) {
		const node = document.createElement("div");
		const title = document.createElement("span");
		const cross = document.createElement("span");
		node.className = "tab";
		node.role = "tab";
		node.dataset.tab = tab;
		node.setAttribute("aria-controls", "stage");
		title.className = "tab-title";
		cross.className = "tab-close";
		cross.setAttribute("aria-hidden", "true");
		cross.textContent = "×";
		node.append(title, cross);
		node.addEventListener("click", (e) => (e.target === cross ? this.#close(node) : this.#choose(node)));
		node.addEventListener("keydown", (e) => {
			if (e.key === "Enter" || e.key === " ")
				this.#choose(node);
		});
		node.addEventListener("auxclick", (e) => e.button === 1 && this.#close(node));
		return node;
	}

	#node(node, t, count) {
		const name = t.title || hostOf(t.url) || "New tab";
		node.querySelector(".tab-title").textContent = name;
		node.title = count > 1 ? `${name} (Delete closes it)` : name;
		node.classList.toggle("loading", t.loading);
		node.classList.toggle("alone", count === 1);
		node.setAttribute("aria-busy", String(t.loading));
		return node;
	}

	title(tab, title) {
		const node = [...this.#list.children].find((n) => Number(n.dataset.tab) === tab);
		if (node && title)
			node.querySelector(".tab-title").textContent = title;
	}
}
