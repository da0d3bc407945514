// SPDX-License-Identifier: ISC
// Exports of a search: this page collects up to 10,000 records, or the service writes all records
// to a file.

import { h, show } from "../common/dom.js";
import { api, signedIn } from "../common/api.js";
import { ask } from "../common/dialog.js";
import { check, field, group, radio } from "../common/form.js";
import { bytes, count } from "../common/words.js";
import { meter } from "../common/charts.js";
import { line, record } from "./csv.js";
import { noun } from "./links.js";
import { hitsOf } from "./hits.js";
import { save } from "./copy.js";
import { toast } from "./parts.js";

const MOST = 10000; // records that a page collects
const PAGE = 500;
const COLUMNS_MOST = 64;
const POLL_MS = 700;

const FIRST = {
	hosts: ["ip", "asn", "as_name", "country_code", "city", "hostnames", "services.port", "services.product", "tags", "last_seen"],
	services: ["ip", "port", "transport", "service_name", "product", "version", "http.title", "country_code", "last_seen"],
	dns: ["host", "record_type", "rcode", "answer", "ttl", "first_seen", "last_seen"],
	whois: ["domain", "whois.registrar", "whois.registrant.organisation", "whois.created_at", "whois.expires_at", "whois.nameservers"],
	certificates: ["fingerprint_sha256", "subject.common_name", "issuer.common_name", "names", "not_before", "not_after"],
	reports: ["uuid", "title", "publisher", "published_at", "malware_families", "threat_actors", "tlp"],
	"open-directories": ["host", "ip", "port", "path", "file_count", "total_size", "last_seen"],
};

// Returns the path of a member. In a service, the members of its host are in an object of their
// own.
function pathOf(dataset, name, document) {
	return dataset === "services" && !(name.split(".")[0] in document) && document.host ? `host.${name}` : name;
}

function whole(dataset, document) {
	for (const name of Object.keys(document))
		if (name.startsWith("matched_")) delete document[name];
	return document;
}

// Reads the records of a search page by page. Calls lines(text) for each page and progress(records
// so far, total).
export async function walk({ dataset, query, format, columns }, { signal, lines, progress }) {
	if (format === "csv")
		lines(line(columns));
	for (let cursor = "", n = 0; ;) {
		const fields = format === "csv" ? columns.join(",") : undefined;
		const page = await api.get(`/search/${dataset}`, { query: { q: query, limit: Math.min(PAGE, MOST - n), cursor, fields }, signal });
		const found = hitsOf(dataset, page);
		lines(
			found
				.map((d) =>
					format === "csv"
						? record(
								d,
								columns.map((c) => pathOf(dataset, c, d)),
							)
						: `${JSON.stringify(whole(dataset, d))}\n`,
				)
				.join(""),
		);
		n += found.length;
		progress(n, Math.min(MOST, page.total.value));
		cursor = page.next_cursor;
		if (!page.has_more || n >= MOST)
			return n;
	}
}

function pause(milliseconds, signal) {
	return new Promise((done, fail) => {
		const timer = setTimeout(done, milliseconds);
		signal.addEventListener(
			"abort",
			() => {
				clearTimeout(timer);
				fail(signal.reason);
			},
			{ once: true },
		);
	});
}

// Lets the service write the file. The link appears when the file is complete.
async function byService({ dataset, query, format, columns }, { signal, progress }) {
	const body = { query, format, compression: "gzip", ...(format === "csv" ? { fields: columns } : {}) };
	let { export: job } = await api.post(`/search/${dataset}/exports`, body, { signal });
	try {
		while (job.state === "queued" || job.state === "running") {
			progress(job.written ?? 0, job.total ?? 0);
			await pause(POLL_MS, signal);
			job = (await api.get(`/search/exports/${job.uuid}`, { signal })).export;
		}
	} catch (fault) {
		if (signal.aborted) await api.del(`/search/exports/${job.uuid}`).catch(() => {}); // the export may have ended
		throw fault;
	}
	return job;
}

function link(job) {
	const organisation = signedIn.organisation ? `?org_uuid=${signedIn.organisation.uuid}` : "";
	return h(
		"p",
		null,
		h(
			"a.button.main",
			{ href: `/api/v1/search/exports/${job.uuid}/content${organisation}`, download: `${job.dataset}.${job.format}.gz` },
			`Download ${bytes(job.bytes)}`,
		),
		h("span.quiet.small", null, ` ${count(job.written)} ${noun(job.dataset, job.written)}, kept for seven days among your `, h("a", { href: "#/exports" }, "exports")),
	);
}

