// SPDX-License-Identifier: ISC
// Passkeys as people use them: registered after a link and in the settings, used, copied, removed; and what pages of other
// origins can do, which is nothing.
import { CONSOLE, ORIGIN, PASSWORD, authenticator, call, go, is, main, offersNothing, ok, settled, signIn, sql, tab, until, visitor } from "./lib.mjs";

const { ANN } = process.env;
const button = (where, name) => where.getByRole("button", { name, exact: true });
const names = async (page) => (await call(page, "GET", "/auth/passkeys")).passkeys.map((p) => p.name).join(",");

async function session(page) {
	const answer = await call(page, "GET", "/auth/session");
	return answer.session ? `${answer.session.methods} ${answer.session.strong}` : answer.code;
}

async function signOut(page) {
	await page.locator("summary:has(.initial)").click();
	await button(page, "Sign out").click();
	await page.locator("[name=email]").waitFor();
}

async function signInBy(page) {
	await button(page, "Use a passkey").click();
	await settled(page);
}

// ---- the first passkey ----

async function join(chrome) {
	const page = await (await offersNothing(await visitor(chrome))).newPage(), device = await authenticator(page);
	await page.goto(CONSOLE + ANN.slice(ANN.indexOf("#")));
	await page.fill("[name=name]", "Ann");
	await page.fill("[name=password]", PASSWORD);
	await page.keyboard.press("Enter");
	await button(page, "Add a passkey").click();
	await settled(page);
	is((await device.credentials()).length, 1, "whoever joins registers a passkey with one press of a button (C-318)");
	return { page, device };
}

async function signingIn(page) {
	await signOut(page);
	await signInBy(page);
	is(await session(page), "passkey true", "the passkey signs in after signing out, and strongly (C-318)");
	await signOut(page);
	await signIn(page, "ann@example.com");
	await page.locator("main").getByText("Your passkey is needed too.").waitFor();
	is(await session(page), "unauthorized", "beside a passkey the password alone opens no session (C-318)");
	await signInBy(page);
	is(await session(page), "passkey true", "the passkey ends the sign-in that the password began");
}

// ---- who the device asks ----

