// SPDX-License-Identifier: ISC
// The search page and the pages of records, in Chromium: what somebody types, clicks and reads there.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { allFaults, axe, call, go, is, join, main, ok, settled, signIn, tab, until, visitor } from "./lib.mjs";
import { EXAMPLES } from "../../../nginx/html/console/examples.js";
import { searchPlaces } from "./places.mjs";

const EVIL = "203.0.113.66";
const PRODUCT = 'services.product:"Acme: \\"X\\" \\\\ (y) OR z"';
const hash = (query, dataset = "hosts", more = "") => `#/search/${dataset}?q=${encodeURIComponent(query)}${more}`;
const typed = (page) => page.inputValue("[data-search]");
const facet = (page, field) => page.locator(`section.facet:has(h2[title="${field}"])`);
const number = async (locator) => Number((await locator.innerText()).replaceAll(/\D/g, ""));
const total = (page) => number(page.locator(".total strong"));
const sideways = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

// The search that a query leads to has been drawn.
async function searched(page, query) {
	await page.waitForFunction(
		(q) =>
			new URLSearchParams(location.hash.split("?")[1]).get("q") === (q || null) && document.querySelector("[data-search]").value.trim() === q,
		query,
	);
	await settled(page);
}

// ---- typing ----

async function typing(page) {
	await go(page, "#/search/hosts");
	const box = page.locator("[data-search]"),
		options = page.locator("#query-options li");
	await box.click();
	await page.keyboard.type("port:22 AND coun");
	await options.first().waitFor();
	ok((await options.first().innerText()).startsWith("country_code"), "typing shows the fields that fit (C-345)");
	await page.keyboard.press("ArrowDown");
	is(
		await page.evaluate(() =>
			document.getElementById(document.querySelector("[data-search]").getAttribute("aria-activedescendant")).getAttribute("aria-selected"),
		),
		"true",
		"the arrow marks an option for screen readers (C-345)",
	);
	await page.keyboard.press("Enter");
	is(await typed(page), "port:22 AND country_code:", "Enter takes the option (C-345)");
	await page.waitForFunction(() => [...document.querySelectorAll("#query-options li")].some((n) => /^US\s*[\d,]+$/.test(n.innerText)));
	ok(true, "behind the colon values are offered with their counts (C-345)");
	await page.keyboard.type("D");
	await page.getByRole("option", { name: /^DE/ }).click();
	is(await typed(page), "port:22 AND country_code:DE ", "a click takes a value (C-345)");
	await page.keyboard.press("Escape");

	await box.fill("services.port:22 AND contry_code:DE");
	const repair = page.locator(".query-note button");
	await repair.waitFor();
	const { error } = await call(page, "GET", `/search/hosts/validate?q=${encodeURIComponent("services.port:22 AND contry_code:DE")}`);
	is(
		await page
			.locator(".query-note")
			.innerText()
			.then((t) => t.includes(`Character ${error.position}: ${error.message}`)),
		true,
		"the note has the position and the message that validate answers (C-345)",
	);
	is(await page.locator(".query-copy mark").innerText(), "contry_code", "the mark covers the field that is unknown (C-345)");
	is(await box.getAttribute("aria-invalid"), "true", "the box is invalid for screen readers (C-345)");
	await box.press("Home");
	await page.keyboard.press("ArrowDown");
	await options.first().waitFor();
	const [message, list] = await Promise.all([".query-note", "#query-options"].map((s) => page.locator(s).boundingBox()));
	ok(message.y + message.height <= list.y, "the list of options is below the message and does not cover it", JSON.stringify([message, list]));
	await page.keyboard.press("Escape");
	await box.press("Enter");
	await page.getByText("cannot be read").waitFor();
	await repair.click();
	is(await typed(page), "services.port:22 AND country_code:DE", "a click on the hint repairs the query (C-345)");
	await searched(page, "services.port:22 AND country_code:DE");
	is(await page.getByText("cannot be read").count(), 0, "the repaired query is searched for, and the page says no more that it cannot be read");
	ok((await page.locator("li.hit").count()) > 0, "a repaired query shows its hits (C-345)");
	is(await page.locator("section.facet").count(), 8, "a repaired query shows eight facets (C-345)");
	await go(page, hash("country:Germany"));
	await page.locator(".query-note .warn").waitFor();
	await page.locator(".query-note button").click();
	is(await typed(page), "country:DE", "a click repairs what no document can pass (C-345)");
}

