// SPDX-License-Identifier: ISC
// What Back finds again: for each entry of this tab's history what a list had loaded, and what of the page was seen.
// It is lost when the page is loaded again.

const MOST = 30; // entries of the history that are kept
const kept = new Map(); // by the name of an entry: {data by name, y, at, top}
let goal = null; // what Back scrolls to, once it is drawn
let drawn = ""; // the entry that is drawn
let carried = null; // what the next new entry begins with

history.scrollRestoration = "manual"; // the browser would scroll before anything is drawn

// Returns the name of the present entry.
export function entry() {
	let name = history.state?.entry;
	if (!name) {
		name = crypto.randomUUID();
		history.replaceState({ entry: name }, "");
		if (carried)
			kept.set(name, carried);
		carried = null;
	}
	return name;
}

function of(name) {
	const one = kept.get(name) ?? { data: {} };
	kept.delete(name); // the latest ones are at the end
	kept.set(name, one);
	if (kept.size > MOST)
		kept.delete(kept.keys().next().value);
	return one;
}

export const keptHere = (name) => of(entry()).data[name];

export function keepHere(name, data) {
	of(entry()).data[name] = data;
}

// The entry that a link opens next is like an older one.
export function carry(name) {
	carried = kept.get(name) ?? null;
}

// Changes the address of the present entry, as when a record is opened beside its list.
export function readdress(hash) {
	if (hash !== location.hash)
		history.replaceState({ entry: entry() }, "", hash);
}

// Heights of hits that were never seen are estimates, so the first entry in the window is what a position is told by.
const entries = () => [...document.querySelectorAll("main [data-entry]")];

// Something was drawn: after Back the page is scrolled to what was seen, unless its reader scrolls meanwhile.
export function place() {
	const node = entries()[goal?.at];
	if (node)
		scrollBy(0, node.getBoundingClientRect().top - goal.top);
	else if (goal)
		scrollTo(0, goal.y);
	if (node || !(goal?.at >= 0))
		goal = null;
	drawn = entry();
}

addEventListener("hashchange", () => {
	const all = entries(), at = all.findIndex((n) => n.getBoundingClientRect().bottom > 0);
	if (drawn)
		Object.assign(of(drawn), { y: scrollY, at, top: all[at]?.getBoundingClientRect().top });
	drawn = "";
	goal = kept.get(entry()) ?? null;
	if (goal?.y === undefined)
		goal = null;
});
for (const kind of ["wheel", "touchmove", "keydown", "pointerdown"])
	addEventListener(kind, () => {
		goal = null;
	}, { passive: true, capture: true });
