// SPDX-License-Identifier: ISC
// The viewer used with mouse, keyboard and touch.
import { BASE, Echo, LINK, PROJECT, SESSION, is, live, main, ok, open, until } from "./lib.mjs";

const text = (page, id) => page.locator(`#${id}`).textContent();

// The middle of the painted page's point, in the viewer's pixels.
async function at(page, x, y) {
	const box = await page.locator("#screen").boundingBox();
	return [box.x + (x / 1280) * box.width, box.y + (y / 720) * box.height];
}

async function opening(chrome, echo) {
	const page = await open(chrome, { permissions: ["clipboard-read", "clipboard-write"] });
	await live(page);
	is(new URL(page.url()).hash, "", "the ticket does not stay in the address bar");
	is(await page.evaluate(() => history.length), 2, "the ticket does not stay in the history");
	await echo.saw("watch 1 10 60", "the runner is told that a viewer watches");
	is(await text(page, "link-words"), "Live", "the viewer shows the state Live");
	is(await page.inputValue("#url"), "https://example.com/",
		"the toolbar shows the address of the page");
	is(await page.evaluate(() => {
		const c = document.getElementById("screen");
		return c.getContext("2d").getImageData(640, 60, 1, 1).data[0] < 90 && c.width === 1280;
	}), true, "the picture of the page is painted");
	return page;
}

async function keyboard(page, echo) {
	await page.locator("#keys").focus();
	await page.keyboard.type("a!");
	await page.keyboard.press("Shift+B");
	await echo.saw("key down a KeyA text=a 0", "a pressed key is sent with its text");
	await echo.saw("key up a KeyA text= 0", "a released key is sent without text");
	await echo.saw("key down B KeyB text=B 8", "a key with Shift is sent with its modifier");
	await page.keyboard.press("Enter");
	await echo.saw(/^key down Enter Enter text=\r? ?0?/, "Enter is sent to the page");
	await page.keyboard.press("Tab");
	await echo.saw("key down Tab Tab text= 0", "Tab is sent to the page");
	await page.keyboard.press("Control+a");
	await echo.saw("key down a KeyA text= 2", "a shortcut with Control is sent without text");
	await page.keyboard.press("F5");
	await echo.saw("reload", "F5 reloads the page of the session instead of the viewer");
	await page.keyboard.press("Alt+ArrowLeft");
	await echo.saw("history -1", "Alt with the left arrow goes back");
	await page.evaluate(() => navigator.clipboard.writeText("pasted\nlines"));
	await page.keyboard.press("Control+v");
	await echo.saw("text pasted", "a paste is sent as text");
	await page.evaluate(() => {
		const keys = document.getElementById("keys");
		keys.dispatchEvent(new CompositionEvent("compositionstart"));
		keys.dispatchEvent(new CompositionEvent("compositionupdate", { data: "にほ" }));
	});
	is(await text(page, "compose"), "にほ", "the text being composed is shown");
	await page.evaluate(() => document.getElementById("keys").dispatchEvent(new CompositionEvent("compositionend", { data: "日本" })));
	await echo.saw("text 日本", "the composed text is sent at the end");
}

async function pointer(page, echo) {
	await page.mouse.click(...await at(page, 900, 180));
	await echo.saw(/^mouse down (899|900|901) (179|180|181) left 1 0 0 0$/,
		"a click is sent with its position");
	await echo.saw(/^mouse up (899|900|901) (179|180|181) left 1 0 0 0$/,
		"the release of a click is sent with its position");
	await page.mouse.dblclick(...await at(page, 300, 180));
	await echo.saw(/^mouse down .* left 2 0 0 0$/, "a double click is sent with the count two");
	await page.mouse.click(...await at(page, 600, 300), { button: "right" });
	await echo.saw(/^mouse down .* right 1 0 0 0$/, "a click of the right button is sent");
	await page.mouse.wheel(0, 240);
	await echo.saw(/^mouse wheel .* none 0 0 0 240$/, "a turn of the wheel is sent");
	await page.mouse.move(...await at(page, 100, 700));
	await echo.saw(/^mouse move (99|100|101) (699|700|701) none 0 0 0 0$/,
		"a move of the mouse is sent");
}

async function toolbar(page, echo) {
	await page.fill("#url", "example.net/path");
	await page.press("#url", "Enter");
	await echo.saw("nav https://example.net/path", "an address without a scheme is completed");
	await until(async () => await page.inputValue("#url") === "https://example.net/path",
		"the toolbar shows the new address");
	await page.fill("#url", "http://127.0.0.1/");
	await page.press("#url", "Enter");
	await until(async () => (await text(page, "notices-list")).includes("127.0.0.1 is not public"), "the notice of a refused address shows the address");
	await page.click("#back");
	await echo.saw("history -1", "the button back goes back in the history");
	echo.forget();
	echo.say("loading 1");
	await page.locator("#reload.loading").waitFor();
	await page.click("#reload");
	await echo.saw("stop", "the button reload stops a page that is loading");
	echo.say("loading 0");
	await page.selectOption("#quality", "25,60");
	await echo.saw("watch 1 25 60", "the selected quality is sent to the runner");
}

