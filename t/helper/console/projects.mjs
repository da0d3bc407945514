// SPDX-License-Identifier: ISC
// Alerts, findings, inventory and detection rules, by an owner, and by a member who may read alone.
import { readFileSync } from "node:fs";
import { call, go, is, join, main, ok, PROJECT, settled, until, visitor } from "./lib.mjs";

const row = (page, title) => page.locator("tbody tr", { hasText: title });
const state = (page, title) => row(page, title).locator("td").nth(2);
const button = (page, name) => page.getByRole("button", { name, exact: true });

// ---- alerts (C-354) ----

async function inbox(page) {
	await go(page, "#/alerts");
	await until(async () => (await page.locator("tbody tr").count()) === 4, "the inbox shows the open alerts");
	// Alerts of one pass are in no order of their titles: the first row has another one below it, which j goes to.
	// Those of Finding 2 and 3 are left: they are closed when these findings are no longer open, below.
	const first = await page.locator("tbody tr:not(:last-child) .row-open", { hasNotText: /Finding [23]/ }).first().innerText();
	await row(page, first).locator(".row-open").focus();
	await page.keyboard.press("a");
	await until(async () => (await state(page, first).innerText()) === "acknowledged", "the key a acknowledges an alert, and its row says so without a reload (C-354)");
	is(await page.evaluate(() => document.activeElement.innerText), first, "the focus stays on the alert");
	await page.keyboard.press("j");
	const second = await page.evaluate(() => document.activeElement.innerText);
	await page.keyboard.press("c");
	await until(async () => (await state(page, second).innerText()).includes("closed"), "the key c closes the next alert (C-354)");
	const open = page.locator("tbody tr", { hasText: /open/ });
	is(await open.count(), 2, "the two other alerts stay open");
	await open.first().locator("input").check();
	await page.locator(".bulk").getByRole("button", { name: "Close" }).click();
	await until(async () => (await open.count()) === 1, "chosen alerts are closed together");
	await open.first().locator(".row-open").focus();
	await page.keyboard.press("s");
	await page.locator("dialog [name=reason]").fill("maintenance");
	ok((await page.locator("dialog").innerText()).includes("It ends "), "a silence says when it ends");
	await page.locator("dialog .main").click();
	await until(async () => (await page.locator("dialog").count()) === 0, "the key s silences the rule of an alert (C-354)");
	await open.first().locator(".row-open").click();
	await page.locator(".drawer").getByText("delivered").waitFor();
	ok(true, "an alert shows where it was sent");
	await page.keyboard.press("s");
	await page.locator("dialog [name=reason]").waitFor();
	ok(true, "a key that a button of the drawer shows works in the drawer");
	await page.keyboard.press("Escape");
	await page.locator("dialog").waitFor({ state: "detached" });
	await page.locator(".drawer h2").focus();
	await page.keyboard.press("a");
	await until(async () => (await page.locator(".drawer .badge").allInnerTexts()).includes("acknowledged"), "the key a in the drawer acknowledges its alert");
	await page.locator(".toasts li", { hasText: "1 alert acknowledged." }).first().waitFor();
	ok(true, "a notice says what has happened to the alert");
	await page.keyboard.press("r");
	await until(async () => (await page.locator(".drawer .badge").allInnerTexts()).includes("open"), "the key r in the drawer reopens it");
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
	is(await page.locator(".severity-cell.high .severity-count").innerText(), "9", "findings are counted by severity");
	await page.locator(".severity-cell.high").click();
	await settled(page);
	await row(page, "Finding 3").locator(".row-open").focus();
	await page.keyboard.type("gi");
	await page.waitForFunction(() => location.hash.startsWith("#/inventory"));
	await go(page, "#/findings?severity=high");
	ok((await row(page, "Finding 3").innerText()).includes("Open"), "the letter that opens a page after g does nothing to the finding that has the focus");
	await row(page, "Finding 3").locator(".row-open").focus();
	await page.keyboard.press("a");
	await until(async () => (await page.locator(".toasts li").allInnerTexts()).some((t) => t.includes("is acknowledged")), "the key a acknowledges the finding of the row");
	await row(page, "Finding 2").locator(".row-open").click();
	await page.locator(".drawer").getByText("Found", { exact: true }).waitFor();
	await page.locator(".drawer button", { hasText: "Accept the risk" }).click();
	await until(async () => (await row(page, "Finding 2").innerText()).includes("Risk accepted"), "a move of a finding is shown in its row");
	is(await page.locator(".drawer button", { hasText: "Acknowledge" }).count(), 0, "moves that are not possible from here are not offered (C-919)");
	await page.locator(".drawer").getByText("Risk accepted", { exact: true }).first().waitFor();
	ok(true, "the history has the move (C-919)");
	await button(page, "Reopen").click();
	await until(async () => (await row(page, "Finding 2").innerText()).includes("Open"), "a finding whose risk was accepted is reopened");
	await button(page, "Accept the risk").click();
	await until(async () => (await row(page, "Finding 2").innerText()).includes("Risk accepted"), "the risk of a reopened finding is accepted again");
	// The assets of one import are in no order of their names, and there are more than one page of them.
	await go(page, "#/inventory?name=a.example.com");
	await row(page, "a.example.com").locator(".row-open").click();
	await page.locator(".drawer").getByRole("link", { name: "Open its record" }).click();
	await page.waitForFunction(() => location.hash === "#/domains/a.example.com");
	ok(true, "an asset leads to what the search knows of it");
}

