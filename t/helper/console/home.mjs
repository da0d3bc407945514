// SPDX-License-Identifier: ISC
// Home with a full and an empty project.
import { call, go, is, join, main, ok, PROJECT, settled, until, visitor } from "./lib.mjs";

const { EMPTY } = process.env;
const glance = (page, title) => page.locator(".glance", { hasText: title });
const home = (page) => go(page, "#/home");

async function tiles(page) {
	await home(page);
	is(await glance(page, "Active findings").locator(".count").innerText(), "9", "home counts the active findings of all projects");
	for (const [title, hash] of [["Active findings", "findings"], ["Open alerts", "alerts"], ["Surface", "inventory"], ["Browser sessions", "sessions"]]) {
		await glance(page, title).click();
		await until(() => page.evaluate((h) => location.hash.startsWith(h), `#/${hash}/`), `the tile ${title} leads to a project`);
		if (hash === "findings" || hash === "inventory")
			is(await page.evaluate(() => location.hash.split(/[/?]/)[2]), PROJECT, `the tile ${title} leads to the project that has the most`);
		await home(page);
	}
	await page.locator(".projects a", { hasText: "An empty project" }).first().click();
	await settled(page, `#/findings/${EMPTY}`);
	ok(true, "the row of a project leads to its findings");
}

// The count of each severity is the length of the list that it leads to, also with acknowledged findings.
async function counts(page) {
	const { findings } = await call(page, "GET", `/projects/${PROJECT}/esi/findings?severity=high`);
	await call(page, "POST", `/projects/${PROJECT}/esi/findings/${findings[0].uuid}/acknowledge`);
	await home(page);
	is(`${await glance(page, "Active findings").locator(".count").innerText()} ${await glance(page, "Active findings").locator("li.high .number").innerText()}`, "9 3", "an acknowledged finding is active");
	ok((await glance(page, "Active findings").innerText()).includes("1 acknowledged"), "home tells how many are acknowledged");
	await go(page, `#/findings/${PROJECT}`);
	is(await page.locator(".severity-cell.high .severity-count").innerText(), "3", "the strip of findings counts active findings");
	await page.locator(".severity-cell.high").click();
	await until(async () => await page.locator("tbody tr").count() === 3, "a severity leads to as many findings as it counts (C-899)");
	const statuses = await page.locator('[data-head="Status"]').allInnerTexts();
	is(statuses.map((s) => s.trim()).sort().join(), "Acknowledged,Open,Open", "the list has open and acknowledged findings");
}

// Of one project: the days, the assets, the newest findings.
async function detail(page) {
	await home(page);
	await page.getByRole("heading", { name: "Active findings, 30 days" }).waitFor();
	is(await page.locator(".stacked .column").count(), 30, "home draws the last 30 days of a project");
	ok(/medium 3/.test(await page.locator(".stacked .column title").last().textContent()), "the last day has the present numbers", await page.locator(".stacked .column title").last().textContent());
	const assets = page.locator("section.card", { hasText: "Most exposed assets" });
	is((await assets.locator("li").allInnerTexts()).length, 2, "home lists the most exposed assets");
	const newest = page.locator("section.card", { hasText: "Newest findings" });
	is(await newest.locator("li").count(), 6, "home lists the newest findings");
	await newest.locator("a").first().click();
	await page.locator(".drawer h2").waitFor();
	ok((await page.evaluate(() => location.hash)).startsWith(`#/findings/${PROJECT}?finding=`), "a finding on home leads to the finding");
	await home(page);
	await assets.locator("a").first().click();
	await until(() => page.evaluate(() => location.hash.includes("?asset=")), "an asset on home leads to the asset");
	await home(page);
	await page.getByLabel("Project").selectOption({ label: "An empty project" });
	await page.getByText("There is no active finding.").waitFor();
	ok(true, "another project is chosen on home");
	await page.getByLabel("Search hosts").fill("port:22");
	await page.keyboard.press("Enter");
	await settled(page, "#/search/hosts?q=port%3A22");
	ok(true, "the search box of home searches");
	await home(page);
	ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "home is as wide as the window");
}

await main(async (chrome) => {
	const page = await join(await visitor(chrome), process.env.ANN, "Ann");
	await tiles(page);
	await counts(page);
	await detail(page);
});