// ---- former queries, and help ----

async function entering(page) {
	const box = page.locator("[data-search]"), options = page.locator("#query-options li");
	await go(page, "#/search/hosts");
	is(await options.count(), 0, "a page that opens shows its hits without a list over them");
	await page.evaluate(() => document.activeElement.blur());
	await box.click();
	await until(async () => (await options.allInnerTexts()).some((t) => t.includes("services.port:22 AND country_code:DE")), "a box that somebody enters shows the latest queries");
	await options.filter({ hasText: "services.port:22 AND country_code:DE" }).click();
	await searched(page, "services.port:22 AND country_code:DE");
	ok(true, "a click on a former query searches for it");
	await go(page, "#/search/dns");
	await page.evaluate(() => document.activeElement.blur());
	await box.click();
	await options.filter({ hasText: "Fields and examples" }).click();
	await page.locator("dialog[open]").waitFor();
	const { schemas } = await call(page, "GET", "/search/schemas");
	is(await page.locator("dialog .help-fields tbody tr").count(), schemas.find((s) => s.dataset === "dns").fields.length, "the help lists every field of the dataset (C-916)");
	await page.getByLabel("Filter fields").fill("answer");
	is((await page.locator("dialog .help-fields tbody th").allInnerTexts()).join(), "answer,answer_ip,answer_name", "the fields of the help can be filtered");
	await page.locator("dialog a", { hasText: "rcode:NXDOMAIN" }).click();
	await searched(page, "record_type:CNAME rcode:NXDOMAIN");
	is(await page.locator("dialog").count(), 0, "an example of the help is searched for, and the help is left");
	for (const [dataset, list] of Object.entries(EXAMPLES)) {
		const bad = [];
		for (const [query] of list) {
			const { valid, error } = await call(page, "GET", `/search/${dataset}/validate?q=${encodeURIComponent(query)}`);
			if (!valid)
				bad.push(`${query}: ${error?.message}`);
		}
		is(bad.join("\n"), "", `each example of ${dataset} is a query that the service reads (C-916)`);
	}
	is(Object.keys(EXAMPLES).sort().join(), schemas.map((s) => s.dataset).sort().join(), "each dataset has examples");
	is(EXAMPLES.hosts.length, 10, "hosts have ten examples");
	await page.locator("details.menu:has(summary[aria-label=Help]) summary").click();
	await page.getByRole("button", { name: "Fields and examples of queries" }).click();
	ok((await page.locator("dialog h2").innerText()).startsWith("DNS"), "the menu of help shows that of the dataset at hand");
	await page.keyboard.press("Escape");
	await go(page, "#/search/reports");
	await page.getByRole("link", { name: "Add a report" }).click();
	await settled(page, "#/reports/new");
	ok(true, "the list of reports has a button that adds one");
}

// ---- Back, and the next hit ----

