// SPDX-License-Identifier: ISC
// One open directory, #/directories/HOST PORT PATH: the files that a web server lists.

import { foreign, h, show } from "../common/dom.js";
import { api } from "../common/api.js";
import { bytes, count, plural } from "../common/words.js";
import { at, card, facts, pageAddress } from "./facts.js";
import { badge } from "./parts.js";
import { quoted, recordOf, tag } from "./links.js";
import { jsonCard, lens, recordHead, recordPage, searches, value } from "./record.js";

const ROWS = 300;

const PARTS = /^(\S+) (\d+) (.*)$/su;
const isAddress = (host) => /^[\d.]+$|:/u.test(host);

// No operation reads a single directory, so a search for host, port and path finds it.
async function find(name, signal) {
	const [, host, port, path] = PARTS.exec(name) ?? [];
	const q = host && `${isAddress(host) ? "ip:" : "host="}${quoted(host)} port:${port} path=${quoted(path)}`;
	const found = q ? (await api.get("/search/open-directories", { query: { q, limit: 10 }, signal })).open_directories : [];
	const one = found.find((d) => !isAddress(host) || !d.host) ?? found[0];
	if (!one)
		throw Object.assign(new Error("There is no such directory."), { status: 404 });
	return one;
}

function file(f) {
	return h(
		"tr",
		null,
		h("th.mono", { scope: "row", "data-head": "Name" }, foreign(f.name, 300), lens("open-directories", "files.name", f.name)),
		h("td.number", { "data-head": "Size" }, f.size === undefined ? "–" : bytes(f.size)),
		h("td.number", { "data-head": "Modified" }, (f.modified_at ?? "–").slice(0, 10)),
		h(
			"td.mono",
			{ "data-head": "SHA-256" },
			f.sha256 ? value(f.sha256, "open-directories", "files.sha256", { shown: `${f.sha256.slice(0, 16)}…` }) : "–",
		),
	);
}

function files(all) {
	const body = h("tbody"),
		sum = h("p.quiet.small.padded", { role: "status" });
	const filter = h("input", { type: "search", "aria-label": "Filter files", placeholder: "Filter by name", oninput: () => draw() });
	const draw = () => {
		const words = filter.value.toLowerCase(),
			found = all.filter((f) => f.name.toLowerCase().includes(words));
		show(body, found.slice(0, ROWS).map(file));
		show(
			sum,
			found.length > ROWS ? `${count(ROWS)} of ${plural(found.length, "file")} are shown. Filter to see others.` : plural(found.length, "file"),
		);
	};
	draw();
	return h(
		"section.card.list-card",
		null,
		h("div.card-head.padded", null, h("h2", null, "Files"), filter),
		h(
			"table.stack",
			null,
			h(
				"thead",
				null,
				h(
					"tr",
					null,
					["Name", "Size", "Modified", "SHA-256"].map((t, i) => h("th", { scope: "col", class: i === 1 || i === 2 ? "number" : "" }, t)),
				),
			),
			body,
		),
		sum,
	);
}

function draw(d) {
	const where = `${d.host ?? (d.ip.includes(":") ? `[${d.ip}]` : d.ip)}:${d.port}${d.path}`;
	return {
		head: recordHead("Open directory", where, {
			under: d.title && foreign(d.title, 200),
			badges: [d.truncated && badge("listing was cut", "warn"), ...(d.tags ?? []).map((t) => tag(t, "open-directories"))].filter(Boolean),
		}),
		body: [files(d.files ?? []), jsonCard(d)],
		side: [
			card(
				"Server",
				facts([
					["Address", d.ip && value(d.ip, "open-directories", "ip", { href: recordOf.host(d.ip) })],
					["Name", d.host && h("a", { href: recordOf.name(d.host) }, foreign(d.host, 253))],
					["Port", value(d.port, "open-directories", "port")],
					["Software", d.server && value(d.server, "open-directories", "server")],
					["Files", count(d.file_count ?? 0)],
					["Size", d.total_size !== undefined && bytes(d.total_size)],
					["URL", d.url && pageAddress(d.url)],
					["First seen", at(d.first_seen)],
					["Last seen", at(d.last_seen)],
				]),
			),
			searches([
				d.ip && ["All directories of the host", "open-directories", `ip:${quoted(d.ip)}`],
				d.server && ["The same software", "open-directories", `server:${quoted(d.server)}`],
			]),
		],
	};
}

export async function open(main, route, signal) {
	const name = route.path[0] ?? "", [, host] = PARTS.exec(name) ?? [];
	document.title = "Open directory – surfaced";
	await recordPage(main, {
		signal,
		draw,
		read: (s) => find(name, s),
		missing: {
			kind: "Open directory", name, title: "This directory is not known", words: "It may have gone since the search.",
			actions: h("a.button", { href: "#/search/open-directories" }, "All open directories"),
			further: host ? [["All directories of the host", "open-directories", `${isAddress(host) ? "ip:" : "host="}${quoted(host)}`],
				isAddress(host) ? ["The host", "hosts", `ip:${quoted(host)}`] : ["Its DNS records", "dns", `host=${quoted(host)}`]] : [],
		},
	});
}
