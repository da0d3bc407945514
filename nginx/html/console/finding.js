// SPDX-License-Identifier: ISC
// One finding in its drawer: what to do, why it was reported, its facts with links to what is known of each value, and the
// evidence as JSON. Texts come from scanned data.

import { foreign, h, show } from "../common/dom.js";
import { api } from "../common/api.js";
import { bytes, plural } from "../common/words.js";
import { facts, pageAddress, some } from "./facts.js";
import { badge } from "./parts.js";
import { areaWords, detectorWords } from "./areas.js";
import { DANGLING, DANGLING_REASONS, LOOKALIKES, LOOKALIKE_REASONS, NAMES, REMEDIES } from "./finding-why.js";
import { quoted, recordOf, searchFor, short } from "./links.js";
import { when } from "./lists.js";
import { hashOf } from "./projects.js";
import { block, OF_TYPE } from "./record.js";

const words = (name) => String(name ?? "").replaceAll("_", " ");
const isAddress = (text) => /^[\d.]+$|:.*:/u.test(text);

// ---- values, each with the page about it ----

function host(text) {
	return text && h("a.mono", { href: isAddress(text) ? recordOf.host(text) : recordOf.name(text) }, foreign(text, 253));
}

function place(p) {
	if (p?.url)
		return pageAddress(p.url);
	return p?.ip && [host(p.ip), p.port && ` port ${p.port}`];
}

const listOf = (list, make) => list?.length > 0 && some(list, make, 5);

// An address with its port, as 203.0.113.9:443 or [2001:db8::1]:443.
function endpoint(text) {
	const [, address, port] = /^\[?([^\]]*?)\]?(?::(\d+))?$/u.exec(text ?? "") ?? [];
	return text && (address && (isAddress(address) || /^[a-z0-9.-]+$/iu.test(address)) ? [host(address), port && ` port ${port}`] : foreign(text, 300));
}

const MADE = {
	ip: host, host, hostname: host, found: host, watched: host, target: host, domain: (text) => h("a.mono", { href: recordOf.domain(text) }, foreign(text, 253)),
	endpoint, url: pageAddress, location: place,
	certificate_sha256: (text) => h("a.mono", { href: recordOf.certificate(text) }, short(text, 24)),
	fingerprint_sha256: (text) => h("a.mono", { href: recordOf.certificate(text) }, short(text, 24)),
	addresses: (list) => listOf(list, host), mail_exchangers: (list) => listOf(list, host), locations: (list) => listOf(list, place),
	size: (n) => bytes(Number(n)), preview: (text) => h("span.mono", null, foreign(text, 120)),
	auth: (text) => ({ none: badge("none: open to anybody", "bad"), required: badge("asks for one", "good"), unknown: "unknown" })[text] ?? foreign(text, 60),
	matched_by: (text) => ({ address: "its address", hostname: "its name", certificate: "its certificate" })[text] ?? words(text),
	check: (text) => ({ valid: badge("its check digits are right", "high"), none: "" })[text] ?? words(text),
};

// Imported evidence may have any form: members of another form than detectors give them are in its JSON alone.
const OBJECTS = ["location", "record"], LISTS_OF_OBJECTS = ["reasons", "chain", "locations", "matched", "reports"], LISTS_OF_TEXTS = ["addresses", "mail_exchangers"];
const isObject = (v) => typeof v === "object" && v !== null && !Array.isArray(v);
const isText = (v) => typeof v !== "object" && String(v) !== "";

function fits(name, value) {
	if (OBJECTS.includes(name))
		return isObject(value);
	if (LISTS_OF_OBJECTS.includes(name))
		return Array.isArray(value) && value.every(isObject);
	const texts = Array.isArray(value) && value.every(isText);
	return LISTS_OF_TEXTS.includes(name) ? texts : isText(value) || (!MADE[name] && texts);
}

const shaped = (evidence) => Object.fromEntries(Object.entries(evidence ?? {}).filter(([name, value]) => fits(name, value)));

function known(name, value) {
	if (MADE[name])
		return MADE[name](value);
	if (/_at$/u.test(name) && !Number.isNaN(Date.parse(value)))
		return when(value);
	if (typeof value === "boolean")
		return value ? "yes" : "no";
	if (Array.isArray(value))
		return listOf(value, (v) => foreign(v, 200));
	return isObject(value) ? null : foreign(value, 500);
}

