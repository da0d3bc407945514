// SPDX-License-Identifier: ISC
// The top of every page: pages, the organisation of this tab, the person, light or dark.

import { h, icon, show } from "../common/dom.js";
import { api, chooseOrganisation, signedIn } from "../common/api.js";
import { menu } from "./parts.js";
import { ROUTES } from "./routes.js";
import { leave, tellSignedOut } from "./tabs.js";

const DOWN = "M5 8l5 5 5-5", HELP = "M7.5 7.5a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.9-1.1 1.8M10 14.8v.1", BARS = "M3 5h14M3 10h14M3 15h14";
const THEMES = [["", "As the system"], ["light", "Light"], ["dark", "Dark"]];

// Sets "light" or "dark"; "" follows the system.
function setTheme(theme) {
	if (theme) {
		localStorage.setItem("theme", theme);
		document.documentElement.dataset.theme = theme;
	} else {
		localStorage.removeItem("theme");
		delete document.documentElement.dataset.theme;
	}
}

export function themeChoice() {
	const now = localStorage.getItem("theme") ?? "";
	return h("select", { name: "theme", onchange: (e) => setTheme(e.target.value) },
		THEMES.map(([value, words]) => h("option", { value, selected: value === now }, words)));
}

export async function signOut() {
	await api.del("/auth/session", { alone: true }).catch(() => {}); // also leaves when the session has ended already
	tellSignedOut();
	leave();
}

function pages() {
	const owner = signedIn.organisation?.role === "owner";
	return ROUTES.filter((r) => r.nav && (owner || !r.owner));
}

function links() {
	return pages().map((r) => h("a", { href: `#/${r.page}`, "data-page": r.page }, r.title));
}

let fitting = new ResizeObserver(() => {});

// Links that do not fit in the row are in a menu beside it; on a narrow screen all links are.
function pagesNav() {
	const row = h("div.pages", null, links()), others = links();
	const more = menu("Pages", others, { summary: [icon(BARS), h("span.more-word", null, "More")], className: "button plain" });
	const fit = () => {
		const all = [...row.children];
		all.forEach((link) => {
			link.hidden = false;
		});
		more.hidden = false;
		let n = all.length;
		if (row.offsetParent && row.scrollWidth <= row.clientWidth + more.offsetWidth) {
			more.hidden = true;
		} else {
			while (n > 0 && (!row.offsetParent || row.scrollWidth > row.clientWidth))
				all[--n].hidden = true;
		}
		others.forEach((link, i) => {
			link.hidden = i < n;
		});
		more.classList.toggle("alone", n === 0);
	};
	fitting.disconnect(); // of the header before
	fitting = new ResizeObserver(fit);
	fitting.observe(document.documentElement);
	document.fonts?.ready.then(fit);
	return { node: h("nav.pages-nav", { "aria-label": "Pages" }, row, more), fit };
}

function organisationMenu(changed) {
	const { session, organisation } = signedIn, list = session.organisations;
	if (!organisation)
		return null;
	const name = h("bdi", null, organisation.name);
	if (list.length === 1)
		return h("span.organisation", { title: "The organisation" }, name);
	const choose = (uuid) => () => {
		chooseOrganisation(uuid);
		changed();
	};
	return menu("Organisation", list.map((o) => h("button", { type: "button", "aria-pressed": String(o.uuid === organisation.uuid), onclick: choose(o.uuid) },
		h("span.tick", { "aria-hidden": "true" }, o.uuid === organisation.uuid ? "✓" : ""), h("span", null, h("bdi", null, o.name), h("span.small.quiet", null, ` ${o.role}`)))),
	{ summary: [h("span.hidden", null, "Organisation: "), name, icon(DOWN)], className: "button plain organisation" });
}

function personMenu() {
	const { person } = signedIn.session;
	const theme = h("label.menu-line", null, h("span", null, "Appearance"), themeChoice());
	return menu("You", [
		h("p.menu-who", null, h("strong", null, h("bdi", null, person.name)), h("span.small.quiet", null, h("bdi", null, person.email))),
		h("a", { href: "#/settings" }, "Settings"), h("a", { href: "#/exports" }, "Exports"), theme,
		h("button", { type: "button", onclick: signOut }, "Sign out"),
	], { summary: [h("span.hidden", null, "You: "), h("span.initial", { "aria-hidden": "true" }, [...person.name][0]?.toUpperCase() ?? "?"), h("bdi.person-name", null, person.name), icon(DOWN)] });
}

function helpMenu() {
	const keyboard = () => import("./keyboard.js");
	const keys = h("input", { type: "checkbox", onchange: async (e) => (await keyboard()).turnKeys(e.target.checked) });
	const box = menu("Help", [h("button", { type: "button", onclick: async () => (await keyboard()).showKeys() }, "Keyboard shortcuts"),
		h("button", { type: "button", onclick: async () => (await import("./search-help.js")).helpOfSearch() }, "Fields and examples of queries"),
		h("label.menu-line", null, h("span", null, "Single-letter shortcuts"), keys)], { summary: icon(HELP), className: "button plain square" });
	box.addEventListener("toggle", async () => {
		keys.checked = (await keyboard()).keysAreOn();
	});
	return box;
}

// changed() is called when another organisation was chosen.
export function drawHeader(box, changed) {
	const nav = pagesNav();
	show(box, h("a.skip", { href: "#main", onclick: (e) => {
		e.preventDefault();
		document.querySelector("main h1")?.focus();
	} }, "Skip to the page"),
	h("div.top", null,
		h("a.brand", { href: "#/home", "aria-label": "surfaced, home" }, h("img", { src: "/common/icon.svg", alt: "", width: "22", height: "22" }), h("span", null, "surfaced")),
		nav.node,
		h("div.right", null, organisationMenu(changed), personMenu(), helpMenu())));
	nav.fit();
}

// Marks the link of a page, or the link of the page that it belongs to (under in routes.js).
export function markPage(box, page) {
	const { under } = ROUTES.find((r) => r.page === page) ?? {};
	for (const link of box.querySelectorAll("[data-page]"))
		if (link.dataset.page === page || link.dataset.page === under)
			link.setAttribute("aria-current", under ? "true" : "page");
		else
			link.removeAttribute("aria-current");
}
