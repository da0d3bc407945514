// SPDX-License-Identifier: ISC
// Descriptions of scopes, and the groups and presets in the form of a key.

import { list } from "../common/words.js";

// The scopes of src/tbl/scopes.h. A scope that is missing here is described by its help text.
const DOES = {
	"search.view": "read search results",
	"search.aggregate": "count and group them",
	"reports.view": "read reports and their indicators",
	"reports.manage": "add and withdraw reports",
	"alerts.rules.view": "read alerts, their rules and destinations",
	"alerts.rules.manage": "change alert rules and destinations",
	"alerts.silences.view": "read silences",
	"alerts.silences.manage": "make and cancel silences",
	"browser.sessions.view": "read browser sessions",
	"browser.sessions.create": "start and watch browser sessions",
	"browser.sessions.manage": "end browser sessions of others",
	"esi.inventory.view": "read assets",
	"esi.services.view": "read their services",
	"esi.findings.view": "read findings",
	"esi.findings.manage": "move findings",
	"esi.detectors.manage": "change the settings of detectors",
	"rules.view": "read detection rules",
	"rules.manage": "change detection rules",
	"dashboard.view": "read summaries",
	"access.view": "read members and keys",
	"audit.view": "read the audit log",
};

const GROUPS = { search: "Search", reports: "Reports", alerts: "Alerts", alerting: "Alerts", browser: "Browser sessions", esi: "External surface", rules: "Detection rules", dashboard: "Summaries", access: "Access", audit: "Audit" };

const group = (name) => name.split(".")[0];

// The name of a group of scopes or of an entitlement.
export const groupWords = (name) => GROUPS[name] ?? name;

export const PRESETS = [
	["Read everything", (name) => name.endsWith(".view") || name === "search.aggregate"],
	["Search only", (name) => group(name) === "search"],
	["Alerting", (name) => group(name) === "alerts"],
	["Nothing", () => false],
];

export function doesWords(scope) {
	return DOES[scope.name] ?? scope.help ?? scope.name;
}

// Returns [[name of the group, its scopes]] in the order of the organisation's list.
export function grouped(scopes) {
	const all = new Map();
	for (const scope of scopes)
		all.set(group(scope.name), [...all.get(group(scope.name)) ?? [], scope]);
	return [...all].map(([name, members]) => [groupWords(name), members]);
}

// Summarises the scopes of a key for a column: "search ×2, alerts".
export function scopeSummary(names) {
	if (!names.length)
		return "none";
	return grouped(names.map((name) => ({ name }))).map(([words, members]) => words.toLowerCase() + (members.length > 1 ? ` ×${members.length}` : "")).join(", ");
}

// In the order of DOES, where a scope may refer to the one before it.
export function mayWords(names) {
	const order = Object.keys(DOES);
	return list([...names].sort((a, b) => order.indexOf(a) - order.indexOf(b)).map((name) => doesWords({ name })));
}
