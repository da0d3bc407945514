// SPDX-License-Identifier: ISC
// Detection rules in the console while surfaced-detect evaluates them.
import { call, go, is, join, main, ok, PROJECT, settled, until, visitor } from "./lib.mjs";

const OPEN = "Redis answers without a login";
const row = (page, title) => page.locator("tbody tr", { hasText: title });
const button = (page, name) => page.getByRole("button", { name, exact: true });
const cell = async (page, title, head) => (await row(page, title).locator(`[data-head="${head}"]`).innerText()).trim();
const words = (page) => page.locator(".drawer [role=status]").first().innerText();

async function mute(page) {
	await go(page, `#/rules?name=${encodeURIComponent(OPEN)}`);
	is(`${await cell(page, OPEN, "State")} ${await cell(page, OPEN, "Active findings")}`.replace(/\s+/g, " "), "● On 2", "the row of a rule that makes findings says that it is on, and has the number of its active findings");
	await row(page, OPEN).locator(".row-open").click();
	const knob = page.getByRole("switch");
	is(`${await knob.innerText()} ${await knob.getAttribute("aria-checked")}`, "On true", "the drawer has one switch, which says that the rule is on");
	ok(/The rule is on\. Records that match are findings in every project\./.test(await words(page)), "the drawer says where its findings are", await words(page));
	await page.locator(".drawer").getByRole("link", { name: "Redis at 192.0.2.7:6379 answers without a login" }).waitFor();
	await page.locator(".drawer").getByRole("link", { name: /^All in / }).click();
	await settled(page);
	await until(async () => await page.locator("tbody tr").count() === 2 && await row(page, "without a login").count() === 2, "the drawer leads to the findings of the rule alone");
	await button(page, "all rules").click();
	await until(async () => await page.locator("tbody tr").count() > 2, "a button shows the findings of all rules again");
	await go(page, `#/rules?name=${encodeURIComponent(OPEN)}`);
	await row(page, OPEN).locator(".row-open").click();
	await knob.click();
	await until(async () => await knob.getAttribute("aria-checked") === "false", "the switch turns the rule off");
	is(await page.evaluate(() => document.activeElement.getAttribute("role")), "switch", "the focus stays on the switch");
	is(`${await knob.innerText()} ${await cell(page, OPEN, "State")} ${await cell(page, OPEN, "Active findings")}`, "Off Off 0", "a rule that is off has the word off and no active finding");
	ok(/The rule is off\. It is not evaluated, and it has no active findings\./.test(await words(page)), "the drawer says that a rule that is off finds nothing", await words(page));
	const { findings } = await call(page, "GET", `/projects/${PROJECT}/esi/findings?status=open&limit=100`);
	is(findings.filter((f) => f.title.includes("without a login")).length, 0, "the list of open findings has none of a rule that is off");
	await knob.click();
	await until(async () => await cell(page, OPEN, "Active findings") === "2", "a rule that is turned on has its findings again, without a reload");
	await page.keyboard.press("Escape");
}

// From a draft to findings: the drawer says at each step what the rule does.
async function own(page) {
	await go(page, "#/rules/new");
	await page.locator("[name=name]").fill("Own Redis");
	await page.locator("[name=scope]").selectOption("surface");
	await page.locator("[data-search]").fill("product:redis");
	await page.locator("[name=tests]").fill('[{"name": "open", "expect": "match", "record": {"port": 6379, "product": "Redis"}}, {"name": "else", "expect": "no_match", "record": {"port": 22}}]');
	await button(page, "Create a draft").click();
	await row(page, "Own Redis").locator(".row-open").click();
	ok(/A draft is not evaluated/.test(await words(page)), "the drawer says that a draft is not evaluated", await words(page));
	ok(!/\bOn\b/.test(await page.locator(".drawer .tags").innerText()), "the drawer does not say that a draft is on", await page.locator(".drawer .tags").innerText());
	await button(page, "Start testing").click();
	await until(async () => /none is chosen in its settings/.test(await words(page)), "the drawer says that the rule has no project to look at");
	await button(page, "Settings").click();
	await page.locator("dialog [name=project_uuids]").first().check();
	await page.locator("dialog [name=findings]").check();
	await page.locator("dialog .main").click();
	await until(async () => /It observes records, and makes no findings before it is published/.test(await words(page)) && /192\.0\.2\.7/.test(await page.locator(".drawer").innerText()),
		"the observations of a staged rule appear in the drawer without a reload");
	await until(async () => await cell(page, "Own Redis", "Observed") === "2", "the row shows what the rule observes");
	await button(page, "Mark as stable").click();
	await until(async () => await cell(page, "Own Redis", "Active findings") === "2", "a published rule shows its findings without a reload");
	ok(/Records that match are findings in 1 project/.test(await words(page)), "the drawer says in how many projects it finds", await words(page));
	// The settings are saved without a change, and stay.
	const { rules: [before] } = await call(page, "GET", "/rules?name=Own%20Redis");
	await button(page, "Settings").click();
	await page.locator("dialog .main").click();
	await page.locator("dialog").waitFor({ state: "detached" });
	const { rules: [after] } = await call(page, "GET", "/rules?name=Own%20Redis");
	is(JSON.stringify(after.settings), JSON.stringify(before.settings), "the settings are the same after they were saved without a change");
	await button(page, "Settings").click();
	await page.locator("dialog [name=exclude]").fill("colour:red");
	await page.locator("dialog .main").click();
	await page.locator("dialog .field .fault:not(:empty)").waitFor();
	ok(true, "an exception that cannot be read is refused at its field");
	await page.locator("dialog [name=exclude]").fill("ip:192.0.2.8");
	await page.locator("dialog [name=severity]").selectOption("low");
	await page.locator("dialog .main").click();
	await page.locator("dialog").waitFor({ state: "detached" });
	await until(async () => (await cell(page, "Own Redis", "Severity")).includes("low"), "the severity of the settings is that of the row");
	await until(async () => await cell(page, "Own Redis", "Observed") === "1", "an exception of the settings leaves its records out");
}

async function reader(page) {
	await go(page, `#/rules?name=${encodeURIComponent(OPEN)}`);
	await row(page, OPEN).locator(".row-open").click();
	is(await page.getByRole("switch").count(), 0, "a member has no switch");
	ok(/On/.test(await page.locator(".drawer .tags").innerText()), "a member reads whether the rule is on");
	is(await cell(page, OPEN, "Active findings"), "2", "a member reads the number of findings");
}

await main(async (chrome) => {
	const page = await join(await visitor(chrome), process.env.ANN, "Ann");
	await mute(page);
	await own(page);
	await reader(await join(await visitor(chrome), process.env.BOB, "Bob"));
});