async function back(page) {
	await go(page, hash("services.port:22"));
	await page.getByRole("button", { name: "Load 50 more" }).click();
	await until(async () => (await page.locator("li.hit").count()) === 100, "a second page of hits is loaded");
	const hit = page.locator("li.hit a.hit-name").nth(80), name = await hit.textContent();
	await hit.scrollIntoViewIfNeeded();
	const top = (await hit.boundingBox()).y, asked = [];
	page.on("request", (r) => asked.push(r.url()));
	await hit.click();
	await page.locator(".trail").waitFor();
	is((await page.locator(".trail span").innerText()), "81 of 100 loaded", "the page of a record says which hit of the search it is (C-915)");
	await page.evaluate(() => document.activeElement.blur());
	await page.keyboard.press("j");
	await until(async () => (await page.locator(".trail span").innerText()) === "82 of 100 loaded", "the key j leads to the next hit");
	await page.getByRole("link", { name: "Previous" }).click();
	await until(async () => (await page.locator("main h1").innerText()) === name, "a link leads to the hit before");
	asked.length = 0;
	await page.goBack();
	await until(async () => (await page.locator("li.hit").count()) === 100, "Back shows all hits that were loaded, also after records that led to one another");
	await until(async () => Math.abs((await hit.boundingBox()).y - top) < 30, "Back scrolls to where the page was");
	is(asked.filter((u) => /\/search\/hosts(?:\?|\/aggregate)/.test(u)).join("\n"), "", "Back does not search again (C-915)");
	await hit.click();
	await page.getByRole("link", { name: "← Results" }).click();
	await until(async () => (await page.locator("li.hit").count()) === 100, "a link above the record leads to the hits that were loaded, too");
}

// ---- facets ----

// A click, −, and a second click on the value at a place of a facet, from a query.
async function clicks(page, query, field, value, test) {
	const plus = /\bOR\b/.test(query) ? `(${query}) AND ${test}` : `${query} AND ${test}`;
	const minus = plus.replace(` AND ${test}`, ` AND NOT ${test}`);
	const row = () =>
		facet(page, field)
			.locator("li")
			.filter({ has: page.locator(`.facet-text bdi:text-is(${JSON.stringify(value)})`) });
	await go(page, hash(query));
	const counted = await number(row().locator(".facet-count"));
	const before = await total(page);
	await row().locator(".facet-value").click();
	await searched(page, plus);
	is(await total(page), counted, `a click on ${test} finds as many as its bar says (C-345)`);
	is(await row().locator(".facet-value").getAttribute("aria-pressed"), "true", `${test} is pressed while the query has it (C-345)`);
	await row().locator(".facet-minus").click();
	await searched(page, minus);
	is(await total(page), before - counted, `− at ${test} finds all the others (C-345)`);
	await row().locator(".facet-minus").click();
	await searched(page, query);
	is(await total(page), before, `a second click on − takes ${test} out of the query (C-345)`);
}

async function facets(page) {
	await clicks(page, "services.port:22", "country_code", "US", "country_code:US");
	await clicks(page, "services.port:22 OR services.port:443", "services.service_name", "ssh", "services.service_name:ssh");
	await clicks(page, `ip:${EVIL} OR ip:203.0.113.67`, "services.product", 'Acme: "X" \\ (y) OR z', PRODUCT);
	await go(page, hash("services.port:22"));
	await facet(page, "services.product").getByRole("button", { name: "More values of product" }).click();
	await until(async () => (await facet(page, "services.product").locator("li").count()) > 6, "more shows more values of a facet");
	await page.goBack();
	await searched(page, `ip:${EVIL} OR ip:203.0.113.67`);
	ok(true, "Back shows the former search (C-915)");
}

