// SPDX-License-Identifier: ISC
// Time left: of the session, and until it ends because nobody does anything.

import { clock, duration, hour } from "../common/clock.js";

const SAID_AT = [600, 300, 60]; // seconds left that a screen reader hears
const SHORT = 60;

export class Clock {
	#parts;
	#ends = null; // by our own clock, ms
	#idle = 0;
	#active = 0;
	#timer = 0;
	#said = new Set();

	// parts: {box, left, words, status}
	constructor(parts) {
		this.#parts = parts;
	}

	start(hello) {
		const skew = Date.now() - Date.parse(hello.now);
		this.stop();
		this.#ends = hello.expires_at === null ? null : Date.parse(hello.expires_at) + skew;
		this.#idle = hello.idle_seconds * 1000;
		this.#said.clear();
		this.active();
		this.#parts.box.hidden = this.#ends === null && !this.#idle;
		this.#timer = setInterval(() => this.#tick(), 1000);
		this.#tick();
	}

	stop() {
		clearInterval(this.#timer);
		this.#parts.box.hidden = true;
	}

	active() {
		this.#active = Date.now();
	}

	#tick() {
		const { box, left, words, status } = this.#parts;
		const now = Date.now();
		const session = this.#ends === null ? Infinity : (this.#ends - now) / 1000;
		const idle = this.#idle ? (this.#active + this.#idle - now) / 1000 : Infinity;
		const least = Math.min(session, idle);
		const shown = idle <= SHORT && idle < session ? idle : session;
		left.textContent = shown === Infinity ? "no limit" : clock(shown);
		box.classList.toggle("short", least <= SHORT);
		words.textContent = [
			this.#ends === null ? "" : `The session ends at ${hour(new Date(this.#ends))}, whatever happens. `,
			this.#idle ? `It ends earlier after ${duration(this.#idle / 1000)} without typing, clicking or scrolling. ` : "",
			"Its screenshots and network events are kept.",
		].join("");
		for (const at of SAID_AT)
			if (session <= at && session > at - 2 && !this.#said.has(at)) {
				this.#said.add(at);
				status.textContent = `${duration(at)} left`;
			}
	}
}
