// SPDX-License-Identifier: ISC
// The text of an own report with its indicators marked, and the dialog that changes title, TLP and tags.

import { foreign, h, show } from "../common/dom.js";
import { api } from "../common/api.js";
import { ask } from "../common/dialog.js";
import { field } from "../common/form.js";
import { count } from "../common/words.js";
import { card } from "./facts.js";
import { emptyState, reading } from "./parts.js";
import { recordOf } from "./links.js";
import { TLPS } from "./report-new.js";
import { OF_TYPE } from "./record.js";

const FIRST = 20000; // characters that are shown at first

// Text between marks: its line breaks stay, everything else is as others wrote it.
function plain(characters) {
	return characters.join("").split(/\r?\n/u).map((line, i) => [i > 0 && "\n", line && foreign(line, Infinity)]);
}

function mark(m, characters) {
	const record = m.disposition !== "ignored" && OF_TYPE[m.type], text = foreign(characters.join(""), Infinity);
	return h("mark", { class: m.disposition, title: `${m.type}: ${m.value}, ${m.disposition}, ${m.confidence} %` },
		h("span.hidden", null, `${m.disposition}: `), record ? h("a", { href: recordOf[record](m.value) }, text) : text);
}

// Places of marks count characters, while an index of a string counts UTF-16 units.
function marked({ text, marks }, most) {
	const characters = Array.from(text), nodes = [];
	let at = 0;
	for (const m of marks.filter((one) => one.end <= most)) {
		nodes.push(plain(characters.slice(at, m.start)), mark(m, characters.slice(m.start, m.end)));
		at = m.end;
	}
	nodes.push(plain(characters.slice(at, most)));
	return { nodes, left: Math.max(0, characters.length - most) };
}

export function textCard(report, signal) {
	const box = h("div");
	const draw = (text, most) => {
		const { nodes, left } = marked(text, most);
		show(box, h("div.report-text", { tabindex: "0", role: "region", "aria-label": "Text of the report" }, nodes),
			left > 0 && h("p", null, h("button.link", { type: "button", onclick: () => draw(text, Infinity) }, `… ${count(left)} more characters`)),
			text.truncated && h("p.quiet.small", null, "The text is longer than what is shown here."));
	};
	const part = reading({ signal, lines: 6, box: h("div"),
		read: async (s) => (await api.get(`/reports/${report.uuid}/text`, { signal: s })).report_text,
		empty: ({ text }) => (text ? null : emptyState("No text", "The source of the report has none.")),
		draw: (text, inner) => {
			show(inner, box);
			draw(text, FIRST);
		} });
	return card("Text", part.box);
}

// Changes the report. Resolves to the report as it is now, or undefined.
export function editDialog(r, signal) {
	const title = h("input", { name: "title", value: r.title ?? "", maxlength: 500, autocomplete: "off" });
	const tags = h("input", { name: "tags", value: (r.tags ?? []).join(" "), autocomplete: "off" });
	const tlp = h("select", { name: "tlp" }, TLPS.map(([value, words]) => h("option", { value, selected: value === (r.tlp ?? "") }, words)));
	return ask({ title: "Change the report", label: "Save", body: [field("Title", title), field("TLP", tlp), field("Tags", tags, "Separated by spaces.")],
		act: async () => {
			const body = { title: title.value.trim(), tags: tags.value.split(/\s+/u).filter(Boolean), ...tlp.value && { tlp: tlp.value } };
			return (await api.put(`/reports/${r.uuid}`, body, { signal })).report;
		} });
}