// Evidence in words: a sentence why, what to do above it, every name and address a link, no raw names or times; the JSON is folded.
async function evidence(page) {
	await go(page, "#/findings?status=any");
	const rows = page.locator("tbody .row-open"), drawer = page.locator(".drawer");
	const titles = (await rows.allInnerTexts()).filter((t) => !/^Finding \d/.test(t));
	for (const title of titles) {
		await rows.filter({ hasText: title.slice(0, 60) }).first().click();
		await drawer.locator("h2", { hasText: title.slice(0, 60) }).waitFor();
		const text = await drawer.innerText();
		ok(await drawer.locator(".why").count() === 1, `${title.slice(0, 40)}: a sentence says why`, text);
		ok(!/\d{4}-\d\d-\d\dT|reasons\n|matched by|rule uuid|last resolved at/.test(text), `${title.slice(0, 40)}: neither raw names nor raw times`, text);
		is(await drawer.locator("details.json-card").evaluate((n) => n.open), false, `${title.slice(0, 40)}: the JSON is folded`);
	}
	await rows.filter({ hasText: "examp1e.com" }).click();
	await drawer.locator("h2", { hasText: "examp1e.com" }).waitFor();
	await drawer.getByRole("link", { name: "Open in a browser session" }).waitFor();
	is(await drawer.getByRole("link", { name: "Open in a browser session" }).getAttribute("href"), `#/sessions?url=${encodeURIComponent("https://examp1e.com/")}`, "a look-alike can be opened in a browser session");
	ok((await drawer.locator(".why").innerText()).includes("examp1e.com resembles example.com"), "a look-alike says what it resembles");
	ok((await drawer.locator(".weights").innerText()).includes("the name receives mail"), "the score of a look-alike is told by its reasons");
	for (const [name, href] of [["DNS records", "#/names/examp1e.com"], ["Registration", "#/domains/examp1e.com"], ["Certificates", "#/search/certificates?q=names%3Aexamp1e.com"]])
		is(await drawer.getByRole("link", { name, exact: true }).getAttribute("href"), href, `a look-alike leads to its ${name}`);
	await drawer.locator("details.json-card summary").click();
	await until(async () => (await drawer.locator("details.json-card pre").innerText()).includes('"homoglyph"'), "the evidence can be read as JSON");
	await page.keyboard.press("Escape");
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
	await button(page, "Start testing").click();
	await until(async () => (await row(page, "Redis").innerText()).includes("testing"), "a draft is staged");
}

