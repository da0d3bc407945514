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
	["report", "#/search/reports", firstHit],
];

// What reads data: [name, fragment, the path of the API that can be held or fail].
export const readers = (session) => [
	["home", "#/home", "/dashboard"],
	["findings", "#/findings", "/projects/[^/]+/esi/findings"],
	["inventory", "#/inventory", "/projects/[^/]+/esi/assets"],
	["detectors", "#/detectors", "/projects/[^/]+/esi/detectors"],
	["watched", "#/detectors?tab=domains", "/projects/[^/]+/esi/typosquatting/domains"],
	["sessions", "#/sessions", "/projects/[^/]+/sessions"],
	["session", session, "/projects/[^/]+/sessions/[^/]+/timeline"],
	["verdicts", "#/verdicts", "/reports/verdicts"],
	["keys", "#/keys", "/access/keys"],
	["members", "#/members", "/access/members"],
	["usage", "#/usage", "/organisation/usage"],
	["audit", "#/audit", "/access/audit"],
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
