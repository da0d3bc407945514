// SPDX-License-Identifier: ISC
// The project of a page: the first word of its path, otherwise the project that was opened last in
// this tab.

import { h } from "../common/dom.js";
import { api, everything, signedIn } from "../common/api.js";
import { emptyState, heading } from "./parts.js";
import { PERSONAL } from "./tabs.js";

const LAST = `${PERSONAL}project`;

// Returns {project, projects, manages: whether this person manages it, hash(query, tail)}, or null
// when there is no project; the page then shows that.
export async function projectOf(main, title, route, signal) {
	const projects = await everything("/projects", "projects", { signal });
	const wanted = route.path[0] ?? sessionStorage.getItem(LAST);
	const project = projects.find((p) => p.uuid === wanted) ?? projects[0];
	if (!project) {
		main.append(heading(title), signedIn.organisation.role === "owner"
			? emptyState("No project yet", "Findings, alerts and browser sessions belong to a project.", h("a.button.main", { href: "#/settings/organisation" }, "Make one"))
			: emptyState("There are no projects", "An owner of the organisation can create one and give you a role in it."));
		return null;
	}
	sessionStorage.setItem(LAST, project.uuid);
	return { project, projects, manages: await managesProject(project, signal) };
}

// Whether the person may manage the project, as an owner or as its manager.
async function managesProject(project, signal) {
	const { role, membership_uuid: member } = signedIn.organisation;
	if (role === "owner")
		return true;
	try {
		const { member: me } = await api.get(`/access/members/${member}`, { signal });
		return (me.projects ?? []).some((p) => p.project_uuid === project.uuid && p.role === "manager");
	} catch {
		return false; // without buttons nothing can be refused
	}
}

// Makes the head of a page about a project, with a select when there are several projects.
export function projectHead(page, title, { project, projects }, ...actions) {
	const choice =
		projects.length > 1
			? h(
					"select",
					{
						"aria-label": "Project",
						onchange: (e) => {
							location.hash = `#/${page}/${e.target.value}`;
						},
					},
					projects.map((p) => h("option", { value: p.uuid, selected: p.uuid === project.uuid }, p.name)),
				)
			: h("span.quiet", null, h("bdi", null, project.name));
	return heading(title, choice, ...actions);
}

// Returns the fragment of a page with the members of its query that are not empty.
export function hashOf(page, project, query) {
	const words = new URLSearchParams(Object.entries(query).filter(([, v]) => v !== "" && v !== null && v !== undefined));
	return `#/${page}/${project.uuid}${words.size ? `?${words}` : ""}`;
}
