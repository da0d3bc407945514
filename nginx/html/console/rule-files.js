// SPDX-License-Identifier: ISC
// Exports the filtered detection rules to a file, and imports such a file.

import { h } from "../common/dom.js";
import { api } from "../common/api.js";
import { ask } from "../common/dialog.js";
import { field, fieldFault, group, radio } from "../common/form.js";
import { plural } from "../common/words.js";
import { save } from "./copy.js";
import { toast } from "./parts.js";

// query: the filters of the list.
export async function exportRules(query, signal) {
	const answer = await api.get("/rules/export", { query, signal });
	save([JSON.stringify(answer, null, "\t"), "\n"], "application/json", "rules.json");
	toast(`${plural(answer.rules.length, "rule")} exported.`);
}

// Returns the rules in a text: {"rules": […]} as the export writes it, or a list.
function rulesOf(text) {
	let value;
	try {
		value = JSON.parse(text);
	} catch (e) {
		throw fieldFault("text", `This is not valid JSON: ${e.message}. Rules in YAML are imported by surfacectl rules import.`);
	}
	const rules = Array.isArray(value) ? value : value?.rules;
	if (!Array.isArray(rules) || !rules.length)
		throw fieldFault("text", "The file must contain a list of rules, or an object with the member rules.");
	return rules;
}

// Resolves to {created, updated, skipped}, or undefined when the dialog was cancelled.
export function importDialog(signal) {
	const text = h("textarea", { name: "text", rows: 8, class: "mono", spellcheck: "false", placeholder: '{"rules": […]}' });
	const file = h("input", { type: "file", accept: ".json,application/json", onchange: async () => {
		text.value = await file.files[0]?.text() ?? "";
	} });
	return ask({ title: "Import detection rules", label: "Import", wide: true,
		body: [field("File", file, "As an export writes it."), field("Rules", text),
			group("A rule that is there already", h("div.choices", null, [["fail", "fails the import"], ["skip", "stays as it is"], ["update", "is updated"]]
				.map(([value, words], i) => radio(words, { name: "on_existing", value, checked: i === 0 }))))],
		act: async (form) => {
			const done = await api.post("/rules/import", { rules: rulesOf(text.value), on_existing: form.elements.on_existing.value }, { signal });
			toast(`${plural(done.created, "rule")} created, ${done.updated} updated, ${done.skipped} left as they were.`);
			return done;
		} });
}
