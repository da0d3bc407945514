// SPDX-License-Identifier: ISC
// Alerts, findings, inventory and detection rules, by an owner, and by a member who may read alone.
import { call, go, is, join, main, ok, PROJECT, settled, until, visitor } from "./lib.mjs";

const row = (page, title) => page.locator("tbody tr", { hasText: title });
const state = (page, title) => row(page, title).locator("td").nth(2);
const button = (page, name) => page.getByRole("button", { name, exact: true });

// ---- alerts (C-354) ----

async function inbox(page) {
	await go(page, "#/alerts");
	await until(async () => (await page.locator("tbody tr").count()) === 4, "the inbox shows the open alerts");
	await row(page, "Finding 1").locator(".row-open").focus();
	await page.keyboard.press("a");
	await until(
		async () => (await state(page, "Finding 1").innerText()) === "acknowledged",
		"the key a acknowledges an alert, and its row says so without a reload (C-354)",
	);
	is(await page.evaluate(() => document.activeElement.innerText), "Finding 1", "the focus stays on the alert");
	await page.keyboard.press("j");
	const second = await page.evaluate(() => document.activeElement.innerText);
	await page.keyboard.press("c");
	await until(async () => (await state(page, second).innerText()).includes("closed"), "the key c closes the next alert (C-354)");
	const open = page.locator("tbody tr", { hasText: /open/ });
	// A press that was lost or refused is repeated, as a person would.
	const close = page.locator(".bulk").getByRole("button", { name: "Close" });
	await until(async () => {
		if ((await open.count()) === 2 && (await close.count()) === 0)
			await open.first().locator("input").check({ timeout: 2000 }).catch(() => {});
		if ((await open.count()) === 2)
			await close.click({ timeout: 2000 }).catch(() => {});
		return (await open.count()) === 1;
	}, "chosen alerts are closed together");
	await open.first().locator(".row-open").focus();
	await page.keyboard.press("s");
	await page.locator("dialog [name=reason]").fill("maintenance");
	ok((await page.locator("dialog").innerText()).includes("It ends "), "a silence says when it ends");
	await page.locator("dialog .main").click();
	await until(async () => (await page.locator("dialog").count()) === 0, "the key s silences the rule of an alert (C-354)");
	await open.first().locator(".row-open").click();
	await page.locator(".drawer").getByText("delivered").waitFor();
	ok(true, "an alert shows where it was sent");
	await page.keyboard.press("Escape");
	is(await page.locator(".drawer").isVisible(), false, "Escape closes the record beside the list");
}

async function tabs(page) {
	await button(page, "Silences").click();
	await row(page, "maintenance").waitFor();
	ok((await row(page, "maintenance").innerText()).includes("active"), "the silence is active");
	await button(page, "Destinations").click();
	await row(page, "ok").getByRole("button", { name: "Test" }).click();
	await until(
		async () => (await row(page, "ok").innerText()).includes("delivered"),
		"a test of a destination shows its delivery as it happens (C-354)",
	);
	await button(page, "Deliveries").click();
	await row(page, "test").first().waitFor();
	await row(page, "test").first().locator("summary").click();
	await until(async () => /200/.test(await row(page, "test").first().locator("ol").innerText()), "a delivery shows its attempts");
	await button(page, "Rules").click();
	await button(page, "New rule").first().click();
	await page.locator("dialog [name=name]").fill("Secrets");
	await page.locator("dialog [name=query]").fill("finding_tpye:secret");
	await page.locator("dialog .main").click();
	await until(
		async () =>
			/finding_type/.test(
				await page
					.locator("dialog .fault, dialog .form-fault")
					.allInnerTexts()
					.then((t) => t.join(" ")),
			),
		"a rule whose query is not valid is refused at its field",
	);
	await page.locator("dialog [name=query]").fill("finding_type:secret");
	await page.locator("dialog .main").click();
	await row(page, "Secrets").waitFor();
	await row(page, "Secrets").getByRole("button", { name: "Delete" }).click();
	await page.locator("dialog .main").click();
	await until(async () => (await row(page, "Secrets").count()) === 0, "a rule is made and deleted");
}

