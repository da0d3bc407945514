// SPDX-License-Identifier: ISC
// Accessibility of the viewer: keyboard alone, axe, light and dark colours; the text of every kind of end.
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
	await until(async () => await text(page, "network-count") === "40",
		"the panel counts forty network events");
	await axe(page, `live, ${scheme}`);
	await page.locator("#network-rows button").nth(3).click();
	await axe(page, `with details, ${scheme}`);
	await page.click("#shoot");
	await page.click("#tab-shots");
	await page.locator("#shots-list button").first().waitFor();
	echo.say("expiring idle_timeout");
	await page.locator("#banner").waitFor();
	await axe(page, `with screenshots and a warning, ${scheme}`);
	await page.click("#tab-notices");
	echo.say("cert CERT_DATE_INVALID");
	await until(async () => (await text(page, "notices-list")).includes("Certificate"),
		"the notice of a certificate is shown");
	await axe(page, `with notices, ${scheme}`);
	echo.say("dialog prompt");
	await page.locator("#page-dialog[open]").waitFor();
	await axe(page, `with a dialog, ${scheme}`);
	await page.keyboard.press("Escape");
	echo.say("bye expired");
	await page.locator("#ended").waitFor();
	await axe(page, `at the end, ${scheme}`);
	is(await page.evaluate(() => getComputedStyle(document.body).colorScheme !== "" && matchMedia("(prefers-color-scheme: dark)").matches),
		scheme === "dark", `the colour scheme of the page is ${scheme}`);
	ok(await page.evaluate(() => {
		const [r] = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number);
		return matchMedia("(prefers-color-scheme: dark)").matches ? r < 60 : r > 200;
	}), "the background of the page follows the colour scheme");
	await page.context().close();
	await echo.stop();
}

async function byKeyboard(chrome) {
	const echo = await Echo.start();
	const page = await open(chrome);
	await live(page);
	is(await focus(page), "keys", "the picture of the page has the focus at first");
	await page.keyboard.press("Tab");
	is(await focus(page), "keys", "Tab does not leave the picture of the page");
	await page.keyboard.press("F6");
	is(await focus(page), "url", "F6 moves the focus to the toolbar");
	await page.keyboard.type("example.org");
	await page.keyboard.press("Enter");
	await echo.saw("nav https://example.org/", "an address typed into the toolbar is sent");
	is(await focus(page), "keys", "the picture has the focus after an address");
	await page.keyboard.press("Shift+F6");
	is(await focus(page), "tab-network", "Shift and F6 move the focus to the evidence");
	await page.keyboard.press("ArrowRight");
	is(await focus(page), "tab-shots", "an arrow key moves the focus among the tabs");
	is(await page.locator("#shots").isVisible(), true, "an arrow key selects the tab of screenshots");
	await page.keyboard.press("F6");
	is(await focus(page), "url", "F6 moves the focus from the evidence to the toolbar");
	await page.keyboard.press("F6");
	is(await focus(page), "keys", "F6 moves the focus from the toolbar to the picture");
	await page.keyboard.press("F6");
	await page.keyboard.press("Tab");
	is(await focus(page), "shoot", "Tab moves the focus within the toolbar");
	await page.keyboard.press("Enter");
	await echo.saw("shot", "Enter on the button requests a screenshot");
	const ring = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
	is(ring, "solid", "the focus is visible as a solid outline");
	await page.locator('#tabs [role="tab"]').first().focus();
	await page.keyboard.press("ArrowRight");
	await echo.saw("tab 2", "an arrow key selects the next tab of the session");
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
	is(titles.size, 7, "each of the seven refusals has its own title");
}

async function ends(chrome) {
	for (const [command, title, small] of ENDS) {
		const echo = await Echo.start();
		const page = await open(chrome);
		await live(page);
		echo.say(command);
		await page.locator("#ended").waitFor();
		is(await text(page, "ended-title"), title, `${command}: the card has the title ${title}`);
		ok((await text(page, "ended-code")).includes(small),
			"${command}: the card shows the code of the end", await text(page, "ended-code"));
		is(await focus(page), "ended-title", "${command}: the title of the card has the focus");
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
	is(await text(refused, "ended-title"), "The service did not answer",
		"a handshake that fails without a close code has its own title");
	await refused.click("#again");
	is(await focus(refused), "ticket", "the focus is on the field for a new ticket");
	await refused.fill("#ticket", "surfaced.stream.v1.good");
	await refused.keyboard.press("Enter");
	await live(refused);
	ok(true, "a new ticket opens the stream of the same session");
	const second = await open(chrome);
	await live(second);
	await refused.locator("#ended").waitFor();
	is(await text(refused, "ended-title"), "The stream moved elsewhere",
		"the card says that a newer stream took over");
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