// Filters whose module or style sheet was not to be had come with the next search (C-345).
async function unreachable(page) {
	for (const file of ["facets.js", "facets.css"]) {
		const once = (route) => route.abort();
		await page.route(`**/${file}`, once);
		await go(page, "#/settings/appearance");
		await page.reload();
		await go(page, hash("services.port:22"));
		await page.locator(".results [data-entry]").first().waitFor();
		is(await page.locator("section.facet").count(), 0, `there are no filters without ${file}`);
		const failed = page.waitForEvent("requestfailed");
		await page.getByRole("button", { name: "as curl" }).click();
		await failed;
		await page.locator(".toasts li.bad", { hasText: "cannot be reached" }).waitFor();
		ok(true, `the button "as curl" says that it failed without ${file}`);
		await page.unroute(`**/${file}`, once);
		await go(page, hash("services.port:443"));
		await facet(page, "services.port").waitFor();
		ok(true, `the next search shows filters after ${file} failed (C-917)`);
	}
	for (const [file, name] of [["curl-dialog.js", "as curl"], ["export.js", "export"]]) {
		const once = (route) => route.abort();
		await page.route(`**/${file}`, once);
		await go(page, "#/settings/appearance");
		await page.reload();
		await go(page, hash("services.port:22"));
		await page.getByRole("button", { name, exact: true }).click();
		await page.locator(".toasts li.bad", { hasText: "cannot be reached" }).waitFor();
		is(await page.locator("dialog[open]").count(), 0, `the button "${name}" says that it failed without ${file}`);
		await page.unroute(`**/${file}`, once);
		await page.getByRole("button", { name, exact: true }).click();
		await page.locator("dialog[open]").waitFor();
		ok(true, `the button "${name}" opens its dialog once ${file} can be read`);
		await page.keyboard.press("Escape");
	}
	await withoutCompletion(page);
}

// The search box says what is wrong with a query when it can neither complete nor repair it.
async function withoutCompletion(page) {
	const once = (route) => route.abort(), box = page.locator("[data-search]");
	await page.route("**/repair.js", once);
	await go(page, "#/settings/appearance");
	await page.reload();
	await go(page, hash("services.port:22"));
	await box.fill("contry_code:DE");
	await page.locator(".query-note .bad").waitFor();
	is(`${await page.locator(".query-note button").count()} ${await page.locator("#query-options li").count()}`, "0 0", "the box offers neither repair nor completion without repair.js");
	is(await box.getAttribute("aria-invalid"), "true", "the box is invalid without repair.js");
	await page.unroute("**/repair.js", once);
	await box.fill("contry_code:D");
	await page.locator(".query-note button").waitFor();
	ok(true, "the box offers a repair once repair.js can be read");
	await go(page, "#/settings/appearance");
}

// ---- map and ports (C-352) ----

async function views(page) {
	await go(page, hash("services.port:22"));
	const us = await number(facet(page, "country_code").locator("li").first().locator(".facet-count"));
	await page.getByRole("button", { name: "Map" }).click();
	const tile = page.locator(".tile", { hasText: /^US/ });
	await tile.waitFor();
	ok((await tile.getAttribute("aria-label")).endsWith(`: ${us.toLocaleString("en")}`), "a tile counts what the facet says (C-352)");
	ok(/^US\s*[\d.]+[KM]?$/.test((await tile.innerText()).trim()), "a tile has its number", await tile.innerText());
	ok((await page.locator(".view").innerText()).includes("United States"), "countries are named beside the map");
	await page.emulateMedia({ forcedColors: "active" });
	const shades = await page.locator(".shades i").evaluateAll((all) => all.map((n) => getComputedStyle(n).backgroundColor));
	is(new Set(shades).size >= 5, true, "in forced colours the map has its shades", shades.join());
	await page.emulateMedia({ forcedColors: "none" });
	await page.getByText("The same numbers as a table").click();
	is(await number(page.locator(".as-table tr", { hasText: /^US/ }).locator("td").nth(1)), us, "a table has the numbers of the map (C-352)");
	await tile.click();
	await searched(page, "services.port:22 AND country_code:US");
	is(await total(page), us, "a click on a tile filters (C-352)");
	await page.getByRole("button", { name: "Ports" }).click();
	const first = page.locator(".port-column").first();
	await first.waitFor();
	const [, port, n] = /^(\d+)[^:]*: ([\d,]+)$/.exec(await first.getAttribute("aria-label"));
	is(
		await number(facet(page, "services.port").locator("li").first().locator(".facet-count")),
		Number(n.replaceAll(",", "")),
		"a column counts what the facet says (C-352)",
	);
	is(await page.locator(".as-table tbody tr").first().locator("th").textContent(), port, "a table has the numbers of the columns (C-352)");
	ok((await page.locator(".port-axis text").allTextContents()).slice(0, 3).join() === "1,10,100", "the columns of ports have an axis", (await page.locator(".port-axis text").allTextContents()).join());
	await page.locator(".port-column").nth(1).click();
	await page.waitForFunction(() => / AND services\.port:\d+$/.test(document.querySelector("[data-search]").value));
	ok(true, "a click on a column filters (C-352)");
}

