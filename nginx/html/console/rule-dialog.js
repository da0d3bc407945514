// SPDX-License-Identifier: ISC
// The dialog of the organisation's settings of a detection rule.

import { foreign, h } from "../common/dom.js";
import { api, everything } from "../common/api.js";
import { ask } from "../common/dialog.js";
import { check, field, group } from "../common/form.js";
import { isCommon, settingsBody, SEVERITIES } from "./rule-settings.js";

// Answers the rule with its new settings, or undefined when the dialog was left.
export async function settingsDialog(r, signal) {
	const projects = await everything("/projects", "projects", { signal });
	const { settings: s } = r;
	const severity = h("select", { name: "severity" }, h("option", { value: "" }, `As the rule has it: ${r.severity}`), SEVERITIES.map((v) => h("option", { value: v, selected: v === s.severity }, v)));
	const exclude = h("textarea", { name: "exclude", rows: 2, class: "mono", spellcheck: "false", maxlength: 8192, value: s.exclude });
	const boxes = projects.map((p) => check(foreign(p.name), { name: "project_uuids", value: p.uuid, checked: s.project_uuids.includes(p.uuid) }));
	const where = isCommon(r) ? "Chosen: in these alone. None: in every project." : r.scope === "surface" ? "The rule looks at the inventories of these." : "Records in the inventories of these may become findings.";
	return ask({ title: ["Settings: ", foreign(r.name, 120)], label: "Save", wide: true,
		body: [field("Severity", severity), field("Except", exclude, "A query for records that are harmless here. It leaves them out in addition to those that the rule leaves out."),
			group("Projects", h("p.hint", null, where), boxes.length ? h("div.choices", null, boxes) : h("p.quiet", null, "The organisation has no project.")),
			!isCommon(r) && check("Records that match become findings", { name: "findings", checked: s.findings })],
		act: async (form) => {
			const { findings } = form.elements;
			const body = settingsBody(r, { severity: severity.value || null, exclude: exclude.value.trim(),
				project_uuids: [...form.querySelectorAll("[name=project_uuids]:checked")].map((b) => b.value), ...findings && { findings: findings.checked } });
			return (await api.put(`/rules/${r.uuid}/settings`, body, { signal })).rule;
		} });
}
