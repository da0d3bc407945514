// SPDX-License-Identifier: ISC
// The typed areas of findings (src/api/surface/area.h): the path of each list, and its columns in addition
// to the members of all findings. Names and texts come from scanned data.

import { h } from "../common/dom.js";
import { plural } from "../common/words.js";
import { badge } from "./parts.js";
import { recordOf, short } from "./links.js";

const words = (name) => String(name ?? "").replaceAll("_", " ");
const mono = (text, limit = 120) => text && h("span.mono", null, short(text, limit));
const CLAIM = { open: "high", disputed: "medium", closed: "good" };

function place(p) {
	return p && mono(p.url ?? `${p.ip ?? ""}${p.port ? ` port ${p.port}` : ""}`);
}

function score(f) {
	return f.score !== null && badge(`${f.score} of 100`, f.score >= 80 ? "high" : f.score >= 60 ? "medium" : "");
}

const AUTH = { none: ["no login", "bad"], required: ["login", "good"] };

const auth = (f) => f.auth && badge(AUTH[f.auth]?.[0] ?? f.auth, AUTH[f.auth]?.[1] ?? "");
const product = (f) => (f.product || f.version) && short([f.product, f.version].filter(Boolean).join(" "), 80);
const endpoint = (f) => (f.endpoint ?? f.hostname) && [mono(f.endpoint ?? f.hostname), f.suspect && [" ", badge("suspect", "warn")]];

// finding_type: {path below /esi/, columns: [[title, make(finding)], …]}. The first column
// identifies the finding and opens it.
export const AREAS = {
	dangling_dns: { path: "dangling-dns", columns: [
		["Name", (f) => mono(f.host)],
		["Leads to", (f) => [f.record_type && `${f.record_type} `, mono(f.target)]],
		["Provider", (f) => f.provider && [short(f.provider, 40), f.claim && [" ", badge(f.claim, CLAIM[f.claim] ?? "")]]],
	] },
	typosquatting: { path: "typosquatting", columns: [
		["Look-alike", (f) => mono(f.found_unicode ?? f.found, 100)],
		["Of", (f) => mono(f.watched)],
		["Registration", (f) => f.found && h("a", { href: recordOf.domain(f.found) }, f.registrar ? short(f.registrar, 40) : "Open the domain")],
		["How", (f) => short(words(f.edit ?? f.class), 40)],
		["Score", score],
	] },
	exposed_secret: { path: "secrets", columns: [
		["Secret", (f) => [short(words(f.secret_type), 60), f.preview && h("div", null, mono(f.preview, 60))]],
		["Where", (f) => [place(f.location), f.occurrences > 1 && h("span.quiet.small", null, ` and ${plural(f.occurrences - 1, "other place")}`)]],
		["Check digits", (f) => (f.check === "valid" ? badge("valid", "high") : f.check && f.check !== "none" ? badge(f.check) : null)],
	] },
	sensitive_file: { path: "secrets", columns: [
		["File", (f) => mono(f.file_name, 80)],
		["Where", (f) => mono(f.url, 160)],
	] },
	ai_surface: { path: "ai-surface", columns: [
		["Service", endpoint],
		["Product", product],
		["Category", (f) => f.category && h("span.nowrap", null, short(f.category, 60))],
		["Access", auth],
		["Models", (f) => f.models?.length > 0 && h("span.small", null, short(f.models.join(", "), 120))],
	] },
	exposed_service: { path: "exposures", columns: [
		["Service", endpoint],
		["Product", product],
		["Kind", (f) => f.kind && short(words(f.kind), 60)],
		["Access", auth],
		["TLS", (f) => (f.tls_enabled === null ? null : f.tls_enabled ? "yes" : "no")],
	] },
};

// Detectors: a description, and the page of their findings: {finding_type} or {page}.
const DETECTORS = {
	inventory: { title: "Inventory", page: "inventory", about: "Adds known hosts, addresses and services below the project's seed domains to its inventory." },
	"dangling-dns": { title: "Dangling DNS", finding_type: "dangling_dns", about: "Finds DNS records that point to names or addresses which a stranger could take over." },
	typosquatting: { title: "Look-alikes", finding_type: "typosquatting", about: "Finds domains that resemble a watched one." },
	secrets: { title: "Secrets", finding_type: "exposed_secret", about: "Finds credentials and sensitive files that are exposed." },
	"threat-indicators": { title: "Threat indicators", finding_type: "threat_indicator", about: "Finds assets that threat reports name as indicators." },
	rules: { title: "Detection rules", page: "rules", about: "Turns observations of detection rules into findings." },
};

// A detector that this console does not know yet is described by its name.
export function detectorWords(name) {
	return DETECTORS[name] ?? { title: words(name.replaceAll("-", " ")), finding_type: name.replaceAll("-", "_"), about: "" };
}

export const areaWords = (type) => ({ dangling_dns: "dangling DNS", typosquatting: "look-alikes", exposed_secret: "exposed secrets", sensitive_file: "sensitive files", ai_surface: "AI surface", exposed_service: "exposed services" }[type] ?? words(type));

