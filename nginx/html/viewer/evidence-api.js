// SPDX-License-Identifier: ISC
// The evidence of one session, read with its ticket. The ticket is a header and stands in no address.

const PAGE = 500;
const PICTURES = 60; // images that are kept at once

// The refusal of a request: code as the API names it.
export class Refusal extends Error {
	constructor(status, code, message) {
		super(message);
		this.status = status;
		this.code = code;
	}
}

export class EvidenceApi {
	#base;
	#link;
	#ticket;
	#pictures = new Map(); // uuid: a promise of an object URL, the newest use last

	constructor(link) {
		this.#base = `/api/v1/projects/${link.project}/sessions/${link.session}`;
		this.#link = link;
		this.#ticket = link.ticket;
	}

	#send(path) {
		return fetch(`${this.#base}${path}`, { headers: { "X-Evidence-Ticket": this.#ticket }, credentials: "omit", cache: "no-store" });
	}

	// Whoever came from the console takes another ticket when this one has ended.
	async #get(path) {
		let answer = await this.#send(path);
		if (answer.status === 401 && this.#link.own) {
			const { ownTicket } = await import("./own-ticket.js");
			this.#ticket = await ownTicket("evidence", this.#link.project, this.#link.session);
			answer = await this.#send(path);
		}
		if (answer.ok)
			return answer;
		const body = await answer.json().catch(() => ({}));
		throw new Refusal(answer.status, body.error?.code ?? "", body.error?.message ?? `The service answered ${answer.status}.`);
	}

	// All events of the timeline; progress gets the number of those that have come.
	async timeline(progress) {
		const events = [];
		for (let cursor = "";;) {
			const answer = await this.#get(`/timeline?limit=${PAGE}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
			const page = await answer.json();
			events.push(...page.events);
			progress(events.length);
			if (!page.next_cursor)
				return { events, duration: page.duration_ms, truncated: page.truncated };
			cursor = page.next_cursor;
		}
	}

	// Milliseconds that each request took, by its id; the timeline has only when it began.
	async durations() {
		const har = await (await this.#get("/network-events.har")).json();
		return new Map(har.log.entries.map((e) => [e._id, e.time]));
	}

	// An object URL of a screenshot.
	picture(uuid) {
		const known = this.#pictures.get(uuid) ?? this.#load(uuid);
		this.#pictures.delete(uuid);
		this.#pictures.set(uuid, known);
		for (const [old, url] of this.#pictures) {
			if (this.#pictures.size <= PICTURES)
				break;
			this.#pictures.delete(old);
			url.then((u) => URL.revokeObjectURL(u), () => {});
		}
		return known;
	}

	#load(uuid) {
		const loaded = this.#get(`/screenshots/${uuid}`).then((a) => a.blob()).then((b) => URL.createObjectURL(b));
		loaded.catch(() => this.#pictures.delete(uuid)); // the next use tries again
		return loaded;
	}
}
