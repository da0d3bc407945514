// SPDX-License-Identifier: ISC
// The viewer as somebody needs it who looks at a phishing page for twenty minutes.
import { mkdirSync } from "node:fs";
import { BASE, Echo, LINK, axe, is, live, main, ok, open, until } from "./lib.mjs";

const text = (page, id) => page.locator(`#${id}`).textContent();
const box = (page, id) => page.locator(`#${id}`).boundingBox();
const SHOW = process.env.SHOW;

async function picture(page, name) {
	if (!SHOW)
		return;
	mkdirSync(SHOW, { recursive: true });
	await page.screenshot({ path: `${SHOW}/${name}.png` });
}

async function past(chrome) {
	const echo = await Echo.start();
	for (const command of ["net 12", "shot", "shot", "cert net::ERR_CERT_DATE_INVALID"])
		echo.say(command);
	await echo.wait("shot");
	const page = await open(chrome);
	await live(page);
	await until(async () => await text(page, "network-count") === "12",
		"the panel has the network events from before the link was opened");
	is(await text(page, "shots-count"), "2",
		"the panel has the screenshots from before the link was opened");
	is(await text(page, "notices-count"), "1",
		"the panel has the notices from before the link was opened");
	is(await page.locator("#toasts li").count(), 0,
		"a notice from before the link was opened shows no toast");
	is(await page.locator("#shots-list img").count(), 0,
		"the ticket of a stream opens no picture of the evidence, and none of the screen stands for it");
	const again = await open(chrome);
	await live(again);
	await page.locator("#ended").waitFor();
	await again.context().close();
	echo.say("net 3");
	await page.click("#again");
	await page.fill("#ticket", "surfaced.stream.v1.good");
	await page.press("#ticket", "Enter");
	await live(page);
	await until(async () => await text(page, "network-count") === "15",
		"the panel has the events of the interruption after a reconnect");
	is([await text(page, "shots-count"), await text(page, "notices-count")].join(), "2,1",
		"the panel has nothing twice after a reconnect");
	is(await page.locator("#network-rows tr").count(), 15,
		"the panel has one row for each event after a reconnect");
	is(page.faults.join("\n"), "", "earlier events cause no error in the page");
	await page.context().close();
	await echo.stop();
}

async function rows(chrome) {
	const echo = await Echo.start();
	const page = await open(chrome, { viewport: { width: 1920, height: 1080 } });
	await live(page);
	echo.say("net 24");
	await until(async () => await page.locator("#network-rows tr").count() === 24,
		"the list has rows of network events");
	const row = page.locator("#network-rows tr").nth(4);
	for (const cell of [0, 1, 2, 3, 4]) {
		await row.locator("th, td").nth(cell).click();
		is(await page.locator("#details").isVisible(), true, `a click into cell ${cell + 1} opens the row`);
		await page.keyboard.press("Escape");
	}
	ok((await row.evaluate((r) => r.contains(document.activeElement))),
		"the focus returns to the row when its details close");
	await page.keyboard.press("ArrowDown");
	await page.keyboard.press("ArrowDown");
	await page.keyboard.press("Enter");
	is(await text(page, "details-title"), "GET https://example.com/", "arrow keys go from row to row and Enter opens one");
	await page.keyboard.press("Escape");
	is(await page.locator('#network-rows [tabindex="0"]').count(), 1, "Tab stops at the list once");
	is(await page.locator("#network-rows .host:visible").count(), 4, "a row shows its host only where it is not the page's");
	is(await page.locator("#network-rows .host:visible").first().textContent(), "cdn.example.net", "the host that a row shows is the other one");
	await page.fill("#url", "https://cdn.example.net/");
	await page.press("#url", "Enter");
	await until(async () => await page.locator("#network-rows .host:visible").count() === 20, "hosts follow the page's address");
	await page.context().close();
	await echo.stop();
}

const FAILURES = [
	["net::ERR_CONNECTION_REFUSED", "refused the connection"],
	["net::ERR_SOCKS_CONNECTION_FAILED (failed: dns)", "has no address"],
	["net::ERR_SOCKS_CONNECTION_FAILED (denied: answer)", "is not public"],
	["net::ERR_CERT_DATE_INVALID", "has expired"],
	["net::ERR_SSL_PROTOCOL_ERROR", "does not speak TLS"],
	["net::ERR_SOMETHING_NEW", "could not be loaded"],
];

