// SPDX-License-Identifier: ISC
// API keys: the list, one key with its usage, and the operations on keys.

import { foreign, h, show } from "../common/dom.js";
import { api, everything } from "../common/api.js";
import { asTable, spark, stackedDays } from "../common/charts.js";
import { agree, ask } from "../common/dialog.js";
import { radio } from "../common/form.js";
import { ago, count, day, dayAndHour, plural } from "../common/words.js";
import { keyForm, readChoices } from "./key-form.js";
import { showSecret } from "./key-secret.js";
import { table } from "./lists.js";
import { copyButton } from "./copy.js";
import { announce, badge, emptyState, heading, menu, reading, toast } from "./parts.js";
import { owner, ownersOnly } from "./owners.js";
import { mayWords, scopeSummary } from "./scopes.js";

const SOON_DAYS = 14;
const LIVES = [["0", "It ends now"], ["3600", "1 hour"], ["86400", "24 hours"], ["604800", "7 days"]];

// ---- words and cells ----

function lastUsed(key) {
	if (!key.last_used_on)
		return h("span.quiet", null, "never");
	const today = new Date().toISOString().slice(0, 10);
	return key.last_used_on === today ? "today" : h("span", { title: day(key.last_used_on, "UTC") }, ago(`${key.last_used_on}T23:59:59Z`));
}

function ends(key) {
	if (key.state === "revoked")
		return badge("revoked", "bad");
	if (key.state === "expired")
		return badge("expired");
	if (!key.expires_at)
		return h("span.quiet", null, "never");
	const soon = new Date(key.expires_at) - Date.now() < SOON_DAYS * 86400000;
	return h("span", { class: soon ? "warn" : "", title: dayAndHour(key.expires_at) }, soon && h("span", { "aria-hidden": "true" }, "▲ "), ago(key.expires_at));
}

// ---- operations ----

async function revoke(key, after) {
	const done = await agree(`Revoke ${key.name}?`, `Programs that use ${key.key_prefix} are refused at once. This cannot be undone.`, "Revoke",
		() => api.del(`/access/keys/${key.uuid}`));
	if (done) {
		toast(`The key ${key.name} is revoked.`);
		after();
	}
}

// Makes a new key in place of an old one, which stays valid for a time, so that programs can be
// changed.
async function rotate(key, after) {
	const lives = LIVES.map(([value, words], i) => radio(words, { name: "old_expires_at", value, checked: i === 2 }));
	const answer = await ask({ title: `Rotate ${key.name}`, label: "Rotate",
		body: [h("p", null, "You get a new key that may do the same. How long does the old one still work?"), h("fieldset.field", null, h("legend", null, "The old key"), lives, h("span.fault"))],
		act: (form) => {
			const seconds = Number(new FormData(form).get("old_expires_at"));
			return api.post(`/access/keys/${key.uuid}/rotate`, seconds ? { old_expires_at: new Date(Date.now() + seconds * 1000).toISOString() } : {});
		} });
	if (!answer)
		return;
	await showSecret(answer, `The old key ${key.key_prefix} is on the list until it ends, with the day of its last use: see there whether a program still has it.`);
	after();
}

function doings(key, after) {
	const active = key.state === "active", mine = owner();
	return menu(`Actions of ${key.name}`, [
		h("a", { href: `#/keys/${key.uuid}` }, "Details and use"),
		active && mine && h("a", { href: `#/keys/${key.uuid}/edit` }, "Edit"),
		active && mine && h("button", { type: "button", onclick: () => rotate(key, after) }, "Rotate"),
		active && h("button.danger", { type: "button", onclick: () => revoke(key, after) }, "Revoke"),
	].filter(Boolean), { summary: [h("span", { "aria-hidden": "true" }, "⋯"), h("span.hidden", null, `Actions of ${key.name}`)], className: "button plain square" });
}

// ---- the list ----

async function readList(filter, signal) {
	const [keys, used] = await Promise.all([
		everything("/access/keys", "keys", { query: { state: filter.state.value }, signal }),
		api.get("/organisation/usage", { query: { window: "30d" }, signal }).catch(() => null), // without usage the list lacks only its last column
	]);
	const days = new Map((used?.organisation_usage.keys ?? []).map((k) => [k.uuid, k.daily.slice(-14).map((d) => d.requests)]));
	return keys.map((key) => ({ ...key, days: days.get(key.uuid) ?? null }));
}

function matching(keys, text) {
	const words = text.trim().toLowerCase().split(/\s+/);
	return keys.filter((k) => words.every((w) => [k.name, k.key_prefix, k.owner_name, ...k.scopes].some((t) => t.toLowerCase().includes(w))));
}

