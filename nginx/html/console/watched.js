// SPDX-License-Identifier: ISC
// Watched domains of a project: the list, and a form with a preview of the look-alikes.

import { foreign, h, show } from "../common/dom.js";
import { api } from "../common/api.js";
import { agree, ask } from "../common/dialog.js";
import { check, field } from "../common/form.js";
import { plural } from "../common/words.js";
import { badge, emptyState, faultPanel } from "./parts.js";
import { recordOf, short } from "./links.js";
import { pagedTable, when } from "./lists.js";
import { hashOf } from "./projects.js";

const SHOWN = 20; // look-alikes of a preview

const domainsPath = (project, tail = "") => `/projects/${project.uuid}/esi/typosquatting${tail}`;

const lines = (text) => text.split(/[\s,]+/u).filter(Boolean);

// Returns the body of the request. The domain of a watched domain cannot be changed.
function bodyOf(form) {
	const { domain, words, allow, min_score: least, enabled } = form.elements;
	return { ...domain && { domain: domain.value.trim() }, words: lines(words.value), allow: lines(allow.value), min_score: least.value === "" ? null : Number(least.value), ...enabled && { enabled: enabled.checked } };
}

function previewOf(answer) {
	const { candidates, counts } = answer, n = Object.values(counts).reduce((sum, c) => sum + c, 0);
	return [h("p.small", null, `${plural(n, "look-alike")} of the names that are known now.`),
		candidates.length > 0 && h("ul.searches", null, candidates.slice(0, SHOWN).map((c) => h("li", null, h("span.mono", null, short(c.found, 100)), h("span.quiet.small", null, ` ${String(c.edit ?? c.class).replaceAll("_", " ")}, ${c.score} points`)))),
		candidates.length > SHOWN && h("p.small.quiet", null, `and ${candidates.length - SHOWN} others`)];
}

function domainDialog(project, watched, signal) {
	const text = (name, value, props) => h("input", { name, value, autocomplete: "off", spellcheck: "false", ...props });
	const state = h("div.preview", { role: "status" });
	const domain = watched ? null : field("Domain", text("domain", "", { placeholder: "example.com", maxlength: 253 }), "As it is registered, such as example.com or example.co.uk.");
	const preview = async (e) => {
		const { form } = e.target, { enabled, ...body } = bodyOf(form);
		show(state, h("p.small.quiet", null, "Comparing…"));
		try {
			show(state, previewOf(await api.post(domainsPath(project, "/preview"), { domain: watched?.domain, ...body }, { signal })));
		} catch (fault) {
			show(state, faultPanel({ ...fault, message: fault.fields?.map((f) => `${f.field} ${f.message}`).join("; ") || fault.message, code: fault.code }));
		}
	};
	return ask({ title: watched ? ["Watched domain ", foreign(watched.domain)] : "Watch a domain", label: watched ? "Save" : "Watch", wide: true,
		body: [domain,
			field("Other words of the brand", text("words", watched?.words.join(" ") ?? ""), "In addition to the label of the domain; separated by spaces."),
			field("Never report", text("allow", watched?.allow.join(" ") ?? ""), "Domains of your own, such as example.* or example-careers.com; separated by spaces."),
			field("Minimum score", text("min_score", watched?.min_score ?? "", { type: "number", min: 0, max: 100 }), "0 to 100. Empty: the default."),
			watched && check("It is watched", { name: "enabled", checked: watched.enabled }),
			h("p.preview-line", null, h("button", { type: "button", onclick: preview }, "Preview")), state],
		act: async (form) => {
			const body = bodyOf(form);
			return (await (watched ? api.put(domainsPath(project, `/domains/${watched.uuid}`), body, { signal }) : api.post(domainsPath(project, "/domains"), body, { signal }))).domain;
		} });
}

export function drawDomains(box, { project, manages }, signal) {
	const again = () => drawDomains(box, { project, manages }, signal);
	const change = async (w) => {
		if (await domainDialog(project, w, signal))
			again();
	};
	const end = async (w) => {
		if (await agree("Stop watching this domain?", ["Its look-alikes are closed: ", foreign(w.domain)], "Stop watching", () => api.del(domainsPath(project, `/domains/${w.uuid}`))))
			again();
	};
	const add = manages && h("button.main", { type: "button", onclick: () => change(null) }, "Watch a domain");
	const list = pagedTable({ signal, caption: "Watched domains",
		columns: [
			["Domain", (w) => h("a", { href: recordOf.domain(w.domain) }, short(w.domain, 100))],
			["State", (w) => badge(w.enabled ? "watched" : "paused", w.enabled ? "good" : "")],
			["Other words", (w) => short(w.words.join(", "), 120)],
			["Never reported", (w) => short(w.allow.join(", "), 120)],
			["Minimum score", (w) => w.min_score, "number"],
			["Changed", (w) => when(w.updated_at), "number"],
			...manages ? [["", (w) => [h("button", { type: "button", onclick: () => change(w) }, "Change"), h("button.danger", { type: "button", onclick: () => end(w) }, "End")], "row-actions"]] : [],
		],
		read: async (cursor, s) => {
			const page = await api.get(domainsPath(project, "/domains"), { query: { limit: 50, cursor }, signal: s });
			return { items: page.domains, next_cursor: page.next_cursor };
		},
		empty: () => emptyState("No domain is watched", "Names that resemble a watched domain become findings, with a score and its reasons.") });
	show(box, h("div.filter-line", null, h("p.quiet.grow", null, h("a", { href: hashOf("findings", project, { finding_type: "typosquatting" }) }, "Look-alikes found")), add),
		h("section.results", { "aria-label": "Watched domains" }, list.box));
}
