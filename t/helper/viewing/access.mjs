// SPDX-License-Identifier: ISC
// The viewer without a mouse, before axe, in the light and in the dark, and how it says that a stream ended.
import { readFileSync } from "node:fs";
import { LINK, BASE, SESSION, Echo, axePath, is, live, main, ok, open, until } from "./lib.mjs";

const focus = (page) => page.evaluate(() => document.activeElement.id);
const text = (page, id) => page.locator(`#${id}`).textContent();

async function axe(page, where) {
	// Not a script element: the content security policy of the page forbids it.
	await page.evaluate(readFileSync(axePath, "utf8"));
	const found = await page.evaluate(async () => {
		const result = await window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] });
		return result.violations.map((v) => `${v.id}: ${v.help}\n${v.nodes.map((n) => `  ${n.html} ${n.failureSummary}`).join("\n")}`);
	});
	is(found.join("\n"), "", `axe finds nothing ${where}`);
}

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
		const lost = command === "cut" ? [SESSION, "Not connected", "Connect with a new ticket"] : ["", "Ended", "Open another session"];
		const how = page.locator("#ended-how");
		is([await how.isVisible() ? (await text(page, "ended-command")).split(" ").pop() : "", await text(page, "link-words"), await text(page, "again")].join(),
			lost.join(), "and what can be done");
		await page.context().close();
		await echo.stop();
	}
}

async function refusedAndDisplaced(chrome) {
	const echo = await Echo.start();
	const refused = await open(chrome, {}, LINK.replace("good", "refused"));
	await refused.locator("#ended").waitFor();
	is(await text(refused, "ended-title"), "The stream was refused", "a ticket that is refused");
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
	await refusedAndDisplaced(chrome);
});
