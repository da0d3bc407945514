// SPDX-License-Identifier: ISC
// A form that changes a record is opened and saved as it is. The console must send what the API takes: no member that it
// refuses, and each that it requires.
import { authenticator, call, go, is, join, main, ok, offersNothing, PROJECT, until, visitor } from "./lib.mjs";

const row = (page, title) => page.locator("tbody tr", { hasText: title });
const button = (page, name) => page.getByRole("button", { name, exact: true });

// The PUT of one press of a button: its method and status. Queries are tried with POST meanwhile.
async function sends(page, press) {
	const [answer] = await Promise.all([page.waitForResponse((r) => r.request().method() === "PUT"), press()]);
	return `${answer.request().method()} ${answer.status()}${answer.ok() ? "" : ` ${await answer.text()}`}`;
}

// Saves the dialog that is open.
async function savesDialog(page, title) {
	is(await sends(page, () => page.locator("dialog .main").click()), "PUT 200", `${title} is saved without a change`);
	await page.locator("dialog").waitFor({ state: "detached" });
}

async function member(page, tail, name, of) {
	const answer = await call(page, "GET", tail);
	return answer[name].find(of);
}

// ---- detection rules ----

async function savesRule(page, uuid, title) {
	const { rule: before } = await call(page, "GET", `/rules/${uuid}`);
	await go(page, `#/rules/${uuid}/edit`);
	is(await sends(page, () => button(page, "Save").click()), "PUT 200", `${title} is saved without a change`);
	await page.waitForFunction(() => location.hash.startsWith("#/rules?"));
	const { rule: after } = await call(page, "GET", `/rules/${uuid}`);
	is(JSON.stringify(after), JSON.stringify(before), `${title} is the same after it was saved without a change`);
}

async function detectionRules(page) {
	const { rule } = await call(page, "POST", "/rules", { name: "Redis", dataset: "services", scope: "surface", query: "product:redis", exclude: "port:6380", severity: "high",
		description: "Line one\nand two", author: "Us", licence: "CC0-1.0", tags: ["no-login"], techniques: ["T1190"], references: ["https://redis.io/docs"], false_positives: ["Honeypots"],
		tests: [{ name: "open", expect: "match", record: { port: 6379, product: "Redis" } }], produces: { area: "rule", exposure_kind: "database/redis", rank: 10, title: "Redis at {ip}:{port}" } });
	await savesRule(page, rule.uuid, "a rule of the organisation");
	await go(page, `#/rules/${rule.uuid}/edit`);
	await page.locator("[name=severity]").selectOption("critical");
	await page.locator("[name=description]").fill("Another line");
	is(await sends(page, () => button(page, "Save").click()), "PUT 200", "a changed rule is saved");
	const { rule: changed } = await call(page, "GET", `/rules/${rule.uuid}`);
	is(`${changed.version} ${changed.severity} ${changed.description} ${changed.author}`, "2 critical Another line Us", "a saved rule has the changes, and keeps the members that the form does not show");
	// the fault of a query stands at the query
	await go(page, `#/rules/${rule.uuid}/edit`);
	await page.locator("[data-search]").fill("prodcut:redis");
	is((await sends(page, () => button(page, "Save").click())).slice(0, 7), "PUT 400", "a query that cannot be read is refused");
	await until(async () => /prodcut/.test(await page.locator(".field:has([data-search]) > .fault").innerText()), "the fault of a query stands at the query");
	is(await page.locator(".form-fault").count(), 0, "a fault that stands at its field stands nowhere else");
	// somebody else has changed the rule
	await page.locator("[data-search]").fill("product:redis");
	await call(page, "PUT", `/rules/${rule.uuid}`, { version: 2, name: "Redis", dataset: "services", scope: "surface", query: "product:valkey", severity: "low" });
	is((await sends(page, () => button(page, "Save").click())).slice(0, 7), "PUT 409", "a rule that another person has changed meanwhile is not overwritten (C-898)");
	await until(async () => /has changed since/.test(await page.locator(".form-fault").innerText()), "the form says that the rule has changed (C-898)");
}