// The facts of evidence, without the members that the sentences have said.
function otherFacts(evidence, said) {
	return Object.entries(evidence).filter(([name]) => !said.includes(name)).map(([name, value]) => {
		const label = NAMES[name] ?? words(name);
		return [label[0].toUpperCase() + label.slice(1), known(name, value)];
	});
}

// ---- a sentence for each detector ----

function dangling(e) {
	const code = e.reasons?.[0]?.code;
	return { said: ["kind", "host", "record_type", "target", "provider", "claim", "reasons", "chain", "matched_by"],
		why: ["The record ", e.record_type, " of ", host(e.host), " ", DANGLING[e.kind] ? `${DANGLING[e.kind]}: ` : "points to ", host(e.target), e.provider && [", at ", foreign(e.provider, 60)], ". ", DANGLING_REASONS[code] ?? ""],
		more: e.chain?.length > 0 && [h("h3", null, "What was asked"), h("ul.searches", null, e.chain.map((c) => h("li", null, host(c.name), ` ${c.type}: `, h("code", null, short(c.rcode, 20)), h("span.quiet.small", null, " ", when(c.seen_at)))))] };
}

function lookalike(e) {
	const site = `https://${e.found}/`;
	return { said: ["watched", "found", "found_unicode", "class", "edit", "score", "reasons", "matched_by"],
		why: [host(e.found), e.found_unicode && e.found_unicode !== e.found && [" (shown as ", foreign(e.found_unicode, 253), ")"], " resembles ", host(e.watched), LOOKALIKES[e.class] && `: it ${LOOKALIKES[e.class]}`, ".", e.score !== undefined && ` Its score is ${e.score} of 100.`],
		links: [e.found && h("a.button", { href: `#/sessions?url=${encodeURIComponent(site)}` }, "Open in a browser session"),
			e.found && h("a", { href: recordOf.domain(e.found) }, "Registration"), e.found && h("a", { href: recordOf.name(e.found) }, "DNS records"),
			e.found && h("a", { href: searchFor("certificates", `names:${quoted(e.found)}`) }, "Certificates"), e.found && h("a", { href: searchFor("hosts", `hostnames:${quoted(e.found)}`) }, "Hosts")],
		more: e.reasons?.length > 0 && [h("h3", null, "The score"), h("ul.weights", null, e.reasons.map((r) => h("li", null, h("span.number", null, r.weight > 0 ? `+${r.weight}` : String(r.weight)), h("span", null, LOOKALIKE_REASONS[r.code] ?? words(r.code)))))] };
}

function secret(e) {
	const first = e.location ?? {};
	return { said: ["secret_type", "location", "locations", "occurrences", "reasons", "fingerprint", "suspect", "remediation"],
		why: ["A secret of the type ", words(e.secret_type), " can be read in ", first.kind ? `the ${words(first.kind)} of ` : "", first.url ? foreign(first.url, 300) : [host(first.ip), first.port && ` port ${first.port}`],
			first.line ? `, line ${first.line}` : "", e.occurrences > 1 ? `, and in ${plural(e.occurrences - 1, "other place")}` : "", "."],
		links: first.url && [pageAddress(first.url)],
		more: e.locations?.length > 1 && [h("h3", null, "Where it was seen"), some(e.locations, place, 5)] };
}

function file(e) {
	return { said: ["file_name", "url", "location", "reasons", "matched_by"],
		why: ["The file ", h("span.mono", null, foreign(e.file_name, 200)), " can be downloaded by anybody."],
		links: [e.url && pageAddress(e.url), e.file_name && h("a", { href: searchFor("open-directories", `files.name:${quoted(e.file_name)}`) }, "Open directories with this name")] };
}

function indicator(e) {
	const record = OF_TYPE[e.type];
	const value = record ? h("a.mono", { href: recordOf[record](e.value) }, foreign(e.value, 253)) : foreign(e.value, 253);
	return { said: ["type", "value", "confidence", "report_count", "reports", "reasons"],
		why: e.reasons?.[0]?.code === "verdict" ? ["Your organisation has accepted ", value, " as an indicator of an attack."]
			: [value, " is an indicator in ", e.report_count ? plural(e.report_count, "threat report") : "a threat report", e.confidence ? `, with a confidence of ${e.confidence} %` : "", "."],
		more: e.reports?.length > 0 && [h("h3", null, "Reports"), h("ul.searches", null, e.reports.map((r) => h("li", null, h("a", { href: recordOf.report(r.uuid) }, foreign(r.title ?? "(without a title)", 200)),
			h("span.quiet.small", null, " ", foreign([r.publisher].concat(r.threat_actors ?? [], r.malware_families ?? []).filter(Boolean).join(", "), 200)))))] };
}

