// SPDX-License-Identifier: ISC
// Usage of the organisation: its quota, requests a day by key, and the keys.

import { foreign, h, show } from "../common/dom.js";
import { api } from "../common/api.js";
import { asTable, bar, meter, stackedDays, swatch } from "../common/charts.js";
import { count, day, dayAndHour, plural } from "../common/words.js";
import { owner } from "./owners.js";
import { emptyState, heading, reading } from "./parts.js";

const WINDOWS = [["7d", "7 days"], ["30d", "30 days"], ["90d", "90 days"]];
const SHOWN = 7; // keys with a colour of their own; the others share the eighth

// Returns the day on which the quota ends at the pace of this month, such as "30 Nov 2026"; null
// when it lasts.
function usedUpOn(quota, monthFrom, now) {
	const gone = (now - new Date(monthFrom)) / 1000;
	if (!quota.used || quota.exhausted || gone < 3600)
		return null;
	const at = now.getTime() + (quota.remaining / (quota.used / gone)) * 1000;
	return at < new Date(quota.reset_at) ? day(at, "UTC") : null;
}

// Shows the quota of the account, or of the group of accounts that share it.
function quotaCard(quota, usage, name) {
	const share = quota.limit ? quota.used / quota.limit : 1, now = new Date(usage.to ?? Date.now());
	const end = usedUpOn(quota, usage.month_to_date.from ?? new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth())), now);
	const words = `${count(quota.used)} of ${count(quota.limit)}`;
	return h("section.card.quota", null, h("div.card-head", null, h("h2", null, name), h("strong.big", null, words)),
		meter(share, `${words} requests`, share >= 1 ? "bad" : share > 0.8 || end ? "warn" : ""),
		h("p.small.quiet", null, quota.exhausted ? h("span.bad", null, "Used up: programs are refused until then. ") : end ? h("span.warn", null, `At this pace used up on ${end}. `) : null,
			`Starts again on ${day(quota.reset_at, "UTC")}, 00:00 UTC.`));
}

function kindsOf(usage) {
	const shown = usage.keys.slice(0, SHOWN), rest = usage.keys.slice(SHOWN);
	const kinds = shown.map((k) => ({ name: k.name, values: k.daily.map((d) => d.requests) }));
	const others = usage.others.keys + rest.length;
	if (others)
		kinds.push({ name: plural(others, "other"), values: usage.daily.map((_, i) => (usage.others.daily[i]?.requests ?? 0) + rest.reduce((sum, k) => sum + k.daily[i].requests, 0)) });
	return kinds;
}

const shortDay = (date) => day(`${date}T12:00:00Z`, "UTC").replace(/ \d{4}$/, "");

function chart(usage, words) {
	const kinds = kindsOf(usage), label = `Requests a day by key, ${words}`;
	return h("section.card", null, h("div.card-head", null, h("h2", null, "Requests a day, by key"), h("p.small.quiet", null, "Days of UTC; today is not over")),
		stackedDays(usage.daily.map((d) => ({ name: shortDay(d.date), partial: d.partial })), kinds, label),
		asTable(label, ["Day", ...kinds.map((k) => k.name), "All"], usage.daily.map((d, i) => [d.date, ...kinds.map((k) => count(k.values[i])), count(d.requests)])));
}

function keysTable(usage) {
	const all = usage.daily.reduce((sum, d) => sum + d.requests, 0), days = usage.daily.length;
	const line = (name, requests, mark) => h("tr", { "data-entry": true }, h("th", { scope: "row" }, h("span.named", null, mark, name)), h("td.number", { "data-head": "Requests" }, count(requests)),
		h("td.share", { "data-head": "Share" }, h("span.shared", null, bar(all ? requests / all : 0), h("span.number", null, `${all ? Math.round((requests / all) * 100) : 0} %`))), h("td.number", { "data-head": "Per day" }, requests > 0 && requests < days / 2 ? "< 1" : count(Math.round(requests / days))));
	return h("section.card.list-card", null, h("table.stack", null, h("caption.hidden", null, "Keys"),
		h("thead", null, h("tr", null, h("th", { scope: "col" }, "Key"), h("th.number", { scope: "col" }, "Requests"), h("th", { scope: "col" }, "Share"), h("th.number", { scope: "col" }, "Per day"))),
		h("tbody", null, usage.keys.map((k, i) => line([h("a", { href: `#/keys/${k.uuid}` }, foreign(k.name)), " ", h("code.quiet", null, k.key_prefix)], k.requests, swatch(Math.min(i, SHOWN)))),
			usage.others.keys > 0 && line(plural(usage.others.keys, "other key"), usage.others.requests, swatch(Math.min(usage.keys.length, SHOWN))))));
}

function quotaName(quota, i, all) {
	return all.length > 1 && i ? "Quota shared with the group" : `Quota, ${new Date().toLocaleDateString("en-GB", { month: "long", timeZone: "UTC" })}`;
}

export async function open(main, route, signal) {
	const window = h("select", { "aria-label": "Days", onchange: () => part.read() }, WINDOWS.map(([value, words]) => h("option", { value, selected: value === "30d" }, words)));
	const part = reading({ signal, box: h("div.stacked-parts"),
		read: async (s) => (await api.get("/organisation/usage", { query: { window: window.value }, signal: s })).organisation_usage,
		draw: (usage, box) => show(box, h("div.pair", null, usage.quotas.map((q, i, all) => quotaCard(q, usage, quotaName(q, i, all)))),
			usage.keys.length || usage.others.keys ? [chart(usage, window.selectedOptions[0].textContent), keysTable(usage)]
				: h("section.card", null, emptyState("No program has used the API in this time", "A program uses the API with a key. Its requests are counted here.", owner() && h("a.button.main", { href: "#/keys/new" }, "New key"))),
			h("p.small.quiet", null, `Searches: at most ${count(usage.search_rate_limit.limit)} in ${usage.search_rate_limit.window_seconds} seconds. Counted through ${dayAndHour(usage.freshness.current_through)}.`)) });
	show(main, heading("Usage", window), part.box);
}