// The assertion that a page gets which does not ask for verification, sent to the API as the console sends it.
function unverified(page) {
	return page.evaluate(async () => {
		const { api } = await import("/common/api.js");
		const { encode } = await import("/console/passkey.js");
		const { challenge } = await api.post("/auth/challenge", { purpose: "sign_in" });
		const bytes = Uint8Array.from(atob(challenge.challenge.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
		const { rawId, response } = await navigator.credentials.get({ publicKey: { challenge: bytes, rpId: challenge.rp_id, userVerification: "discouraged" } });
		const flags = new Uint8Array(response.authenticatorData)[32];
		const answer = await api.post("/auth/sign-in/passkey", { id: encode(rawId), authenticator_data: encode(response.authenticatorData), client_data: encode(response.clientDataJSON), signature: encode(response.signature) },
			{ alone: true }).catch((e) => e);
		return `${flags & 4} ${answer.code}`;
	});
}

async function verification(page, device) {
	await signOut(page);
	await device.verify(false);
	await button(page, "Use a passkey").click();
	await page.locator("button.passkey:enabled").waitFor();
	is(await session(page), "unauthorized", "a device that cannot verify its person signs nobody in");
	is(await unverified(page), "0 sign_in_failed", "an assertion of a person who was not verified is refused (C-319)");
	await device.verify(true);
	await signInBy(page);
}

// ---- a second passkey ----

async function addPasskey(page, name) {
	await go(page, "#/settings/ways");
	await button(page, "Add a passkey").click();
	await page.fill("dialog [name=name]", name);
	await page.keyboard.press("Enter");
}

async function second(page, device) {
	await addPasskey(page, "Again");
	await page.getByText("This device has a passkey of yours already.").first().waitFor();
	is(`${(await device.credentials()).length} ${await names(page)}`, "1 This device", "a device that has a passkey of the person makes no second one, which would replace the first");
	await button(page.locator("dialog"), "Cancel").click();
	const other = await tab(page.context()), phone = await authenticator(other);
	await settled(other);
	await addPasskey(other, "Phone");
	await other.getByText("The passkey is added.").first().waitFor();
	is(await names(other), "This device,Phone", "another device adds a second passkey");
	await signOut(other);
	await signInBy(other);
	is(await session(other), "passkey true", "the second passkey signs in too");
	return { other, phone };
}

// ---- a copy ----

// Chromium offers passkeys in the field of the e-mail, and the copy answers there; then the counter of the first device is
// behind, once.
async function copied(chrome, page, device) {
	const thief = await (await visitor(chrome)).newPage(), copy = await authenticator(thief);
	await copy.add((await device.credentials())[0]);
	await thief.goto(CONSOLE);
	await settled(thief);
	is(await session(thief), "passkey true", "a passkey that the browser offers in the field of the e-mail signs in");
	await thief.context().close();
	await signOut(page);
	await button(page, "Use a passkey").click();
	await page.locator(".form-fault").waitFor();
	is(await session(page), "unauthorized", "a passkey whose copy was used meanwhile signs nobody in (C-319)");
	is(sql("SELECT count(*) FROM audit WHERE action = 'passkey.copied'"), "1", "the use of a copy leaves a line in the audit log (C-319)");
	await signInBy(page);
}

// ---- the end ----

const confirm = (page, name) => button(page.locator("dialog"), name).click();

async function removing(chrome, page, { other, phone }) {
	const away = await tab(await offersNothing(await visitor(chrome))), device = await authenticator(away);
	await device.add((await phone.credentials())[0]);
	await other.close();
	await signInBy(away);
	await go(page, "#/settings/ways");
	await button(page, "Remove Phone").click();
	await confirm(page, "Remove");
	await page.locator("dialog").waitFor({ state: "detached" });
	is(`${await names(page)} ${await session(page)}`, "This device passkey true", "a passkey is removed in the settings, where its person stays signed in");
	is(await session(away), "session_expired", "removing a passkey signs the person out of other browsers");
	await away.reload();
	await button(away, "Use a passkey").click();
	await away.locator(".form-fault").waitFor();
	is(await session(away), "session_expired", "a passkey that was removed signs nobody in");
	await away.context().close();
}

// C-323
async function last(page) {
	const password = page.locator("section.card").filter({ has: page.getByRole("heading", { name: "Password" }) });
	await button(password, "Remove").click();
	await confirm(page, "Remove");
	await button(password, "Set a password").waitFor();
	await button(page, "Remove This device").click();
	await confirm(page, "Remove");
	await page.locator("dialog .form-fault").waitFor();
	is(`${/only method/.test(await page.locator("dialog .form-fault").textContent())} ${await names(page)}`, "true This device", "the last passkey of a person without a password stays, and the page says why (C-323)");
	await confirm(page, "Cancel");
}

// ---- pages of other origins (C-313) ----

// What a page can try: a form with a body that is JSON, a request with the cookie, and a sign-in. "same-site" is another
// port of the same host: browsers send it the cookie even with SameSite=Strict.
async function tryFrom(context, origin) {
	await context.grantPermissions(["local-network-access"], { origin }); // as if both were on the Internet
	const page = await context.newPage(), body = { email: "ann@example.com", password: PASSWORD };
	await page.route(`${origin}/`, (route) => route.fulfill({ contentType: "text/html", body: `<iframe name="answer"></iframe>
		<form method="post" enctype="text/plain" target="answer" action="${ORIGIN}/api/v1/auth/sign-in/password"><input name='{"x":"' value='","email":"ann@example.com","password":"${PASSWORD}"}'></form>
		<form method="post" enctype="text/plain" target="answer" action="${ORIGIN}/api/v1/projects"><input name='{"x":"' value='","name":"forged"}'></form>` }));
	await page.goto(`${origin}/`);
	const tried = await page.evaluate(async ([api, signIn]) => {
		const ask = (path, options) => fetch(api + path, { credentials: "include", ...options }).then((r) => r.text(), (e) => e.name);
		const post = (path, json, type, mode) => ask(path, { method: "POST", mode, headers: { "Content-Type": type }, body: JSON.stringify(json) });
		return [await ask("/auth/session", {}), await ask("/auth/session", { mode: "no-cors" }),
			await post("/auth/sign-in/password", signIn, "application/json"), await post("/auth/sign-in/password", signIn, "text/plain", "no-cors"),
			await post("/projects", { name: "forged" }, "application/json"), await post("/projects", { name: "forged" }, "text/plain", "no-cors")].join("|");
	}, [`${ORIGIN}/api/v1`, body]);
	for (const form of await page.locator("form").all()) {
		const answer = page.waitForResponse((r) => r.request().method() === "POST" && r.url().startsWith(ORIGIN));
		await form.evaluate((f) => f.submit());
		await answer;
	}
	await page.close();
	return tried;
}

async function otherOrigins(chrome, page) {
	const context = page.context(), stranger = await visitor(chrome);
	const cookie = async (of) => (await of.cookies()).find((c) => c.name === "__Host-surfaced")?.value;
	const before = `${sql("SELECT count(*), max(id) FROM audit")} ${await cookie(context)}`;
	for (const origin of ["https://evil.example", "https://localhost:1"]) {
		is(await tryFrom(context, origin), "TypeError||TypeError||TypeError|", `a page of ${origin} cannot read answers (C-313)`);
		await tryFrom(stranger, origin);
		is(await cookie(stranger), undefined, `a page of ${origin} signs nobody in (C-313)`);
	}
	is(`${sql("SELECT count(*), max(id) FROM audit")} ${await cookie(context)}`, before, "pages of other origins change nothing and leave the sign-in as it was (C-313)");
	is(await session(page), "passkey true", "the person stays signed in whatever pages of other origins try");
}

await main(async (chrome) => {
	const { page, device } = await join(chrome);
	await signingIn(page);
	await verification(page, device);
	const two = await second(page, device);
	await copied(chrome, page, device);
	await removing(chrome, page, two);
	await otherOrigins(chrome, page);
	await last(page);
});
