// SPDX-License-Identifier: ISC
// The audit log: time, actor and action of each line, and the changed members before and after.

import { foreign, h, rows, show } from "../common/dom.js";
import { api } from "../common/api.js";
import { moment } from "../common/clock.js";
import { dayAndHour } from "../common/words.js";
import { emptyState, faultPanel, heading, reading } from "./parts.js";

const WHO = { key: "key", admin: "operator", member: "member", person: "person", service: "service" };
const DONE = { create: "made", change: "changed", delete: "removed", remove: "removed", read: "read", revoke: "revoked" };

// Returns "API key made" for api_key.create.
function actionWords(action) {
	const [subject, verb] = action.split(".");
	const words = subject.replaceAll("_", " ").replace(/^api /, "API ");
	return `${words[0].toUpperCase()}${words.slice(1)} ${DONE[verb] ?? verb.replaceAll("_", " ")}`;
}

const text = (value) => (value === null || value === undefined ? "–" : typeof value === "string" ? value : JSON.stringify(value));

// Values of members whose names end with _at are times.
const value = (name, given) => (/_at$/u.test(name) && !Number.isNaN(Date.parse(given)) ? h("span", { title: moment(given) }, dayAndHour(given)) : foreign(text(given), 300));

// An actor without a name, "person:UUID", is shown as a person.
function who({ actor, program }) {
	const name = actor?.name ?? program ?? "";
	return name.startsWith("person:") ? "a person" : [foreign(name), h("span.small.quiet", null, ` ${WHO[actor?.kind] ?? actor?.kind ?? ""}`)];
}

// Returns the members that differ: [name, before, after].
function differences({ before, after }) {
	const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
	return names.map((name) => [name, before?.[name], after?.[name]]).filter(([, was, is]) => JSON.stringify(was) !== JSON.stringify(is));
}

function changeCell(entry) {
	const all = differences(entry);
	if (!all.length)
		return null;
	const line = ([name, was, is]) => h("li", null, h("code", null, name), " ", entry.before && [h("del", null, value(name, was)), " → "], h("ins", null, value(name, is)));
	const short = entry.before ? all.slice(0, 2).map(([n]) => n).join(", ") + (all.length > 2 ? ` and ${all.length - 2} more` : "") : "details";
	return h("details.change", null, h("summary", { "data-entry": true }, short), h("ul", null, all.map(line),
		entry.subject_id && h("li.quiet", null, entry.subject, " ", h("code", null, entry.subject_id)), entry.request_id && h("li.quiet", null, "request ", h("code", null, entry.request_id))));
}

function line(entry) {
	const name = entry.after?.name ?? entry.before?.name;
	return h("tr", null,
		h("td.nowrap", { "data-head": "When", title: moment(entry.at) }, dayAndHour(entry.at)),
		h("td", { "data-head": "Who" }, h("span", { title: entry.actor?.name ?? entry.program }, who(entry))),
		h("td", { "data-head": "What" }, h("span", null, actionWords(entry.action), name && [": ", foreign(String(name), 120)])),
		h("td", { "data-head": "Before → after" }, changeCell(entry)));
}

const filter = (words, input) => h("label.filter", null, h("span.quiet", null, words), input);

export async function open(main, route, signal) {
	const action = h("input", { type: "search", name: "action", placeholder: "api_key.create", "data-search": true, autocomplete: "off", spellcheck: "false", value: route.query.get("action") ?? "" });
	const since = h("input", { type: "date" });
	const more = h("button", { type: "button", hidden: true, onclick: () => next() }, "Load more");
	const body = h("tbody");
	const grid = h("div.card.list-card", null, h("table.stack.audit", null, h("caption.hidden", null, "Audit log"), h("thead", null, h("tr", null, ["When", "Who", "What", "Before → after"].map((t) => h("th", { scope: "col" }, t)))), body));
	let entries = [], cursor = "";
	const fetchPage = (s) => api.get("/access/audit", { query: { limit: 50, cursor, action: action.value.trim(), since: since.value && `${since.value}T00:00:00Z` }, signal: s });
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
		return page.entries.length ? null : h("div.card", null, emptyState("Nothing happened", "No entry of the log has this action in this time."));
	} });
	for (const input of [action, since])
		input.addEventListener("change", () => part.read());
	show(main, heading("Audit", filter("Action", action), filter("Since", since)), part.box, h("p.more", null, more));
}
