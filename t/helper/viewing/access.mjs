// SPDX-License-Identifier: ISC
// The viewer without a mouse, before axe, in the light and in the dark, and how it says that a stream ended.
import { readFileSync } from "node:fs";
import { LINK, BASE, PROJECT, SESSION, Echo, axe, is, live, main, ok, open, until } from "./lib.mjs";

const focus = (page) => page.evaluate(() => document.activeElement.id);
const text = (page, id) => page.locator(`#${id}`).textContent();

async function everyPage(chrome, scheme) {
	const echo = await Echo.start();
	const options = { colorScheme: scheme, bypassCSP: true, reducedMotion: "reduce" };
	const first = await open(chrome, options, `${BASE}/viewer/`);
	await axe(first, `on the first page, ${scheme}`);
	await first.click("#connect-form button");
	await axe(first, `beside the faults of the form, ${scheme}`);
	await first.context().close();
	const page = await open(chrome, options);
	await live(page);
	echo.say("net 40");
	await until(async () => await text(page, "network-count") === "40", "events are there");
	await axe(page, `live, ${scheme}`);
	await page.locator("#network-rows button").nth(3).click();
	await axe(page, `with details, ${scheme}`);
	await page.click("#shoot");
	await page.click("#tab-shots");
	await page.locator("#shots-list img").first().waitFor();
	echo.say("expiring idle_timeout");
	await page.locator("#banner").waitFor();
	await axe(page, `with screenshots and a warning, ${scheme}`);
	await page.click("#tab-notices");
	echo.say("cert CERT_DATE_INVALID");
	await until(async () => (await text(page, "notices-list")).includes("Certificate"), "a notice is there");
	await axe(page, `with notices, ${scheme}`);
	echo.say("dialog prompt");
	await page.locator("#page-dialog[open]").waitFor();
	await axe(page, `with a dialog, ${scheme}`);
	await page.keyboard.press("Escape");
	echo.say("bye expired");
	await page.locator("#ended").waitFor();
	await axe(page, `at the end, ${scheme}`);
	is(await page.evaluate(() => getComputedStyle(document.body).colorScheme !== "" && matchMedia("(prefers-color-scheme: dark)").matches),
		scheme === "dark", `the page is ${scheme}`);
	ok(await page.evaluate(() => {
		const [r] = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number);
		return matchMedia("(prefers-color-scheme: dark)").matches ? r < 60 : r > 200;
	}), "and so is its ground");
	await page.context().close();
	await echo.stop();
}

async function byKeyboard(chrome) {
	const echo = await Echo.start();
	const page = await open(chrome);
	await live(page);
	is(await focus(page), "keys", "the page has the keyboard when it is there");
	await page.keyboard.press("Tab");
	is(await focus(page), "keys", "Tab is the page's own");
	await page.keyboard.press("F6");
	is(await focus(page), "url", "F6 leaves it for the toolbar");
	await page.keyboard.type("example.org");
	await page.keyboard.press("Enter");
	await echo.saw("nav https://example.org/", "an address is typed");
	is(await focus(page), "keys", "and the page has the keyboard again");
	await page.keyboard.press("Shift+F6");
	is(await focus(page), "tab-network", "Shift and F6 leave it for the evidence");
	await page.keyboard.press("ArrowRight");
	is(await focus(page), "tab-shots", "an arrow moves among the tabs");
	is(await page.locator("#shots").isVisible(), true, "and chooses");
	await page.keyboard.press("F6");
	is(await focus(page), "url", "F6 goes on to the toolbar");
	await page.keyboard.press("F6");
	is(await focus(page), "keys", "and to the page");
	await page.keyboard.press("F6");
	await page.keyboard.press("Tab");
	is(await focus(page), "shoot", "the toolbar is walked by Tab");
	await page.keyboard.press("Enter");
	await echo.saw("shot", "a screenshot is taken");
	const ring = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
	is(ring, "solid", "the focus is seen");
	await page.locator('#tabs [role="tab"]').first().focus();
	await page.keyboard.press("ArrowRight");
	await echo.saw("tab 2", "the session's tabs by arrows");
	await page.context().close();
	await echo.stop();
}

