// SPDX-License-Identifier: ISC
// Keys and members in the console, and the fresh sign-in that their changes ask for.
import { ORIGIN, PASSWORD, go, is, join, kept, main, ok, settled, sql, tab, until, visitor } from "./lib.mjs";

const { ANN, HOSTILE } = process.env;
const MARKUP = HOSTILE.replace("\u202e", "");
const text = (page, selector) => page.locator(selector).first().textContent();
const button = (page, name) => page.getByRole("button", { name, exact: true });

// ---- keys ----

async function makeKey(page, name) {
	await go(page, `#/keys/new?name=${encodeURIComponent(name)}&scopes=search.view,search.aggregate&expires=30`);
	await button(page, "Create key").click();
	await page.locator("dialog .secret").waitFor();
	return page.evaluate(async () => {
		document.querySelector("dialog .secret-line button").click();
		return document.querySelector("dialog .secret").textContent;
	});
}

async function keys(page) {
	const said = [];
	page.on("console", (m) => said.push(m.text()));
	await go(page, "#/keys");
	await page.getByText("No active key").or(page.locator("tbody tr").first()).waitFor();
	await go(page, "#/keys/new?name=%3Cb%3Eci&scopes=search.view,nothing.known&expires=365");
	is(await page.inputValue("[name=name]"), "<b>ci", "a template fills in the name of a key");
	is((await page.locator("[name=scopes]:checked").evaluateAll((l) => l.map((n) => n.value))).join(), "search.view", "a template chooses the scopes that exist (C-896)");
	is(await page.inputValue("[name=expires_at]"), "365", "a template chooses the term of a key");
	ok((await text(page, ".may")).startsWith("It may read search results, in every project that Ann may see, until"), "a sentence says what the key may do (C-896)");
	await page.getByRole("button", { name: "Nothing" }).click();
	await button(page, "Create key").click();
	ok((await text(page, ".field .fault:not(:empty)")).includes("one scope"), "a key without a scope is refused at the scopes");

	const secret = await makeKey(page, "first");
	ok(/^sfk_[A-Za-z0-9]{8}_[A-Za-z0-9_-]{20,}$/.test(secret), "a new key is shown once", secret);
	ok((await kept(page)).includes(secret), "the secret is in the page while the dialog is open (C-344)");
	is(await page.evaluate(async (key) => (await fetch("/api/v1/search/hosts/count", { headers: { "X-API-Key": key }, credentials: "omit" })).status, secret), 200, "the new key works at once");
	await page.locator("dialog").getByRole("button", { name: "Copy" }).first().click();
	is(await page.evaluate(() => navigator.clipboard.readText()), secret, "the button copies the secret");
	await page.keyboard.press("Escape");
	is(await page.locator("dialog").isVisible(), true, "Escape does not lose a secret that nobody has stored");
	is(await button(page, "Done").isDisabled(), true, "Done waits until the secret is stored");
	await page.getByLabel("I have stored it.").check();
	await button(page, "Done").click();
	await page.locator("dialog").waitFor({ state: "detached" });
	await settled(page, "#/keys");
	ok(!(await kept(page)).includes(secret), "after Done the secret is in no node, value, storage, title or address (C-344)");
	ok(!said.some((line) => line.includes(secret)), "no line of the browser's console has the secret (C-344)");
	await page.goBack();
	await settled(page);
	ok(!(await kept(page)).includes(secret), "Back does not bring the secret again (C-344)");
	await page.reload();
	await settled(page);
	ok(!(await kept(page)).includes(secret), "a page that is loaded again does not have the secret (C-344)");
	await go(page, "#/keys");
	is(await page.locator("tbody tr").filter({ hasText: "first" }).locator("td").nth(2).textContent(), "search ×2", "the list sums up the scopes of the key");
	return secret;
}

async function keyEnds(page, secret) {
	const row = page.locator("tbody tr").filter({ hasText: "first" });
	await row.locator("summary").click();
	await button(page, "Rotate").click();
	await page.locator("dialog").getByLabel("1 hour").check();
	await page.locator("dialog").getByRole("button", { name: "Rotate" }).click();
	await page.locator("dialog .secret").waitFor();
	await page.getByLabel("I have stored it.").check();
	await button(page, "Done").click();
	await until(async () => await page.locator("tbody tr").filter({ hasText: "first" }).count() === 2, "after a rotation both keys are in the list");
	const status = (key) => page.evaluate(async (k) => (await fetch("/api/v1/search/hosts/count", { headers: { "X-API-Key": k }, credentials: "omit" })).status, key);
	is(await status(secret), 200, "the rotated key lives on for as long as was said");
	const old = page.locator("tbody tr").filter({ hasText: secret.slice(0, 12) });
	await old.locator("summary").click();
	await old.getByRole("button", { name: "Revoke" }).click();
	await page.locator("dialog").getByRole("button", { name: "Revoke" }).click();
	await until(async () => await page.locator("tbody tr").filter({ hasText: secret.slice(0, 12) }).count() === 0, "a revoked key leaves the list of active keys");
	is(await status(secret), 401, "a revoked key is refused at once");
}

