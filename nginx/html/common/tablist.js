// SPDX-License-Identifier: ISC
// Keys of an ARIA tablist: arrows, Home and End move, and what is moved to is chosen.

export function tablistKeys(list, choose) {
	list.addEventListener("keydown", (e) => {
		const tabs = [...list.querySelectorAll('[role="tab"]')];
		const at = tabs.indexOf(document.activeElement);
		const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[e.key];
		if (at < 0 || to === undefined)
			return;
		e.preventDefault();
		const tab = tabs[(to + tabs.length) % tabs.length];
		tab.focus();
		choose(tab);
	});
}

export function markSelected(tabs, chosen) {
	for (const tab of tabs) {
		const yes = tab === chosen;
		tab.setAttribute("aria-selected", String(yes));
		tab.tabIndex = yes ? 0 : -1;
	}
}
