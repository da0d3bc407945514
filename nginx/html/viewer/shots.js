// SPDX-License-Identifier: ISC
// Screenshots of the session. The evidence has the real ones; here is the picture that the viewer showed at
// that moment, and of those that were taken before somebody watched only their time and place.

import { hostOf, hour } from "../common/words.js";
import { shotWords } from "./words.js";

const SHOTS_MAX = 60;

export class Shots {
	#parts;
	#ids = new Set(); // after a reconnect they come again

	// parts: {list, empty, count, dialog, title, picture, words}
	constructor(parts) {
		this.#parts = parts;
	}

	clear() {
		for (const item of [...this.#parts.list.children])
			this.#drop(item);
		this.#ids.clear();
		this.#tally();
	}

	#drop(item) {
		if (item.dataset.picture)
			URL.revokeObjectURL(item.dataset.picture);
		item.remove();
	}

	#tally() {
		this.#parts.count.textContent = this.#ids.size;
		this.#parts.empty.hidden = this.#ids.size > 0;
	}

	has(id) {
		return this.#ids.has(id);
	}

	// picture: an object URL, or null where nothing was shown: another tab was, or nobody watched.
	add(shot, picture) {
		if (this.has(shot.id))
			return;
		const item = document.createElement("li");
		const open = document.createElement("button");
		const words = document.createElement("span");
		const title = shot.title || hostOf(shot.url) || "Screenshot";
		open.type = "button";
		const blank = document.createElement("span");
		blank.className = "shot-blank";
		blank.textContent = "In the evidence";
		if (!picture)
			open.append(blank);
		if (picture) {
			const image = document.createElement("img");
			image.src = picture;
			image.alt = "";
			item.dataset.picture = picture;
			open.append(image);
		}
		words.className = "shot-words";
		words.append(Object.assign(document.createElement("strong"), { textContent: title }),
			`${shotWords(shot.reason)}, ${hour(new Date(shot.taken_at))}`);
		open.append(words);
		open.addEventListener("click", () => this.#open(shot, title, picture));
		item.append(open);
		this.#parts.list.prepend(item);
		if (this.#parts.list.children.length > SHOTS_MAX)
			this.#drop(this.#parts.list.lastElementChild);
		this.#ids.add(shot.id);
		this.#tally();
	}

	#open(shot, title, picture) {
		const { dialog, picture: image, words } = this.#parts;
		this.#parts.title.textContent = title;
		image.hidden = !picture;
		if (picture) {
			image.src = picture;
			image.alt = `Screenshot of ${shot.url}`;
		}
		words.textContent = `${shotWords(shot.reason)}, ${new Date(shot.taken_at).toLocaleString()}. ` +
			`${shot.width} × ${shot.height}, kept with the evidence as ${shot.id}.`;
		dialog.showModal();
	}
}
