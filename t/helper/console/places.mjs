// SPDX-License-Identifier: ISC
// The places of the console that the tests of pages and make screenshots visit: name, fragment, and what is done there
// before it is looked at.

// A dialog may have to load its module before it opens.
const open = (name) => async (page) => {
	await page.getByRole("button", { name, exact: true }).first().click();
	await page.locator("dialog[open]").waitFor();
};

// session: #/sessions/PROJECT/SESSION of one that is over.
export const places = (session) => [
	["home", "#/home"],
	["findings", "#/findings"],
	["look-alikes", "#/findings?finding_type=typosquatting"],
	["dangling", "#/findings?finding_type=dangling_dns"],
	["secrets", "#/findings?finding_type=exposed_secret"],
	["ai-surface", "#/findings?finding_type=ai_surface"],
	["exposures", "#/findings?finding_type=exposed_service"],
	["finding", "#/findings", async (page) => {
		await page.locator(".row-open").first().click();
		await page.locator(".drawer .event").first().waitFor();
		// The click may have scrolled; axe takes what lies under the header for a target that is too small.
		await page.evaluate(() => scrollTo(0, 0));
	}],
	["detectors", "#/detectors"],
	["detector", "#/detectors", open("Settings of Look-alikes")],
	["watched", "#/detectors?tab=domains"],
	["watch", "#/detectors?tab=domains", open("Watch a domain")],
	["inventory", "#/inventory"],
	["alerts", "#/alerts"],
	["alert-rules", "#/alerts?tab=rules"],
	["sessions", "#/sessions"],
	["session", session],
	["verdicts", "#/verdicts"],
	["new-report", "#/reports/new"],
	["rules", "#/rules"],
	["new-rule", "#/rules/new"],
	["import-rules", "#/rules", open("Import")],
	["keys", "#/keys"],
	["key", "#/keys", async (page) => {
		await page.locator("tbody th a").first().click();
		await page.locator(".chart").waitFor();
	}],
	["key-actions", "#/keys", (page) => page.locator(".doings summary").first().click()],
	["new-key", "#/keys/new?name=ci-scanner&scopes=search.view,search.aggregate"],
	["members", "#/members"],
	["invite", "#/members", open("Invite")],
	["usage", "#/usage"],
	["audit", "#/audit", (page) => page.locator("summary[data-entry]").first().click()],
	["exports", "#/exports"],
	["profile", "#/settings/profile"],
	["browsers", "#/settings/browsers"],
	["appearance", "#/settings/appearance"],
	["organisation", "#/settings/organisation"],
	["person-menu", "#/home", (page) => page.locator("summary:has(.initial)").click()],
	["help", "#/home", async (page) => {
		await page.keyboard.press("?");
		await page.locator("dialog[open]").waitFor();
	}],
];

// Opens the drawer of the first row.
const firstRow = async (page) => {
	await page.locator(".row-open").first().click();
	await page.locator(".drawer h3").first().waitFor();
	await page.evaluate(() => scrollTo(0, 0));
};

// Parts of pages that make screenshots visits beside these; the tests of their pages look at them in other ways.
export const parts = [
	["alert", "#/alerts", async (page) => {
		await page.locator(".row-open").first().click();
		await page.locator(".drawer .searches li, .drawer p.small").first().waitFor();
	}],
	["new-alert-rule", "#/alerts?tab=rules", open("New rule")],
	["silences", "#/alerts?tab=silences"],
	["silence", "#/alerts?tab=rules", open("Silence")],
	["destinations", "#/alerts?tab=destinations"],
	["new-destination", "#/alerts?tab=destinations", open("New destination")],
	["deliveries", "#/alerts?tab=deliveries"],
	["asset", "#/inventory", firstRow],
	["inventory-services", "#/inventory?tab=services"],
	["rule", "#/rules", firstRow],
	["observations", "#/rules?tab=observations"],
	["ways", "#/settings/ways"],
	["rotate", "#/keys", async (page) => {
		await page.locator(".doings summary").first().click();
		await open("Rotate")(page);
	}],
	["as-curl", "#/search/hosts?q=services.port%3A22", open("as curl")],
	["export", "#/search/hosts?q=services.port%3A22", open("export")],
	["completion", "#/search/hosts?q=", async (page) => {
		await page.locator("[data-search]").fill("ser");
		await page.locator("#query-options li").first().waitFor();
	}],
	["fields", "#/search/hosts?q=", async (page) => {
		await page.evaluate(() => {
			document.querySelector("details.facets").open = true;
		});
		await open("Choose fields")(page);
	}],
	["pages-menu", "#/home", async (page) => {
		const menu = page.locator(".pages-nav summary");
		if (await menu.isVisible())
			await menu.click();
	}],
];

// Opens the record of the first hit.
const firstHit = async (page) => {
	await page.locator(".results [data-entry]").first().click();
	await page.locator(".record").waitFor();
	await page.evaluate(() => scrollTo(0, 0));
};

const search = (query, dataset = "hosts", more = "") => `#/search/${dataset}?q=${encodeURIComponent(query)}${more}`;

// host: the address of one. The world has every dataset.
export const searchPlaces = (host) => [
	["search", "#/search/hosts"],
	["no-hits", search("country_code:ZZ")],
	["invalid-query", search("contry:DE")],
	["map", search("services.port:22", "hosts", "&view=map")],
	["ports", search("", "hosts", "&view=ports")],
	["services", "#/search/services"],
	["dns", "#/search/dns"],
	["reports", "#/search/reports"],
	["host", `#/hosts/${host}`],
	["name", search("record_type:A rcode:NOERROR", "dns"), firstHit],
	["registration", "#/search/whois", firstHit],
	["certificate", "#/search/certificates", firstHit],
	["directory", search("file_count:>0", "open-directories"), firstHit],
	["report", search("indicator_types:ipv4", "reports"), firstHit],
];

// What reads data: [name, fragment, the path of the API that can be held or fail].
export const readers = (session) => [
	["home", "#/home", "/dashboard"],
	["findings", "#/findings", "/projects/[^/]+/esi/findings"],
	["inventory", "#/inventory", "/projects/[^/]+/esi/assets"],
	["detectors", "#/detectors", "/projects/[^/]+/esi/detectors"],
	["watched", "#/detectors?tab=domains", "/projects/[^/]+/esi/typosquatting/domains"],
	["alerts", "#/alerts", "/projects/[^/]+/alerting/alerts"],
	["sessions", "#/sessions", "/projects/[^/]+/sessions"],
	["session", session, "/projects/[^/]+/sessions/[^/]+/timeline"],
	["verdicts", "#/verdicts", "/reports/verdicts"],
	["rules", "#/rules", "/rules"],
	["keys", "#/keys", "/access/keys"],
	["members", "#/members", "/access/members"],
	["usage", "#/usage", "/organisation/usage"],
	["audit", "#/audit", "/access/audit"],
	["exports", "#/exports", "/search/exports"],
	["browsers", "#/settings/browsers", "/auth/sign-ins"],
	["organisation", "#/settings/organisation", "/organisation"],
];

export async function leaveDialogs(page) {
	await page.evaluate(() => {
		document.querySelectorAll("dialog").forEach((d) => d.close());
		document.querySelectorAll("details.menu[open]").forEach((d) => {
			d.open = false;
		});
	});
}
