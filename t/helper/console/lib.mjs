// SPDX-License-Identifier: ISC
// What the tests of the console share: Chromium, people in it, requests of a page.
import { execFileSync } from "node:child_process";
import { axe, browser, is, ok, plan, until } from "../viewing/lib.mjs";

export { axe, is, ok, until };
export const { ORIGIN, PASSWORD, PROJECT } = process.env;
export const CONSOLE = `${ORIGIN}/console/`;

// What Chromium writes about each answer above 399, and about requests that a test cuts off; the console shows these itself.
const REFUSED = /^Failed to load resource: (?:the server responded with a status of (?:400|401|403|404|409|429|503) |net::ERR_FAILED)/;
export const allFaults = []; // of every page
export const foreignRequests = []; // to other origins

// A browser of one person: whatever its pages complain of is in allFaults.
export async function visitor(chrome, options = {}) {
	const context = await chrome.newContext({ ignoreHTTPSErrors: true, viewport: { width: 1280, height: 800 }, reducedMotion: "reduce", ...options });
	context.setDefaultTimeout(30000);
	context.on("page", (page) => {
		page.on("pageerror", (e) => allFaults.push(`${page.url()}: ${e.stack}`));
		page.on("console", (m) => page.url().startsWith(ORIGIN) && ["error", "warning"].includes(m.type()) && !REFUSED.test(m.text()) && allFaults.push(`${page.url()}: ${m.text()}`));
		page.on("request", (r) => !/^(?:blob|data):/.test(r.url()) && new URL(r.url()).origin !== ORIGIN && !r.isNavigationRequest() && foreignRequests.push(r.url()));
	});
	return context;
}

export async function tab(context, hash = "") {
	const page = await context.newPage();
	await page.goto(CONSOLE + hash);
	return page;
}

// Goes to a page of the console in a tab that is there, and waits until it is drawn.
export async function go(page, hash) {
	await page.evaluate((h) => {
		location.hash = h;
	}, hash);
	await settled(page, hash);
}

// Waits until the page of an address is drawn; without hash, any page. The address changes first, then the event hashchange
// comes, and then the page before it goes. So a task passes before the condition counts; a document that is being left runs none.
export async function settled(page, hash) {
	await page.evaluate(() => new Promise((done) => {
		setTimeout(done);
	})).catch(() => null);
	await page.waitForFunction((h) => (!h || location.hash === h) && document.querySelector(".shell-top") && document.querySelector("main h1") && !document.querySelector('main [aria-busy="true"], .skeleton'), hash);
}

// After a link a passkey is offered where the service has passkeys; answers whether it was.
export async function declinePasskey(page) {
	const offer = page.getByRole("button", { name: "Not now" });
	await offer.or(page.locator(".shell-top")).first().waitFor();
	const offered = await offer.isVisible();
	if (offered)
		await offer.click();
	await settled(page);
	return offered;
}

// A new person by a link, in a context of their own.
export async function join(context, link, name) {
	const page = await tab(context, link.slice(link.indexOf("#")));
	await page.fill("[name=name]", name);
	await page.fill("[name=password]", PASSWORD);
	await page.keyboard.press("Enter");
	await declinePasskey(page);
	return page;
}

export async function signIn(page, email, password = PASSWORD) {
	await page.fill("[name=email]", email);
	await page.fill("[name=password]", password);
	await page.press("[name=password]", "Enter");
}

// The API in the name of the page's person: its body, with the status.
export function call(page, method, path, body) {
	return page.evaluate(async ([m, p, b]) => {
		const { request } = await import("/common/api.js");
		try {
			return { status: 200, ...await request(m, p, { body: b, alone: true }) };
		} catch (e) {
			return { status: e.status, code: e.code };
		}
	}, [method, path, body]);
}

// Everything that a page keeps: nodes, values, storage, title, address.
export function kept(page) {
	return page.evaluate(() => [document.documentElement.outerHTML, ...[...document.querySelectorAll("input, textarea")].map((n) => n.value), JSON.stringify({ ...localStorage }),
		JSON.stringify({ ...sessionStorage }), document.title, location.href, JSON.stringify(history.state)].join("\n"));
}

export const sql = (text) => execFileSync("psql", ["-qAtc", text], { encoding: "utf8" }).trim();

// A browser session of the page's person as if a browser had run it (t/helper/evidence.py), and now over unless it shall run on.
export async function recordedSession(page, { url = "https://www.example.com/sign-in?from=mail", title = "Sign in to your account", over = true } = {}) {
	const { session: { uuid } } = await call(page, "POST", `/projects/${PROJECT}/sessions`, { start_url: url });
	sql(`UPDATE browser_session SET state = 'starting', state_event = 'claim', host = 'nowhere', lease_epoch = 1, lease_until = now() + interval '1 hour' WHERE uuid = '${uuid}'`);
	sql(`SELECT session_apply('${uuid}', 'ready')`);
	sql(execFileSync("/usr/bin/python3", ["t/helper/evidence.py", process.env.W, uuid, title], { encoding: "utf8", env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1" } }));
	execFileSync("chmod", ["-R", "a+rX", `${process.env.W}/evidence`]);
	if (over)
		sql(`UPDATE browser_session SET state = 'terminal', state_event = 'fail', terminal_reason = 'failed' WHERE uuid = '${uuid}'`);
	return uuid;
}

// The authenticator of one page: a device that asks nobody, since its person is always there. Where the field of the e-mail
// offers passkeys, such a device signs in at once (offersNothing).
export async function authenticator(page) {
	const cdp = await page.context().newCDPSession(page);
	await cdp.send("WebAuthn.enable");
	const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", { options: { protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true } });
	const tell = (method, more = {}) => cdp.send(`WebAuthn.${method}`, { authenticatorId, ...more });
	return {
		credentials: async () => (await tell("getCredentials")).credentials,
		add: (credential) => tell("addCredential", { credential }),
		verify: (isUserVerified) => tell("setUserVerified", { isUserVerified }),
		remove: () => tell("removeVirtualAuthenticator"),
	};
}

// Pages of this browser offer no passkey before somebody asks for one.
export async function offersNothing(context) {
	await context.addInitScript(() => {
		if (globalThis.PublicKeyCredential)
			PublicKeyCredential.isConditionalMediationAvailable = async () => false;
	});
	return context;
}

export async function main(test) {
	const chrome = await browser();
	try {
		await test(chrome);
		is(allFaults.join("\n"), "", "no page of the console logs an error or a violation of its policy (C-341)");
		is(foreignRequests.join("\n"), "", "no page of the console asks another origin for anything (C-341)");
	} catch (e) {
		const seen = [];
		for (const page of chrome.contexts().flatMap((c) => c.pages()))
			seen.push(`${page.url()}: ${(await page.locator("body").innerText({ timeout: 2000 }).catch(String)).slice(0, 400)}`);
		ok(false, "the script came to its end", [e.stack, ...seen, ...allFaults].join("\n"));
	} finally {
		await chrome.close();
		plan();
		process.exitCode = 0;
	}
}
