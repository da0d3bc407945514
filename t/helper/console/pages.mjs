// SPDX-License-Identifier: ISC
// Each page of the console: what axe finds, at each width, with the keyboard alone, and in each state of its data.
import { axe, go, is, join, main, ok, PROJECT, recordedSession, settled, tab, until, visitor } from "./lib.mjs";
import { leaveDialogs, places, readers } from "./places.mjs";

const focused = (page) => page.evaluate(() => document.activeElement.closest("[data-page]")?.dataset.page ?? document.activeElement.tagName);

// What is wider than the window, with the lists that scroll by themselves left out.
const sideways = (page) => page.evaluate(() => (document.documentElement.scrollWidth > innerWidth
	? [...document.querySelectorAll("body *")].filter((n) => n.getBoundingClientRect().right > innerWidth + 1).slice(0, 4).map((n) => `${n.tagName}.${n.getAttribute("class")}`).join(" ") : ""));

// Targets that are smaller than 24 pixels and stand in no text (C-343).
const small = (page) => page.evaluate(() => [...document.querySelectorAll("button, summary, select, input:not([type=hidden], .hidden)")].filter((n) => n.checkVisibility() && !n.closest("p, td, .hidden")).filter((n) => {
	const { width, height } = (n.closest("label") ?? n).getBoundingClientRect();
	return width > 0 && (width < 24 || height < 24);
}).map((n) => n.outerHTML.slice(0, 120)).join("\n"));

// Cells that are laid out as something else: the line below the row goes around them.
const noCells = (page) => page.evaluate(() => [...document.querySelectorAll("main td, main th")].filter((n) => n.checkVisibility() && getComputedStyle(n).display !== "table-cell").map((n) => n.outerHTML.slice(0, 100)).join("\n"));

async function everywhere(page, session, { scheme, width }) {
	await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
	await page.setViewportSize({ width, height: 800 });
	for (const [name, hash, act] of places(session)) {
		await go(page, "#/settings/appearance");
		await go(page, hash);
		await act?.(page);
		await axe(page, `on ${name}, ${scheme}, ${width} px (C-342)`);
		is(await sideways(page), "", `nothing of ${name} is wider than ${width} px (C-343)`);
		is(await small(page), "", `no target of ${name} is smaller than 24 px at ${width} px (C-343)`);
		if (width > 760)
			is(await noCells(page), "", `each cell of a table of ${name} is a cell`);
		await leaveDialogs(page);
	}
}

async function states(page, session) {
	for (const [name, hash, path] of readers(session)) {
		const api = new RegExp(`/api/v1${path}(?:\\?|$)`);
		let release;
		const held = new Promise((done) => {
			release = done;
		});
		await go(page, "#/settings/appearance");
		await page.route(api, async (route) => {
			await held;
			await route.abort();
		});
		await page.evaluate((h) => {
			location.hash = h;
		}, hash);
		await page.locator(".skeleton").first().waitFor();
		await axe(page, `on ${name} while it loads (C-342)`);
		release();
		await page.locator(".fault-panel").first().waitFor();
		ok((await page.locator(".fault-panel").first().textContent()).includes("cannot be reached"), `${name} says that the service cannot be reached (C-922)`);
		await axe(page, `on ${name} after a failure (C-342)`);
		await page.unroute(api);
		await page.getByRole("button", { name: "Try again" }).first().click();
		await until(async () => await page.locator(".fault-panel").count() === 0, `another try shows ${name} (C-922)`);
		await settled(page, hash);
	}
}

// What a page opens ends with the page: dialogs, menus, records beside a list; an element that was left over another page
// would do nothing, or harm.
async function leaving(page, session) {
	await page.setViewportSize({ width: 1280, height: 800 });
	for (const [name, hash, act] of places(session).filter(([, , a]) => a)) {
		await go(page, "#/settings/appearance");
		await go(page, hash);
		await act(page);
		const there = page.url();
		await page.goBack();
		await page.waitForURL((url) => url.href !== there);
		await settled(page);
		// A dialog is removed by its close event, which comes after the change of the address.
		await until(async () => await page.locator("dialog, details.menu[open], .drawer:not([hidden])").count() === 0, `Back leaves nothing of ${name} over the page before it`);
	}
}

// ---- the keyboard ----