// A copy of a rule of the catalogue of each area is a rule that can be saved as it is.
async function copies(page) {
	for (const [name, area] of [["Ollama answers without a login", "ai_surface"], ["Redis answers without a login", "service"]]) {
		const origin = await member(page, `/rules?origin=catalogue&name=${encodeURIComponent(name)}`, "rules", (r) => r.name === name);
		is(origin.produces.area, area, `the catalogue's rule ${name} has the area ${area}`);
		await go(page, `#/rules?origin=catalogue&name=${encodeURIComponent(name)}`);
		await row(page, name).locator(".row-open").click();
		await button(page, "Copy").click();
		await page.waitForFunction(() => /^#\/rules\/[0-9a-f-]+\/edit$/.test(location.hash));
		const uuid = await page.evaluate(() => location.hash.split("/")[2]);
		await page.locator("[name=name]").waitFor();
		await savesRule(page, uuid, `the copy of ${name}`);
		const { rule } = await call(page, "GET", `/rules/${uuid}`);
		is(`${rule.produces.area} ${rule.tags.join()}`, `rule ${origin.tags.join()}`, "a copy has the tags of the catalogue's rule, and the area of a rule of an organisation");
	}
	const known = (await call(page, "GET", "/rules/tags?limit=100")).tags.map((t) => t.slug);
	ok(["ai-inference", "database", "no-login"].every((t) => known.includes(t)), "the tags of the catalogue's rules are known tags", known.join());
}

// ---- everything else ----

async function alerting(page) {
	await go(page, "#/alerts");
	await button(page, "Rules").click();
	await page.locator("tbody tr").first().getByRole("button", { name: "Edit" }).click();
	await savesDialog(page, "an alert rule");
	await button(page, "Destinations").click();
	await row(page, "ok").getByRole("button", { name: "Edit" }).click();
	await savesDialog(page, "a destination of webhooks");
}

async function project(page) {
	await go(page, "#/detectors");
	for (const title of ["Secrets", "Detection rules"]) {
		await button(page, `Settings of ${title}`).click();
		await savesDialog(page, `the detector ${title}`);
	}
	await go(page, "#/detectors?tab=domains");
	await row(page, "example.com").getByRole("button", { name: "Change" }).click();
	await savesDialog(page, "a watched domain");
}

async function access(page) {
	for (const [name, more] of [["plain", {}], ["narrow", { projects: [PROJECT], expires_at: new Date(Date.now() + 40 * 86400000).toISOString() }]]) {
		const made = await call(page, "POST", "/access/keys", { name, scopes: ["search.view", "esi.findings.view"], projects: null, expires_at: null, ...more });
		const { key: before } = await call(page, "GET", `/access/keys/${made.key.uuid}`);
		await go(page, `#/keys/${made.key.uuid}/edit`);
		is(await sends(page, () => button(page, "Save").click()), "PUT 200", `the key ${name} is saved without a change`);
		const { key: after } = await call(page, "GET", `/access/keys/${made.key.uuid}`);
		is(JSON.stringify(after), JSON.stringify(before), `the key ${name} is the same after it was saved without a change`);
	}
	await go(page, "#/members");
	for (const [name, email] of [["Ann", "ann@example.com"], ["Bob", "bob@example.com"]]) {
		const before = await member(page, "/access/members?limit=100", "members", (m) => m.email === email);
		await row(page, email).locator("summary").click();
		await row(page, email).getByRole("button", { name: "Change" }).click();
		await savesDialog(page, `the member ${name}`);
		const after = await member(page, "/access/members?limit=100", "members", (m) => m.email === email);
		is(JSON.stringify({ ...after, updated_at: "" }), JSON.stringify({ ...before, updated_at: "" }), `the member ${name} is the same after it was saved without a change`);
	}
}

async function reports(page) {
	for (const [title, more] of [["Bare", {}], ["Full", { tlp: "amber+strict", tags: ["loader", "no-login"], publisher: "Us" }]]) {
		const { report: { uuid } } = await call(page, "POST", "/reports", { title, text: `${title}: the loader calls evil-loader[.]com.`, ...more });
		const { report: before } = await call(page, "GET", `/reports/${uuid}`);
		await go(page, `#/reports/${uuid}`);
		await button(page, "Edit").click();
		await savesDialog(page, `the report ${title}`);
		const { report: after } = await call(page, "GET", `/reports/${uuid}`);
		is(JSON.stringify(after), JSON.stringify(before), `the report ${title} is the same after it was saved without a change`);
	}
}

async function settings(page) {
	await go(page, "#/settings/profile");
	is(await sends(page, () => button(page, "Save").click()), "PUT 200", "a profile is saved without a change");
	await go(page, "#/settings/organisation");
	await page.locator("[name=sign_in]").first().waitFor();
	is(await sends(page, () => button(page, "Save").click()), "PUT 200", "the sign-in of the organisation's members is saved without a change");
	await page.getByRole("button", { name: /^Rename / }).first().click();
	await savesDialog(page, "the name of a project");
	await authenticator(page);
	await go(page, "#/settings/ways");
	await button(page, "Add a passkey").click();
	await page.getByRole("button", { name: /^Rename / }).or(page.locator("dialog [name=name]")).first().waitFor();
	if (await page.locator("dialog [name=name]").isVisible())
		await page.locator("dialog .main").click();
	await page.getByRole("button", { name: /^Rename / }).first().click();
	await savesDialog(page, "the name of a passkey");
	await page.getByRole("button", { name: "Change", exact: true }).first().click();
	await page.locator("dialog [name=password]").fill(process.env.PASSWORD);
	await savesDialog(page, "the same password");
}

await main(async (chrome) => {
	const ann = await join(await offersNothing(await visitor(chrome)), process.env.ANN, "Ann");
	for (const part of [detectionRules, copies, alerting, project, access, reports, settings])
		await part(ann);
});
