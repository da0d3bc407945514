// SPDX-License-Identifier: ISC
// An owner reads in the audit log what two people have done, and saves it; a member meets no closed doors.
import { readFileSync } from "node:fs";
import { call, go, is, join, main, ok, settled, tab, until, visitor, declinePasskey } from "./lib.mjs";

const button = (page, name) => page.getByRole("button", { name, exact: true });
const lines = (page) => page.locator("table.audit tbody tr");
const line = (page, words) => page.locator("table.audit tbody tr", { hasText: words });

async function log(page) {
	await go(page, "#/audit");
	await lines(page).first().waitFor();
	const joined = line(page, "used a link").first();
	is(await joined.locator('[data-head="Who"]').innerText(), "Bob Real", "a person who joined is named in the log, with the name that they chose");
	ok(/^\d+ \w+ \d{4}, \d\d:\d\d:\d\d$/.test(await joined.locator('[data-head="When"]').innerText()), "a line has its second", await joined.locator('[data-head="When"]').innerText());
	ok(/^[0-9a-f.:]+$/.test(await joined.locator('[data-head="Address"]').innerText()), "a line has the address", await joined.locator('[data-head="Address"]').innerText());
	const words = (await lines(page).allInnerTexts()).join("\n");
	const actors = (await lines(page).locator('[data-head="Who"]').allInnerTexts()).filter((w) => !/operator$/.test(w));
	is([...new Set(actors)].sort().join(), "Ann Analyst,Bob Real", "no line hides its person behind a program or an invitation (C-923)");
	ok(words.includes("joined as Bob Real"), "joining is told in words", words.slice(0, 600));
	ok(words.includes("made the API key ci"), "a line says in words what was done to what (C-923)");
	await page.locator("[name=actor]").selectOption({ label: "Bob Real" });
	await until(async () => { const all = await lines(page).locator('[data-head="Who"]').allInnerTexts(); return all.length > 0 && all.every((w) => w === "Bob Real"); }, "the log is filtered by a person");
	await page.locator("[name=actor]").selectOption("");
	await page.locator("[name=subject]").selectOption({ label: "API key" });
	await until(async () => { const all = await lines(page).locator('[data-head="What"]').allInnerTexts(); return all.length > 1 && all.every((w) => w.includes("API key")); }, "the log is filtered by the kind of record, which is a choice");
	await line(page, "revoked the API key").locator("summary").click();
	ok(/revoked_at – → \d/.test(await line(page, "revoked the API key").innerText()), "the changes of a line have times in words", await line(page, "revoked the API key").innerText());
	const [file] = await Promise.all([page.waitForEvent("download"), button(page, "CSV").click()]);
	const csv = readFileSync(await file.path(), "utf8").split("\r\n");
	is(`${csv[0]} ${csv.filter((l) => l.includes(",api_key.")).length > 1}`, "at,who,kind,address,action,subject,subject_id,name,project_uuid,request_id,before,after true", "the filtered log is saved as CSV");
	ok(csv.slice(1, 3).every((l) => /^\d{4}-[^,]*Z,Ann Analyst,member,/.test(l)), "each line of the file names the person (C-923)", csv[1]);
	await page.locator("[name=since]").fill("2020-01-01");
	await page.locator("[name=since]").press("Tab");
	await page.locator("[name=until]").fill("2020-01-02");
	await page.locator("[name=until]").press("Tab");
	await page.getByText("Nothing happened").waitFor();
	ok(true, "a time in which nothing happened says so");
}

async function members(page) {
	await go(page, "#/members");
	const rows = (await page.locator("tbody tr").allInnerTexts()).join("\n");
	ok(rows.includes("Bob Real") && rows.includes("bob@example.com") && !rows.includes("Bob Junior"), "the list of members has the names that people have chosen", rows);
	const row = page.locator("tbody tr", { hasText: "Bob Real" });
	await row.locator("summary").click();
	await row.getByRole("button", { name: "Change" }).click();
	is(await page.locator("dialog [name=name]").getAttribute("readonly"), "", "an owner does not change the name of somebody who has joined");
	await page.locator("dialog").getByRole("button", { name: "Cancel" }).click();
}

async function doors(page) {
	await go(page, "#/usage");
	is(await page.locator("main").getByRole("link", { name: "New key" }).count(), 0, "usage offers no key to a member");
	for (const [hash, title] of [["#/keys/new", "New key"], ["#/rules/new", "Detection rule"], ["#/reports/new", "New report"]]) {
		await go(page, hash);
		await page.getByText("Only owners may do this").waitFor();
		is(`${await page.locator("main h1").innerText()} ${await page.locator("main form").count()}`, `${title} 0`, `${hash} tells a member that an owner does it, and has no form`);
	}
	await go(page, "#/settings/profile");
	await page.fill("[name=name]", "Robert Real");
	await button(page, "Save").click();
	await until(async () => (await call(page, "GET", "/access/members?limit=100")).members.some((m) => m.name === "Robert Real"), "a new name of a person is that of the member");
}

await main(async (chrome) => {
	const ann = await join(await visitor(chrome), process.env.ANN, "Ann Analyst");
	const bob = await tab(await visitor(chrome), process.env.BOB.slice(process.env.BOB.indexOf("#")));
	await bob.fill("[name=name]", "Bob Real");
	await bob.fill("[name=email]", "bob@example.com");
	await bob.fill("[name=password]", process.env.PASSWORD);
	await bob.keyboard.press("Enter");
	await declinePasskey(bob);
	await settled(bob);
	const { key } = await call(ann, "POST", "/access/keys", { name: "ci", scopes: ["search.view"], projects: null, expires_at: null });
	await call(ann, "DELETE", `/access/keys/${key.uuid}`);
	await log(ann);
	await members(ann);
	await doors(bob);
});
