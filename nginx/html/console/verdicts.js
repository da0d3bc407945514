// SPDX-License-Identifier: ISC
// Verdicts, #/verdicts: the organisation's own dispositions of values, which override those of
// reports. An owner accepts or rejects an indicator.

import { foreign, h, show } from "../common/dom.js";
import { api, signedIn } from "../common/api.js";
import { agree, ask } from "../common/dialog.js";
import { field } from "../common/form.js";
import { badge, emptyState, heading, toast } from "./parts.js";
import { short } from "./links.js";
import { pagedTable, when } from "./lists.js";

// disposition: [name of the action, name of the result, tone]
const VERDICTS = { indicator: ["Accept", "accepted", "high"], ignored: ["Reject", "rejected", ""] };

// Asks for the reason and stores the verdict on {type, value}. Resolves to the verdict, or
// undefined.
export function verdictDialog({ type, value }, disposition, signal) {
	const [label, done] = VERDICTS[disposition];
	const reason = h("textarea", { name: "reason", rows: 2, maxlength: 500 });
	const effect = disposition === "ignored" ? "It counts as harmless in all reports." : "It counts as an indicator in all reports.";
	return ask({ title: [`${label}: `, foreign(value, 200)], label,
		body: [h("p", null, `${effect} Other organisations see nothing of it.`), field("Reason", reason, "Members of the organisation read it.")],
		act: async () => {
			const { verdict } = await api.post("/reports/verdicts", { type, value, disposition, reason: reason.value.trim() }, { signal });
			toast(`The value is ${done}.`);
			return verdict;
		} });
}

export async function open(main, route, signal) {
	main.className = "page wide";
	const owner = signedIn.organisation?.role === "owner", box = h("section.results", { "aria-label": "Verdicts" });
	const takeBack = async (v) => {
		if (await agree("Take the verdict back?", ["The reports decide about it again: ", foreign(v.value, 200)], "Take back", () => api.del(`/reports/verdicts/${v.uuid}`)))
			list.read();
	};
	const list = pagedTable({ signal, caption: "Verdicts", keep: "verdicts",
		columns: [
			["Value", (v) => h("span.mono", null, short(v.value, 160))],
			["Type", (v) => h("code", null, v.type)],
			["Verdict", (v) => badge(VERDICTS[v.disposition]?.[1] ?? v.disposition, VERDICTS[v.disposition]?.[2])],
			["Reason", (v) => short(v.reason, 200)],
			["Given", (v) => when(v.updated_at), "number"],
			...owner ? [["", (v) => h("button", { type: "button", onclick: () => takeBack(v) }, "Take back"), "row-actions"]] : [],
		],
		read: async (cursor, s) => {
			const page = await api.get("/reports/verdicts", { query: { limit: 50, cursor }, signal: s });
			return { items: page.verdicts, next_cursor: page.next_cursor };
		},
		empty: () => emptyState("No verdicts", "An owner accepts or rejects an indicator on the page of a report.", h("a.button", { href: "#/search/reports" }, "All reports")) });
	show(box, list.box);
	show(main, heading("Verdicts", owner && h("a.button", { href: "#/reports/new" }, "Add a report")), h("p.quiet", null, "The organisation's own decisions about values override those of all reports. Reports, exports and look-ups follow them at once."), box);
	return null;
}