async function tabs(page, echo) {
	const tab = page.getByRole("tab", { name: "The second tab" });
	is(await page.locator("#tabs [role=tab]").count(), 2, "the viewer shows both tabs of the session");
	await tab.click();
	await echo.saw("tab 2", "a click on a tab selects it in the session");
	await until(async () => await tab.getAttribute("aria-selected") === "true",
		"the selected tab is marked as selected");
	is(await page.title(), "The second tab – Session viewer",
		"the title of the window is that of the tab");
	await tab.focus();
	await page.keyboard.press("Delete");
	await echo.saw("close_tab 2", "the key Delete closes the focused tab");
	await until(async () => await page.locator("#tabs [role=tab]").count() === 1,
		"a closed tab disappears from the viewer");
	is(await page.evaluate(() => document.activeElement.getAttribute("role")), "tab",
		"the focus moves to the other tab");
	echo.say("title Renamed");
	await until(async () => await page.title() === "Renamed – Session viewer",
		"a new title of the page is shown");
}

async function dialogs(page, echo) {
	echo.say("dialog prompt");
	await page.locator("#page-dialog[open]").waitFor();
	is(await text(page, "dialog-words"), "Leave a name for the receipt?",
		"a dialog shows the text of the page");
	is(await page.inputValue("#dialog-text"), "Ada", "a prompt shows the default of the page");
	await page.fill("#dialog-text", "Grace");
	await page.keyboard.press("Enter");
	await echo.saw("dialog 1 Grace", "the answer to a prompt is sent");
	await until(async () => !(await page.locator("#page-dialog").evaluate((d) => d.open)),
		"the dialog closes after the answer");
	echo.say("dialog confirm");
	await page.locator("#page-dialog[open]").waitFor();
	is(await page.locator("#dialog-field").isVisible(), false, "a confirmation has no field for text");
	await page.keyboard.press("Escape");
	await echo.saw("dialog 0 ", "Escape sends Cancel to a confirmation");
}

async function evidence(page, echo) {
	echo.say("net 70");
	await until(async () => await text(page, "network-count") === "70",
		"the panel counts seventy network events");
	is(await page.locator("#network-rows tr").count(), 70, "each network event has a row");
	await page.fill("#filter", "app.js");
	is(await page.locator("#network-rows tr").count(), 12,
		"the filter selects the rows that contain its text");
	await page.fill("#filter", "");
	await page.check("#only-failed");
	is(await page.locator("#network-rows tr.bad").count(), 11,
		"the filter of failures selects failed events only");
	await page.locator("#network-rows button").first().click();
	ok((await text(page, "details-body")).includes("93.184.216.34 port 443"),
		"the details of an event show address and port");
	ok((await text(page, "details-body")).includes("[redacted]"),
		"the details of an event show redacted headers");
	await page.keyboard.press("Escape");
	is(await page.locator("#details").isVisible(), false, "Escape closes the details of an event");
	await page.uncheck("#only-failed");
	await page.click("#shoot");
	await echo.saw("shot", "the button requests a screenshot");
	await page.click("#tab-shots");
	await page.locator("#shots-list button").first().waitFor();
	await page.locator("#shots-list button").first().click();
	ok((await text(page, "shot-words")).includes("kept with the evidence"),
		"a screenshot opens from the list");
	await page.keyboard.press("Escape");
	for (const [command, words] of [["download setup.exe", "Download blocked"], ["denied db.internal", "Address refused"],
		["cert CERT_DATE_INVALID", "Certificate not trusted"], ["crashed 1", "The page crashed"]]) {
		echo.say(command);
		await until(async () => (await text(page, "notices-list")).includes(words),
			`a notice is shown: ${words}`);
	}
}

async function timeLeft(page, echo) {
	ok(/^(2\d|30):\d\d$/.test(await text(page, "clock-left")),
		"the time left of the session is shown", await text(page, "clock-left"));
	await page.click("#clock summary");
	ok((await text(page, "clock-words")).includes("network events are kept"),
		"the viewer explains what happens when time is over");
	echo.say("expiring idle_timeout");
	await page.locator("#banner").waitFor();
	echo.forget();
	await page.click("#banner-stay");
	await echo.saw(/^mouse move/, "the button of the warning sends activity");
	await until(async () => !(await page.locator("#banner").isVisible()),
		"the warning disappears after activity");
}

async function touch(chrome, echo) {
	const page = await open(chrome, { hasTouch: true, isMobile: true, viewport: { width: 390, height: 780 } });
	await live(page);
	echo.forget();
	await page.touchscreen.tap(...await at(page, 640, 300));
	await echo.saw(/^mouse down (6[34]\d) (29\d|30\d) left 1 0 0 0$/, "a tap is a click");
	is(page.faults.join("\n"), "", "a tap is sent as a click");
	await page.context().close();
}

async function form(chrome, echo) {
	const page = await open(chrome, {}, `${BASE}/viewer/`);
	await page.click("#connect-form button");
	ok((await text(page, "ticket-fault")).length > 0,
		"an empty ticket is shown as a fault of the form");
	is(await page.evaluate(() => document.activeElement.id), "ticket",
		"the field of an empty ticket has the focus");
	await page.fill("#ticket", LINK);
	is(await page.inputValue("#project"), PROJECT, "a pasted link fills in the project");
	is(await page.inputValue("#session"), SESSION, "a pasted link fills in the session");
	await page.press("#ticket", "Enter");
	await live(page);
	is(await page.inputValue("#ticket"), "", "the ticket does not stay in the form");
	await page.context().close();
}

await main(async (chrome) => {
	const echo = await Echo.start();
	const page = await opening(chrome, echo);
	for (const part of [keyboard, pointer, toolbar, tabs, dialogs, evidence, timeLeft])
		await part(page, echo);
	is(page.faults.join("\n"), "",
		"the page has no error and no breach of its content security policy");
	await page.context().close();
	await touch(chrome, echo);
	await form(chrome, echo);
});
