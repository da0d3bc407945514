// SPDX-License-Identifier: ISC
// Screenshots of the session: the stored pictures, which whoever came from the console may read by the cookie. The ticket of a
// stream opens no evidence, so for a pasted one there is only the time and place of each. What the viewer showed at that moment may
// be another page, so it is never shown instead.

import { hostOf, hour } from "../common/clock.js";
import { dayAndHour } from "../common/words.js";
import { shotWords } from "./words.js";

const SHOTS_MAX = 60;
const STORED_MS = 1000; // a picture may be announced before it is stored
const TRIES = 10;

// The picture of a screenshot; another try follows while it is not stored.
function pictureOf(source) {
	const image = Object.assign(document.createElement("img"), { alt: "", loading: "lazy", src: source });
	let tries = 0;
	image.addEventListener("error", () => ++tries < TRIES && setTimeout(() => {
		image.src = `${source}#${tries}`;
	}, STORED_MS));
	return image;
}

export class Shots {
	#parts;
	#ids = new Set(); // after a reconnect they come again

	// parts: {list, empty, count, dialog, title, picture, words}
	constructor(parts) {
		this.#parts = parts;
	}

	clear() {
		for (const item of [...this.#parts.list.children])
			item.remove();
		this.#ids.clear();
		this.#tally();
	}

	#tally() {
		this.#parts.count.textContent = this.#ids.size;
		this.#parts.empty.hidden = this.#ids.size > 0;
	}

	has(id) {
		return this.#ids.has(id);
	}

	// source: the address of the stored picture, or "" when this reader may not read it.
	add(shot, source) {
		if (this.has(shot.id))
			return;
		const item = document.createElement("li");
		const open = document.createElement("button");
		const words = document.createElement("span");
		const title = shot.title || hostOf(shot.url) || "Screenshot";
		open.type = "button";
		open.append(source ? pictureOf(source) : Object.assign(document.createElement("span"), { className: "shot-blank", textContent: "In the evidence" }));
		words.className = "shot-words";
		words.append(Object.assign(document.createElement("strong"), { textContent: title }),
			`${shotWords(shot.reason)}, ${hour(new Date(shot.taken_at))}`);
		open.append(words);
		open.addEventListener("click", () => this.#open(shot, title, source));
		item.append(open);
		this.#parts.list.prepend(item);
		if (this.#parts.list.children.length > SHOTS_MAX)
			this.#parts.list.lastElementChild.remove();
		this.#ids.add(shot.id);
		this.#tally();
	}

	#open(shot, title, source) {
		const { dialog, picture: image, words } = this.#parts;
		this.#parts.title.textContent = title;
		image.hidden = !source;
		if (source) {
			image.src = source;
			image.alt = `Screenshot of ${shot.url}`;
		}
		words.textContent = `${shotWords(shot.reason)}, ${dayAndHour(shot.taken_at)}. ` +
			`${shot.width} × ${shot.height}, kept with the evidence as ${shot.id}.`;
		dialog.showModal();
	}
}
