// SPDX-License-Identifier: ISC
// The console as its people use it.
import { CONSOLE, ORIGIN, PASSWORD, call, declinePasskey, go, is, kept, main, ok, settled, signIn, sql, tab, until, visitor } from "./lib.mjs";

const { ANN, ANN_OTHER, BOB } = process.env;
const text = (page, selector) => page.locator(selector).first().textContent();
const title = (page) => text(page, "main h1");
const button = (page, name) => page.getByRole("button", { name, exact: true });
const focused = (page) => page.evaluate(() => document.activeElement.textContent || document.activeElement.name || document.activeElement.id);

// ---- links ----

async function byLink(chrome) {
	const ann = await visitor(chrome, { permissions: ["clipboard-read", "clipboard-write"] });
	const page = await tab(ann), link = ANN.slice(ANN.indexOf("#"));
	await page.locator("[name=password]").waitFor();
	await page.evaluate((hash) => {
		location.hash = hash;
	}, link);
	await page.locator("[name=name]").waitFor();
	ok(true, "a link that is opened in the tab that shows sign-in is shown");
	is(await title(page), "Join Example", "a link shows which organisation invites");
	is(new URL(page.url()).hash, "#/link", "the token of a link leaves the address bar (C-921)");
	is(await page.inputValue("[name=email]"), "ann@example.com", "the e-mail of the invitation is filled in");
	await page.fill("[name=name]", "Ann");
	await page.fill("[name=password]", "too short");
	await page.keyboard.press("Enter");
	await page.locator("[name=password][aria-invalid]").waitFor();
	is(await focused(page), "password", "a password that is too short is refused at its field, which gets the focus");
	await page.fill("[name=password]", PASSWORD);
	await page.keyboard.press("Enter");
	const offered = await declinePasskey(page), { methods } = await call(page, "GET", "/auth/methods");
	is(offered, methods.passkey, "a passkey is offered after a link, where the service has passkeys");
	is(`${new URL(page.url()).hash} ${await title(page)}`, "#/home Welcome, Ann", "whoever joins is signed in, at home");
	is(await focused(page), "Welcome, Ann", "the heading of a new page has the focus");
	ok(!(await kept(page)).includes(ANN.slice(-43)), "the token of a used link is in no node, value, storage or address (C-921)");
	return { ann, page };
}

async function bySecondLink(page) {
	await page.goto(CONSOLE + ANN_OTHER.slice(ANN_OTHER.indexOf("#")));
	await button(page, "Join as Ann").click();
	await declinePasskey(page);
	await page.locator("summary.organisation").waitFor();
	is(await page.locator("summary.organisation").evaluate((n) => n.parentElement.querySelectorAll("button").length), 2, "whoever is signed in joins another organisation by the link alone");
}

async function byPastedLink(chrome) {
	const bob = await visitor(chrome), page = await tab(bob);
	await page.getByRole("link", { name: "I have a link" }).click();
	await page.fill("[name=token]", "nonsense");
	await page.keyboard.press("Enter");
	await page.locator("[name=token][aria-invalid]").waitFor();
	await page.fill("[name=token]", BOB);
	await page.keyboard.press("Enter");
	await page.fill("[name=name]", "Bob");
	await page.fill("[name=password]", PASSWORD);
	await page.keyboard.press("Enter");
	await declinePasskey(page);
	is(await title(page), "Welcome, Bob", "a pasted link joins too");
	await go(page, "#/keys");
	is(await page.getByRole("link", { name: "New key" }).count(), 0, "a member who is no owner sees no button that makes keys");
	is(await page.getByRole("link", { name: "Audit" }).count(), 0, "a member who is no owner sees no page of the audit log");
	const used = await tab(await visitor(chrome), BOB.slice(BOB.indexOf("#")));
	await used.locator(".fault-panel").waitFor();
	ok((await text(used, ".fault-panel")).includes("link_not_found"), "a used link says what the API says");
	await used.evaluate(() => {
		location.hash = "#/keys";
	});
	await used.locator("[name=email]").waitFor();
	ok(true, "after a link that cannot be opened another address works");
	await used.context().close();
	return { bob, page };
}

// ---- signing in ----

