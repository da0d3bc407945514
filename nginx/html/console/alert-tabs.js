// SPDX-License-Identifier: ISC
// Rules, silences, destinations and deliveries of a project's alerts. People who do not manage the
// project see no buttons.

import { foreign, h, show, svg } from "../common/dom.js";
import { api } from "../common/api.js";
import { agree } from "../common/dialog.js";
import { plural } from "../common/words.js";
import { destinationDialog, ruleDialog, secretDialog, silenceDialog } from "./alert-forms.js";
import { badge, emptyState, toast } from "./parts.js";
import { short } from "./links.js";
import { actionButton, filterBar, pagedTable, when } from "./lists.js";

const POLL_MS = 1000;
const POLLS = 20; // requests for the state of a delivery in progress
const TONES = { delivered: "good", failed: "bad", active: "warn", expired: "", cancelled: "", pending: "", silenced: "" };

// Makes the list of a tab. member: the member of the answer; empty: the words for an empty list.
function list(page, member, query, columns, empty) {
	return pagedTable({
		signal: page.signal,
		caption: member,
		keep: member,
		columns,
		empty,
		read: async (cursor, signal) => {
			const answer = await page.get(member, { limit: 50, ...query, cursor }, signal);
			return { items: answer[member], next_cursor: answer.next_cursor };
		},
	});
}

function results(name, table) {
	return h("section.results", { "aria-label": name }, table.box);
}

// ---- rules ----

function rules(page, query, filters, body) {
	const again = async () => {
		await page.load();
		table.read();
	};
	const act = (r) =>
		page.manages &&
		h(
			"span.row-actions",
			null,
			actionButton("Edit", async () => (await ruleDialog(page, r)) && again()),
			actionButton("Silence", async () => (await silenceDialog(page, r.uuid)) && toast("The rule is silent.")),
			actionButton(
				"Delete",
				async () =>
					(await agree("Delete the rule?", `“${r.name}” raises no more alerts. Those that it has raised stay.`, "Delete", () =>
						api.del(page.path(`rules/${r.uuid}`)),
					)) && again(),
				"danger",
			),
		);
	const table = list(
		page,
		"rules",
		{},
		[
			["Name", (r) => [h("strong", null, short(r.name, 100)), !r.enabled && h("span.quiet", null, " (off)")]],
			[
				"Condition",
				(r) => [
					r.source === "finding" ? `findings from ${r.min_severity}` : "services",
					r.query && h("code.query", null, foreign(r.query, 200)),
				],
			],
			[
				"Sends to",
				(r) =>
					r.destination_uuids.length ? r.destination_uuids.map((u) => page.destinationName(u)).join(", ") : h("span.quiet", null, "nobody"),
			],
			["Changed", (r) => when(r.updated_at), "number"],
			["", act],
		],
		() =>
			emptyState(
				"No rules",
				"A rule raises an alert for each finding or service that it selects.",
				page.manages && actionButton("New rule", async () => (await ruleDialog(page)) && again(), "main"),
			),
	);
	show(filters, page.manages && actionButton("New rule", async () => (await ruleDialog(page)) && again(), "main"));
	show(body, results("Rules", table));
}

// ---- silences ----