async function failures(chrome) {
	const echo = await Echo.start();
	const page = await open(chrome, { bypassCSP: true });
	await live(page);
	for (const [failure, words] of FAILURES) {
		echo.say(`failed ${failure}`);
		await until(async () => await page.locator("#failure").isVisible() && (await text(page, "failure-title")).includes(words), `${failure}: the card says "${words}"`);
		is(await text(page, "failure-code"), failure, `${failure}: the card has the reason for people who search for it`);
	}
	echo.say("failed net::ERR_CONNECTION_REFUSED");
	await until(async () => (await text(page, "failure-title")).includes("refused"), "the card changes with the reason");
	const frame = await box(page, "frame"), card = await box(page, "failure");
	is([card.x, card.width].map(Math.round).join(), [frame.x, frame.width].map(Math.round).join(), "the card is in the frame");
	await axe(page, "with a page that could not be loaded");
	echo.say("denied db.internal");
	const toast = page.locator("#toasts li").first();
	await toast.waitFor();
	ok(await toast.evaluate((n) => {
		const at = n.getBoundingClientRect();
		n.parentElement.style.pointerEvents = "auto";
		const above = n.contains(document.elementFromPoint(at.x + at.width / 2, at.y + 4));
		n.parentElement.style.pointerEvents = "";
		return above;
	}), "a toast is above the card");
	await picture(page, "failure");
	echo.forget();
	await page.click("#failure-plain");
	await echo.saw("nav http://example.com/", "the card opens the page without TLS");
	ok(!echo.lines.some((l) => l.startsWith("mouse")), "a click on the card does not reach the page");
	await until(async () => !(await page.locator("#failure").isVisible()),
		"the card disappears with the next page");
	echo.say("failed net::ERR_CONNECTION_REFUSED");
	await page.locator("#failure").waitFor();
	is(await page.locator("#failure-plain").isVisible(), false,
		"the card of a page without TLS does not offer it again");
	await page.click("#failure-again");
	await echo.saw("nav http://example.com/", "the card loads the page again");
	await page.fill("#url", "http://192.168.1.1/");
	await page.press("#url", "Enter");
	await until(async () => (await text(page, "notices-list")).includes("192.168.1.1 is not public; sessions reach the public Internet only"),
		"C-095: the notice of a refused address shows the address and the rule");
	is(page.faults.join("\n"), "", "failures cause no error in the page");
	await page.context().close();
	await echo.stop();
}

