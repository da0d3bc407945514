// SPDX-License-Identifier: ISC
// Dialogs of alerts: a silence, a rule, a destination, and the secret of a destination.

import { h, show } from "../common/dom.js";
import { api } from "../common/api.js";
import { ask } from "../common/dialog.js";
import { check, field, fieldFault, group, radio } from "../common/form.js";
import { dayAndHour } from "../common/words.js";
import { copyButton } from "./copy.js";

const HOURS = [
	["1", "1 hour"],
	["4", "4 hours"],
	["24", "1 day"],
	["168", "1 week"],
];
const SEVERITIES = ["info", "low", "medium", "high", "critical"];

function endOf(form) {
	const { period, until } = form.elements;
	return period.value === "until" ? new Date(until.value) : new Date(Date.now() + Number(period.value) * 3600000);
}

// Silences a rule from now on. Returns the silence, or undefined when the dialog was cancelled.
export function silenceDialog(page, uuid = "") {
	const rule = h(
		"select",
		{ name: "rule_uuid" },
		page.rules.map((r) => h("option", { value: r.uuid, selected: r.uuid === uuid }, r.name)),
	);
	const until = h("input", { name: "until", type: "datetime-local", hidden: true, "aria-label": "Until" }),
		hint = h("p.quiet.small", { role: "status" });
	const length = group(
		"For",
		h(
			"div.choices",
			null,
			HOURS.map(([value, words], i) => radio(words, { name: "period", value, checked: i === 0 })),
			radio("until…", { name: "period", value: "until" }),
		),
		until,
	);
	const tell = (e) => {
		const { form } = rule,
			end = endOf(form);
		until.hidden = form.elements.period.value !== "until";
		show(hint, Number.isNaN(end.getTime()) ? "Choose when it ends." : `It ends ${dayAndHour(end.toISOString())}, your time.`);
		if (e?.target.value === "until")
			until.focus();
	};
	length.addEventListener("change", tell);
	const reason = h("textarea", { name: "reason", rows: 2, maxlength: 500, autofocus: true });
	queueMicrotask(() => tell());
	return ask({
		title: "Silence a rule",
		label: "Silence",
		body: [field("Rule", rule), length, hint, field("Reason", reason)],
		act: async (form) => {
			const end = endOf(form);
			if (Number.isNaN(end.getTime()))
				throw fieldFault("until", "Choose when the silence ends.");
			const body = { rule_uuid: rule.value, reason: reason.value.trim(), ends_at: end.toISOString() };
			return (await api.post(page.path("silences"), body)).silence;
		},
	});
}

// Creates or changes a rule and returns it.
export function ruleDialog(page, rule = null) {
	const source = h(
		"select",
		{
			name: "source",
			onchange: () => {
				severity.closest(".field").hidden = source.value !== "finding";
			},
		},
		[
			["finding", "Findings"],
			["service", "Services"],
		].map(([value, words]) => h("option", { value, selected: rule?.source === value }, words)),
	);
	const severity = h(
		"select",
		{ name: "min_severity" },
		SEVERITIES.map((s) => h("option", { value: s, selected: s === (rule?.min_severity ?? "high") }, s)),
	);
	const name = h("input", { name: "name", value: rule?.name ?? "", maxlength: 200 }),
		query = h("textarea", { name: "query", rows: 2, class: "mono", value: rule?.query ?? "", spellcheck: "false", maxlength: 8192 });
	const boxes = page.destinations.map((d) =>
		check(d.name, { name: "destination_uuids", value: d.uuid, checked: rule?.destination_uuids.includes(d.uuid) ?? false }),
	);
	const enabled = check("The rule is on", { name: "enabled", checked: rule?.enabled ?? true });
	const severityField = field("From severity", severity);
	severityField.hidden = rule?.source === "service";
	return ask({
		title: rule ? "Change the rule" : "New rule",
		label: rule ? "Save" : "Create",
		wide: true,
		body: [
			field("Name", name),
			h("div.pair", null, field("Raises an alert for", source), severityField),
			field("Query", query, "Empty: all of them. Fields are the members of a finding or service, such as finding_type:dangling_dns."),
			group("Sends to", boxes.length ? boxes : h("p.quiet.small", null, "There are no destinations yet, so alerts appear only in the inbox.")),
			enabled,
		],
		act: async (form) => {
			const body = {
				name: name.value.trim(),
				source: source.value,
				query: query.value.trim(),
				enabled: form.elements.enabled.checked,
				destination_uuids: [...form.querySelectorAll("[name=destination_uuids]:checked")].map((b) => b.value),
			};
			if (source.value === "finding")
				body.min_severity = severity.value;
			return (await (rule ? api.put(page.path(`rules/${rule.uuid}`), body) : api.post(page.path("rules"), body))).rule;
		},
	});
}

// Creates a destination and shows its secret, or changes a destination.
export async function destinationDialog(page, destination = null) {
	const name = h("input", { name: "name", value: destination?.name ?? "", maxlength: 200 }),
		url = h("input", { name: "url", type: "url", value: destination?.url ?? "", placeholder: "https://", maxlength: 2048 });
	const enabled = check("Webhooks are sent to it", { name: "enabled", checked: destination?.enabled ?? true });
	const done = await ask({
		title: destination ? "Change the destination" : "New destination",
		label: destination ? "Save" : "Create",
		body: [field("Name", name), field("URL", url, "An https address of the public Internet. Each webhook is signed."), enabled],
		act: async (form) => {
			const body = { name: name.value.trim(), url: url.value.trim(), enabled: form.elements.enabled.checked };
			return (await (destination ? api.put(page.path(`destinations/${destination.uuid}`), body) : api.post(page.path("destinations"), body)))
				.destination;
		},
	});
	if (done?.secret)
		await secretDialog(done);
	return done;
}

// Shows the secret of a destination, which the API returns only once. The text is overwritten when
// the dialog closes.
export async function secretDialog(destination) {
	const secret = h("code.secret", null, destination.secret);
	await ask({
		title: "The secret of the destination",
		label: "Done",
		cancel: "",
		left: false,
		body: [
			h("p", null, "Receivers check the signature of a webhook with it. It is shown this once."),
			h(
				"p.actions",
				null,
				secret,
				copyButton(() => secret.textContent, "Copy"),
			),
		],
	});
	secret.textContent = "";
	destination.secret = "";
}
