// SPDX-License-Identifier: ISC
// Pictures of every page of the console, with a contact sheet.
import { writeFileSync } from "node:fs";
import { browser } from "../viewing/lib.mjs";
import { go, join, PROJECT, recordedSession, tab, visitor } from "./lib.mjs";
import { leaveDialogs, parts, places, readers, searchPlaces } from "./places.mjs";

const { ANN, EMPTY, NEW, INVITED, HOST, SCREENSHOTS } = process.env;
const ONLY = process.env.ONLY?.split(","); // names of pages; all without it
const WIDTHS = [320, 390, 1280, 1920];
const TALLEST = 2000; // pixels of a picture
const taken = []; // [state, name, width, scheme, file]

const wanted = ([name]) => !ONLY || ONLY.includes(name);

async function shot(page, state, name, width, scheme) {
	const file = `${name}-${state}-${width}-${scheme}.png`;
	const fullPage = await page.locator("dialog[open]").count() === 0;
	await page.mouse.move(0, 899); // nothing shows that it is hovered
	const height = await page.evaluate(() => document.documentElement.scrollHeight);
	await page.screenshot({ path: `${SCREENSHOTS}/${file}`, fullPage, clip: fullPage && height > TALLEST ? { x: 0, y: 0, width, height: TALLEST } : undefined });
	taken.push([state, name, width, scheme, file]);
}

async function looks(page, act) {
	for (const scheme of ["light", "dark"])
		for (const width of scheme === "light" ? WIDTHS : [320, 1280]) {
			await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
			await page.setViewportSize({ width, height: 900 });
			await act(width, scheme);
		}
}

async function full(page, session) {
	for (const [name, hash, act] of [...places(session), ...parts, ...searchPlaces(HOST)].filter(wanted))
		await looks(page, async (width, scheme) => {
			await go(page, "#/settings/appearance");
			await go(page, hash);
			await act?.(page);
			await shot(page, "full", name, width, scheme);
			await leaveDialogs(page);
		});
}

// The search, and a record: the others are read in the same way.
const searchReaders = [
	["search", "#/search/hosts", "/search/hosts"],
	["host", `#/hosts/${HOST}`, `/search/hosts/${HOST}`],
];

// The picture that the package shows.
async function shown(page) {
	await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
	await page.setViewportSize({ width: 1280, height: 560 });
	await go(page, `#/search/hosts?q=${encodeURIComponent("services.port:443 AND country_code:DE")}`);
	await page.locator("section.facet").nth(7).waitFor();
	await page.evaluate(() => document.activeElement.blur());
	await page.screenshot({ path: `${SCREENSHOTS}/console.png` });
}

async function waiting(page, session) {
	await page.setViewportSize({ width: 1280, height: 900 });
	await page.emulateMedia({ colorScheme: "light" });
	for (const [name, hash, path] of [...readers(session), ...searchReaders].filter(wanted)) {
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
		await shot(page, "loading", name, 1280, "light");
		release();
		await page.locator(".fault-panel").first().waitFor();
		await shot(page, "failed", name, 1280, "light");
		await page.unroute(api);
	}
}

function sheet() {
	const names = [...new Set(taken.map(([, name]) => name))];
	const figures = (name) => taken.filter(([, n]) => n === name).map(([state, , width, scheme, file]) =>
		`<figure><a href="${file}"><img src="${file}" alt="" loading="lazy"></a><figcaption>${state}, ${width} px, ${scheme}</figcaption></figure>`).join("\n");
	return `<!DOCTYPE html><meta charset="utf-8"><title>The console</title><style>body{font:14px system-ui;margin:24px;background:#ddd}
section{display:flex;flex-wrap:wrap;gap:16px;align-items:start}figure{margin:0}img{height:340px;max-width:600px;object-fit:cover;object-position:top left;border:1px solid #999;background:#fff}</style>
${names.map((name) => `<h2>${name}</h2><section>${figures(name)}</section>`).join("\n")}`;
}

const chrome = await browser();
const front = await tab(await visitor(chrome));
await front.locator("[name=email]").waitFor();
await looks(front, (width, scheme) => shot(front, "full", "sign-in", width, scheme));
const page = await join(await visitor(chrome), ANN, "Ann Example");
const session = `#/sessions/${PROJECT}/${await recordedSession(page)}`;
await recordedSession(page, { url: "https://login.example.net/", over: false });
if (wanted(["console"]))
	await shown(page);
await full(page, session);
await waiting(page, session);
for (const [state, link, name] of [["empty", EMPTY, "Eve"], ["new", NEW, "Nora"]]) {
	const other = await join(await visitor(chrome), link, name);
	for (const [place, hash] of [...places(""), ...parts].filter(([, h, act]) => h && !act).filter(wanted)) {
		await go(other, hash);
		await shot(other, state, place, 1280, "light");
	}
}
// The pages before somebody is signed in.
const invited = await tab(await visitor(chrome), INVITED.slice(INVITED.indexOf("#")));
await invited.locator("[name=password]").waitFor();
await looks(invited, (width, scheme) => shot(invited, "full", "link", width, scheme));
const denied = await tab(await visitor(chrome), `#/link/${"A".repeat(43)}`);
await denied.locator("h1").waitFor();
await looks(denied, (width, scheme) => shot(denied, "failed", "link", width, scheme));
writeFileSync(`${SCREENSHOTS}/index.html`, sheet());
await chrome.close();