async function splitter(chrome) {
	const echo = await Echo.start();
	const page = await open(chrome, { viewport: { width: 1280, height: 800 } });
	await live(page);
	const width = async () => Math.round((await box(page, "panel")).width);
	ok((await box(page, "screen")).width >= 0.7 * 1280, "at 1280 x 800 the picture has 70 % of the width", (await box(page, "screen")).width);
	const before = await width(), line = await box(page, "splitter");
	await page.mouse.move(line.x + 4, line.y + 300);
	await page.mouse.down();
	await page.mouse.move(line.x - 96, line.y + 300, { steps: 4 });
	await page.mouse.up();
	ok(Math.abs(await width() - before - 100) < 10, "the mouse drags the splitter", `${before} ${await width()}`);
	await page.locator("#splitter").focus();
	const dragged = await width();
	await page.keyboard.press("ArrowLeft");
	is(await width(), dragged + 24, "an arrow key moves the splitter");
	const now = Number(await page.getAttribute("#splitter", "aria-valuenow"));
	ok(Math.abs(now - 100 * await width() / 1280) < 2,
		"the position of the splitter is announced", now);
	await page.reload();
	await page.fill("#ticket", LINK);
	await page.press("#ticket", "Enter");
	await live(page);
	is(await width(), dragged + 24, "the position of the splitter is remembered");
	await page.locator("#splitter").focus();
	await page.keyboard.press("Home");
	const least = await width();
	await page.keyboard.press("End");
	ok(least === 260 && await width() > 900 && (await box(page, "screen")).width > 200,
		"Home and End move the splitter to its ends", `${least} ${await width()}`);
	await page.keyboard.press("Enter");
	is(await width(), before, "Enter resets the splitter");
	await page.click("#actual");
	is(Math.round((await box(page, "screen")).width), 1280, "actual size shows one pixel as one pixel");
	is(await page.getAttribute("#actual", "aria-pressed"), "true", "the button for actual size is pressed");
	echo.forget();
	const scrolled = await page.locator("#view").evaluate((v) => {
		v.scrollTo(300, 40);
		return [v.scrollLeft, v.scrollTop].join();
	});
	is(scrolled, "300,40", "the picture at actual size scrolls in its place");
	const view = await box(page, "view");
	await page.mouse.click(view.x + 50, view.y + 50);
	await echo.saw(/^mouse down 350 (89|90|91) left/, "a click into the scrolled picture arrives where it was made");
	await page.click("#actual");
	ok((await box(page, "screen")).width < 1000, "the picture fits into its place again");
	is(page.faults.join("\n"), "", "the splitter causes no error and no breach of the content security policy");
	await page.context().close();
	const phone = await open(chrome, { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });
	await live(phone);
	const height = async () => Math.round((await box(phone, "panel")).height);
	const at = await box(phone, "splitter"), tall = await height();
	const touch = await phone.context().newCDPSession(phone);
	const finger = (type, y) => touch.send("Input.dispatchTouchEvent", { type, touchPoints: y === null ? [] : [{ x: 195, y }] });
	await finger("touchStart", at.y + 6);
	await finger("touchMove", at.y + 56);
	await finger("touchMove", at.y + 86);
	await finger("touchEnd", null);
	ok(Math.abs(tall - await height() - 80) < 12, "a finger drags the splitter", `${tall} ${await height()}`);
	is(await phone.getAttribute("#splitter", "aria-orientation"), "horizontal", "on a phone the splitter is a horizontal line");
	await phone.context().close();
	await echo.stop();
}

async function small(chrome) {
	const echo = await Echo.start();
	for (const [width, height, name] of [[844, 390, "a phone on its side"], [640, 400, "1280 x 800 at 200 %"]]) {
		const page = await open(chrome, { viewport: { width, height } });
		await live(page);
		is(await page.locator("#panel").isVisible(), false, `${name}: the evidence starts closed`);
		const bar = await box(page, "bar"), screen = await box(page, "screen");
		ok(bar.height < 50, `${name}: the toolbar is one row`, bar.height);
		ok(screen.height > 0.75 * height, `${name}: the picture has 75 % of the height, beside two tabs`, screen.height);
		const ids = ["back", "forward", "reload", "url", "shoot", "quality", "actual", "panel-toggle"];
		const boxes = await Promise.all(ids.map((id) => box(page, id)));
		ok(boxes.every((b, i) => b.width > 0 && b.x + b.width <= (boxes[i + 1]?.x ?? width) + 1), `${name}: no control covers another`, JSON.stringify(boxes));
		await page.click("#panel-toggle");
		ok(await page.locator("#panel").isVisible() && (await box(page, "screen")).width > 150, `${name}: the evidence opens beside the page`);
		is(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth && document.documentElement.scrollHeight <= innerHeight), true, `${name}: nothing is outside the window`);
		await page.context().close();
	}
	await echo.stop();
}

