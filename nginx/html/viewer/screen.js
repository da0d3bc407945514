// SPDX-License-Identifier: ISC
// The picture: frames are decoded one at a time, the newest alone waits, and what was shown is acknowledged.

export class Screen {
	#canvas;
	#context;
	#stream = null;
	#waiting = null;
	#busy = false;

	constructor(canvas, onFirst) {
		this.#canvas = canvas;
		this.#context = canvas.getContext("2d", { alpha: false });
		this.onFirst = onFirst;
		this.tab = 0;
	}

	attach(stream) {
		this.#stream = stream;
		this.#waiting = null;
		this.tab = 0;
		stream.addEventListener("frame", (e) => stream === this.#stream && this.#take(e.detail));
	}

	size(width, height) {
		if (this.#canvas.width === width && this.#canvas.height === height)
			return;
		this.#canvas.width = width;
		this.#canvas.height = height;
	}

	#take(frame) {
		this.#waiting = frame;
		if (!this.#busy)
			this.#next();
	}

	async #next() {
		this.#busy = true;
		while (this.#waiting) {
			const frame = this.#waiting;
			const stream = this.#stream;
			this.#waiting = null;
			await this.#show(frame, stream);
			stream.send("ack", { frame: frame.frame });
		}
		this.#busy = false;
	}

	async #show(frame, stream) {
		let picture;
		try {
			picture = await createImageBitmap(frame.jpeg);
		} catch {
			return; // not a picture: the next one will be
		}
		if (stream !== this.#stream) { // another session is looked at by now
			picture.close();
			return;
		}
		this.size(picture.width, picture.height);
		this.#context.drawImage(picture, 0, 0);
		picture.close();
		if (this.tab === 0)
			this.onFirst();
		this.tab = frame.tab;
	}
}