async function ruleFiles(page) {
	await go(page, "#/rules?origin=account");
	const [file] = await Promise.all([page.waitForEvent("download"), button(page, "Export").click()]);
	const exported = JSON.parse(readFileSync(await file.path(), "utf8"));
	is(exported.rules.map((r) => r.name).join(), "Redis", "the rules that the filters leave are exported");
	await button(page, "Import").click();
	await page.fill("dialog [name=text]", "rules: []");
	await page.locator("dialog .main").click();
	await page.locator("dialog .field .fault:not(:empty)").waitFor();
	ok(true, "a text that is no JSON is refused at its field");
	await page.fill("dialog [name=text]", JSON.stringify({ rules: [{ ...exported.rules[0], query: "prodcut:redis" }] }));
	await page.locator("dialog .main").click();
	await until(async () => /rules\[0\]/.test(await page.locator("dialog .form-fault").innerText()), "a fault of an imported rule names the rule");
	await page.locator("dialog input[type=file]").setInputFiles({ name: "rules.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify({ rules: [{ ...exported.rules[0], name: "Redis, imported" }] })) });
	await until(async () => (await page.inputValue("dialog [name=text]")).includes("imported"), "a file is read into the form");
	await page.getByLabel("is updated").check();
	await page.locator("dialog .main").click();
	await row(page, "Redis, imported").waitFor();
	ok(true, "an import updates a rule that is there");
}

// ---- addresses of records ----

// A record beside its list has an address, which leads to it in another tab; j and k open the next one and the one before.
async function addresses(page) {
	const { rules: [rule] } = await call(page, "GET", "/rules?origin=account");
	await call(page, "POST", `/rules/${rule.uuid}/copy`);
	for (const [hash, what] of [["#/findings?status=any", "finding"], ["#/inventory", "asset"], ["#/alerts?state=any", "alert"], ["#/rules", "rule"]]) {
		await go(page, hash);
		const rows = page.locator("tbody .row-open"), title = page.locator(".drawer h2");
		await rows.first().click();
		await title.waitFor();
		const first = await title.innerText(), at = page.url(); // two alerts may have one title
		ok(new RegExp(`[?&]${what}=[0-9a-f-]{36}$`).test(new URL(at).hash), `the ${what} that is open is in the address (C-920)`, at);
		await button(page, "Copy link").click();
		await page.locator(".toasts li", { hasText: "The link is copied." }).first().waitFor();
		is(await page.evaluate(() => navigator.clipboard.readText()), at, `the link of the ${what} can be copied`);
		await title.focus();
		await page.keyboard.press("j");
		await until(() => page.url() !== at, `the key j opens the next ${what}`);
		is(await page.locator("tr.current .row-open").innerText().then((t) => t === "" ? "none" : "marked"), "marked", `the row of the open ${what} is marked`);
		await page.keyboard.press("k");
		await until(async () => page.url() === at && (await title.innerText()) === first, `the key k opens the ${what} before it`);
		await page.reload();
		await title.waitFor();
		is(await title.innerText(), first, `the address leads to the ${what} when it is loaded again (C-920)`);
		await page.keyboard.press("Escape");
		ok(!new URL(page.url()).hash.includes(`${what}=`), `without the drawer the address has no ${what}`, page.url());
	}
	await go(page, "#/inventory");
	await page.getByRole("button", { name: "Load more" }).click();
	await until(async () => (await page.locator("tbody tr").count()) > 50, "more assets are loaded");
	const loaded = await page.locator("tbody tr").count();
	await page.locator("tbody .row-open").nth(54).click();
	await page.locator(".drawer").getByRole("link", { name: "Open its record" }).click();
	await page.waitForFunction(() => /^#\/(?:hosts|names|domains)\//.test(location.hash));
	await page.goBack();
	await page.locator(".drawer h2").waitFor();
	await settled(page);
	is(await page.locator("tbody tr").count(), loaded, "Back shows as many assets as were loaded, with the open one beside them");
}

// ---- reports and verdicts ----

async function reports(page) {
	await go(page, "#/reports/new");
	await page.fill("[name=title]", "A campaign <b>of ours</b>");
	await page.fill("[name=text]", "The loader calls evil-loader[.]com and 185.220.101.7 <img src=x onerror=document.title=1>.");
	await button(page, "Preview").click();
	await until(async () => (await page.locator(".searches").innerText()).includes("evil-loader.com"), "a preview shows the indicators of a text");
	await page.fill("[name=url]", "none");
	await button(page, "Add the report").click();
	await page.locator(".field .fault:not(:empty)").waitFor();
	await page.fill("[name=url]", "");
	await button(page, "Add the report").click();
	await page.getByText("private to the organisation").waitFor();
	is(await page.locator("main h1").innerText(), "A campaign <b>of ours</b>", "a report of the organisation is added and opened, and its title is text (C-346)");
	const marks = page.locator(".report-text mark.indicator");
	await marks.first().waitFor();
	ok((await marks.allInnerTexts()).some((t) => t.includes("evil-loader[.]com")), "the text of an own report is shown, with its indicators marked where they stand");
	ok((await page.locator(".report-text").innerText()).includes("<img src=x onerror=document.title=1>"), "markup in the text of a report is text (C-346)");
	is(await page.locator("main img").count(), 0, "nothing in the text of a report is loaded (C-346)");
	await button(page, "Edit").click();
	await page.fill("dialog [name=title]", "A campaign, <i>renamed</i>");
	await page.fill("dialog [name=tags]", "Loader");
	await page.selectOption("dialog [name=tlp]", "amber");
	await page.locator("dialog .main").click();
	await until(async () => (await page.locator("main h1").innerText()) === "A campaign, <i>renamed</i>", "the title of an own report is changed");
	ok((await page.locator(".record-head").innerText()).includes("TLP amber"), "the TLP of an own report is changed");
	ok((await page.locator(".record-side").innerText()).toLowerCase().includes("loader"), "the tags of an own report are changed");
	await row(page, "evil-loader.com").getByRole("button", { name: "Reject" }).click();
	await page.locator("dialog .main").click();
	await page.locator("dialog .field .fault:not(:empty)").waitFor();
	ok(true, "a verdict wants a reason");
	await page.fill("dialog [name=reason]", "Ours");
	await page.locator("dialog .main").click();
	await until(async () => (await page.locator("main").innerText()).includes("ignored") || (await row(page, "evil-loader.com").count()) === 0, "a rejected indicator is rejected in its report at once");
	await go(page, "#/verdicts");
	await row(page, "evil-loader.com").getByRole("button", { name: "Take back" }).click();
	await page.locator("dialog .main").click();
	await until(async () => (await row(page, "evil-loader.com").count()) === 0, "a verdict is taken back");
}

// ---- detectors and areas ----

async function detectors(page) {
	await go(page, "#/detectors");
	const card = page.locator('[data-detector="secrets"]');
	ok((await card.innerText()).includes("the database did not answer in time"), "a detector that failed says why");
	is(await card.locator("dd").nth(2).innerText(), "1,204 services, 3 open directories", "a detector says what it has looked at");
	await button(page, "Settings of Secrets").focus();
	await page.keyboard.press("Enter");
	await page.locator("dialog [name=exclude]").fill("finding_tpye:x");
	await page.locator("dialog .main").click();
	await page.locator("dialog .field .fault:not(:empty)").waitFor();
	ok((await page.locator("dialog .fault:not(:empty)").innerText()).includes("character 1"), "a query that is not valid is refused at its field, with its character");
	await page.locator("dialog [name=exclude]").fill("title:parked");
	await page.locator("dialog [name=min_severity]").selectOption("medium");
	await page.locator("dialog [name=enabled]").uncheck();
	await page.keyboard.press("Tab");
	await page.locator("dialog .main").click();
	await until(async () => /off|failed/.test(await card.locator(".badge").innerText()) && (await card.innerText()).includes("medium and above"), "settings of a detector are shown without a reload");
	const { detectors: list } = await call(page, "GET", `/projects/${PROJECT}/esi/detectors`);
	const { enabled, min_severity, exclude } = list.find((d) => d.name === "secrets");
	is(JSON.stringify([enabled, min_severity, exclude]), '[false,"medium","title:parked"]', "the settings that the page shows are those of the service");
	is(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "Settings of Secrets", "after the dialog the focus is on the detector's button");
}

async function areas(page) {
	for (const [type, columns] of [["dangling_dns", "NAME SEVERITY LEADS TO PROVIDER STATUS LAST SEEN"], ["typosquatting", "LOOK-ALIKE SEVERITY OF REGISTRATION HOW SCORE STATUS LAST SEEN"],
		["exposed_secret", "SECRET SEVERITY WHERE CHECK DIGITS STATUS LAST SEEN"], ["ai_surface", "SERVICE SEVERITY PRODUCT CATEGORY ACCESS MODELS STATUS LAST SEEN"],
		["exposed_service", "SERVICE SEVERITY PRODUCT KIND ACCESS TLS STATUS LAST SEEN"], ["sensitive_file", "FILE SEVERITY WHERE STATUS LAST SEEN"]]) {
		await go(page, `#/findings?finding_type=${type}`);
		is((await page.locator("thead th").allInnerTexts()).join(" "), columns, `the area ${type} has columns of its own`);
	}
	is(await page.locator("tbody tr").count(), 1, "secrets and sensitive files share a list and are told apart");
	await go(page, "#/findings?finding_type=dangling_dns");
	const hostile = row(page, "evil");
	ok((await hostile.innerText()).includes("<img src=x onerror=document.title=1> </script> ⟨U+202E⟩evil"), "names of records are text, with what turns the direction around (C-346)");
	is(await page.evaluate(() => `${document.title} ${document.querySelectorAll("main img").length}`), "Findings – surfaced 0", "no script in a record runs (C-346)");
	await row(page, "old-shop.example.com").locator(".row-open").click();
	await page.locator(".drawer .remedy", { hasText: "Remove the record, or claim the name again." }).waitFor();
	await page.locator(".drawer h2").focus();
	await page.keyboard.press("a");
	await until(async () => (await row(page, "old-shop.example.com").innerText()).includes("Acknowledged"), "a move of a finding is shown in the row of its area");
	ok((await row(page, "old-shop.example.com").innerText()).includes("Heroku"), "the row keeps the members of its area");
}

async function watched(page) {
	await go(page, "#/detectors?tab=domains");
	await button(page, "Watch a domain").click();
	await page.fill("dialog [name=domain]", "com");
	await button(page, "Preview").click();
	await page.locator("dialog .fault-panel").waitFor();
	await page.locator("dialog .main").click();
	await page.locator("dialog .field .fault:not(:empty)").first().waitFor();
	ok(true, "a domain that is none is refused at its field");
	await page.fill("dialog [name=domain]", "example.org");
	await page.fill("dialog [name=words]", "example-bank example-pay");
	await button(page, "Preview").click();
	await until(async () => (await page.locator("dialog .preview").innerText()).includes("look-alike"), "a preview says what watching would find");
	await page.locator("dialog .main").click();
	await row(page, "example.org").waitFor();
	ok((await row(page, "example.org").innerText()).includes("example-bank, example-pay"), "a watched domain has its words");
	await row(page, "example.org").getByRole("button", { name: "Change" }).click();
	await page.locator("dialog [name=enabled]").uncheck();
	await page.locator("dialog .main").click();
	await until(async () => (await row(page, "example.org").innerText()).includes("paused"), "a watched domain is paused");
	await row(page, "example.org").getByRole("button", { name: "End" }).click();
	await page.locator("dialog .main").click();
	await until(async () => (await row(page, "example.org").count()) === 0, "watching a domain ends");
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
		"Copy link ✕",
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
	await go(page, "#/detectors");
	is(await page.locator("main").getByRole("button", { name: /^Settings of/ }).count(), 0, "such a member changes no settings of detectors");
	is((await call(page, "PUT", `/projects/${PROJECT}/esi/detectors/secrets`, { enabled: true })).status, 403, "the API refuses settings of detectors by such a member (C-330)");
	await go(page, "#/detectors?tab=domains");
	is(await page.locator("main .row-actions button, main .filter-line button").count(), 0, "such a member watches no domains");
	await go(page, "#/verdicts");
	is(await page.locator("main button").count(), 0, "a member takes no verdicts back");
	await go(page, "#/rules");
	is(await button(page, "Import").count(), 0, "a member imports no rules");
	is(await page.getByRole("link", { name: "New rule" }).count(), 0, "such a member makes no detection rules");
}

await main(async (chrome) => {
	const ann = await join(await visitor(chrome, { permissions: ["clipboard-read", "clipboard-write"] }), process.env.ANN, "Ann");
	for (const part of [inbox, tabs, findings, evidence, detectors, areas, watched, rules, ruleFiles, addresses, reports])
		await part(ann);
	await reader(await join(await visitor(chrome), process.env.BOB, "Bob"));
});