// In forced colours the bar at a service says that it matched, as elsewhere.
async function matchedBars(page) {
	await go(page, hash("services.port:22"));
	await page.locator(".service.matched").first().waitFor();
	await page.emulateMedia({ forcedColors: "active" });
	const [matched, other] = await page.evaluate(() => [".service.matched", ".service:not(.matched)"].map((s) => getComputedStyle(document.querySelector(s)).borderLeftColor));
	ok(matched !== other, "in forced colours only the services that matched look matched", `${matched} ${other}`);
	await page.emulateMedia({ forcedColors: "none" });
}

// ---- hostile data (C-346) ----

async function stands(page, where) {
	is(
		await page.evaluate(
			() =>
				`${document.title === "ran"} ${document.querySelectorAll("main img, main script, main iframe, main b").length} ${document.querySelectorAll('main a:not([href^="#"], [href^="/api/"])').length}`,
		),
		"false 0 0",
		`texts of a hostile host are text on ${where}, and no link leads elsewhere (C-346)`,
	);
	is(await sideways(page), 0, `hostile texts do not change the layout of ${where} (C-346)`);
}

async function hostile(page) {
	for (const width of [1280, 320]) {
		await page.setViewportSize({ width, height: 800 });
		await go(page, hash(`ip:${EVIL}`));
		await stands(page, `the search at ${width} px`);
		await go(page, `#/hosts/${EVIL}`);
		await page.locator(".json-card summary").click();
		await stands(page, `the host's page at ${width} px`);
	}
	ok((await page.locator(".banner").first().innerText()).includes("<img src=x"), "a banner is shown as it is (C-346)");
	ok((await page.locator(".banner").first().innerText()).includes("\u241b[31m"), "controls of a banner are symbols (C-346)");
	ok(
		(await page.locator("main").innerText()).includes("\u27e8U+202E\u27e9"),
		"what would turn the direction of a text is shown as its number (C-346)",
	);
	await page.setViewportSize({ width: 1280, height: 800 });
	await go(page, hash("<img src=x onerror=document.title='ran'>"));
	await stands(page, "a search for markup");
}

// ---- as curl (C-347), exports (C-348) ----

async function curl(page) {
	const query = `services.port:22 AND NOT tags:"a'b $(id) \`id\`"`;
	await go(page, hash(query));
	await page.getByRole("button", { name: "as curl" }).click();
	const text = await page.locator("dialog pre").first().innerText();
	const found = JSON.parse(execFileSync("sh", ["-c", `curl() { command curl --cacert "$CACERT" "$@"; }; ${text}`], { encoding: "utf8" }));
	is(`${found.query} ${found.total.value}`, `${query} ${await total(page)}`, "sh makes of the command the search of the page (C-347)");
	await page.getByRole("button", { name: "Close" }).click();
}

async function exported(page, act) {
	const [download] = await Promise.all([page.waitForEvent("download"), act()]);
	return readFileSync(await download.path(), "utf8");
}

