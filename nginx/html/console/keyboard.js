// SPDX-License-Identifier: ISC
// Keyboard shortcuts of all pages: "/" for search, "g" and a letter for pages, j and k in lists,
// "?" for the list of shortcuts. They do not work in text fields, and a setting turns them off.

import { h } from "../common/dom.js";
import { ROUTES } from "./routes.js";

const AFTER_G_MS = 1500;
const OFF = "keys"; // in localStorage: "off"
const TYPING = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable], dialog";

export function keysAreOn() {
	return localStorage.getItem(OFF) !== "off";
}

export function turnKeys(on) {
	if (on)
		localStorage.removeItem(OFF);
	else
		localStorage.setItem(OFF, "off");
}

async function help() {
	const { ask } = await import("../common/dialog.js");
	const line = (keys, words) => h("tr", null, h("th.nowrap", { scope: "row" }, keys.map((k) => [h("kbd", null, k), " "])), h("td", null, words));
	ask({ title: "Keyboard shortcuts", label: "Close", cancel: "", body: h("table", null, h("tbody", null,
		line(["/"], "Search"),
		line(["j", "k"], "Next and previous entry of a list, open record, or hit"),
		line(["Enter"], "Open the entry"),
		line(["Esc"], "Close the record beside a list"),
		line(["a", "c", "r", "s"], "On an alert: acknowledge, close, reopen, silence its rule"),
		line(["a", "r", "i", "f", "o"], "On a finding: acknowledge, resolve, accept the risk, false positive, reopen"),
		ROUTES.filter((r) => r.letter).map((r) => line(["g", r.letter], r.title)),
		line(["?"], "This list"))) });
}

// The page of the search gives its empty box the focus.
function search() {
	const box = document.querySelector("main [data-search]");
	if (box)
		box.focus();
	else
		location.hash = "#/search/hosts";
}

// Moves the focus to another entry: an element with data-entry, which is or contains a link or a
// button. While a record is open beside its list, the next one is opened. The page of a record that a search has found leads to the next hit.
function step(by) {
	const other = document.querySelector(`main [data-trail="${by > 0 ? "next" : "previous"}"]`);
	if (other) {
		other.click();
		return;
	}
	const all = [...document.querySelectorAll("main [data-entry]")].filter((n) => n.offsetParent);
	const open = document.querySelector("main .with-drawer tr.current");
	const at = all.findIndex((n) => (open ? open.contains(n) : n.contains(document.activeElement)));
	const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.max(0, Math.min(all.length - 1, at + by))];
	const target = next?.matches("a, button, [tabindex]") ? next : next?.querySelector("a, button, [tabindex]");
	if (open && target)
		target.click();
	else
		target?.focus();
	next?.scrollIntoView({ block: "nearest" });
}

const ACTIONS = { "/": search, "?": help, j: () => step(1), k: () => step(-1) };
let gAt = 0;

function act(e) {
	if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing || e.target.closest?.(TYPING) || !keysAreOn())
		return;
	const after = Date.now() - gAt < AFTER_G_MS, route = after && ROUTES.find((r) => r.letter === e.key);
	if (after)
		e.stopPropagation(); // the letter behind "g" does nothing to the record that has the focus
	gAt = e.key === "g" ? Date.now() : 0;
	const action = route ? () => {
		location.hash = `#/${route.page}`;
	} : ACTIONS[e.key];
	if (!action)
		return;
	e.preventDefault();
	action();
}

export function startKeys() {
	addEventListener("keydown", act, { capture: true });
}

export { help as showKeys };
