// SPDX-License-Identifier: ISC
// play.html with the evidence that t/session/playback.t stored: the pictures of chosen moments, seeking, speed, keys.
import { readFileSync } from "node:fs";
import { browser, is, ok, open, plan, until } from "./lib.mjs";

const { events } = JSON.parse(readFileSync(`${process.env.W}/timeline.json`, "utf8"));
const shots = events.filter((e) => e.kind === "screenshot");
const LINK = process.env.LINK;

const text = (page, id) => page.locator(`#${id}`).textContent();
const moment = (page) => page.evaluate(() => Number(document.getElementById("seek").value));
const picture = (page) => page.evaluate(() => {
	const p = document.getElementById("picture");
	return p.hidden ? "none" : `${p.dataset.uuid} ${p.naturalWidth}`;
});

// The uuid and width of the latest screenshot at or before the moment.
function expected(ms, tab) {
	const at = shots.findLast((s) => s.offset_ms <= ms && (tab === 0 || s.tab === tab));
	return at ? `${at.screenshot_uuid} ${640 + 2 * Number(at.url.split("/").at(-1))}` : "none";
}

function seek(page, ms) {
	return page.evaluate((to) => {
		const bar = document.getElementById("seek");
		bar.value = String(to);
		bar.dispatchEvent(new Event("input"));
		bar.dispatchEvent(new Event("change"));
	}, ms);
}

async function ready(page) {
	await until(async () => await page.evaluate(() => document.body.dataset.view === "live" && document.getElementById("link-state").dataset.state === "live"),
		"the page reads the whole timeline with the ticket of its link");
}

async function moments(page) {
	const last = shots.at(-1).offset_ms;
	const chosen = [0, shots[0].offset_ms - 1, shots[0].offset_ms, shots[3].offset_ms, shots[3].offset_ms - 1, last];
	for (let i = 0; chosen.length < 20; i++)
		chosen.push(Math.floor(((i * 7919) % 1000) * last / 1000));
	for (const [i, ms] of chosen.entries()) {
		const tab = i % 3 === 2 ? 2 : i % 3;
		await page.selectOption("#tab", String(tab));
		await seek(page, ms);
		await until(async () => await picture(page) === expected(ms, tab),
			`at ${ms} ms the picture is the latest of ${tab ? `tab ${tab}` : "any tab"} (C-223)`);
	}
	await page.selectOption("#tab", "0");
	await seek(page, 0);
	is(await text(page, "wait"), "No picture at this moment", "the page has no picture before the first screenshot");
}

async function keys(page) {
	await page.focus("#play");
	await seek(page, 5000);
	for (const [key, to] of [["ArrowRight", 6000], ["ArrowLeft", 5000], ["Shift+ArrowRight", 15000], ["Shift+ArrowLeft", 5000]]) {
		await page.keyboard.press(key);
		is(await moment(page), to, `${key} moves from 5000 ms or back to it: ${to} (C-223)`);
	}
	await page.keyboard.press("End");
	is(await moment(page), await page.evaluate(() => Number(document.getElementById("seek").max)), "End moves to the end of the session");
	await page.keyboard.press("Home");
	is(await moment(page), await page.evaluate(() => Number(document.getElementById("seek").min)), "Home moves to the beginning of the session");
	await page.keyboard.press(".");
	is(await moment(page), shots[0].offset_ms, "a full stop moves to the next screenshot");
	await page.keyboard.press(".");
	await page.keyboard.press(",");
	is(await moment(page), shots[0].offset_ms, "a comma moves to the screenshot before");
	is(await page.evaluate(() => location.hash), `#t=${shots[0].offset_ms}`, "the address of the page has the moment (C-904)");
	await page.keyboard.press("+");
	is(await page.inputValue("#speed"), "2", "the key + doubles the speed");
	await page.keyboard.press("-");
	is(await page.inputValue("#speed"), "1", "the key - halves the speed");
	await page.fill("#filter", " . ");
	is(await moment(page), shots[0].offset_ms, "keys in the filter move nothing");
	await page.fill("#filter", "");
}

async function playing(page) {
	const gap = shots[15].offset_ms;
	await seek(page, gap - 200);
	await page.selectOption("#speed", "8");
	await page.focus("#play");
	await page.keyboard.press("Space");
	is(await page.getAttribute("#play", "aria-label"), "Pause", "the key Space plays the session (C-223)");
	await until(async () => await moment(page) > shots[16].offset_ms - 700, "playing goes on behind a time without events (C-904)");
	const words = await text(page, "skipped");
	ok(/^Skipped \d+ seconds without events$/.test(words), "the page names the length of the time that it skipped (C-904)", words);
	await until(async () => await moment(page) === Number(await page.getAttribute("#seek", "max")), "playing reaches the end");
	is(await page.getAttribute("#play", "aria-label"), "Play", "playing stops at the end");
	await page.selectOption("#speed", "1");
}

