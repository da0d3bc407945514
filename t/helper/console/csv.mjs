// SPDX-License-Identifier: ISC
// The dialog of exports: the file that the page collects, and that of the service, are those of the program surface.
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { go, is, join, main, visitor } from "./lib.mjs";

const { FIELDS, W } = process.env;
const button = (page, name) => page.getByRole("button", { name, exact: true });

// What the dialog saves for these columns, by the page or by the service.
async function saved(page, dataset, where, columns) {
	await go(page, `#/search/${dataset}?q=${encodeURIComponent("net:203.0.113.160/30")}`);
	await button(page, "export").click();
	await page.locator(`[name=where][value=${where}]`).check();
	await page.locator("[name=format]").selectOption("csv");
	const boxes = page.locator("[name=column]");
	for (const box of await boxes.all())
		await box.setChecked(columns.includes(await box.getAttribute("value")));
	const press = page.locator("dialog .main");
	let file;
	if (where === "page")
		[file] = await Promise.all([page.waitForEvent("download"), press.click()]);
	else {
		await press.click();
		[file] = await Promise.all([page.waitForEvent("download"), page.locator("dialog a.button").click()]);
	}
	const bytes = readFileSync(await file.path());
	await button(page, "Close").click();
	return (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString("utf8");
}

// Lines without their order of columns, which is that of the dialog.
function table(text) {
	const rows = [[""]];
	let quoted = false;
	for (const c of text.replaceAll("\r\n", "\u0000")) {
		const row = rows.at(-1);
		if (c === '"')
			quoted = !quoted;
		if (c === "\u0000" && !quoted)
			rows.push([""]);
		else if (c === "," && !quoted)
			row.push("");
		else
			row[row.length - 1] += c;
	}
	const [head, ...lines] = rows.filter((r) => r.length > 1);
	return JSON.stringify(lines.map((l) => Object.fromEntries(head.map((name, i) => [name, l[i]]).sort())), null, 1);
}

await main(async (chrome) => {
	const page = await join(await visitor(chrome), process.env.ANN, "Ann");
	const columns = FIELDS.split(",");
	const surface = table(readFileSync(`${W}/export.csv`, "utf8"));
	is(JSON.parse(surface).length, 6, "surface has exported each service");
	is(table(await saved(page, "services", "page", columns)), surface, "the services that the page saves as CSV are those of surface (C-924)");
	is(table(await saved(page, "services", "service", columns)), surface, "the services that the service saves as CSV are those of surface (C-924)");
	const hosts = table(readFileSync(`${W}/hosts-export.csv`, "utf8"));
	is(table(await saved(page, "hosts", "page", ["ip", "services.port", "services.product", "services.http.favicon_mmh3"])), hosts, "the hosts that the page saves as CSV are those of surface");
});
