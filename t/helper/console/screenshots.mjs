// SPDX-License-Identifier: ISC
// Pictures of every page of the console, with a contact sheet.
import { writeFileSync } from "node:fs";
import { browser } from "../viewing/lib.mjs";
import { go, join, tab, visitor } from "./lib.mjs";
import { leaveDialogs, PLACES, READERS } from "./places.mjs";

const { ANN, EMPTY, SCREENSHOTS } = process.env;
const WIDTHS = [320, 390, 1280, 1920];
const taken = []; // [state, name, width, scheme, file]

async function shot(page, state, name, width, scheme) {
	const file = `${name}-${state}-${width}-${scheme}.png`;
	await page.screenshot({ path: `${SCREENSHOTS}/${file}`, fullPage: await page.locator("dialog[open]").count() === 0 });
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

async function full(page) {
	for (const [name, hash, act] of PLACES)
		await looks(page, async (width, scheme) => {
			await go(page, "#/settings/appearance");
			await go(page, hash);
			await act?.(page);
			await shot(page, "full", name, width, scheme);
			await leaveDialogs(page);
		});
}

async function waiting(page) {
	await page.setViewportSize({ width: 1280, height: 900 });
	await page.emulateMedia({ colorScheme: "light" });
	for (const [name, hash, path] of READERS) {
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
await full(page);
await waiting(page);
const eve = await join(await visitor(chrome), EMPTY, "Eve");
for (const [name, hash] of PLACES.filter(([, , act]) => !act)) {
	await go(eve, hash);
	await shot(eve, "empty", name, 1280, "light");
}
writeFileSync(`${SCREENSHOTS}/index.html`, sheet());
await chrome.close();