async function signingIn(chrome) {
	const page = await tab(await visitor(chrome));
	await page.locator("[name=email]").waitFor();
	is(await page.title(), "Sign in – surfaced", "somebody who is not signed in gets the page that signs in");
	is(await focused(page), "email", "the field of the e-mail has the focus");
	is(await page.locator("[name=email]").getAttribute("autocomplete"), "username webauthn", "the browser may offer passkeys in the field of the e-mail");
	const said = [];
	for (const email of ["ann@example.com", "nobody@example.com"]) {
		await signIn(page, email, "wrong horse battery staple");
		await page.locator(".form-fault").waitFor();
		said.push((await text(page, ".form-fault")).replace(/Request .*/, ""));
	}
	is(said[0], said[1], "a wrong password and an unknown e-mail show the same message");
	await signIn(page, "ann@example.com");
	await settled(page);
	is(await title(page), "Welcome, Ann", "the right password signs in by Enter");
	// C-349
	for (const hash of ["#//evil.example", "#/https:", "#/https://evil.example/", "#javascript:alert(1)"]) {
		await page.goto(CONSOLE + hash);
		await settled(page);
		is(page.url(), `${CONSOLE}#/home`, `the fragment ${hash} leads home (C-349)`);
	}
	await page.route("https://elsewhere.example/", (route) => route.fulfill({ contentType: "text/html", body: `<a href="${CONSOLE}#/keys">there</a>` }));
	await page.goto("https://elsewhere.example/");
	await page.click("a");
	await page.getByRole("heading", { name: "API keys" }).waitFor();
	ok(true, "a link on a page of another site opens the console signed in (C-349)");
	await page.context().close();
}

// ---- a session that is over ----

const end = () => sql("UPDATE sign_in SET ended_at = now(), end_reason = 'expired' WHERE ended_at IS NULL AND person_uuid = (SELECT uuid FROM person WHERE email = 'ann@example.com')");

async function expiring(page) {
	await go(page, "#/search/hosts");
	await page.locator("[data-search]").fill("port:4711");
	end();
	await page.keyboard.press("Enter");
	await page.locator("dialog [name=password]").waitFor();
	is(await page.locator("main [data-search]").inputValue(), "port:4711", "when a session is over, sign-in appears over the page, which stays as it was (C-351)");
	await page.keyboard.press("Escape");
	is(await page.locator("dialog").isVisible(), true, "nobody goes on without signing in");
	is(await page.inputValue("dialog [name=email]"), "ann@example.com", "the form shows the e-mail of the person whose session has ended");
	await page.fill("dialog [name=password]", PASSWORD);
	await page.keyboard.press("Enter");
	await page.locator("dialog").waitFor({ state: "detached" });
	await page.getByText("0 hosts").first().waitFor();
	ok(true, "afterwards the page goes on where it was (C-351)");
	await page.locator("[data-search]").fill("port:4712 of ann");
	end();
	await page.keyboard.press("Enter");
	await page.fill("dialog [name=email]", "bob@example.com");
	await page.fill("dialog [name=password]", PASSWORD);
	await page.keyboard.press("Enter");
	await page.getByRole("heading", { name: "Welcome, Bob" }).waitFor();
	ok(!(await kept(page)).includes("4712"), "when another person signs in, nothing of the former page is left (C-351)");
	await page.locator("summary:has(.initial)").click();
	await button(page, "Sign out").click();
	await page.locator("[name=email]").waitFor();
	await signIn(page, "ann@example.com");
	await settled(page);
}

// ---- several tabs ----

async function tabs(ann, page) {
	const second = await tab(ann, "#/keys");
	await settled(second, "#/keys");
	const choose = async (where, name) => {
		await where.locator("summary.organisation").click();
		await where.locator("details.menu[open] button").filter({ hasText: name }).click();
		await settled(where);
	};
	await choose(page, "Example");
	await choose(second, "Other");
	const name = (where) => text(where, "summary.organisation bdi");
	is(`${await name(page)} ${await name(second)}`, "Example Other", "two tabs act in two organisations");
	await page.reload();
	await second.reload();
	await settled(page);
	await settled(second);
	is(`${await name(page)} ${await name(second)}`, "Example Other", "each tab keeps its organisation when it is loaded again (C-350)");
	await go(page, "#/keys");
	await go(second, "#/keys");
	is(await second.locator("tbody tr").count(), 0, "a tab shows nothing of the organisation of another tab (C-350)");
	ok(await page.locator("tbody tr").count() > 0, "a tab shows the keys of its own organisation (C-350)");
	await second.locator("summary:has(.initial)").click();
	const since = Date.now();
	await button(second, "Sign out").click();
	await page.locator("[name=email]").waitFor();
	ok(Date.now() - since < 5000, "when one tab signs out, the others show sign-in (C-350)", `${Date.now() - since} ms`);
	const left = await kept(page);
	ok(!/port:47|Example|Ann/.test(left), "nothing of the former person is left in the other tab (C-350)", left);
	await signIn(page, "ann@example.com");
	await settled(page);
	await second.getByRole("heading", { level: 1 }).filter({ hasText: "Welcome" }).waitFor();
	ok(true, "when one tab signs in, the others do too");
	await second.close();
}

await main(async (chrome) => {
	const { ann, page } = await byLink(chrome);
	await bySecondLink(page);
	await byPastedLink(chrome);
	await signingIn(chrome);
	await expiring(page);
	await tabs(ann, page);
});
