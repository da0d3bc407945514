// SPDX-License-Identifier: ISC
// The audit log: when, who, from where, and what, with the changed members before and after.

import { foreign, h, rows, show } from "../common/dom.js";
import { api, everything } from "../common/api.js";
import { moment } from "../common/clock.js";
import { dayAndHour, plural } from "../common/words.js";
import { actionWords, actorWords, SUBJECTS } from "./audit-words.js";
import { emptyState, faultPanel, heading, reading, toast } from "./parts.js";

const MOST = 10000; // lines of a file
const PAGE = 100;

const text = (value) => (value === null || value === undefined ? "–" : typeof value === "string" ? value : JSON.stringify(value));

// 28 Nov 2026, 09:05:07, in the reader's time.
const second = (at) => `${dayAndHour(at)}:${String(new Date(at).getSeconds()).padStart(2, "0")}`;

// Values of members whose names end with _at are times.
const value = (name, given) => (/_at$/u.test(name) && !Number.isNaN(Date.parse(given)) ? h("span", { title: moment(given) }, dayAndHour(given)) : foreign(text(given), 300));

const nameOf = (entry) => entry.after?.name ?? entry.before?.name ?? entry.after?.title ?? entry.before?.title;

// Returns the members that differ: [name, before, after].
function differences({ before, after }) {
	const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
	return names.map((name) => [name, before?.[name], after?.[name]]).filter(([, was, is]) => JSON.stringify(was) !== JSON.stringify(is));
}

function changeCell(entry) {
	const all = differences(entry);
	const more = [entry.subject_id && h("li.quiet", null, entry.subject.replaceAll("_", " "), " ", h("code", null, entry.subject_id)), entry.request_id && h("li.quiet", null, "request ", h("code", null, entry.request_id))];
	const line = ([name, was, is]) => h("li", null, h("code", null, name), " ", entry.before && [h("del", null, value(name, was)), " → "], h("ins", null, value(name, is)));
	const short = entry.before && all.length ? all.slice(0, 2).map(([n]) => n.replaceAll("_", " ")).join(", ") + (all.length > 2 ? ` and ${all.length - 2} more` : "") : "details";
	return h("details.change", null, h("summary", { "data-entry": true }, short), h("ul", null, all.map(line), more));
}

function line(entry) {
	const name = nameOf(entry), [actor, kind] = actorWords(entry);
	return h("tr", null,
		h("td.nowrap", { "data-head": "When", title: moment(entry.at) }, second(entry.at)),
		h("td", { "data-head": "Who" }, h("span", null, foreign(actor, 120), kind && h("span.small.quiet", null, " ", foreign(kind, 60)))),
		h("td", { "data-head": "What" }, h("span", null, actionWords(entry), name && [" ", h("strong", null, foreign(String(name), 120))])),
		h("td.nowrap", { "data-head": "Address" }, entry.address && h("code", null, entry.address)),
		h("td", { "data-head": "Changes" }, changeCell(entry)));
}

const filter = (words, input) => h("label.filter", null, h("span.quiet", null, words), input);
const options = (first, list, chosen) => [h("option", { value: "" }, first), ...list.map(([v, words]) => h("option", { value: v, selected: v === chosen }, words))];
const capital = (words) => words.replace(/^(?:the|an?) /u, "").replace(/^./u, (c) => c.toUpperCase());

// Reads all lines that match, up to MOST, and saves them as CSV.
async function saveAll(query, signal) {
	const [{ line: csvLine }, { save }] = await Promise.all([import("./csv.js"), import("./copy.js")]);
	const parts = [csvLine(["at", "who", "kind", "address", "action", "subject", "subject_id", "name", "project_uuid", "request_id", "before", "after"])];
	for (let cursor = ""; parts.length <= MOST;) {
		const page = await api.get("/access/audit", { query: { ...query, limit: PAGE, cursor }, signal });
		parts.push(...page.entries.map((e) => csvLine([e.at, actorWords(e)[0], e.actor?.kind, e.address, e.action, e.subject, e.subject_id, nameOf(e), e.project_uuid, e.request_id, e.before, e.after])));
		cursor = page.next_cursor;
		if (!page.has_more)
			break;
	}
	save(parts, "text/csv", "audit.csv");
	toast(`${plural(parts.length - 1, "line")} of the audit log ${parts.length === 2 ? "is" : "are"} saved.`);
}

export async function open(main, route, signal) {
	const given = (name) => route.query.get(name) ?? "";
	const actor = h("select", { name: "actor", "data-search": true }, options("Everybody", []));
	const subject = h("select", { name: "subject" }, options("Everything", Object.entries(SUBJECTS).map(([v, words]) => [v, capital(words)]).sort(([, a], [, b]) => a.localeCompare(b)), given("subject")));
	const since = h("input", { type: "date", name: "since" }), until = h("input", { type: "date", name: "until" });
	const more = h("button", { type: "button", hidden: true, onclick: () => next() }, "Load more");
	const csv = h("button", { type: "button", onclick: async () => {
		csv.disabled = true;
		try {
			await saveAll(query(), signal);
		} finally {
			csv.disabled = false;
		}
	} }, "CSV");
	const body = h("tbody");
	const grid = h("div.card.list-card", null, h("table.stack.audit", null, h("caption.hidden", null, "Audit log"), h("thead", null, h("tr", null, ["When", "Who", "What", "Address", "Changes"].map((t) => h("th", { scope: "col" }, t)))), body));
	let entries = [], cursor = "";
	// Days are those of the reader.
	const dayOf = (input, days) => (input.value ? new Date(new Date(`${input.value}T00:00:00`).getTime() + days * 86400000).toISOString() : "");
	const query = () => ({ actor: actor.value, subject: subject.value, action: given("action"), since: dayOf(since, 0), until: dayOf(until, 1) });
	const fetchPage = (s) => api.get("/access/audit", { query: { limit: 50, cursor, ...query() }, signal: s });
	const draw = (page, box) => {
		entries = [...entries, ...page.entries];
		cursor = page.next_cursor ?? "";
		more.hidden = !cursor;
		if (!grid.isConnected)
			show(box, grid);
		rows(body, entries, (e) => e.uuid, line);
	};
	const next = async () => {
		try {
			draw(await fetchPage(signal), part.box);
		} catch (fault) {
			if (fault.name !== "AbortError")
				more.before(faultPanel(fault));
		}
	};
	const part = reading({ signal, draw, lines: 10, read: (s) => {
		entries = [];
		cursor = "";
		return fetchPage(s);
	}, empty: (page) => {
		more.hidden = true;
		return page.entries.length ? null : h("div.card", null, emptyState("Nothing happened", "No line of the log matches these filters."));
	} });
	for (const input of [actor, subject, since, until])
		input.addEventListener("change", () => part.read());
	everything("/access/members", "members", { signal }).then((members) => show(actor, options("Everybody", members.map((m) => [m.uuid, m.removed_at ? `${m.name}, removed` : m.name]), actor.value)),
		() => {}); // the log can be read without the choice
	show(main, heading("Audit", filter("Who", actor), filter("What", subject), filter("From", since), filter("To", until), csv), part.box, h("p.more", null, more));
}