// The runner's side is stopped and goes on: the connection stays open and nothing comes.
async function silence(chrome) {
	const echo = await Echo.start();
	const page = await open(chrome);
	await page.clock.install();
	await page.reload();
	await page.fill("#ticket", LINK);
	await page.press("#ticket", "Enter");
	await live(page);
	await page.clock.pauseAt(Date.now() + 3600000);
	await echo.wait("watch 1 10 60");
	echo.process.kill("SIGSTOP");
	await page.clock.runFor(12000);
	is(await text(page, "link-words"), "Reconnecting…", "a connection that is silent is noticed");
	ok(await page.locator("#banner").isVisible(),
		"the banner shows how long nothing has arrived", await text(page, "banner-words"));
	await picture(page, "silent");
	echo.process.kill("SIGCONT");
	await until(async () => await text(page, "link-words") === "Live",
		"the answer to a ping ends the silence");
	is(await page.locator("#banner").isVisible(), false, "the banner disappears with the answer");
	for (let i = 0; i < 10; i++) {
		await page.clock.runFor(6000);
		await until(async () => await page.evaluate(() => document.getElementById("link-words").textContent) === "Live", `a quiet page stays live (${i + 1})`);
	}
	echo.process.kill("SIGSTOP");
	await page.clock.runFor(50000);
	await page.locator("#ended").waitFor();
	is(await text(page, "ended-title"), "The connection was lost", "a connection that stays silent is given up");
	ok(await page.locator("#ended-how").isVisible(), "the card says how to connect again");
	echo.process.kill("SIGCONT");
	await page.context().close();
	await echo.stop();
}

async function colours(chrome) {
	const echo = await Echo.start();
	const page = await open(chrome, { forcedColors: "active", bypassCSP: true, viewport: { width: 1280, height: 800 } });
	await live(page);
	const style = (selector, name) => page.locator(selector).first().evaluate((n, p) => getComputedStyle(n)[p], name);
	echo.say("denied db.internal");
	await page.locator("#toasts li").waitFor();
	is(await style("#toasts li", "borderTopStyle"), "solid", "forced colours: a toast has a border");
	const ground = await style("body", "backgroundColor");
	ok(await style(".dot", "backgroundColor") !== ground, "forced colours: the dot of a live session is filled");
	const open_ = await style("#panel-toggle", "backgroundColor");
	await picture(page, "forced");
	await page.click("#panel-toggle");
	await page.mouse.move(0, 0);
	ok(await style("#panel-toggle", "backgroundColor") !== open_, "forced colours: a toggle that is off looks different");
	await page.click("#panel-toggle");
	await axe(page, "in forced colours");
	echo.say("bye expired");
	await page.locator("#ended").waitFor();
	is([await style(".dot", "backgroundColor"), await style(".dot", "borderTopLeftRadius")].join(), `${ground},0px`, "forced colours: the dot of a session that ended has another shape");
	await picture(page, "forced-ended");
	await page.context().close();
	await echo.stop();
}

const WINDOWS = [["1280", 1280, 800], ["1920", 1920, 1080], ["phone", 390, 844], ["side", 844, 390], ["zoomed", 640, 400]];

// Every window in the light and in the dark: axe finds nothing, and pictures for people.
async function gallery(chrome) {
	const echo = await Echo.start();
	for (const command of ["net 40", "shot"])
		echo.say(command);
	for (const colorScheme of ["light", "dark"])
		for (const [name, width, height] of WINDOWS) {
			const page = await open(chrome, { colorScheme, bypassCSP: true, reducedMotion: "reduce", viewport: { width, height } });
			await live(page);
			await axe(page, `at ${width} x ${height}, ${colorScheme}`);
			await picture(page, `${name}-${colorScheme}`);
			if (height < 500)
				await page.click("#panel-toggle");
			await page.click("#tab-shots");
			await page.click("#shoot");
			await page.locator("#shots-list button").first().waitFor();
			await axe(page, `at ${width} x ${height} with screenshots, ${colorScheme}`);
			await picture(page, `${name}-${colorScheme}-shots`);
			await page.context().close();
		}
	await echo.stop();
	for (const [name, width, height] of WINDOWS) {
		const ending = await Echo.start();
		const page = await open(chrome, { bypassCSP: true, viewport: { width, height } });
		await live(page);
		ending.say("bye idle_timeout");
		await page.locator("#ended").waitFor();
		await axe(page, `at ${width} x ${height}, at the end`);
		const button = await box(page, "again");
		ok(button.y + button.height < height,
			`the buttons of the card are visible at ${width} x ${height}`, JSON.stringify(button));
		await picture(page, `${name}-ended`);
		await page.context().close();
		await ending.stop();
	}
	const page = await open(chrome, {}, `${BASE}/viewer/`);
	await picture(page, "connect");
	await page.context().close();
}

await main(async (chrome) => {
	for (const part of [past, rows, failures, splitter, small, silence, colours, gallery])
		await part(chrome);
});