// ---- a fresh sign-in, and one that is over ----

async function proving(page) {
	sql("UPDATE sign_in SET authenticated_at = now() - interval '1 hour' WHERE ended_at IS NULL");
	await go(page, "#/keys/new?name=second&scopes=search.view");
	await button(page, "Create key").click();
	await page.locator("dialog [name=password]").waitFor();
	is(await page.locator("dialog [name=email]").getAttribute("readonly"), "", "creating a key asks the same person to sign in again");
	await page.locator("dialog").getByRole("button", { name: "Cancel" }).click();
	is(await page.locator("dialog .secret").count(), 0, "no key is made when the person does not confirm (C-897)");
	await button(page, "Create key").click();
	await page.fill("dialog [name=password]", PASSWORD);
	await page.keyboard.press("Enter");
	await page.locator("dialog .secret").waitFor();
	ok(true, "after the password the key is made, without another click (C-897)");
	await page.getByLabel("I have stored it.").check();
	await button(page, "Done").click();
	await settled(page, "#/keys");
}

async function expiring(page) {
	await go(page, "#/keys/new");
	await page.fill("[name=name]", "half filled");
	await page.locator("[name=scopes]").first().check();
	sql("UPDATE sign_in SET ended_at = now(), end_reason = 'expired' WHERE ended_at IS NULL AND person_uuid = (SELECT uuid FROM person WHERE email = 'ann@example.com')");
	await button(page, "Create key").click();
	await page.locator("dialog [name=password]").waitFor();
	is(await page.inputValue("main [name=name]"), "half filled", "when a session is over, sign-in appears over the form, which stays as it was (C-351)");
	await page.keyboard.press("Escape");
	is(await page.locator("dialog").isVisible(), true, "nobody goes on without signing in");
	await page.fill("dialog [name=password]", PASSWORD);
	await page.keyboard.press("Enter");
	await page.locator("dialog .secret").waitFor();
	ok(true, "afterwards the form is sent as it was (C-351)");
	await page.getByLabel("I have stored it.").check();
	await button(page, "Done").click();
	await settled(page, "#/keys");
}

// ---- members, and names that would be markup ----

async function members(page, chrome) {
	await go(page, "#/members");
	await button(page, "Invite").click();
	await page.fill("dialog [name=name]", HOSTILE);
	await page.fill("dialog [name=email]", "carla@example.com");
	await page.getByLabel("Only those below").check();
	await page.locator('dialog input[type=radio][value="manager"]').first().check();
	await button(page, "Make the link").click();
	await page.locator("dialog .field .fault:not(:empty)").first().waitFor();
	is(await text(page, "dialog .field .fault:not(:empty)"), "must be visible characters", "a name that turns the direction around is refused at its field");
	await page.fill("dialog [name=name]", MARKUP);
	await button(page, "Make the link").click();
	await page.locator("dialog .secret-line code").waitFor();
	const link = await text(page, "dialog .secret-line code");
	ok(link.startsWith(`${ORIGIN}/console/#/link/`), "an invitation shows its link", link);
	const invited = await visitor(chrome), form = await tab(invited, link.slice(link.indexOf("#")));
	await form.locator("[name=name]").waitFor();
	is(await form.inputValue("[name=name]"), MARKUP, "the form of an invitation has the name that it was made for");
	await invited.close();
	await button(page, "Done").click();
	const row = page.locator("tbody tr").filter({ hasText: "carla@example.com" });
	await row.waitFor();
	ok((await row.textContent()).includes("invited") && (await row.textContent()).includes("1 project"), "the list shows who is invited, and what they will see", await row.textContent());
	ok(!(await kept(page)).includes(link), "the link of an invitation is shown once");
	// C-346
	const shown = await row.locator("th bdi").textContent();
	is(shown, MARKUP, "a name that would be markup is shown as text (C-346)");
	is(await page.evaluate(() => `${document.title} ${document.querySelectorAll("main img").length}`), "Members – surfaced 0", "no script in a name runs (C-346)");
	ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "a long name does not widen the page (C-346)");
	await row.locator("summary").click();
	await row.getByRole("button", { name: "Remove" }).click();
	await page.locator("dialog").getByRole("button", { name: "Remove" }).click();
	await until(async () => await page.locator("tbody tr").filter({ hasText: "carla@example.com" }).count() === 0, "a removed member leaves the list");
}

await main(async (chrome) => {
	const page = await join(await visitor(chrome, { permissions: ["clipboard-read", "clipboard-write"] }), ANN, "Ann");
	await keyEnds(page, await keys(page));
	await proving(page);
	await expiring(page);
	await members(page, chrome);
});
