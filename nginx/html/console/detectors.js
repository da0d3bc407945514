// SPDX-License-Identifier: ISC
// The detectors of a project, #/detectors/PROJECT: purpose, last run, failures, settings and
// findings of each; ?tab=domains: the domains that are watched for look-alikes.

import { h, show } from "../common/dom.js";
import { api } from "../common/api.js";
import { ask } from "../common/dialog.js";
import { check, field } from "../common/form.js";
import { count, plural } from "../common/words.js";
import { badge, reading, toast } from "./parts.js";
import { detectorWords } from "./areas.js";
import { short } from "./links.js";
import { tabButtons, when } from "./lists.js";
import { hashOf, projectHead, projectOf } from "./projects.js";

const SEVERITIES = ["info", "low", "medium", "high", "critical"];

// Counters of detectors: what was examined, one and many.
const LOOKED = {
	aliases: ["alias", "aliases"], aliases_mode_nxdomain: ["alias whose target does not exist", "aliases whose target does not exist"],
	aliases_mode_page: ["alias to a provider with a page for unclaimed names", "aliases to providers with a page for unclaimed names"],
	aliases_mode_page_without_capture: ["alias whose page was not captured", "aliases whose page was not captured"],
	beyond_limit: ["finding beyond the limit of the project", "findings beyond the limit of the project"], cloud_addresses: ["cloud address", "cloud addresses"],
	directories: ["open directory", "open directories"], open_directories: ["open directory", "open directories"], hosts: ["host"], left_out: ["finding left out", "findings left out"],
	names: ["name"], of_another_key: ["secret noted with another key", "secrets noted with another key"], secrets: ["secret"], services: ["service"], subjects: ["asset"],
};

const detectorsPath = (project, tail = "") => `/projects/${project.uuid}/esi/detectors${tail}`;

function found(d, project) {
	const { page, finding_type } = detectorWords(d.name);
	const href = page ? hashOf(page, project, {}) : hashOf("findings", project, { finding_type });
	const words = page === "inventory" ? "Open the inventory" : page ? "Open the rules" : plural(d.open, "open finding");
	return h("a", { href }, words);
}

function looked(d) {
	const parts = Object.entries(d.looked_at ?? {}).filter(([, n]) => typeof n === "number");
	return parts.length ? parts.map(([what, n]) => (LOOKED[what] ? plural(n, ...LOOKED[what]) : `${count(n)} ${what.replaceAll("_", " ")}`)).join(", ") : d.last_pass_at ? "nothing: no record concerned it" : "nothing yet";
}

function state(d) {
	return d.error ? badge("failed", "bad") : !d.enabled ? badge("off") : d.last_pass_at ? badge("on", "good") : badge("not run yet");
}

class Detectors {
	#where;
	#signal;
	#tabs = h("div.views", { role: "group", "aria-label": "Shown" });
	#body = h("div.stacked-parts");

	constructor(main, where, signal) {
		this.#where = where;
		this.#signal = signal;
		show(main, projectHead("detectors", "Detectors", where, this.#tabs), this.#body);
	}

	change(route) {
		const { project } = this.#where, tab = route.query.get("tab") ?? "";
		if (route.path[0] && route.path[0] !== project.uuid)
			return false;
		show(this.#tabs, tabButtons([["", "Settings"], ["domains", "Watched domains"]], tab, (name) => {
			location.hash = hashOf("detectors", project, { tab: name });
		}));
		if (tab === "domains")
			this.#domains();
		else
			this.#settings();
		return true;
	}

	async #domains() {
		const { drawDomains } = await import("./watched.js");
		drawDomains(this.#body, this.#where, this.#signal);
	}

	#settings() {
		const { project } = this.#where, box = h("div.detectors");
		const part = reading({ signal: this.#signal, lines: 8, box: h("div"),
			read: async (signal) => (await api.get(detectorsPath(project), { signal })).detectors,
			draw: (list, inner) => show(inner, show(box, list.map((d) => this.#card(d, (changed) => {
				box.querySelector(`[data-detector="${CSS.escape(d.name)}"]`).replaceWith(changed);
				changed.querySelector("button")?.focus();
			})))) });
		show(this.#body, h("p.quiet", null, "Detectors examine new data when it is imported, and all data when a setting changes."), part.box);
	}

	// put(card) replaces this card by one with other settings.
	#card(d, put) {
		const { title, about } = detectorWords(d.name);
		const edit = async () => {
			const changed = await this.#edit(d, title);
			if (changed)
				put(this.#card(changed, put));
		};
		return h("section.card.detector", { "data-detector": d.name, "aria-label": title },
			h("div.card-head", null, h("h2", null, title), h("span.marks", null, state(d), this.#where.manages && h("button", { type: "button", "aria-label": `Settings of ${title}`, onclick: edit }, "Settings"))),
			about && h("p.quiet", null, about),
			d.error && h("p.form-fault", null, "The last failure: ", short(d.error, 400)),
			h("dl.facts", null, [
				["Found", found(d, this.#where.project)],
				["Last run", when(d.last_pass_at)],
				["Looked at", looked(d)],
				["Shows", d.min_severity === "info" ? "every severity" : `${d.min_severity} and above`],
				["Hides", d.exclude && h("code", null, short(d.exclude, 300))],
			].filter(([, v]) => v).map(([name, v]) => h("div", null, h("dt", null, name), h("dd", null, v)))));
	}

	#edit(d, title) {
		const enabled = check("On", { name: "enabled", checked: d.enabled }, "A detector that is off neither opens nor closes findings.");
		const least = h("select", { name: "min_severity" }, SEVERITIES.map((s) => h("option", { value: s, selected: s === d.min_severity }, s)));
		const exclude = h("textarea", { name: "exclude", rows: 3, class: "mono", spellcheck: "false", maxlength: 8192, value: d.exclude });
		return ask({ title: `Settings: ${title}`, label: "Save", wide: true,
			body: [enabled, field("From severity", least, "Findings below it are hidden."),
				field("Hide findings that match", exclude, "A query on findings, such as title:parked. Empty: none is hidden. Open findings that match are closed, and open again when the query no longer matches them.")],
			act: async (form) => {
				const body = { enabled: form.elements.enabled.checked, min_severity: least.value, exclude: exclude.value.trim() };
				const { detector } = await api.put(detectorsPath(this.#where.project, `/${d.name}`), body, { signal: this.#signal });
				toast(`The settings of ${title} are saved.`);
				return detector;
			} });
	}
}

export async function open(main, route, signal) {
	main.className = "page wide";
	const where = await projectOf(main, "Detectors", route, signal);
	if (!where)
		return null;
	const page = new Detectors(main, where, signal);
	page.change(route);
	return page;
}
