// SPDX-License-Identifier: ISC
// Members: their roles, the projects that they see and manage, and invitations.

import { foreign, h, show } from "../common/dom.js";
import { api, everything, signedIn } from "../common/api.js";
import { agree, ask } from "../common/dialog.js";
import { field, group, radio } from "../common/form.js";
import { ago, day, plural } from "../common/words.js";
import { table } from "./lists.js";
import { copyButton } from "./copy.js";
import { announce, badge, emptyState, heading, menu, reading, toast } from "./parts.js";

const owner = () => signedIn.organisation.role === "owner";
const self = (member) => member.uuid === signedIn.organisation.membership_uuid;

// ---- the link of an invitation, shown once ----

function showLink(member, link) {
	return ask({ title: `Send ${member.name} this link`, label: "Done", cancel: "", left: false, wide: true, body: [
		h("p", null, "It is shown this once and works once, ", ago(link.expires_at).replace(/^in /, "for "), ". Whoever opens it joins, so send it by a way that you trust."),
		h("div.secret-line", null, h("code", { tabindex: "0", role: "textbox", "aria-readonly": "true", "aria-label": "Link of the invitation" }, link.url ?? link.token), copyButton(link.url ?? link.token))] });
}

// ---- the form ----

function projectLines(projects, member) {
	const roles = new Map(member?.projects.map((p) => [p.project_uuid, p.role]));
	return h("table.matrix", null, h("caption.hidden", null, "Role in each project"), h("thead", null, h("tr", null, h("td"), ["No role", "Sees it", "Manages it"].map((t) => h("th.centre", { scope: "col" }, t)))),
		h("tbody", null, projects.map((p) => h("tr", null, h("th", { scope: "row" }, foreign(p.name)),
			["", "viewer", "manager"].map((role) => h("td.centre", null, h("input", { type: "radio", name: `project-${p.uuid}`, value: role, checked: (roles.get(p.uuid) ?? "") === role, "aria-label": `${p.name}: ${role || "no role"}` })))))));
}

function bodyOf(form, projects) {
	const data = new FormData(form);
	return { email: data.get("email").trim(), name: data.get("name").trim(), role: data.get("role"), all_projects: data.get("role") === "owner" || data.get("all_projects") === "true",
		projects: projects.map((p) => ({ project_uuid: p.uuid, role: data.get(`project-${p.uuid}`) })).filter((p) => p.role) };
}

function fields(member, projects) {
	const matrix = projectLines(projects, member);
	const limited = h("div", null, group("Projects that they see",
		radio("All, and new ones", { name: "all_projects", value: "true", checked: member?.all_projects ?? true }),
		radio("Only those below", { name: "all_projects", value: "false", checked: member ? !member.all_projects : false })),
	projects.length > 0 && h("div.scroll", { tabindex: "0", role: "region", "aria-label": "Projects" }, matrix));
	const role = (value, words, hint) => radio(words, { name: "role", value, checked: (member?.role ?? "member") === value, onchange: () => {
		limited.hidden = value === "owner";
	} }, hint);
	limited.hidden = member?.role === "owner";
	const own = Boolean(member?.joined); // the person's own name, which they change in their settings
	return [h("div.pair", null, field("Name", h("input", { name: "name", value: member?.name ?? "", maxlength: "200", required: true, autocomplete: "off", readonly: own }), own ? "The name that the person has chosen." : member ? "" : "Until they join and choose their own."),
		field("E-mail", h("input", { type: "email", name: "email", value: member?.email ?? "", maxlength: "254", required: true, autocomplete: "off", readonly: own }))),
	group("Role", role("member", "Member", "Reads what the organisation has; changes what they manage."), role("owner", "Owner", "May do everything, and gives others their rights.")), limited];
}

async function invite(projects, after) {
	const answer = await ask({ title: "Invite somebody", label: "Make the link", wide: true, body: fields(null, projects), act: (form) => api.post("/access/members", bodyOf(form, projects)) });
	if (!answer)
		return;
	await showLink(answer.member, answer.link);
	after();
}