function chosenColumns(form) {
	return [...form.querySelectorAll("[name=column]:checked")].map((c) => c.value);
}

class Export {
	#stop = new AbortController();
	#dataset;
	#query;

	constructor(dataset, query) {
		this.#dataset = dataset;
		this.#query = query;
		this.state = h("div.export-state", { role: "status" });
	}

	stop() {
		this.#stop.abort();
	}

	#progress(n, of) {
		show(
			this.state,
			meter(of ? n / of : 0, `${count(n)} of ${count(of)}`),
			h(
				"p.small",
				null,
				`${count(n)} of ${count(of)} ${noun(this.#dataset, of)} `,
				h("button.link", { type: "button", onclick: () => this.stop() }, "Stop"),
			),
		);
	}

	async run(form) {
		this.#stop = new AbortController();
		const { signal } = this.#stop,
			format = form.elements.format.value,
			columns = chosenColumns(form);
		const wanted = { dataset: this.#dataset, query: this.#query, format, columns };
		if (format === "csv" && !columns.length)
			throw Object.assign(new Error("Choose at least one column."), { fields: [] });
		this.#progress(0, 0);
		try {
			await (form.elements.where.value === "page" ? this.#inPage(wanted, signal) : this.#atService(wanted, signal));
		} catch (fault) {
			show(this.state, signal.aborted ? h("p.small", null, "Stopped. Nothing was saved.") : null);
			if (!signal.aborted)
				throw fault;
		}
	}

	async #inPage(wanted, signal) {
		const parts = [];
		const n = await walk(wanted, { signal, lines: (text) => parts.push(text), progress: (done, of) => this.#progress(done, of) });
		save(parts, wanted.format === "csv" ? "text/csv" : "application/x-ndjson", `${wanted.dataset}.${wanted.format}`);
		show(this.state, h("p.small", null, `${count(n)} ${noun(wanted.dataset, n)} are saved.`));
		toast(`${count(n)} ${noun(wanted.dataset, n)} are exported.`);
	}

	async #atService(wanted, signal) {
		const job = await byService(wanted, { signal, progress: (done, of) => this.#progress(done, of) });
		show(
			this.state,
			job.state === "complete" ? link(job) : h("p.fault", null, `The export is ${job.state}${job.error ? `: ${job.error}` : ""}.`),
		);
	}
}

function columnsOf(schema) {
	const first = new Set(FIRST[schema.dataset] ?? []),
		hidden = /^(?:body|indicators\.(?:ip|name))$|^tags\.|\.tags\./u;
	const names = schema.fields.map((f) => f.name).filter((n) => !hidden.test(n));
	return names
		.sort((a, b) => Number(first.has(b)) - Number(first.has(a)))
		.map((value) => check(value, { name: "column", value, checked: first.has(value) }));
}

export async function exportDialog(schema, query) {
	const job = new Export(schema.dataset, query);
	const columns = group("Columns of CSV", h("div.columns", null, columnsOf(schema)));
	const limit = () => {
		const n = columns.querySelectorAll(":checked").length;
		for (const box of columns.querySelectorAll("input"))
			box.disabled = n >= COLUMNS_MOST && !box.checked;
	};
	columns.hidden = true;
	columns.addEventListener("change", limit);
	const format = h(
		"select",
		{
			name: "format",
			onchange: () => {
				columns.hidden = format.value !== "csv";
			},
		},
		h("option", { value: "ndjson" }, "NDJSON, whole records"),
		h("option", { value: "csv" }, "CSV, chosen columns"),
	);
	const where = group(
		"Which records",
		h(
			"div",
			null,
			radio(`The first ${count(MOST)}`, { name: "where", value: "page", checked: true }, "This page collects them and saves a file."),
			radio("All of them", { name: "where", value: "service" }, "The service writes a compressed file and keeps it for seven days."),
		),
	);
	await ask({
		title: `Export ${noun(schema.dataset, 2)}`,
		label: "Export",
		cancel: "Close",
		wide: true,
		body: [where, field("Format", format), columns, job.state],
		act: async (form) => {
			await job.run(form);
			throw Object.assign(new Error("The dialog stays open."), { quiet: true });
		},
	});
	job.stop();
}
