// SPDX-License-Identifier: ISC
// The form for a private report of the organisation, #/reports/new, with a preview of the
// indicators in its text.

import { h, show } from "../common/dom.js";
import { api } from "../common/api.js";
import { field, onSubmit, showFault } from "../common/form.js";
import { plural } from "../common/words.js";
import { ownersOnly } from "./owners.js";
import { badge, heading } from "./parts.js";
import { short } from "./links.js";

export const TLPS = [["", "none"], ["clear", "clear"], ["green", "green"], ["amber", "amber"], ["amber+strict", "amber, strict"], ["red", "red"]];
const SHOWN = 50; // indicators of a preview
const TONES = { indicator: "high", mention: "", ignored: "" };

const given = (body) => Object.fromEntries(Object.entries(body).filter(([, v]) => v !== "" && !(Array.isArray(v) && !v.length)));

function previewOf({ indicators, names }) {
	return [h("p", null, `${plural(indicators.length, "indicator")}, ${plural(names.length, "name")}.`),
		h("ul.searches", null, indicators.slice(0, SHOWN).map((i) => h("li", null, h("span.mono", null, short(i.value, 120)), " ", badge(i.disposition, TONES[i.disposition]), h("span.quiet.small", null, ` ${i.type}, ${i.confidence} %`)))),
		indicators.length > SHOWN && h("p.quiet.small", null, `and ${indicators.length - SHOWN} others`)];
}

export function openNewReport(main, signal) {
	document.title = "New report – surfaced";
	if (!ownersOnly(main, "New report", "An owner of the organisation adds its reports.", "#/search/reports", "Reports"))
		return null;
	const text = h("textarea", { name: "text", rows: 14, spellcheck: "false" }), found = h("div", { role: "status" }, h("p.quiet", null, "Write or paste a text, then choose Preview to see which values it holds."));
	const input = (name, props) => h("input", { name, autocomplete: "off", ...props });
	const tlp = h("select", { name: "tlp" }, TLPS.map(([value, words]) => h("option", { value }, words)));
	const form = h("form", null, field("Title", input("title", { maxlength: 500 })), field("Text", text, "As it was written; defanged values such as evil[.]example are read too."),
		h("div.pair", null, field("Publisher", input("publisher", { maxlength: 200 })), field("TLP", tlp)),
		field("URL", input("url", { type: "url", maxlength: 2048 }), "Of the original. A report that has the URL already gets a revision."),
		field("Tags", input("tags"), "Separated by spaces."),
		h("div.buttons", null, h("button.main", { type: "submit" }, "Add the report"), h("button", { type: "button", onclick: () => look() }, "Preview"), h("a.button", { href: "#/search/reports" }, "Cancel")));
	async function look() {
		try {
			show(found, previewOf(await api.post("/reports/extract", given({ text: text.value, url: form.elements.url.value.trim(), publisher: form.elements.publisher.value.trim() }), { signal })));
		} catch (fault) {
			if (fault.name !== "AbortError")
				showFault(form, fault);
		}
	}
	onSubmit(form, async ({ elements: e }) => {
		const body = given({ title: e.title.value.trim(), text: text.value, publisher: e.publisher.value.trim(), url: e.url.value.trim(), tlp: tlp.value, tags: e.tags.value.split(/\s+/u).filter(Boolean) });
		const { report } = await api.post("/reports", { title: "", text: "", ...body }, { signal });
		location.hash = `#/reports/${report.uuid}`;
	});
	main.className = "page wide";
	show(main, heading("New report"), h("div.record", null, h("section.card", null, form), h("section.card", { "aria-label": "Preview" }, h("h2", null, "Preview"), found)));
	return null;
}