// The clock of this page is the test's own, so that the speed is exact on any machine.
async function speeds(chrome) {
	const page = await open(chrome, {}, "about:blank");
	await page.clock.install();
	await page.goto(LINK);
	await until(async () => await page.evaluate(() => document.getElementById("link-state").dataset.state === "live"),
		"a page with a clock of the test's own reads the timeline");
	await page.clock.pauseAt(Date.now() + 3600000);
	for (const speed of [0.5, 1, 2, 4, 8]) {
		await page.selectOption("#speed", String(speed));
		await seek(page, shots[0].offset_ms);
		await page.evaluate(() => document.getElementById("play").click());
		await page.clock.runFor(1000);
		const past = await moment(page) - shots[0].offset_ms;
		await page.evaluate(() => document.getElementById("play").click());
		ok(Math.abs(past - 1000 * speed) <= 40 * speed, `at speed ${speed} a second of the clock moves by ${speed} s (C-223)`, `moved by ${past} ms`);
	}
	await page.context().close();
}

async function requests(page) {
	is(await text(page, "network-count"), String(events.filter((e) => e.network_event_id).length), "the waterfall counts every network event");
	const bars = await page.locator("#network-rows tr").evaluateAll((all) => all.map((r) => {
		const [, n, unit] = /, ([\d.]+) (ms|s),/.exec(r.querySelector(".bar-words").textContent) ?? [];
		return [unit === "s" ? 1000 * n : Number(n), Number.parseFloat(r.querySelector(".bar-line").style.getPropertyValue("--width"))];
	}).filter(([ms]) => ms >= 0).sort((a, b) => a[0] - b[0]));
	is(bars.filter(([ms, width], i) => i && ms > bars[i - 1][0] && width < bars[i - 1][1] - 0.1).join(" "), "", "a request that took longer has no shorter bar");
	await page.check("#only-failed");
	const bad = events.filter((e) => e.network_event_id && (e.failure || e.status >= 400));
	is(await page.locator("#network-rows tr").count(), bad.length, "the filter of failures leaves the failed requests");
	await page.locator("#network-rows button").nth(2).click();
	is(await moment(page), bad[2].offset_ms, "a click on a request moves to its moment (C-904)");
	await page.uncheck("#only-failed");
	await page.fill("#filter", "image.png");
	is(await page.locator("#network-rows tr").count(), 32, "the filter finds requests by their address");
	await page.fill("#filter", "");
}

async function fragment(page) {
	is(await page.evaluate(() => location.href.includes("eyJ")), false, "the ticket leaves the address bar at once (C-220)");
	await page.evaluate((ms) => {
		location.hash = `#t=${ms}`;
	}, shots[20].offset_ms);
	await until(async () => await picture(page) === expected(shots[20].offset_ms, 0), "an address with a moment moves there");
	is(page.asked.filter((r) => /eyJ/.test(r.url + (r.referer ?? ""))).length, 0, "no request has the ticket in its address or its Referer (C-220)");
	ok(page.asked.some((r) => r.url.includes("/screenshots/")), "the images are requested from the API");
}

async function other(chrome) {
	const later = await open(chrome, {}, `${LINK}&t=${shots[9].offset_ms}`);
	await until(async () => await picture(later) === expected(shots[9].offset_ms, 0), "a link with a moment begins there");
	await later.context().close();
	const wrong = await open(chrome, {}, `${LINK}x`);
	await until(async () => (await text(wrong, "ticket-fault")).includes("not valid"), "a ticket that is refused leads to the form with the reason");
	is(await wrong.evaluate(() => document.activeElement.id), "ticket", "the form of a refused ticket has the focus");
	await wrong.context().close();
}

async function pictures(chrome) {
	for (const scheme of ["light", "dark"])
		for (const [width, height] of [[1280, 800], [390, 844]]) {
			const page = await open(chrome, { colorScheme: scheme, viewport: { width, height } }, `${LINK}&t=${shots[13].offset_ms}`);
			await until(async () => await picture(page) === expected(shots[13].offset_ms, 0), `the picture is shown at ${width} x ${height}, ${scheme}`);
			is(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth && document.documentElement.scrollHeight <= innerHeight), true,
				`nothing of the page is outside of ${width} x ${height}`);
			if (process.env.SHOW)
				await page.screenshot({ path: `${process.env.SHOW}/play-${width}x${height}-${scheme}.png` });
			await page.context().close();
		}
}

const chrome = await browser();
try {
	const page = await open(chrome, {}, LINK);
	page.asked = [];
	page.on("request", (r) => page.asked.push({ url: r.url(), referer: r.headers().referer }));
	await page.evaluate(() => {
		window.violations = [];
		document.addEventListener("securitypolicyviolation", (e) => window.violations.push(`${e.violatedDirective} ${e.blockedURI}`));
	});
	await ready(page);
	is(await moment(page), shots[0].offset_ms, "playback opens on the first picture");
	await moments(page);
	await keys(page);
	await playing(page);
	await requests(page);
	await fragment(page);
	is((await page.evaluate(() => window.violations)).join("\n"), "", "the content security policy reports nothing (C-223)");
	is(page.faults.join("\n"), "", "the page has neither errors nor warnings");
	await speeds(chrome);
	await other(chrome);
	await pictures(chrome);
} catch (e) {
	ok(false, "the script came to its end without an exception", e.stack);
} finally {
	await chrome.close();
	plan();
}
