// SPDX-License-Identifier: ISC
// The organisation: its scopes and entitlements, the sign-in of its members, and its projects.

import { foreign, h, show } from "../common/dom.js";
import { api, everything, signedIn } from "../common/api.js";
import { ask } from "../common/dialog.js";
import { field, group, onSubmit, radio } from "../common/form.js";
import { day, plural } from "../common/words.js";
import { table } from "./lists.js";
import { badge, emptyState, reading, toast } from "./parts.js";
import { grouped, groupWords } from "./scopes.js";

const owner = () => signedIn.organisation.role === "owner";

function facts(organisation) {
	const rights = organisation.entitlements.map((e) => h("li", null, badge(groupWords(e.name), "accent"), e.expires_at && h("span.small.quiet", null, ` until ${day(e.expires_at)}`)));
	return h("section.card", null, h("h2", null, foreign(organisation.name)), h("dl.fact-list", null,
		h("dt", null, "Your role"), h("dd", null, signedIn.organisation.role),
		h("dt", null, "Members"), h("dd", null, plural(organisation.members, "member"), ", ", plural(organisation.projects, "project")),
		h("dt", null, "Entitled to"), h("dd", null, rights.length ? h("ul.choices", null, rights) : "nothing yet"),
		h("dt", null, "Scopes of its keys"), h("dd", null, grouped(organisation.scopes.filter((s) => s.allowed)).map(([words]) => words).join(", ") || "none")));
}

function signInForm(organisation) {
	const choice = (value, words, hint) => radio(words, { name: "sign_in", value, checked: organisation.sign_in === value, disabled: !owner() }, hint);
	const form = h("form", null, group("Members sign in", choice("any", "In any way", "A password alone is enough."),
		choice("strong", "By a passkey, or with a second factor", "Members who signed in by a password alone are asked again. To choose this you must have signed in that way yourself.")),
	owner() && h("div.buttons", null, h("button.main", { type: "submit" }, "Save")));
	return h("section.card.narrow", null, h("h2", null, "Sign-in"), onSubmit(form, async () => {
		await api.put("/organisation", { sign_in: new FormData(form).get("sign_in") });
		toast("The organisation is saved.");
	}));
}

async function projectDialog(project, after) {
	const input = h("input", { name: "name", value: project?.name ?? "", maxlength: "200", required: true, autocomplete: "off" });
	const done = await ask({ title: project ? "Rename the project" : "New project", label: project ? "Save" : "Create", body: field("Name", input),
		act: () => (project ? api.put(`/projects/${project.uuid}`, { name: input.value.trim() }) : api.post("/projects", { name: input.value.trim() })) });
	if (done)
		after();
}

function projectsPart(projects, after) {
	const grid = table("Projects", [
		["Project", (p) => foreign(p.name)],
		["UUID", (p) => h("code.small", null, p.uuid)],
		["Created", (p) => day(p.created_at), "nowrap"],
		["", (p) => owner() && h("button", { type: "button", "aria-label": `Rename ${p.name}`, onclick: () => projectDialog(p, after) }, "Rename"), "number"],
	]);
	grid.draw(projects);
	return h("section.stacked-parts", { "aria-labelledby": "projects-title" }, h("div.card-head.bare", null, h("h2", { id: "projects-title" }, "Projects"), owner() && h("button", { type: "button", onclick: () => projectDialog(null, after) }, "New project")),
		projects.length ? grid.node : h("div.card", null, emptyState("No project yet", "Alerts, findings and browser sessions belong to a project.")));
}

export function organisation(box, signal) {
	const part = reading({ signal, lines: 8, box: h("div.stacked-parts"),
		read: async (s) => {
			const [answer, projects] = await Promise.all([api.get("/organisation", { signal: s }), everything("/projects", "projects", { signal: s })]);
			return { organisation: answer.organisation, projects };
		},
		draw: (data, inner) => show(inner, facts(data.organisation), signInForm(data.organisation), projectsPart(data.projects, () => part.read())) });
	show(box, part.box);
}