// ---- findings, inventory, rules ----

async function findings(page) {
	await go(page, "#/findings");
	is(await page.locator(".severity-cell.high .severity-count").innerText(), "4", "findings are counted by severity");
	await page.locator(".severity-cell.high").click();
	await settled(page);
	await row(page, "Finding 2").locator(".row-open").click();
	await page.locator(".drawer").getByText("Found", { exact: true }).waitFor();
	await button(page, "Accept the risk").click();
	await until(async () => (await row(page, "Finding 2").innerText()).includes("Risk accepted"), "a move of a finding is shown in its row");
	is(await button(page, "Acknowledge").count(), 0, "moves that are not possible from here are not offered");
	await page.locator(".drawer").getByText("Risk accepted", { exact: true }).first().waitFor();
	ok(true, "the history has the move");
	await go(page, "#/inventory");
	await row(page, "a.example.com").locator(".row-open").click();
	await page.locator(".drawer").getByRole("link", { name: "Open what the search knows" }).click();
	await page.waitForFunction(() => location.hash === "#/domains/a.example.com");
	ok(true, "an asset leads to what the search knows of it");
}

async function rules(page) {
	await go(page, "#/rules/new");
	await page.locator("[name=name]").fill("Redis");
	await page.locator("[data-search]").fill("prodcut:redis");
	await until(
		async () =>
			(await page.locator(".dry-run").innerText()).includes("Character 1") ||
			(await page.locator(".dry-run").innerText()).includes("character 1"),
		"the dry run says what is wrong with a query",
	);
	await page.locator("[data-search]").fill("product:redis");
	await until(
		async () => (await page.locator(".dry-run").innerText()).includes("0 services would match"),
		"the dry run counts matches as somebody types",
	);
	await page.locator("[name=tests]").fill('[{"name": "open", "expect": "match", "record": {"port": 6379, "product": "Redis"}}]');
	await until(async () => (await page.locator(".dry-run").innerText()).includes("passes"), "the dry run tries the samples");
	await button(page, "Create a draft").click();
	await row(page, "Redis").locator(".row-open").click();
	await button(page, "Stage").click();
	await until(async () => (await row(page, "Redis").innerText()).includes("testing"), "a draft is staged");
}

// ---- who may read alone (C-354, C-330) ----

async function reader(page) {
	await go(page, "#/alerts?state=any");
	await page.locator("tbody tr").first().waitFor();
	is(await page.locator("tbody input").count(), 0, "a member who does not manage the project can choose no alerts (C-354)");
	await page.locator(".row-open").first().click();
	is(
		await page
			.locator(".drawer button")
			.allInnerTexts()
			.then((t) => t.join(" ")),
		"✕",
		"such a member sees no buttons that move an alert (C-354)",
	);
	for (const tab of ["Rules", "Destinations", "Silences"]) {
		await button(page, tab).click();
		await settled(page);
		is(
			await page.locator("main .row-actions button, main .filter-line button").count(),
			0,
			`such a member sees no buttons of ${tab.toLowerCase()} (C-354)`,
		);
	}
	const { alerts } = await call(page, "GET", `/projects/${PROJECT}/alerting/alerts`);
	is(
		(await call(page, "POST", `/projects/${PROJECT}/alerting/alerts/${alerts[0].uuid}/close`)).status,
		403,
		"the API refuses what such a member has no buttons for (C-354)",
	);
	await go(page, "#/findings?status=any");
	await page.locator(".row-open").first().click();
	is(await page.locator(".drawer .actions button").count(), 0, "such a member sees no moves of findings");
	await go(page, "#/rules");
	is(await page.getByRole("link", { name: "New rule" }).count(), 0, "such a member makes no detection rules");
}

await main(async (chrome) => {
	const ann = await join(await visitor(chrome), process.env.ANN, "Ann");
	for (const part of [inbox, tabs, findings, rules])
		await part(ann);
	await reader(await join(await visitor(chrome), process.env.BOB, "Bob"));
});