async function keyboard(page) {
	await page.setViewportSize({ width: 1280, height: 800 });
	await go(page, "#/home");
	for (const [keys, hash] of [["gk", "#/keys"], ["gm", "#/members"], ["gu", "#/usage"], ["go", "#/home"]]) {
		await page.keyboard.type(keys);
		await settled(page, hash);
		ok(true, `the keys ${keys} open ${hash}`);
	}
	await page.keyboard.press("/");
	is(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "Search hosts", "the key / moves to the search box of home");
	await go(page, "#/usage");
	await page.keyboard.press("/");
	await settled(page, "#/search/hosts");
	await page.locator("[data-search]:focus").waitFor();
	await page.keyboard.type("port:22");
	is(await page.inputValue("[data-search]"), "port:22", "the key / on a page without a box leads to that of the search, whose box has the focus");
	await go(page, "#/keys");
	await page.keyboard.press("/");
	is(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "Filter keys", "the key / moves to the box that filters");
	await page.keyboard.type("gk?");
	is(await page.inputValue("[data-search]"), "gk?", "keys of one letter are text in a field (C-895)");
	await page.fill("[data-search]", "");
	await page.evaluate(() => document.activeElement.blur());
	await page.keyboard.press("j");
	is(await page.evaluate(() => document.activeElement.closest("tr") === document.querySelector("tbody tr")), true, "j moves to the first entry of a list");
	await page.keyboard.press("Enter");
	await page.locator(".fact-list").waitFor();
	ok(true, "Enter opens the entry");
	await page.reload();
	await settled(page);
	await page.evaluate(() => document.activeElement.blur());
	await page.keyboard.press("Tab");
	is(await page.evaluate(() => document.activeElement.className), "skip", "the first stop of Tab leads to the page");
	await page.keyboard.press("Enter");
	is(await focused(page), "H1", "the link that skips the header moves the focus to the heading");
	await page.locator("summary:has(.initial)").focus();
	await page.keyboard.press("Enter");
	await page.keyboard.press("Tab");
	is(await page.evaluate(() => document.activeElement.textContent), "Settings", "a menu opens by Enter, and Tab goes into it");
	await page.keyboard.press("Escape");
	is(await page.evaluate(() => [document.querySelectorAll("details[open]").length, document.activeElement.tagName].join()), "0,SUMMARY", "Escape closes a menu and gives the focus back");
	await page.evaluate(() => localStorage.setItem("keys", "off"));
	await go(page, "#/home");
	await page.keyboard.type("gk");
	is(new URL(page.url()).hash, "#/home", "a switch turns the keys of one letter off (C-895)");
	await page.evaluate(() => localStorage.removeItem("keys"));
}

// Each stop of Tab on a page, in order: it shows that it has the focus, and is not under the header.
async function stops(page, hash) {
	await page.setViewportSize({ width: 390, height: 500 });
	await go(page, hash);
	const bad = [];
	for (let i = 0; i < 60; i++) {
		await page.keyboard.press("Tab");
		const stop = await page.evaluate(() => {
			const n = document.activeElement;
			if (n === document.body)
				return null;
			const box = n.getBoundingClientRect(), header = document.querySelector(".shell-top").getBoundingClientRect();
			const under = !n.closest(".shell-top") && box.height > 0 && box.bottom <= header.bottom && header.bottom > 0;
			return { html: n.outerHTML.slice(0, 100), under, bare: getComputedStyle(n).outlineStyle === "none" };
		});
		if (!stop)
			break;
		if (stop.under || stop.bare)
			bad.push(`${stop.under ? "under the header" : "without an outline"}: ${stop.html}`);
	}
	is(bad.join("\n"), "", `each stop of Tab on ${hash} can be seen (C-343)`);
}

await main(async (chrome) => {
	const context = await visitor(chrome, { bypassCSP: true });
	const front = await tab(context);
	await front.locator("[name=email]").waitFor();
	await axe(front, "on the page that signs in (C-342)");
	await front.close();
	const page = await join(context, process.env.ANN, "Ann");
	await settled(page);
	const session = `#/sessions/${PROJECT}/${await recordedSession(page, { url: `https://example.com/${"x".repeat(300)}`, title: "<img src=x onerror=document.title=1> ".repeat(6) })}`;
	await everywhere(page, session, { scheme: "light", width: 1280 });
	await everywhere(page, session, { scheme: "dark", width: 320 });
	await states(page, session);
	await leaving(page, session);
	await keyboard(page);
	for (const hash of [session, "#/sessions", "#/keys", "#/keys/new", "#/usage", "#/audit", "#/settings/organisation"])
		await stops(page, hash);
});
