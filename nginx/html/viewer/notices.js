// SPDX-License-Identifier: ISC
// What happened that the page does not show: blocked downloads, refused addresses, certificates, crashes.

import { deniedWords } from "./failure.js";
import { hour } from "../common/clock.js";

const NOTICES_MAX = 200, TOASTS_MAX = 3, TOAST_MS = 6000;

const WORDS = {
	download_blocked: (m) => ["Download blocked", m.name || m.url],
	cert: (m) => ["Certificate not trusted", `${m.url} (${m.error})`],
	egress_denied: (m) => ["Address refused", `${m.host} port ${m.port}: ${deniedWords(m.reason, m.host)}`],
	crashed: (m) => ["The page crashed", m.reloading ? "It is loaded again." : "The session ends."],
	error: (m) => ["Not done", m.message],
};

export class Notices {
	#parts;
	#n = 0;
	#seen = new Set(); // after a reconnect they come again
	#since = 0;

	// parts: {list, empty, count, toasts, status}
	constructor(parts) {
		this.#parts = parts;
	}

	clear() {
		this.#n = 0;
		this.#seen.clear();
		this.#parts.list.replaceChildren();
		this.#parts.toasts.replaceChildren();
		this.#tally();
	}

	// Notices of before this time, in ms, are listed without a word: nobody needs to hurry.
	since(ms) {
		this.#since = ms;
	}

	// What went by is in the list.
	end() {
		this.#parts.toasts.replaceChildren();
	}

	#tally() {
		this.#parts.count.textContent = this.#n;
		this.#parts.empty.hidden = this.#n > 0;
	}

	// True when the message was a notice.
	take(message) {
		const words = WORDS[message.type]?.(message);
		const key = message.at ? JSON.stringify(message) : "";
		if (!words || this.#seen.has(key))
			return words !== undefined;
		if (key)
			this.#seen.add(key);
		this.say(...words, message.at ? new Date(message.at) : new Date());
		return true;
	}

	say(title, text, at = new Date()) {
		const item = this.#item(title, text);
		const time = document.createElement("time");
		time.textContent = hour(at);
		item.prepend(time);
		this.#parts.list.prepend(item);
		while (this.#parts.list.children.length > NOTICES_MAX)
			this.#parts.list.lastElementChild.remove();
		this.#n++;
		this.#tally();
		if (at.getTime() < this.#since)
			return;
		this.#toast(title, text);
		this.#parts.status.textContent = `${title}: ${text}`;
	}

	#item(title, text) {
		const item = document.createElement("li");
		item.append(Object.assign(document.createElement("strong"), { textContent: title }),
			Object.assign(document.createElement("span"), { textContent: text }));
		return item;
	}

	#toast(title, text) {
		const toast = this.#item(title, text);
		this.#parts.toasts.append(toast);
		while (this.#parts.toasts.children.length > TOASTS_MAX)
			this.#parts.toasts.firstElementChild.remove();
		setTimeout(() => toast.remove(), TOAST_MS);
	}
}