async function change(member, projects, after) {
	const done = await ask({ title: `Change ${member.name}`, label: "Save", wide: true, body: fields(member, projects), act: (form) => api.put(`/access/members/${member.uuid}`, bodyOf(form, projects)) });
	if (done) {
		toast(`${member.name} is changed.`);
		after();
	}
}

async function newLink(member) {
	const { link } = await api.post(`/access/members/${member.uuid}/link`, {});
	await showLink(member, link);
}

async function remove(member, after) {
	const words = `${member.name} loses access at once, and the keys that they hold stop working. A person who is invited again starts without the former roles.`;
	if (await agree(`Remove ${member.name}?`, words, "Remove", () => api.del(`/access/members/${member.uuid}`))) {
		toast(`${member.name} is removed.`);
		after();
	}
}

// ---- the list ----

function projectsOf(member, names) {
	const managed = member.projects.filter((p) => p.role === "manager").map((p) => names.get(p.project_uuid) ?? "another");
	const manages = managed.length ? [h("br"), h("span.small.quiet", { title: managed.join("\n") }, "manages ", managed.length > 2 ? plural(managed.length, "project") : foreign(managed.join(", ")))] : null;
	return h("span", null, member.all_projects ? "all" : plural(member.projects.length, "project"), manages);
}

function doings(member, projects, after) {
	if (!owner())
		return null;
	const failed = (fault) => fault.name !== "AbortError" && toast(fault.message, "bad");
	return menu(`Actions of ${member.name}`, [
		h("button", { type: "button", onclick: () => change(member, projects, after) }, "Change"),
		!member.joined && h("button", { type: "button", onclick: () => newLink(member).catch(failed) }, "New link"),
		h("button.danger", { type: "button", onclick: () => remove(member, after) }, "Remove"),
	].filter(Boolean), { summary: [h("span", { "aria-hidden": "true" }, "⋯"), h("span.hidden", null, `Actions of ${member.name}`)], className: "button plain square" });
}

function columns(projects, after) {
	const names = new Map(projects.map((p) => [p.uuid, p.name]));
	return [
		["Name", (m) => h("span", null, foreign(m.name), self(m) && h("span.small.quiet", null, " you"))],
		["E-mail", (m) => m.email && foreign(m.email)],
		["Role", (m) => (m.role === "owner" ? badge("owner", "accent") : "member")],
		["Projects", (m) => projectsOf(m, names)],
		["Joined", (m) => (m.joined ? h("span", { title: day(m.created_at) }, day(m.created_at)) : badge("invited", "warn")), "nowrap"],
		["", (m) => doings(m, projects, after), "doings"],
	];
}

export async function open(main, route, signal) {
	const filter = h("input", { type: "search", placeholder: "Filter", "aria-label": "Filter members", "data-search": true, autocomplete: "off" });
	const ask = h("button.main", { type: "button", onclick: () => invite(projects, () => part.read()) }, "Invite");
	let projects = [], members = [];
	const draw = (data, box) => {
		members = data;
		const words = filter.value.trim().toLowerCase();
		const some = members.filter((m) => `${m.name} ${m.email ?? ""} ${m.role}`.toLowerCase().includes(words));
		const grid = table("Members", columns(projects, () => part.read()));
		show(box, some.length ? grid.node : emptyState("Nobody matches", "No name, e-mail or role has these words."));
		grid.draw(some);
	};
	const part = reading({ signal, draw, read: async (s) => {
		const [people, all] = await Promise.all([everything("/access/members", "members", { signal: s }), everything("/projects", "projects", { signal: s })]);
		projects = all;
		return people.filter((m) => !m.removed_at);
	} });
	filter.addEventListener("input", () => {
		draw(members, part.box);
		announce(`${part.box.querySelectorAll("tbody tr").length} members.`);
	});
	show(main, heading("Members", filter, owner() && ask), part.box);
}