const ENDS = [
	["bye expired", "The session's time is over", "expired"],
	["bye idle_timeout", "The session was idle too long", "idle_timeout"],
	["bye closed_by_creator", "The session was closed", "closed_by_creator"],
	["bye closed_by_manager", "The session was closed", "closed_by_manager"],
	["bye access_revoked", "Access was withdrawn", "access_revoked"],
	["bye failed", "The session failed", "failed"],
	["cut", "The connection was lost", "1006"],
];

const EVIDENCE = ["screenshots", "network-events", "network-events.har"].map((name) =>
	`GET /api/v1/projects/${PROJECT}/sessions/${SESSION}/${name}`);

// Every reason of a refusal has words of its own (src/tbl/stream_refusals.h).
async function refusals(chrome) {
	const table = readFileSync("src/tbl/stream_refusals.h", "utf8");
	const codes = [...table.matchAll(/^STREAM_REFUSAL\(\w+,\s*(\d+),/gm)].map((m) => m[1]);
	const titles = new Set();
	for (const code of codes) {
		const page = await open(chrome, {}, LINK.replace("good", `close${code}`));
		await page.locator("#ended").waitFor();
		const title = await text(page, "ended-title");
		ok(!titles.has(title) && title !== "The stream ended" && title !== "The connection was lost", `close code ${code} has a title of its own: ${title}`);
		titles.add(title);
		is(await page.locator("#ended-evidence").isVisible(), code === "4006", `close code ${code}: the evidence is named only where there is a session to read`);
		is(page.faults.join("\n"), "", `close code ${code} causes no error in the page`);
		await page.context().close();
	}
	is(titles.size, 7, "seven reasons of a refusal are told apart");
}

async function ends(chrome) {
	for (const [command, title, small] of ENDS) {
		const echo = await Echo.start();
		const page = await open(chrome);
		await live(page);
		echo.say(command);
		await page.locator("#ended").waitFor();
		is(await text(page, "ended-title"), title, `${command}: ${title}`);
		ok((await text(page, "ended-code")).includes(small), "with its code", await text(page, "ended-code"));
		is(await focus(page), "ended-title", "and it has the focus");
		const lost = command === "cut" ? [true, "Not connected", "Connect with a new ticket"] : [false, "Ended", "Open another session"];
		is([await page.locator("#ended-how").isVisible(), await text(page, "link-words"), await text(page, "again")].join(), lost.join(),
			`${command}: the card shows what can be done`);
		is((await page.locator("#ended-paths code").allTextContents()).join(" "), EVIDENCE.join(" "), `${command}: the card names the evidence by its API paths`);
		ok(!(await text(page, "ended")).includes("surfacectl"), `${command}: the card names no program that analysts do not have`);
		await page.context().close();
		await echo.stop();
	}
}

async function refusedAndDisplaced(chrome) {
	const echo = await Echo.start();
	const refused = await open(chrome, {}, LINK.replace("good", "refused"));
	await refused.locator("#ended").waitFor();
	is(await text(refused, "ended-title"), "The service did not answer", "a handshake that fails without a close code has words of its own");
	await refused.click("#again");
	is(await focus(refused), "ticket", "a new one can be pasted");
	await refused.fill("#ticket", "surfaced.stream.v1.good");
	await refused.keyboard.press("Enter");
	await live(refused);
	ok(true, "for the same session");
	const second = await open(chrome);
	await live(second);
	await refused.locator("#ended").waitFor();
	is(await text(refused, "ended-title"), "The stream moved elsewhere", "a newer stream takes over");
	await refused.context().close();
	await second.context().close();
	await echo.stop();
}

await main(async (chrome) => {
	await everyPage(chrome, "light");
	await everyPage(chrome, "dark");
	await byKeyboard(chrome);
	await ends(chrome);
	await refusals(chrome);
	await refusedAndDisplaced(chrome);
});
