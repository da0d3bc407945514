// SPDX-License-Identifier: ISC
// Parts that every page of the console uses: its heading, lists with their four states, notices, menus.

import { h, show } from "../common/dom.js";
import { unreachable } from "../common/api.js";
import { place } from "./memory.js";

const SKELETON_MS = 150;
const TOAST_MS = 5000;
const sheets = new Map(); // name: a promise of its style sheet

// Makes the head of a page: its h1, which gets the focus when the page opens, and buttons.
export function heading(title, ...actions) {
	return h("header.page-head", null, h("h1", { tabindex: "-1" }, title), actions.length ? h("div.actions", null, actions) : null);
}

// Announces a text to screen readers.
export function announce(words) {
	document.getElementById("status").textContent = words;
}

// Shows a notice that disappears after a while; tone "bad" for failures.
export function toast(words, tone = "") {
	const node = h("li", { class: tone }, words);
	document.getElementById("toasts").append(node);
	document.getElementById(tone === "bad" ? "alarm" : "status").textContent = node.textContent;
	setTimeout(() => node.remove(), TOAST_MS);
}

// Shows a failed request in place of its data: the message, the code, the request id, and a button
// to try again.
export function faultPanel(fault, retry) {
	return h("div.fault-panel", { role: "alert" }, h("strong", null, fault.message),
		h("p.small", null, h("code", null, fault.code || fault.name), fault.requestId ? h("span", null, " · request ", h("code", null, fault.requestId)) : null),
		fault.code === "entitlement_required" ? h("p", null, "The operator of this service can grant it.")
			: retry && h("button", { type: "button", onclick: retry }, "Try again"));
}

// Shows an empty list: what it would contain, and what to do next (nodes, such as a link).
export function emptyState(title, words, ...actions) {
	return h("div.empty", null, h("strong", null, title), h("p", null, words), actions);
}

export function skeleton(lines) {
	return h("div.skeleton", { "aria-hidden": "true" }, Array.from({ length: lines }, () => h("i")));
}

// A list or any other part that is read: its four states in one box.
//   read(signal)     answers the data
//   draw(data, box)  shows it; called again with newer data, so that rows() can keep nodes
//   empty(data)      answers emptyState(…) when there is nothing, else null
//   lines            of the skeleton, which appears after 150 ms
// Answers {box, read(): reads again; what is shown stays until the answer}. An answer that a newer read has overtaken is dropped.
export function reading({ read, draw, empty = () => null, signal, lines = 6, box = h("div") }) {
	let running = null, state = "";
	async function again() {
		running?.abort();
		const mine = running = new AbortController(), both = AbortSignal.any([signal, mine.signal]);
		const wait = setTimeout(() => {
			if (state !== "data") {
				state = "wait";
				show(box, skeleton(lines));
			}
		}, SKELETON_MS);
		box.setAttribute("aria-busy", "true");
		try {
			const data = await read(both);
			if (both.aborted)
				return;
			const nothing = empty(data);
			if (nothing || state !== "data")
				show(box, nothing);
			state = nothing ? "empty" : "data";
			if (!nothing)
				await draw(data, box);
			place();
		} catch (fault) {
			if (both.aborted || fault.name === "AbortError")
				return;
			state = "fault";
			show(box, faultPanel(fault, again));
		} finally {
			clearTimeout(wait);
			if (running === mine)
				box.removeAttribute("aria-busy");
		}
	}
	again();
	return { box, read: again };
}

// Makes a menu of buttons and links. It closes after a choice, by Escape, and by a click elsewhere.
export function menu(label, items, { summary = label, className = "button plain" } = {}) {
	const box = h("details.menu", null, h("summary", { class: className, "aria-label": summary instanceof SVGElement ? label : null }, summary), h("div.menu-items", null, items));
	box.addEventListener("click", (e) => {
		if (e.target.closest(".menu-items :is(button, a)"))
			box.open = false;
	});
	return box;
}

// Closes open menus, except for one that contains the node.
function closeMenus(node) {
	for (const open of document.querySelectorAll("details.menu[open]"))
		if (!open.contains(node))
			open.open = false;
}

addEventListener("click", (e) => closeMenus(e.target), { capture: true });
addEventListener("hashchange", () => closeMenus(null));

addEventListener("keydown", (e) => {
	const open = e.key === "Escape" && document.activeElement?.closest("details.menu[open]");
	if (open) {
		open.open = false;
		open.querySelector("summary").focus();
		e.stopPropagation();
	}
}, { capture: true });

const MARKS = { critical: "▲", high: "◆", medium: "●", low: "■", info: "○", good: "●", warn: "▲", bad: "✕" };

// Makes a word with a colour and a shape: tone is a severity, "good", "warn", "bad" or "".
export function badge(words, tone = "") {
	return h("span", { class: `badge ${tone}` }, MARKS[tone] && h("span", { "aria-hidden": "true" }, MARKS[tone]), words);
}

// Reads a style sheet when something first needs it.
export function styleSheet(name) {
	if (!sheets.has(name))
		sheets.set(name, new Promise((done, fail) => {
			const node = h("link", { rel: "stylesheet", onload: done, onerror: () => {
				sheets.delete(name);
				fail(unreachable());
			} });
			node.href = `${name}.css`;
			document.head.append(node);
		}));
	return sheets.get(name);
}
