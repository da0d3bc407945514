// SPDX-License-Identifier: ISC
// The layout of every page: at a zoom of 200 % nothing is lost and nothing scrolls sideways (C-343), and while a page is read
// nothing that is shown jumps.
import { CONSOLE, go, is, join, main, ok, PROJECT, recordedSession, settled, visitor } from "./lib.mjs";
import { leaveDialogs, places, searchPlaces } from "./places.mjs";

const { ANN, HOST } = process.env;
const JUMPS = 0.1; // the sum of layout shifts that web.dev calls good

// All texts that can be seen, also those of the heads that a narrow table shows beside its values; numbers may change meanwhile.
const texts = (page) => page.evaluate(() => {
	const plain = (t) => t.replace(/\d[\d.,]*/g, "0").replace(/\s+/g, " ").trim();
	const roots = [document.querySelector("dialog[open]") ?? document.querySelector("main")];
	const found = new Set();
	for (const root of roots) {
		for (const n of root.querySelectorAll("[data-head], [data-name]"))
			if (n.checkVisibility())
				found.add(plain(n.dataset.head ?? n.dataset.name));
		const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
		while (walker.nextNode()) {
			const { parentElement: of, data } = walker.currentNode;
			if (data.trim() && of.checkVisibility({ visibilityProperty: true }))
				found.add(plain(data));
		}
		for (const n of root.querySelectorAll("input, select, textarea, button, a"))
			if (n.checkVisibility() && n.getAttribute("aria-label"))
				found.add(plain(n.getAttribute("aria-label")));
	}
	return [...found];
});

// What stands beside the window and cannot be scrolled to, or is cut by a box that does not scroll.
const lost = (page) => page.evaluate(() => {
	const bad = [];
	if (document.documentElement.scrollWidth > innerWidth)
		bad.push("the page scrolls sideways");
	const dialog = document.querySelector("dialog[open]");
	if (dialog && (dialog.getBoundingClientRect().bottom > innerHeight + 1 || dialog.getBoundingClientRect().top < -1) && dialog.scrollHeight <= dialog.clientHeight)
		bad.push("the dialog is higher than the window");
	for (const n of (dialog ?? document.querySelector("main")).querySelectorAll("button, a, input, select, textarea, th, td, h2, dd")) {
		const box = n.getBoundingClientRect();
		if (!n.checkVisibility({ visibilityProperty: true }) || n.closest(".hidden") || !box.width)
			continue;
		for (let p = n.parentElement; p && p !== document.body; p = p.parentElement) {
			const style = getComputedStyle(p), around = p.getBoundingClientRect();
			if (/auto|scroll/.test(style.overflowX + style.overflowY))
				break;
			if (/hidden|clip/.test(style.overflowX) && (box.left >= around.right || box.right <= around.left))
				bad.push(`cut: ${n.outerHTML.slice(0, 100)}`);
		}
	}
	return bad.join("\n");
});

const linksOfHeader = (page) => page.evaluate(() => [...new Set([...document.querySelectorAll(".shell-top nav a:not([hidden])")].map((a) => a.textContent))].sort().join());

async function zoom(page, all) {
	for (const [name, hash, act] of all) {
		await page.setViewportSize({ width: 1280, height: 720 });
		await go(page, "#/settings/appearance");
		await go(page, hash);
		await act?.(page);
		await settled(page);
		const whole = await texts(page);
		await page.setViewportSize({ width: 640, height: 360 });
		await page.evaluate(() => new Promise((done) => {
			requestAnimationFrame(() => requestAnimationFrame(done));
		}));
		const still = new Set(await texts(page));
		is(whole.filter((t) => !still.has(t)).join(" | "), "", `${name} shows at 200 % what it shows at 100 % (C-343)`);
		is(await lost(page), "", `nothing of ${name} is cut or beside the window at 200 % (C-343)`);
		await leaveDialogs(page);
	}
	await page.setViewportSize({ width: 1280, height: 720 });
	const wide = await linksOfHeader(page);
	await page.setViewportSize({ width: 640, height: 360 });
	await page.locator(".pages-nav details summary").click();
	is(await linksOfHeader(page), wide, "the menu of pages has at 200 % the links of the row (C-343)");
	const box = await page.locator(".pages-nav .menu-items").evaluate((n) => [n.getBoundingClientRect().bottom, n.scrollHeight > n.clientHeight]);
	ok(box[0] <= 360 || box[1], "the menu of pages ends within the window at 200 %, or scrolls (C-343)", String(box));
}

async function jumps(context, all) {
	const page = await context.newPage();
	await page.addInitScript(() => {
		globalThis.jumped = [];
		new PerformanceObserver((list) => {
			for (const e of list.getEntries())
				if (!e.hadRecentInput)
					globalThis.jumped.push([e.value, e.sources.map((s) => `${s.node?.nodeName}.${s.node?.className?.baseVal ?? s.node?.className ?? ""}`).join(" ")]);
		}).observe({ type: "layout-shift", buffered: true });
	});
	for (const width of [1280, 1920]) {
		await page.setViewportSize({ width, height: 1080 });
		for (const [name, hash] of all) {
			await page.goto("about:blank");
			await page.goto(`${CONSOLE}${hash}`);
			await settled(page);
			await page.evaluate(() => new Promise((done) => {
				requestAnimationFrame(() => requestAnimationFrame(done));
			}));
			const seen = await page.evaluate(() => globalThis.jumped);
			const sum = seen.reduce((n, [value]) => n + value, 0);
			ok(sum <= JUMPS, `${name} does not jump while it is read, ${width} px wide`, `${sum.toFixed(3)}: ${seen.map(([v, who]) => `${v.toFixed(3)} ${who}`).join("\n")}`);
		}
	}
	await page.close();
}

await main(async (chrome) => {
	const context = await visitor(chrome, { deviceScaleFactor: 2 });
	const page = await join(context, ANN, "Ann");
	await settled(page);
	const session = `#/sessions/${PROJECT}/${await recordedSession(page)}`;
	const all = [...places(session), ...searchPlaces(HOST)];
	await zoom(page, all);
	await jumps(context, all.filter(([, , act]) => !act));
});
