// SPDX-License-Identifier: ISC
// One certificate, #/certificates/FINGERPRINT: its names, its validity, and the hosts that show it.

import { h, show, svg } from "../common/dom.js";
import { api } from "../common/api.js";
import { ago, plural } from "../common/words.js";
import { at, card, facts, some } from "./facts.js";
import { badge, emptyState, reading, toast } from "./parts.js";
import { hitList, FIELDS } from "./hits.js";
import { quoted, recordOf, searchFor, short, tag } from "./links.js";
import { jsonCard, recordHead, recordPage, searches, value } from "./record.js";

const v = (name, text, options) => text !== undefined && text !== "" && value(text, "certificates", name, options);
const TYPES = { DER: ["application/pkix-cert", "cer"], PEM: ["application/x-pem-file", "pem"] };

function subject(who, part) {
	return (
		who &&
		facts([
			["Name", v(`${part}.common_name`, who.common_name)],
			["Organisation", v(`${part}.organisation`, who.organisation)],
			["Country", v(`${part}.country_code`, who.country_code)],
		])
	);
}

function validity(c) {
	const from = Date.parse(c.not_before),
		to = Date.parse(c.not_after),
		now = Date.now();
	const part = to > from ? Math.max(0, Math.min(1, (now - from) / (to - from))) : 1;
	const words = now > to ? `ended ${ago(c.not_after)}` : now < from ? `begins ${ago(c.not_before)}` : `ends ${ago(c.not_after)}`;
	return h(
		"div.validity",
		null,
		svg(
			"svg",
			{ class: now > to ? "meter bad" : "meter", viewBox: "0 0 100 8", preserveAspectRatio: "none", role: "img", "aria-label": words },
			svg("rect", { class: "meter-all", width: 100, height: 8 }),
			svg("rect", { class: "meter-part", width: part * 100, height: 8 }),
		),
		h(
			"div.ends",
			null,
			h("span", null, (c.not_before ?? "").slice(0, 10)),
			h("strong", { class: now > to ? "bad" : "" }, words),
			h("span", null, (c.not_after ?? "").slice(0, 10)),
		),
	);
}

function download(kind, fingerprint) {
	const [type, ending] = TYPES[kind];
	return h(
		"button",
		{
			type: "button",
			onclick: async () => {
				try {
					const url = URL.createObjectURL(await api.get(`/search/certificates/${fingerprint}`, { accept: type, answer: "blob" }));
					h("a", { href: url, download: `${fingerprint}.${ending}` }).click();
					setTimeout(() => URL.revokeObjectURL(url), 60000);
				} catch (fault) {
					toast(fault.status === 404 ? "Only what the certificate says is stored, not the certificate itself." : fault.message, "bad");
				}
			},
		},
		kind,
	);
}

const showing = (print) => `services.tls.certificate.fingerprint_sha256:${quoted(print)}`;
const SHOWN = FIELDS.hosts.concat(["fingerprint_sha256", "issuer_cn", "names", "not_after", "self_signed"].map((n) => `services.tls.certificate.${n}`)).join(",");

const hostsOf = (print, signal) => api.get("/search/hosts", { query: { q: showing(print), limit: 10, fields: SHOWN }, signal });

// read(signal) returns the answer with hosts that show the certificate.
function hosts(print, read, signal) {
	const { box } = reading({
		signal,
		lines: 3,
		read,
		empty: (a) => (a.hosts.length ? null : emptyState("No hosts", "No known host shows this certificate.")),
		draw: async (a, inner) => {
			const list = await hitList("hosts");
			list.add(a.hosts);
			show(
				inner,
				list.node,
				a.has_more && h("p.more", null, h("a.button", { href: searchFor("hosts", showing(print)) }, `All ${plural(a.total.value, "host")}`)),
			);
		},
	});
	return h("section.card.list-card", null, h("div.card-head.padded", null, h("h2", null, "Hosts that show it")), box);
}

const names = (list, dataset) =>
	list?.length > 0 && card(plural(list.length, "name"), some(list, (n) => value(n, dataset, dataset === "hosts" ? "services.tls.certificate.names" : "names", { href: recordOf.name(n), operator: "=" }), 24));

