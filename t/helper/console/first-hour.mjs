// SPDX-License-Identifier: ISC
// An owner's first hour with an installed package (t/helper/package-test, step hour), in the console alone: in by the link,
// a passkey, a project, a key, a search, an alert rule, a browser session.
import { readFileSync } from "node:fs";
import { CONSOLE, PASSWORD, authenticator, call, go, is, main, ok, settled, until, visitor } from "./lib.mjs";

const { LINK, PICTURE } = process.env;
const link = readFileSync(LINK, "utf8").trim();
const button = (where, name) => where.getByRole("button", { name, exact: true });

// A host without the package surfaced-browser, or without a way out, says so; another one starts a session, which ends with a
// picture or with its reason.
async function startSession(page) {
	const address = page.locator("[name=start_url]"), none = page.getByText("No session can start now");
	await address.or(none).first().waitFor();
	if (await none.isVisible()) {
		const words = await page.getByRole("region", { name: "New session" }).innerText();
		ok(/way out to the Internet.*operator/s.test(words), "the page of sessions says that none can start, why, and who can help", words);
		console.log(`# no session was started: ${words.replaceAll("\n", " ")}`);
		return;
	}
	await address.fill("https://www.example.com/");
	await page.keyboard.press("Enter");
	const picture = page.locator("main img").first(), over = page.getByText("its browser failed").first();
	// The page reads the evidence when the session runs, perhaps before the first screenshot is kept.
	const again = button(page, "Read again");
	await until(async () => {
		if (await again.isVisible())
			await again.click();
		return picture.or(over).waitFor({ timeout: 3000 }).then(() => true);
	}, "the session has a picture or has ended");
	if (!await picture.isVisible()) {
		ok(true, "a session that no browser takes ends, and says why");
		return;
	}
	const size = await picture.evaluate(async (img) => {
		await img.decode();
		return `${img.naturalWidth} x ${img.naturalHeight}`;
	});
	ok(/^\d{3,} x \d{3,}$/.test(size), "a session starts, and shows a picture of its page", size);
	await button(page, "Close the session").click();
	await button(page.locator("dialog"), "Close the session").click();
	await page.getByText("closed by the person who started it").first().waitFor();
	ok(true, "the owner closes the session, and its state says so");
}

await main(async (chrome) => {
	const page = await (await visitor(chrome)).newPage(), device = await authenticator(page);
	ok(link.startsWith(`${CONSOLE}#/link/`), "the link leads to the console of public_url", link);
	await page.goto(link);
	await page.fill("[name=name]", "Ann");
	await page.fill("[name=password]", PASSWORD);
	await page.keyboard.press("Enter");
	await button(page, "Add a passkey").click();
	await settled(page);
	is(`${(await device.credentials()).length} ${await page.locator("main h1").innerText()}`, "1 Welcome, Ann", "the owner joins by the link and adds a passkey");

	await go(page, "#/settings/organisation");
	await button(page, "New project").click();
	await page.fill("dialog [name=name]", "Web");
	await page.keyboard.press("Enter");
	await page.locator("tbody tr").filter({ hasText: "Web" }).waitFor();
	ok(true, "the owner makes a project");

	await go(page, "#/keys/new?name=ci&scopes=search.view&expires=90");
	await button(page, "Create key").click();
	await page.locator("dialog .secret").waitFor();
	await page.getByLabel("I have stored it.").check();
	await button(page, "Done").click();
	await page.locator("tbody tr").filter({ hasText: "ci" }).waitFor();
	ok(true, "the owner makes a key, which is shown once");

	await go(page, "#/search/hosts");
	await page.locator("[data-search]").fill("services.port:443");
	await page.keyboard.press("Enter");
	await page.getByText("2 hosts").first().waitFor();
	ok(true, "the first search finds the imported hosts");
	if (PICTURE)
		await page.screenshot({ path: PICTURE, clip: { x: 0, y: 0, width: 1280, height: 560 } });

	await go(page, "#/alerts");
	await button(page, "Rules").click();
	await button(page, "New rule").first().click();
	await page.locator("dialog [name=name]").fill("Severe findings");
	await page.locator("dialog .main").click();
	await page.locator("tr").filter({ hasText: "Severe findings" }).first().waitFor();
	ok(true, "the owner makes an alert rule");

	await go(page, "#/sessions");
	await startSession(page);
	is((await call(page, "GET", "/auth/session")).session.methods.join(), "link", "the owner is signed in all the time by the link");
});
