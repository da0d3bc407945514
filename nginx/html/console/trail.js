// SPDX-License-Identifier: ISC
// The hits of the last search of this tab, so that the page of a record leads to the next one and back to the list.

import { h } from "../common/dom.js";
import { count } from "../common/words.js";
import { carry } from "./memory.js";

let trail = { hashes: [], from: "", entry: "", more: false };

// hashes: the addresses of the hits; from: the address of the search; entry: its entry of the history; more: whether it has
// hits that were not loaded.
export function leaveTrail({ hashes, ...rest }) {
	trail = { ...rest, hashes: [...new Set(hashes)] };
}

// The next record takes the place of this one, so that Back leads to the list.
const other = (hash, words, side) => h("a.button", { href: hash, "data-trail": side, onclick: (e) => {
	if (e.ctrlKey || e.metaKey || e.shiftKey)
		return;
	e.preventDefault();
	location.replace(hash);
} }, words);

// Returns the line above a record that a search has found, or null.
export function trailLine() {
	const { hashes, from, more } = trail, at = hashes.indexOf(location.hash);
	if (at < 0)
		return null;
	return h("nav.trail", { "aria-label": "Hits of the search" },
		h("a", { href: from, onclick: () => carry(trail.entry) }, "← Results"),
		h("span.quiet", null, `${count(at + 1)} of ${count(hashes.length)}${more ? " loaded" : ""}`),
		at > 0 && other(hashes[at - 1], "Previous", "previous"),
		at + 1 < hashes.length && other(hashes[at + 1], "Next", "next"));
}