// What a rule has found, and an imported finding about a service.
function service(e) {
	const r = e.record ?? {}, where = r.ip ? [host(r.ip), r.port && ` port ${r.port}`] : r.url ? foreign(r.url, 300) : r.host ? host(r.host) : r.domain ? MADE.domain(r.domain) : r.fingerprint_sha256 ? MADE.certificate_sha256(r.fingerprint_sha256) : endpoint(e.endpoint);
	return { said: ["rule_uuid", "rule_version", "rule_name", "dataset", "kind", "record", "matched", "endpoint", "suspect", "location", "reasons", ...e.endpoint ? ["ip", "port"] : []],
		why: e.rule_uuid ? ["The rule ", h("a", { href: `#/rules?rule=${e.rule_uuid}` }, foreign(e.rule_name ?? "of the catalogue", 200)), " matches ", where, "."]
			: [where, e.product && [" runs ", foreign([e.product, e.version].filter(Boolean).join(" "), 120)], e.auth === "none" ? " and asks for no login." : "."],
		links: r.url && [pageAddress(r.url)],
		more: e.matched?.length > 0 && [h("h3", null, "Because of"), h("ul.searches", null, e.matched.slice(0, 20).map((m) => h("li", null, h("a", { href: searchFor(words(e.dataset ?? "services").replaceAll(" ", "-"), `${m.field}:${quoted(m.value)}`) }, h("code", null, short(`${m.field}:${m.value}`, 160))))))] };
}

const TYPES = { dangling_dns: dangling, typosquatting: lookalike, exposed_secret: secret, sensitive_file: file, threat_indicator: indicator, exposed_service: service, ai_surface: service };

function evidenceParts(f) {
	const e = shaped(f.evidence), { why, links, more, said } = (TYPES[f.finding_type] ?? (e.rule_uuid ? service : () => ({ said: [] })))(e);
	const raw = h("pre.json", { tabindex: "0", "aria-label": "Evidence as JSON" }), box = h("details.json-card", null, h("summary", null, "Evidence as JSON"), raw);
	box.addEventListener("toggle", () => box.open && !raw.firstChild && show(raw, block(JSON.stringify(f.evidence, null, 2), 100000)));
	return [
		why && h("p.why", null, why),
		e.suspect === true && h("p.small.quiet", null, "The host has more than 50 services, so it may only imitate them."),
		links && h("p.actions.pivots", null, links),
		facts(otherFacts(e, [...said, "remediation"])),
		more,
		f.evidence && box,
	];
}

// The name of the asset, read when the finding is shown.
function asset(f, project, signal) {
	const link = h("a", { href: hashOf("inventory", project, { asset: f.asset_uuid }) }, "…");
	api.get(`/projects/${project.uuid}/esi/assets/${f.asset_uuid}`, { signal }).then(({ asset: a }) => show(link, foreign(a.name, 253)), () => show(link, "In the inventory"));
	return link;
}

// Returns the nodes about a finding between its moves and its history.
export function findingNodes(f, { project, signal }) {
	const remedy = f.evidence?.remediation ?? REMEDIES[f.finding_type];
	return [
		remedy && h("p.remedy", null, h("strong", null, "What to do: "), foreign(remedy, 1000)),
		f.description && h("p.prose", null, foreign(f.description, 2000)),
		evidenceParts(f),
		h("h3", null, "About the finding"),
		facts([
			["Asset", f.asset_uuid && asset(f, project, signal)],
			["Area", h("a", { href: hashOf("findings", project, { finding_type: f.finding_type }) }, areaWords(f.finding_type), f.exposure_kind && ` · ${words(f.exposure_kind)}`)],
			["Confidence", f.confidence !== null && `${Math.round(f.confidence * 100)} %`],
			["First seen", when(f.first_seen_at)],
			["Last seen", when(f.last_seen_at)],
			["Found by", f.detector ? h("a", { href: hashOf("detectors", project, {}) }, detectorWords(f.detector).title) : f.source_name && foreign(f.source_name, 200)],
			["Note", f.status_note && foreign(f.status_note, 500)],
		]),
	];
}