async function exportAll(page) {
	await go(page, "#/search/hosts");
	let refused = 0;
	await page.route(/\/search\/hosts\?limit=500&cursor/, async (route) => {
		if (refused++ === 0)
			await route.fulfill({
				status: 429,
				headers: { "Retry-After": "1" },
				json: { error: { code: "api_key_rate_limit_exceeded", message: "Wait." } },
			});
		else
			await route.continue();
	});
	await page.getByRole("button", { name: "export", exact: true }).click();
	const send = () => page.locator("dialog .main").click();
	const lines = (await exported(page, send)).trimEnd().split("\n");
	is(`${lines.length} ${new Set(lines).size}`, "3000 3000", "an export of 3,000 hosts has 3,000 distinct lines (C-348)");
	ok(refused > 1, "the export waits for a refused page and asks again (C-348)");
	await page.unroute(/\/search\/hosts\?limit=500&cursor/);
	const pages = [];
	for (let cursor = "", answer; ; cursor = answer.next_cursor) {
		answer = await call(page, "GET", `/search/hosts?limit=1000${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
		pages.push(...answer.hosts.map(({ matched_services: _, ...host }) => JSON.stringify(host)));
		if (!answer.has_more)
			break;
	}
	ok(
		pages.length === 3000 && pages.every((line, i) => line === lines[i]),
		"the lines stand in the order of the pages, and are what the API answers (C-348)",
	);
	await page.locator("[name=format]").selectOption("csv");
	const csv = (await exported(page, send)).split("\r\n");
	ok(csv.length === 3002 && csv[0].startsWith("ip,asn,as_name"), "CSV has a head and a line for each host (C-348)");
	await page.route(/\/search\/hosts\?limit=500/, () => {}); // the page waits for ever
	await send();
	await page.getByRole("button", { name: "Stop" }).click();
	await page.getByText("Stopped. Nothing was saved.").waitFor();
	ok(true, "an export stops when it is told to (C-348)");
	await page.unroute(/\/search\/hosts\?limit=500/);
	await page.locator("[name=where][value=service]").check();
	await page.locator("[name=format]").selectOption("ndjson");
	await send();
	await page.locator("dialog a.button").waitFor();
	ok((await page.locator("dialog a.button + span").innerText()).includes("3,000 hosts"), "the service writes the same export to a file (C-348)");
	await page.locator("dialog").getByRole("link", { name: "exports" }).click();
	await settled(page, "#/exports");
	is(await page.locator("dialog").count(), 0, "the list of exports is not behind the dialog");
	const kept = page.locator("main tbody tr", { hasText: "3,000 hosts" });
	await kept.waitFor();
	ok((await kept.innerText()).includes("complete"), "a saved export is in the list of exports");
	const [again] = await Promise.all([page.waitForEvent("download"), kept.getByRole("link", { name: "Download" }).click()]);
	ok(/^hosts.*\.ndjson\.gz$/.test(again.suggestedFilename()), "a saved export is downloaded from the list", again.suggestedFilename());
	await kept.getByRole("button", { name: "Remove" }).click();
	await page.locator("dialog .main").click();
	await until(async () => (await page.locator("main tbody tr", { hasText: "complete" }).count()) === 0, "a saved export is removed");
	await go(page, "#/search/hosts");
	await page.getByRole("button", { name: "export", exact: true }).click();
	await page.getByRole("button", { name: "Close" }).click();
	await go(page, hash(`ip:${EVIL}`));
	await page.getByRole("button", { name: "export", exact: true }).click();
	await page.locator("[name=format]").selectOption("csv");
	await page.locator('[name=column][value="services.banner"]').check();
	await page.locator('[name=column][value="services.version"]').check();
	const cells = await exported(page, send);
	ok(cells.includes(',"[""=cmd()"",null]"') && !/(?:^|[,\n])"?=/u.test(cells), "the banners =cmd of a host are items of a list, which no spreadsheet computes (C-347)", cells.slice(0, 600));
	await page.getByRole("button", { name: "Close" }).click();
}

// ---- from record to record ----

const RECORDS = [
	["dns", "record_type:A rcode:NOERROR"],
	["whois", ""],
	["certificates", ""],
	["open-directories", "file_count:>0"],
	["reports", ""],
];

async function records(page) {
	for (const [dataset, query] of RECORDS) {
		await go(page, hash(query, dataset));
		const link = page.locator(".results [data-entry]").first(),
			name = (await link.innerText()).trim();
		await link.click();
		await page.locator(".record").waitFor();
		await settled(page);
		ok((await page.locator("h1").innerText()).includes(name.slice(0, 12)), `the first hit of ${dataset} leads to its page`);
		is(await sideways(page), 0, `a record of ${dataset} is no wider than the window`);
		if (dataset === "dns")
			is(await page.getByRole("link", { name: "Open in a browser session" }).getAttribute("href"), `#/sessions?url=${encodeURIComponent(`https://${name.replace(/^\*\./, "")}/`)}`,
				"the page of a name leads to a browser session of its address");
	}
	await go(page, "#/search/certificates");
	await page.locator(".results [data-entry]").first().click();
	await page.locator(".some a").first().click();
	await page.getByRole("heading", { name: "Records" }).waitFor();
	await page.getByRole("link", { name: "Hosts with this name" }).click();
	await page.waitForFunction(() => document.querySelector("[data-search]")?.value.startsWith("hostnames="));
	ok(true, "the names of a certificate lead to DNS names, and these to hosts");
	await unknown(page);
}

