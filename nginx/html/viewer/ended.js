// SPDX-License-Identifier: ISC
// The card at the end of a stream: what happened, where the evidence is, how to go on.

import { endWords } from "./words.js";

const COPIED_MS = 2000;

function evidencePaths(base) {
	return [["Screenshots", `${base}/screenshots`], ["Network events", `${base}/network-events`], ["HAR file", `${base}/network-events.har`]];
}

export class Ended {
	#parts;
	#announce;
	next = null; // the link of which another ticket can be taken, without asking anybody

	// parts: {title, words, how, ticket, code, evidence, console, paths, again}; announce: for screen readers.
	constructor(parts, announce) {
		this.#parts = parts;
		this.#announce = announce;
	}

	// how: of the stream's end; link: {project, session}. Returns the words that the page shows elsewhere.
	show(how, link) {
		const { title, words, how: next, ticket, code, evidence, console, paths, again } = this.#parts;
		const end = endWords(how);
		const base = `/api/v1/projects/${link.project}/sessions/${link.session}`;
		title.textContent = end.title;
		words.textContent = end.words;
		code.textContent = end.small;
		this.next = link.own && !end.over ? link : null;
		next.hidden = end.over || link.own;
		ticket.textContent = `POST ${base}/stream-ticket`;
		evidence.hidden = !end.evidence || link.own;
		console.hidden = !link.own;
		console.href = `/console/#/sessions/${link.project}/${link.session}`;
		paths.replaceChildren(...evidencePaths(base).map(([name, path]) => this.#path(name, path)));
		again.hidden = end.over && link.own;
		again.textContent = end.over ? "Open another session" : link.own ? "Connect again" : "Connect with a new ticket";
		return end;
	}

	#path(name, path) {
		const row = document.createElement("div");
		const term = document.createElement("dt"), value = document.createElement("dd");
		const code = document.createElement("code"), copy = document.createElement("button");
		term.textContent = name;
		for (const part of `GET ${path}`.split(/(?=\/sessions|\/network|\/screenshots)/))
			code.append(part, document.createElement("wbr"));
		copy.type = "button";
		copy.textContent = "Copy";
		copy.setAttribute("aria-label", `Copy the address: ${name}`);
		copy.addEventListener("click", () => this.#copy(copy, `${location.origin}${path}`));
		value.append(code, copy);
		row.append(term, value);
		return row;
	}

	async #copy(button, text) {
		try {
			await navigator.clipboard.writeText(text);
		} catch {
			this.#announce("The browser did not allow to copy");
			return;
		}
		button.textContent = "Copied";
		this.#announce("Address copied");
		setTimeout(() => {
			button.textContent = "Copy";
		}, COPIED_MS);
	}
}
