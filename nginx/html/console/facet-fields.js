// SPDX-License-Identifier: ISC
// The dialog that chooses the fields whose values are shown beside the hits.

import { h, show } from "../common/dom.js";
import { ask } from "../common/dialog.js";
import { PERSONAL } from "./tabs.js";

const MOST = 8; // aggregations of one request

// now: the fields that are shown. changed() is called when other fields were chosen.
export function chooseFields(schema, now, changed) {
	const names = schema.fields.filter((f) => f.aggregatable).map((f) => f.name);
	const boxes = names.map((name) => h("input", { type: "checkbox", name: "field", value: name, checked: now.includes(name) }));
	const hint = h("p.quiet.small", { role: "status" });
	const limit = () => {
		const n = boxes.filter((b) => b.checked).length;
		for (const box of boxes)
			box.disabled = n >= MOST && !box.checked;
		show(hint, `${n} of ${MOST} fields.`);
	};
	const body = h(
		"div",
		{ onchange: limit },
		hint,
		h(
			"div.columns",
			null,
			boxes.map((box) => h("label.check", null, box, h("span", null, box.value))),
		),
	);
	limit();
	return ask({
		title: "Fields of the filters",
		label: "Show these",
		wide: true,
		body,
		act: () => {
			const wanted = boxes.filter((b) => b.checked).map((b) => b.value);
			const ordered = [...now.filter((n) => wanted.includes(n)), ...wanted.filter((n) => !now.includes(n))];
			localStorage.setItem(`${PERSONAL}facets:${schema.dataset}`, JSON.stringify(ordered));
			changed();
			return true;
		},
	});
}
