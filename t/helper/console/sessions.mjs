// SPDX-License-Identifier: ISC
// Browser sessions in the console: started, watched, closed, and their evidence, by a person without a key.
import { readFileSync } from "node:fs";
import { allFaults, call, CONSOLE, go, is, join, main, ok, PROJECT, settled, until, visitor } from "./lib.mjs";

const button = (page, name) => page.getByRole("button", { name, exact: true });
const heading = (page) => page.locator("main h1").innerText();

async function start(page) {
	await go(page, `#/sessions?url=${encodeURIComponent("http://site.surfaced-check.net/from-a-record")}`);
	is(await page.inputValue("[name=start_url]"), "http://site.surfaced-check.net/from-a-record", "a link of a record fills in the address and starts nothing (C-918)");
	await go(page, "#/sessions");
	ok((await page.locator(".empty").innerText()).includes("No sessions yet"), "a project without sessions says what one is");
	await page.fill("[name=start_url]", "ftp://site.surfaced-check.net/");
	await button(page, "Start").click();
	await page.locator(".field .fault:not(:empty)").waitFor();
	ok(true, "an address that is none is refused at its field");
	await page.fill("[name=start_url]", "http://site.surfaced-check.net/");
	await page.selectOption("[name=browser_profile]", "macos");
	await page.selectOption("select[name=viewport]", "1024 768");
	await page.keyboard.press("Tab");
	await button(page, "Start").focus();
	await page.keyboard.press("Enter");
	await page.waitForFunction(() => /^#\/sessions\/[^/]+\/[^/]+$/.test(location.hash));
	await page.locator("main .facts").waitFor();
	is(await heading(page), "http://site.surfaced-check.net/", "a session that was started is opened");
	const words = await page.locator("main .facts").first().innerText();
	ok(words.includes("macOS") && words.includes("1024 × 768"), "the session has the device and the window that were chosen", words);
	await page.getByRole("link", { name: "Watch" }).waitFor();
	ok(true, "the page says by itself that the session runs (C-353)");
	return (await page.evaluate(() => location.hash)).split("/").at(-1);
}

async function watch(page) {
	const [live] = await Promise.all([page.context().waitForEvent("page"), page.getByRole("link", { name: "Watch" }).click()]);
	await until(async () => (await live.locator("#link-words").innerText()) === "Live" && await live.locator("#wait").isHidden(), "the live view opens without a ticket being pasted (C-353)");
	is(await live.evaluate(() => window.opener), null, "the live view has no hold on the console");
	ok(!/eyJ|surfaced\.stream/.test(live.url()), "no ticket is in the address of the live view", live.url());
	is(await live.evaluate(() => document.getElementById("screen").width / document.getElementById("screen").height), 1024 / 768, "the live view shows the window that was chosen");
	await live.click("#tab-shots");
	const pictures = live.locator("#shots-list img");
	await until(async () => await pictures.count() > 0 && await pictures.evaluateAll((all) => all.every((n) => n.complete && n.naturalWidth === 1024)), "the live view shows the stored pictures, also of what was before it was opened");
	ok((await pictures.first().getAttribute("src")).includes("/screenshots/"), "a picture of the live view is that of the evidence");
	await live.reload();
	await until(async () => (await live.locator("#link-words").innerText()) === "Live", "the live view can be loaded again: it takes another ticket");
	return live;
}

// The page of a session that runs shows what comes, and leaves alone what its reader does.
async function follow(page, live) {
	const filter = page.getByPlaceholder("host, path, status"), rows = page.locator(".requests tbody tr").filter({ hasText: "clicked" });
	await filter.fill("clicked");
	is(await rows.count(), 0, "the session has not asked for anything that a click brings");
	await live.locator("#screen").click({ force: true, position: { x: 300, y: 300 } });
	await until(async () => await rows.count() === 1, "the page of a session that runs shows a new request by itself (C-353)");
	is(`${await filter.inputValue()} ${await filter.evaluate((n) => n === document.activeElement)}`, "clicked true", "a filter of the requests and the focus in it stay while the evidence is read again");
	await filter.fill("");
}

async function close(page, live) {
	await button(page, "Close the session").click();
	await page.locator("dialog .main").click();
	await until(async () => (await live.locator("#ended-title").innerText()) === "The session was closed", "the live view says that the session was closed");
	is(await live.locator("#again").isVisible(), false, "the live view of an ended session offers no new connection");
	ok((await live.locator("#ended-console").getAttribute("href")).startsWith("/console/#/sessions/"), "the end of the live view leads to the evidence in the console");
	await live.close();
	await page.getByText("closed by the person who started it").first().waitFor();
	ok(true, "the page says by itself that the session is over (C-353)");
}

// The evidence, with a title and an address that would be markup (C-346).
async function evidence(page, uuid) {
	await settled(page);
	const shots = page.locator(".film button");
	await shots.first().waitFor();
	ok(await page.locator(".shot > img").evaluate((n) => n.decode().then(() => n.naturalWidth > 0)), "a screenshot of the evidence is shown, by the cookie (C-353)");
	await shots.last().focus();
	await page.keyboard.press("Home");
	is(await shots.first().getAttribute("aria-current"), "true", "keys choose a screenshot");
	ok((await page.locator(".shot figcaption").innerText()).includes("<img src=x onerror=alert(1)> ⟨U+202E⟩evil"), "the title of a page is text, with what turns the direction around (C-346)", await page.locator(".shot figcaption").innerText());
	const rows = page.locator(".requests tbody tr");
	ok((await rows.filter({ hasText: "/late?q=%3Cscript%3E" }).count()) === 1, "the requests of the page are listed (C-353)");
	const axis = await page.evaluate(() => [...document.querySelectorAll(".requests .time-line")].map((n) => n.getBoundingClientRect()).map((b) => `${Math.round(b.left)} ${Math.round(b.width)}`));
	is(new Set(axis).size, 1, "screenshots and requests stand on one axis (C-353)");
	await page.getByLabel("Failed only").check();
	await until(async () => (await rows.allInnerTexts()).slice(1).every((t) => /404|failed/.test(t)), "a filter leaves the requests that failed");
	const [file] = await Promise.all([page.waitForEvent("download"), button(page, "Download HAR").click()]);
	const har = JSON.parse(readFileSync(await file.path(), "utf8"));
	ok(file.suggestedFilename() === `session-${uuid}.har` && har.log.version === "1.2" && har.log.entries.some((e) => e.request.url.includes("/late")), "the HAR file is downloaded (C-353)");
	const [play] = await Promise.all([page.context().waitForEvent("page"), page.getByRole("link", { name: "Play back" }).click()]);
	await until(async () => (await play.locator("#link-words").innerText()).startsWith("Recorded"), "playback opens without a ticket being pasted (C-353)");
	await until(async () => await play.locator("#picture").isVisible() && await play.locator("#wait").isHidden(), "playback opens on a picture");
	await play.keyboard.press("End");
	await until(async () => (await play.locator("#picture").getAttribute("data-uuid")) !== "" && await play.locator("#picture").isVisible(), "playback shows the last picture of the session (C-353)");
	ok(!play.url().includes("eyJ"), "no ticket is in the address of playback (C-220)", play.url());
	await play.close();
}

// Who may see that a session exists, and who sees what it saw (C-101, C-332).
async function others(page, bob, uuid) {
	await go(bob, "#/sessions");
	ok((await bob.locator(".empty").innerText()).includes("No sessions yet"), "a member sees no sessions of others");
	await go(bob, `#/sessions/${PROJECT}/${uuid}`);
	ok((await bob.locator(".empty").innerText()).includes("No such session"), "the page of another's session is as if it did not exist (C-101)");
	const { session } = await call(bob, "POST", `/projects/${PROJECT}/sessions`, { start_url: "http://site.surfaced-check.net/" });
	await go(page, "#/sessions");
	const row = page.locator("tbody tr").filter({ hasText: "another: its evidence is private" });
	await row.waitFor();
	is(await row.getByRole("link", { name: "Watch" }).count(), 0, "an owner cannot watch the session of a member (C-101)");
	await until(async () => /running/.test(await row.innerText()), "the list follows the states of sessions by itself");
	await row.locator(".row-open").click();
	await page.getByText("Its evidence is private").waitFor();
	ok(true, "an owner reads no evidence of a member's session (C-101)");
	await button(page, "Close the session").click();
	await page.locator("dialog .main").click();
	await page.getByText("closed by a manager").first().waitFor();
	is((await call(bob, "GET", `/projects/${PROJECT}/sessions/${session.uuid}`)).session.terminal_reason, "closed_by_manager", "an owner closes the session of a member");
	await go(page, "#/sessions");
	await page.locator(".filters select").first().selectOption({ label: "Me" });
	await settled(page);
	is(await page.locator("tbody tr").count(), 1, "a filter leaves the sessions of this person");
}

// Nobody is signed in: the viewer asks for a ticket instead.
async function stranger(chrome, uuid) {
	const page = await (await visitor(chrome)).newPage();
	await page.goto(`${CONSOLE.replace("/console/", "/viewer/")}#${PROJECT}/${uuid}`);
	await until(async () => (await page.locator("#ticket-fault").innerText()).includes("Nobody is signed in"), "the live view of a link without a ticket asks who is not signed in for one");
	is(await page.inputValue("#session"), uuid, "the form knows the session of the link");
}

await main(async (chrome) => {
	const page = await join(await visitor(chrome, { acceptDownloads: true }), process.env.ANN, "Ann");
	const uuid = await start(page);
	const live = await watch(page);
	await follow(page, live);
	await close(page, live);
	await evidence(page, uuid);
	await others(page, await join(await visitor(chrome), process.env.BOB, "Bob"), uuid);
	await stranger(chrome, uuid);
	is(allFaults.length, 0, "no page of a session has a fault");
});