// A certificate that is not stored: what the hosts that show it know of it.
function drawSeen({ seen, print }, signal) {
	const service = seen.hosts.flatMap((x) => x.services ?? []).find((s) => s.tls?.certificate?.fingerprint_sha256 === print), c = service?.tls.certificate ?? {};
	const of = (name, text, options) => text !== undefined && text !== "" && value(text, "hosts", `services.tls.certificate.${name}`, options);
	return {
		head: recordHead("Certificate", c.subject_cn ?? c.names?.[0] ?? print, {
			under: c.issuer_cn && ["issued by ", short(c.issuer_cn)],
			badges: [Date.parse(c.not_after) < Date.now() && badge("expired", "bad"), c.self_signed && badge("self-signed", "warn")].filter(Boolean),
		}),
		body: [
			card("", h("p.quiet", null, "The certificate itself is not stored. This is what scans of the hosts below have kept of it.")),
			names(c.names, "hosts"),
			hosts(print, () => seen, signal),
		],
		side: [
			card("Certificate", facts([
				["Subject", of("subject_cn", c.subject_cn)],
				["Issuer", of("issuer_cn", c.issuer_cn)],
				["Valid until", at(c.not_after)],
				["SHA-256", of("fingerprint_sha256", print, { mono: true })],
			])),
			searches(further(print, { common_name: c.subject_cn })),
		],
	};
}

const further = (print, subject) => [
	subject?.common_name && ["The same subject", "certificates", `subject.common_name:${quoted(subject.common_name)}`],
	["Hosts that show it", "hosts", showing(print)],
	["Reports that name it", "reports", `indicators:(type:certificate_sha256 value:${quoted(print)})`],
];

function draw({ certificate: c }, signal) {
	const print = c.fingerprint_sha256,
		title = c.subject?.common_name ?? c.names?.[0] ?? print;
	const over = Date.parse(c.not_after) < Date.now();
	return {
		head: recordHead("Certificate", title, {
			under: [c.issuer?.common_name && ["issued by ", short(c.issuer.common_name)]],
			actions: [download("PEM", print), download("DER", print)],
			badges: [
				over && badge("expired", "bad"),
				c.self_signed && badge("self-signed", "warn"),
				c.precertificate && badge("precertificate"),
				...(c.tags ?? []).map((t) => tag(t, "certificates")),
			].filter(Boolean),
		}),
		body: [
			card("Validity", validity(c), facts([["Days", v("validity_days", c.validity_days)]])),
			names(c.names, "certificates"),
			hosts(print, (s) => hostsOf(print, s), signal),
			jsonCard(c),
		],
		side: [
			card("Subject", subject(c.subject, "subject")),
			card("Issuer", subject(c.issuer, "issuer")),
			card(
				"Key",
				facts([
					["Key", [v("key_algorithm", c.key_algorithm), c.key_size && [" ", v("key_size", c.key_size)]]],
					["Signature", v("signature_algorithm", c.signature_algorithm)],
					["Serial", v("serial_number", c.serial_number, { mono: true })],
					["SHA-256", v("fingerprint_sha256", print, { mono: true })],
					["Public key", v("spki_sha256", c.spki_sha256, { mono: true })],
				]),
			),
			c.ct &&
				card(
					"Transparency",
					facts([
						["Log", v("ct.log", c.ct.log)],
						["Entry", c.ct.index],
						["Logged", at(c.ct.seen_at)],
					]),
				),
			card(
				"Seen",
				facts([
					["First seen", at(c.first_seen)],
					["Last seen", at(c.last_seen)],
				]),
			),
			searches([
				c.spki_sha256 && ["The same key", "certificates", `spki_sha256:${c.spki_sha256}`],
				...further(print, c.subject),
			]),
		],
	};
}

async function read(print, signal) {
	try {
		return await api.get(`/search/certificates/${encodeURIComponent(print)}`, { signal });
	} catch (fault) {
		const seen = fault.status === 404 && (await hostsOf(print, signal));
		if (!seen?.hosts?.length)
			throw fault;
		return { seen, print };
	}
}

export async function open(main, route, signal) {
	const print = route.path[0] ?? "";
	document.title = `Certificate ${print.slice(0, 16)} – surfaced`;
	await recordPage(main, {
		signal,
		draw: (data) => (data.seen ? drawSeen(data, signal) : draw(data, signal)),
		read: (s) => read(print, s),
		missing: {
			kind: "Certificate", name: print, title: "This certificate is not known", words: "It is not stored, and no known host shows it.",
			further: further(print),
		},
	});
}
