// SPDX-License-Identifier: ISC
// What the organisation has chosen for a detection rule: the switch, and a sentence that says what the rule does now.

import { h } from "../common/dom.js";
import { api } from "../common/api.js";
import { plural } from "../common/words.js";

export const SEVERITIES = ["critical", "high", "medium", "low", "info"];
export const SETS = ["hosts", "services", "dns", "whois", "certificates", "open_directories"];

// The options of a filter.
export const any = (list) => [["", "Any"], ...list.map((v) => [v, v.replaceAll("_", " ")])];

export const isOn = (r) => r.settings.enabled;
export const isLive = (r) => isOn(r) && (r.status === "testing" || r.status === "stable");

// Whether the rule makes findings in every project without a setting, as rules of the catalogue that have an area.
export const isCommon = (r) => r.origin === "catalogue" && r.scope === "surface" && Boolean(r.produces);

// Whether the rule has no project to look at.
const isNowhere = (r) => r.scope === "surface" && !isCommon(r) && r.settings.project_uuids.length === 0;

// Whether its evaluation is still to come, so that another look soon shows more.
export const isComing = (r) => isLive(r) && !isNowhere(r) && !r.run?.error && ["idle", "backfilling"].includes(r.run?.state ?? "idle");

function finds(r) {
	if (r.status === "testing")
		return "It observes records, and makes no findings before it is published.";
	const { findings, project_uuids: projects } = r.settings;
	const where = projects.length ? plural(projects.length, "project") : "every project";
	return isCommon(r) || (findings && projects.length) ? `Records that match are findings in ${where}.` : "It observes records, and makes no findings.";
}

// One sentence on what the rule does now, and why.
export function stateWords(r) {
	if (!isOn(r))
		return "The rule is off. It is not evaluated, and it has no active findings.";
	if (r.status === "draft")
		return "A draft is not evaluated. Start testing it to see what it observes.";
	if (r.status === "deprecated")
		return "The rule is deprecated and is not evaluated.";
	if (isNowhere(r))
		return "The rule looks at the inventories of projects, and none is chosen in its settings.";
	if (!r.run || r.run.state === "idle")
		return "The rule is on. Its evaluation begins in a moment.";
	if (r.run.state === "backfilling")
		return `The rule is on, and is looking at the records that exist. ${finds(r)}`;
	return `The rule is on. ${finds(r)}`;
}

// The body that replaces the settings by these with a change.
export function settingsBody({ settings: s }, change) {
	const { enabled, exclude, findings, project_uuids, severity } = s;
	return { enabled, exclude, findings, project_uuids, severity, ...change };
}

export function switchButton(r, put) {
	return h("button.switch", { type: "button", role: "switch", "aria-checked": String(isOn(r)), "aria-label": "The rule is on", onclick: async (e) => {
		e.target.disabled = true;
		try {
			await put(api.put(`/rules/${r.uuid}/settings`, settingsBody(r, { enabled: !isOn(r) })));
		} finally {
			e.target.disabled = false;
		}
	} }, isOn(r) ? "On" : "Off");
}
