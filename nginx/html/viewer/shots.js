// SPDX-License-Identifier: ISC
// Screenshots that were taken while somebody watched. The evidence has the real ones; here is what the
// viewer showed at that moment.

import { hostOf, hour, shotWords } from "./words.js";

const SHOTS_MAX = 60;

export class Shots {
	#parts;
	#n = 0;

	// parts: {list, empty, count, dialog, title, picture, words}
	constructor(parts) {
		this.#parts = parts;
	}

	clear() {
		for (const item of [...this.#parts.list.children])
			this.#drop(item);
		this.#n = 0;
		this.#tally();
	}

	#drop(item) {
		if (item.dataset.picture)
			URL.revokeObjectURL(item.dataset.picture);
		item.remove();
	}

	#tally() {
		this.#parts.count.textContent = this.#n;
		this.#parts.empty.hidden = this.#n > 0;
	}

	// picture: an object URL, or null when another tab was shown.
	add(shot, picture) {
		const item = document.createElement("li");
		const open = document.createElement("button");
		const words = document.createElement("span");
		const title = shot.title || hostOf(shot.url) || "Screenshot";
		open.type = "button";
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
		this.#n++;
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