// A record that is not stored: what other data know of it, and searches for the rest; no page is a dead end.
async function unknown(page) {
	for (const [where, name] of [["#/hosts/192.0.2.250", "192.0.2.250"], ["#/domains/nobody.example", "nobody.example"], [`#/certificates/${"0".repeat(64)}`, "0".repeat(64)],
		["#/directories/192.0.2.250%2080%20%2F", "192.0.2.250 80 /"]]) {
		await go(page, where);
		ok((await page.locator("main").innerText()).includes("is not known"), `${where} is said to be unknown`);
		is(await page.locator("main h1").innerText(), name, `the page of ${where} has its name`);
		ok(await page.locator(".searches a").count() >= 2, `the page of ${where} leads on to searches`);
	}
	const { hosts } = await call(page, "GET", "/search/hosts?q=services.tls.certificate.fingerprint_sha256:*&limit=1&fields=ip,services.tls.certificate.fingerprint_sha256,services.tls.certificate.subject_cn");
	const { fingerprint_sha256: print, subject_cn: subject } = hosts[0].services.find((s) => s.tls?.certificate).tls.certificate;
	await go(page, `#/certificates/${print}`);
	ok((await page.locator("main").innerText()).includes("The certificate itself is not stored"), "the page of a certificate that is not stored says so");
	is(await page.locator("main h1").innerText(), subject ?? print, "the page of such a certificate has the subject that hosts know");
	ok((await page.locator("main").innerText()).includes(print), "the page of such a certificate has its fingerprint");
	await page.locator(".hit a.hit-name", { hasText: hosts[0].ip }).waitFor();
	ok(true, "the page of such a certificate has the hosts that show it");
}

// ---- every page, light and dark, wide and narrow (C-342, C-343) ----

const NARROW = new Set(["search", "map", "host", "dns"]); // what differs most where there is little room

async function looks(page) {
	for (const [colorScheme, width] of [
		["light", 1280],
		["dark", 320],
	]) {
		await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
		await page.setViewportSize({ width, height: 800 });
		for (const [name, where, act] of searchPlaces(EVIL)) {
			await go(page, "#/settings/appearance");
			await go(page, where);
			await act?.(page);
			if (width > 320 || NARROW.has(name))
				await axe(page, `on ${name}, ${colorScheme}, ${width} px (C-342)`);
			is(await sideways(page), 0, `nothing of ${name} is wider than ${width} px (C-343)`);
		}
	}
	await page.setViewportSize({ width: 1280, height: 800 });
}

await main(async (chrome) => {
	const ann = await visitor(chrome, { acceptDownloads: true, permissions: ["clipboard-read", "clipboard-write"] });
	const page = await join(ann, process.env.ANN, "Ann");
	for (const part of [typing, entering, back, facets, unreachable, views, matchedBars, hostile, curl, exportAll, records])
		await part(page);
	const again = await visitor(chrome, { bypassCSP: true }); // axe is no script of the console
	const other = await tab(again, "#/search/hosts");
	await signIn(other, "ann@example.com");
	await settled(other);
	await looks(other);
});
