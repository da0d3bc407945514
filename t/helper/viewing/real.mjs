// SPDX-License-Identifier: ISC
// The viewer with a real session: nginx, surfaced-stream, a runner, Chromium, and a site that logs its requests.
import { execSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { browser, is, ok, open, plan, until } from "./lib.mjs";

const text = (page, id) => page.locator(`#${id}`).textContent();
const seen = () => readFileSync(`${process.env.BROWSER_WORLD}/access.log`, "utf8");

async function at(page, x, y) {
	const box = await page.locator("#screen").boundingBox();
	return [box.x + (x / 1280) * box.width, box.y + (y / 720) * box.height];
}

// The colour of a point of the picture, roughly: JPEG is not exact.
function colour(page, x, y) {
	return page.evaluate(([px, py]) => {
		const d = document.getElementById("screen").getContext("2d").getImageData(px, py, 1, 1).data;
		return [...d].slice(0, 3).map((c) => Math.round(c / 64)).join(",");
	}, [x, y]);
}

async function past(page) {
	await until(async () => (await text(page, "network-rows")).includes("GET"),
		"the panel has the network events from before the link was opened");
	await until(async () => (await text(page, "shots-list")).includes("When the session began"),
		"the panel has the screenshot from before the link was opened");
}

// The error page of Chromium is white; the reasons come from Chromium and from the egress of the session.
async function failures(page) {
	for (const [url, words] of [["http://none.surfaced-check.org/", "none.surfaced-check.org has no address"],
		["http://site.surfaced-check.net:81/", "refused the connection"],
		["https://site.surfaced-check.net/", "The certificate of site.surfaced-check.net is not trusted"]]) {
		await page.fill("#url", url);
		await page.keyboard.press("Enter");
		await until(async () => await page.locator("#failure").isVisible() && (await text(page, "failure-title")).includes(words),
			`the failure of ${url} is shown as a card: ${words}`);
		console.log(`# ${await text(page, "failure-title")} / ${await text(page, "failure-code")}`);
	}
	if (process.env.SHOW)
		await page.screenshot({ path: `${process.env.SHOW}/real-failure.png` });
	await page.click("#failure-plain");
	await until(async () => await page.inputValue("#url") === "http://site.surfaced-check.net/", "the card opens the page without TLS");
	await until(async () => !(await page.locator("#failure").isVisible()),
		"the card disappears when the page has loaded");
}

async function form(page) {
	await until(async () => await page.inputValue("#url") === "http://site.surfaced-check.net/",
		"the toolbar shows the address of the session's page");
	await until(async () => await colour(page, 1200, 600) === "0,2,1",
		"the picture shows the page of the site");
	await page.mouse.click(...await at(page, 300, 130));
	await page.keyboard.type("Grüße & more");
	await page.keyboard.press("Enter");
	await until(() => seen().includes("/took?word=Gr%C3%BC%C3%9Fe+%26+more"),
		"the site receives the text typed into its form");
	await until(async () => (await page.inputValue("#url")).startsWith("http://site.surfaced-check.net/took?"),
		"the toolbar shows the address after the form");
	await until(async () => await page.title() === "Took – Session viewer",
		"the window has the title of the new page");
	await until(async () => await colour(page, 1200, 30) === "2,0,3",
		"the picture shows the page after the form");
	await until(async () => (await text(page, "network-rows")).includes("/took?word="),
		"the panel has the network event of the form");
}

async function scrolling(page) {
	await page.mouse.move(...await at(page, 640, 400));
	await page.mouse.wheel(0, 1500);
	await until(async () => await colour(page, 1200, 30) === "0,0,3",
		"the wheel scrolls the page down");
	await page.mouse.wheel(0, -3000);
	await until(async () => await colour(page, 1200, 30) === "2,0,3",
		"the wheel scrolls the page up again");
}

async function dialog(page) {
	await page.mouse.click(...await at(page, 200, 230));
	await page.locator("#page-dialog[open]").waitFor();
	is(await text(page, "dialog-words"), "Your name?", "a dialog of the page is shown");
	await page.fill("#dialog-text", "Ada");
	await page.keyboard.press("Enter");
	await until(() => seen().includes("/echo?answer=Ada"), "the page gets the answer to its dialog");
	await until(async () => await page.title() === "Ada – Session viewer",
		"the window has the title that a script sets");
}

async function tabs(page) {
	await page.mouse.click(...await at(page, 200, 330));
	await until(async () => await page.locator("#tabs [role=tab]").count() === 2,
		"a link of the page opens a second tab");
	await until(async () => await page.inputValue("#url") === "http://other.surfaced-check.net/",
		"the toolbar shows the address of the new tab");
	await page.getByRole("tab", { name: "Ada" }).click();
	await until(async () => (await page.inputValue("#url")).includes("/took?"),
		"a click on the first tab selects it again");
	await until(async () => await colour(page, 1200, 30) === "2,0,3",
		"the picture shows the first tab again");
}

async function toolbar(page) {
	await page.click("#back");
	await until(async () => await page.inputValue("#url") === "http://site.surfaced-check.net/",
		"the button back returns to the first page");
	await page.click("#forward");
	await until(async () => (await page.inputValue("#url")).includes("/took?"),
		"the button forward returns to the second page");
	await page.fill("#url", "http://other.surfaced-check.net/x");
	await page.keyboard.press("Enter");
	await until(() => seen().includes('/x"'), "an address typed into the toolbar is loaded");
	await until(async () => await colour(page, 1200, 30) === "4,4,4",
		"the picture shows the page at the typed address");
	await page.fill("#url", "http://10.1.2.3/");
	await page.keyboard.press("Enter");
	await until(async () => (await text(page, "notices-list")).includes("Not done"),
		"an address that is not public is refused with a notice (C-095)");
	await until(async () => await page.inputValue("#url") === "http://other.surfaced-check.net/x",
		"the toolbar shows the address of the unchanged page");
	await page.click("#shoot");
	await until(async () => (await text(page, "shots-list")).includes("On request"),
		"the button adds a screenshot to the list");
}

// A link is valid for thirty seconds; a slow machine that does not use it in time gets another one.
async function watch(chrome) {
	for (let left = 9; ; left--) {
		const page = await open(chrome, {}, execSync(process.env.WATCH, { encoding: "utf8" }).trim());
		await page.waitForFunction(() => document.body.dataset.view === "ended" ||
			document.body.dataset.view === "live" && document.getElementById("wait").hidden);
		if (left === 0 || await page.evaluate(() => document.body.dataset.view === "live"))
			return page;
		await page.context().close();
	}
}

const chrome = await browser();
try {
	const page = await watch(chrome);
	ok(/^(2\d|30):\d\d$/.test(await text(page, "clock-left")),
		"the time left of the session is shown", await text(page, "clock-left"));
	for (const part of [past, form, scrolling, dialog, tabs, toolbar, failures])
		await part(page);
	// colour() reads the canvas, the viewer never does.
	is(page.faults.filter((f) => !f.includes("getImageData")).join("\n"), "",
		"the viewer has no error in the browser");
	const shot = process.env.SHOW; // a folder for pictures
	if (shot)
		await page.screenshot({ path: `${shot}/real.png` });
	console.log("# close");
	await page.locator("#ended").waitFor();
	is(await text(page, "ended-title"), "The session was closed",
		"the card says that the session was closed");
	ok((await text(page, "ended-code")).includes("closed_by_creator, close code 1000"),
		"the card shows reason and close code", await text(page, "ended-code"));
} catch (e) {
	ok(false, "the script came to its end", e.stack);
} finally {
	await chrome.close();
	plan();
}