// Draws the interval of a silence as a bar, with the present time.
function interval(s) {
	const from = Date.parse(s.starts_at),
		to = Date.parse(s.ends_at),
		now = Date.now();
	const part = Math.max(0, Math.min(1, (now - from) / Math.max(1, to - from)));
	return h(
		"span.interval",
		null,
		svg(
			"svg",
			{ class: "meter", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
			svg("rect", { class: "meter-all", width: 100, height: 8 }),
			svg("rect", { class: "meter-part", width: part * 100, height: 8 }),
		),
	);
}

function silences(page, query, filters, body) {
	const table = list(
		page,
		"silences",
		{ state: query.state },
		[
			["Rule", (s) => h("strong", null, short(page.ruleName(s.rule_uuid), 100))],
			["Reason", (s) => foreign(s.reason, 200)],
			["State", (s) => badge(s.state, TONES[s.state])],
			["From", (s) => when(s.starts_at), "number"],
			["Until", (s) => when(s.ends_at), "number"],
			["Elapsed", interval],
			[
				"",
				(s) =>
					page.manages &&
					["pending", "active"].includes(s.state) &&
					h(
						"span.row-actions",
						null,
						actionButton("End it", async () => {
							await api.del(page.path(`silences/${s.uuid}`));
							table.read();
						}),
					),
			],
		],
		() => emptyState("No silences", "While a rule is silent it raises alerts but sends none."),
	);
	show(
		filters,
		filterBar(
			[
				{
					name: "state",
					label: "State",
					options: [
						["", "Any"],
						["active", "Active"],
						["pending", "Pending"],
						["expired", "Expired"],
						["cancelled", "Cancelled"],
					],
				},
			],
			query,
			(_, state) => {
				location.hash = page.hash({ tab: "silences", state });
			},
		),
		page.manages && page.rules.length > 0 && actionButton("Silence a rule", async () => (await silenceDialog(page)) && table.read()),
	);
	show(body, results("Silences", table));
}

// ---- destinations ----

// Shows the progress of a delivery until it ends.
async function follow(page, first, box) {
	let d = first;
	for (let i = 0; ; i++) {
		show(
			box,
			badge(d.state, TONES[d.state]),
			" ",
			d.state === "pending"
				? `attempt ${d.attempts + 1}…`
				: [d.http_status_code && `status ${d.http_status_code}`, d.failure].filter(Boolean).join(", "),
		);
		if (d.state !== "pending" || i >= POLLS || page.signal.aborted)
			return;
		await new Promise((done) => setTimeout(done, POLL_MS));
		({ delivery: d } = await page.get(`deliveries/${d.uuid}`));
	}
}

function destinations(page, query, filters, body) {
	const again = async () => {
		await page.load();
		table.read();
	};
	const create = () => actionButton("New destination", async () => (await destinationDialog(page)) && again(), "main");
	const act = (d) => {
		const state = h("span.small", { role: "status" });
		return (
			page.manages &&
			h(
				"span.row-actions",
				null,
				state,
				actionButton("Test", async () => follow(page, (await api.post(page.path(`destinations/${d.uuid}/test`))).delivery, state)),
				actionButton("Edit", async () => (await destinationDialog(page, d)) && again()),
				actionButton(
					"New secret",
					async () =>
						(await agree(
							"Give it a new secret?",
							"The receiver cannot check signatures until it knows the new secret.",
							"New secret",
						)) && secretDialog((await api.post(page.path(`destinations/${d.uuid}/rotate-secret`))).destination),
				),
				actionButton(
					"Delete",
					async () =>
						(await agree("Delete the destination?", `Nothing is sent to “${d.name}” any more.`, "Delete", () =>
							api.del(page.path(`destinations/${d.uuid}`)),
						)) && again(),
					"danger",
				),
			)
		);
	};
	const table = list(
		page,
		"destinations",
		{},
		[
			["Name", (d) => [h("strong", null, short(d.name, 100)), !d.enabled && h("span.quiet", null, " (off)")]],
			["URL", (d) => foreign(d.url, 300)],
			["Rules", (d) => plural(page.rules.filter((r) => r.destination_uuids.includes(d.uuid)).length, "rule"), "number"],
			["", act],
		],
		() => emptyState("No destinations", "A destination is a URL that gets a signed webhook for each alert.", page.manages && create()),
	);
	show(filters, page.manages && create());
	show(body, results("Destinations", table));
}

// ---- deliveries ----

function deliveries(page, query, filters, body) {
	const { state, destination_uuid } = query,
		go = (name, value) => {
			location.hash = page.hash({ ...query, tab: "deliveries", [name]: value });
		};
	const attempts = (d) => {
		const box = h(
			"details.attempts",
			{
				ontoggle: async () => {
					if (!box.open || box.childElementCount > 1)
						return;
					const { delivery } = await page.get(`deliveries/${d.uuid}`);
					box.append(
						h(
							"ol",
							null,
							delivery.history.map((a) => h("li", null, when(a.attempted_at), ` ${a.http_status_code ?? a.failure ?? "under way"}`)),
						),
					);
				},
			},
			h("summary", null, plural(d.attempts, "attempt")),
		);
		return d.attempts ? box : "none yet";
	};
	const table = list(
		page,
		"deliveries",
		{ state, destination_uuid },
		[
			["Destination", (d) => h("strong", null, short(page.destinationName(d.destination_uuid), 100))],
			["Kind", (d) => d.kind],
			["State", (d) => badge(d.state, TONES[d.state])],
			["Answer", (d) => (d.failure ? foreign(d.failure, 120) : d.http_status_code)],
			["Attempts", attempts],
			["Created", (d) => when(d.created_at), "number"],
			["Next", (d) => (d.next_attempt_at ? when(d.next_attempt_at) : "–"), "number"],
			[
				"",
				(d) =>
					page.manages &&
					d.state === "failed" &&
					h(
						"span.row-actions",
						null,
						actionButton("Retry", async () => {
							table.put((await api.post(page.path(`deliveries/${d.uuid}/retry`))).delivery);
						}),
					),
			],
		],
		() => emptyState("No deliveries", "An alert has one delivery for each destination of its rule."),
	);
	show(
		filters,
		filterBar(
			[
				{
					name: "state",
					label: "State",
					options: [
						["", "Any"],
						["pending", "Pending"],
						["delivered", "Delivered"],
						["failed", "Failed"],
						["silenced", "Silenced"],
					],
				},
				{ name: "destination_uuid", label: "Destination", options: [["", "Any"], ...page.destinations.map((d) => [d.uuid, d.name])] },
			],
			query,
			go,
		),
	);
	show(body, results("Deliveries", table));
}

const TABS = { rules, silences, destinations, deliveries };

export function drawTab(page, tab, query, filters, body) {
	(TABS[tab] ?? rules)(page, query, filters, body);
}
