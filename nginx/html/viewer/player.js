// SPDX-License-Identifier: ISC
// The moment that is shown. It moves by the clock of the screen while it plays, and jumps over gaps.

export class Player extends EventTarget {
	#timeline;
	#last = 0;
	#frame = 0;
	moment = 0;
	playing = false;
	speed = 1;

	// Events: "moment" when it has moved, "state" when it plays or pauses, "skip" (detail: the gap).
	constructor(timeline) {
		super();
		this.#timeline = timeline;
		this.moment = timeline.start;
	}

	seek(ms) {
		this.moment = Math.round(Math.min(this.#timeline.end, Math.max(this.#timeline.start, ms)));
		this.#last = performance.now();
		this.dispatchEvent(new Event("moment"));
	}

	play() {
		if (this.moment >= this.#timeline.end)
			this.seek(this.#timeline.start);
		this.#set(true);
		this.#last = performance.now();
		this.#frame = requestAnimationFrame((now) => this.#tick(now));
	}

	pause() {
		cancelAnimationFrame(this.#frame);
		this.#set(false);
	}

	toggle() {
		if (this.playing)
			this.pause();
		else
			this.play();
	}

	#set(playing) {
		if (this.playing === playing)
			return;
		this.playing = playing;
		this.dispatchEvent(new Event("state"));
	}

	#tick(now) {
		const past = Math.max(0, now - this.#last) * this.speed;
		const gap = this.#timeline.gapAt(this.moment + past);
		this.#last = now;
		this.moment = Math.min(this.#timeline.end, gap ? gap.next : this.moment + past);
		if (gap)
			this.dispatchEvent(new CustomEvent("skip", { detail: gap }));
		this.dispatchEvent(new Event("moment"));
		if (this.moment >= this.#timeline.end)
			this.pause();
		else if (this.playing)
			this.#frame = requestAnimationFrame((then) => this.#tick(then));
	}
}