function list(main, signal) {
	const filter = {
		text: h("input", { type: "search", placeholder: "Filter", "aria-label": "Filter keys", "data-search": true, autocomplete: "off" }),
		state: h("select", { "aria-label": "State" }, [["active", "Active"], ["expired", "Expired"], ["revoked", "Revoked"], ["", "All states"]].map(([value, words]) => h("option", { value }, words))),
	};
	const grid = table("API keys", [
		["Name", (k) => h("a", { href: `#/keys/${k.uuid}` }, foreign(k.name))],
		["Prefix", (k) => h("code", null, k.key_prefix), "nowrap"],
		["Held by", (k) => foreign(k.owner_name), "who"],
		["Scopes", (k) => h("span", { title: k.scopes.join("\n") }, scopeSummary(k.scopes))],
		["Last used", lastUsed, "nowrap"],
		["Expires", ends, "nowrap"],
		["14 days", (k) => k.days && spark(k.days, `Requests of the last 14 days: ${k.days.map(count).join(", ")}`), "sparks"],
		["", (k) => doings(k, again), "doings"],
	]);
	let all = [];
	const draw = (keys, box) => {
		all = keys;
		const some = matching(keys, filter.text.value);
		show(box, some.length ? grid.node : emptyState("No key matches", "No name, prefix, holder or scope has these words."));
		grid.draw(some);
	};
	const part = reading({ signal, read: (s) => readList(filter, s), draw, empty: (keys) => (keys.length ? null : emptyState(
		filter.state.value === "active" ? "No active key" : "No key",
		"Programs use the API with a key. A key has scopes, and may be limited to projects and in time.",
		owner() && h("a.button.main", { href: "#/keys/new" }, "New key"))) });
	const again = () => part.read();
	filter.state.addEventListener("change", again);
	filter.text.addEventListener("input", () => {
		draw(all, part.box);
		announce(`${plural(matching(all, filter.text.value).length, "key")}.`);
	});
	show(main, heading("API keys", filter.text, filter.state, owner() && h("a.button.main", { href: "#/keys/new" }, "New key")), part.box);
}

// ---- one key ----

function facts(key) {
	const line = (name, ...value) => [h("dt", null, name), h("dd", null, value)];
	return h("dl.fact-list", null, line("Prefix", h("code", null, key.key_prefix), " ", copyButton(key.key_prefix, "Copy the prefix", { words: false })),
		line("State", key.state === "active" ? badge("active", "good") : ends(key)), line("Held by", foreign(key.owner_name)),
		line("It may", mayWords(key.effective_scopes) || "do nothing: the organisation has none of its scopes"),
		line("Projects", key.projects ? plural(key.projects.length, "project") : "all of its holder"),
		line("Created", dayAndHour(key.created_at)), line("Expires", key.expires_at ? dayAndHour(key.expires_at) : "never"), line("Last used", lastUsed(key)));
}

function chart(usage) {
	const days = usage.daily.map((d) => ({ name: day(`${d.date}T12:00:00Z`, "UTC").replace(/ \d{4}$/, ""), partial: d.partial }));
	return h("section.card", null, h("div.card-head", null, h("h2", null, "Requests a day"), h("p.small.quiet", null, `${plural(usage.totals.requests, "request")} in 30 days, days of UTC`)),
		stackedDays(days, [{ name: "Requests", values: usage.daily.map((d) => d.requests) }], `Requests a day of the last 30 days, ${plural(usage.totals.requests, "request")} in all`),
		asTable("Requests a day", ["Day", "Requests"], usage.daily.map((d) => [d.date, count(d.requests)])));
}

function one(main, uuid, signal) {
	const part = reading({ signal,
		read: async (s) => {
			const [record, used] = await Promise.all([api.get(`/access/keys/${uuid}`, { signal: s }), api.get(`/access/keys/${uuid}/usage`, { query: { window: "30d" }, signal: s }).catch(() => null)]);
			return { key: record.key, usage: used?.api_usage };
		},
		draw: ({ key, usage }, box) => show(box, heading(foreign(key.name), doings(key, () => part.read())),
			h("section.card", null, h("h2.hidden", null, "Facts"), facts(key)), usage && chart(usage)),
		box: h("div.stacked-parts") });
	show(main, h("p.small", null, h("a", { href: "#/keys" }, "← API keys")), part.box);
}

// ---- the form ----

async function make(main, route, signal) {
	const choices = await readChoices(signal);
	const template = { name: route.query.get("name") ?? "", scopes: (route.query.get("scopes") ?? "").split(/[\s,]+/).filter(Boolean), expires: route.query.get("expires") ?? "90" };
	const form = keyForm({ choices, template, label: "Create key", send: async (body) => {
		await showSecret(await api.post("/access/keys", body));
		location.hash = "#/keys";
	} });
	show(main, heading("New key"), form);
}

async function edit(main, uuid, signal) {
	const [choices, { key }] = await Promise.all([readChoices(signal), api.get(`/access/keys/${uuid}`, { signal })]);
	const form = keyForm({ choices, key, label: "Save", send: async (body) => {
		await api.put(`/access/keys/${uuid}`, body);
		toast(`The key ${body.name} is saved.`);
		location.hash = `#/keys/${uuid}`;
	} });
	show(main, heading(["Edit ", foreign(key.name)]), form);
}

export async function open(main, route, signal) {
	const [first, second] = route.path;
	if (!first)
		return list(main, signal);
	const forms = first === "new" || second === "edit";
	if (forms && !ownersOnly(main, first === "new" ? "New key" : "Edit a key", "An owner of the organisation makes the keys of its members, and changes them.", "#/keys", "API keys"))
		return null;
	if (first === "new")
		return make(main, route, signal);
	return second === "edit" ? edit(main, first, signal) : one(main, first, signal);
}
