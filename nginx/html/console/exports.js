// SPDX-License-Identifier: ISC
// Exports, #/exports: the files that the service has written for this person, or writes now. A file is kept for seven days.

import { h, show } from "../common/dom.js";
import { api, signedIn } from "../common/api.js";
import { every } from "../common/poll.js";
import { agree } from "../common/dialog.js";
import { bytes, count } from "../common/words.js";
import { badge, emptyState, heading } from "./parts.js";
import { DATASETS, noun, searchFor, short } from "./links.js";
import { pagedTable, when } from "./lists.js";

const LOOK_MS = 2000;
const STATES = { queued: ["waiting", "warn"], running: ["running", "warn"], complete: ["complete", "good"], failed: ["failed", "bad"], cancelled: ["cancelled", ""], expired: ["expired", ""] };
const goesOn = (job) => job.state === "queued" || job.state === "running";

const path = (job, tail = "") => `/search/exports/${job.uuid}${tail}`;

function download(job) {
	const organisation = signedIn.organisation ? `?org_uuid=${signedIn.organisation.uuid}` : "";
	return h("a.button", { href: `/api/v1${path(job, "/content")}${organisation}`, download: `${job.dataset}.${job.format}.gz` }, `Download ${bytes(job.bytes)}`);
}

function state(job) {
	const [words, tone] = STATES[job.state] ?? [job.state, ""];
	return [badge(words, tone), job.error && h("span.quiet.small", null, " ", short(job.error, 120))];
}

export async function open(main, route, signal) {
	main.className = "page wide";
	const running = new Map(); // by uuid: exports that are not complete
	const remove = async (job) => {
		const [title, words, label] = goesOn(job) ? ["Stop the export?", "What it has written is removed.", "Stop"] : ["Remove the file?", "The records stay; only this file is removed.", "Remove"];
		if (await agree(title, words, label, () => api.del(path(job), { signal })))
			list.read();
	};
	const list = pagedTable({ signal, caption: "Exports", keep: "exports",
		columns: [
			["Query", (e) => h("a", { href: searchFor(e.dataset, e.query), "data-entry": "" }, h("span.mono", null, short(e.query || "everything", 160)))],
			["Of", (e) => DATASETS[e.dataset]?.title ?? e.dataset],
			["Format", (e) => (e.format === "csv" ? "CSV" : "NDJSON")],
			["State", state],
			["Records", (e) => (goesOn(e) && e.total ? `${count(e.written ?? 0)} of ${count(e.total)}` : `${count(e.written ?? 0)} ${noun(e.dataset, e.written ?? 0)}`), "number"],
			["Asked for", (e) => when(e.created_at), "number"],
			["Kept until", (e) => (e.state === "complete" ? when(e.expires_at) : "–"), "number"],
			["", (e) => [e.state === "complete" && download(e), (goesOn(e) || e.state === "complete") && h("button", { type: "button", onclick: () => remove(e) }, goesOn(e) ? "Stop" : "Remove")], "row-actions"],
		],
		read: async (cursor, s) => {
			const page = await api.get("/search/exports", { query: { limit: 50, cursor }, signal: s });
			for (const job of page.exports)
				if (goesOn(job))
					running.set(job.uuid, job);
			return { items: page.exports, next_cursor: page.next_cursor };
		},
		empty: () => emptyState("No exports yet", "“export” beside the results of a search lets the service write all of them to a file, which is then here for seven days.", h("a.button", { href: "#/search/hosts" }, "Search")) });
	every(LOOK_MS, signal, async () => {
		for (const job of running.values()) {
			const { export: now } = await api.get(path(job), { signal }).catch(() => ({ export: job }));
			list.put(now);
			if (!goesOn(now))
				running.delete(now.uuid);
		}
	});
	show(main, heading("Exports"), h("section.results", { "aria-label": "Exports" }, list.box));
	return null;
}
