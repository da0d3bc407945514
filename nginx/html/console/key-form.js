// SPDX-License-Identifier: ISC
// The form that creates or changes an API key, with a sentence that describes what the key may do.

import { foreign, h, show } from "../common/dom.js";
import { api, everything, signedIn } from "../common/api.js";
import { check, field, fieldFault, group, onSubmit, radio } from "../common/form.js";
import { day, plural } from "../common/words.js";
import { doesWords, grouped, mayWords, PRESETS } from "./scopes.js";

const DAY_MS = 86400000;
const TERMS = [["30", "30 days"], ["90", "90 days"], ["365", "365 days"], ["date", "On a day…"], ["never", "Never"]];

// Reads the choices of the form: scopes, members and projects of the organisation.
export async function readChoices(signal) {
	const [{ organisation }, members, projects] = await Promise.all([
		api.get("/organisation", { signal }),
		everything("/access/members", "members", { signal }),
		everything("/projects", "projects", { signal }),
	]);
	return { organisation, members: members.filter((m) => m.joined && !m.removed_at), projects };
}

function scopeChecks(scopes, chosen) {
	return grouped(scopes).map(([words, members]) => h("div.scope-group", { role: "group", "aria-label": words }, h("strong", null, words),
		members.some((s) => s.allowed)
			? members.filter((s) => s.allowed).map((s) => check(h("code", null, s.name), { name: "scopes", value: s.name, checked: chosen.includes(s.name) }, doesWords(s)))
			: h("p.quiet", null, "Not allowed to this organisation")));
}

function presets(form, changed) {
	return h("p.presets", { role: "group", "aria-label": "Presets of scopes" }, PRESETS.map(([words, has]) => h("button", { type: "button", onclick: () => {
		for (const box of form.querySelectorAll("[name=scopes]"))
			box.checked = has(box.value);
		changed();
	} }, words)));
}

function projectChoice(projects, chosen) {
	const some = h("div.choices", { hidden: !chosen }, projects.length
		? projects.map((p) => check(foreign(p.name), { name: "projects", value: p.uuid, checked: chosen?.includes(p.uuid) ?? false }))
		: h("p.quiet", null, "The organisation has no project."));
	const choose = (yes) => () => {
		some.hidden = !yes;
	};
	return group("Projects", radio("All of its holder", { name: "which", value: "all", checked: !chosen, onchange: choose(false) }),
		radio("Only some", { name: "which", value: "some", checked: Boolean(chosen), onchange: choose(true) }), some);
}

// Returns how long a key is valid: [choice, value of the date field].
function termOf(key, template) {
	if (key)
		return key.expires_at ? ["date", key.expires_at.slice(0, 10)] : ["never", ""];
	if (/^\d{4}-\d\d-\d\d$/.test(template.expires))
		return ["date", template.expires];
	return [TERMS.some(([value]) => value === template.expires) ? template.expires : "90", ""];
}

function termChoice([choice, date]) {
	const on = h("input", { type: "date", name: "expires_on", value: date, hidden: choice !== "date", "aria-label": "Day on which the key ends", min: new Date(Date.now() + DAY_MS).toISOString().slice(0, 10) });
	const term = h("select", { name: "expires_at", onchange: () => {
		on.hidden = term.value !== "date";
	} }, TERMS.map(([value, words]) => h("option", { value, selected: value === choice }, words)));
	const box = field("Expires", term, "A key that somebody forgets ends by itself.");
	box.querySelector(".hint").before(on);
	return box;
}

function expiry(data, key) {
	const term = data.get("expires_at"), on = data.get("expires_on");
	if (term === "never")
		return null;
	if (term !== "date")
		return new Date(Date.now() + Number(term) * DAY_MS).toISOString();
	if (!on)
		throw fieldFault("expires_at", "A day is needed.");
	return key?.expires_at?.slice(0, 10) === on ? key.expires_at : new Date(`${on}T23:59:59Z`).toISOString();
}

function bodyOf(form, key) {
	const data = new FormData(form), some = data.get("which") === "some";
	const body = { name: data.get("name").trim(), scopes: data.getAll("scopes"), projects: some ? data.getAll("projects") : null, expires_at: expiry(data, key) };
	if (!body.scopes.length)
		throw fieldFault("scopes", "Choose at least one scope.");
	if (some && !body.projects.length)
		throw fieldFault("which", "Choose a project, or all of them.");
	return key ? body : { ...body, member_uuid: data.get("member_uuid") };
}

function sentence(form, choices) {
	const data = new FormData(form), scopes = data.getAll("scopes"), term = data.get("expires_at");
	if (!scopes.length)
		return "It may do nothing yet: choose scopes.";
	const member = choices.members.find((m) => m.uuid === data.get("member_uuid"));
	const where = data.get("which") === "some" ? plural(data.getAll("projects").length, "project") : `every project that ${member ? member.name : "its holder"} may see`;
	const until = term === "never" ? "without an end" : term === "date" ? data.get("expires_on") && `until ${day(data.get("expires_on"))}` : `until ${day(Date.now() + Number(term) * DAY_MS)}`;
	return `It may ${mayWords(scopes)}, in ${where}${until ? `, ${until}` : ""}.`;
}

// key: the key to change; template: the initial values of a new key. send(body) sends the form.
export function keyForm({ choices, key = null, template = { scopes: [] }, label, send }) {
	const form = h("form.card.key-form"), may = h("p.may", { "aria-live": "polite" });
	const changed = () => show(may, sentence(form, choices));
	const me = signedIn.organisation.membership_uuid;
	const name = h("input", { name: "name", value: key?.name ?? template.name, maxlength: "200", autocomplete: "off", required: true });
	const holder = h("select", { name: "member_uuid" }, choices.members.map((m) => h("option", { value: m.uuid, selected: m.uuid === me }, m.name)));
	show(form, h("p.quiet", null, key ? `${key.key_prefix}, held by ` : "In ", h("bdi", null, key ? key.owner_name : choices.organisation.name)),
		h("div.pair", null, field("Name", name, "Its purpose, such as ci-scanner."), !key && field("Held by", holder, "It sees what this member may see.")),
		group("Scopes", presets(form, changed), h("div.scopes", null, scopeChecks(choices.organisation.scopes, key?.scopes ?? template.scopes))),
		h("div.pair", null, projectChoice(choices.projects, key?.projects), termChoice(termOf(key, template))),
		may, h("div.buttons", null, h("button.main", { type: "submit" }, label), h("a.button", { href: key ? `#/keys/${key.uuid}` : "#/keys" }, "Cancel")));
	form.addEventListener("change", changed);
	changed();
	return onSubmit(form, () => send(bodyOf(form, key)));
}
