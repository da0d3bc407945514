// SPDX-License-Identifier: ISC
// The connection: a ticket becomes a WebSocket, messages become events, frames are acknowledged when shown.

const TEXT_FRAGMENT = 2500; // bytes of a paste in one message: 16 KiB of JSON hold them however they are escaped
const HEADER = 32;
const BEAT_MS = 1000;
// Beats without a message: then a ping is sent; then the connection counts as silent; then it is given up.
const QUIET = 5, SILENT = 10, DEAD = 45;

function address(link) {
	const scheme = location.protocol === "https:" ? "wss:" : "ws:";
	return `${scheme}//${location.host}/api/v1/projects/${link.project}/sessions/${link.session}/stream?refusal=close`;
}

// The header of a frame, big-endian (surfaced-stream-messages(7)); null when the bytes are no frame of a kind we know.
export function readFrame(buffer) {
	if (buffer.byteLength < HEADER)
		return null;
	const v = new DataView(buffer);
	const length = v.getUint32(24);
	if (v.getUint8(0) !== 1 || v.getUint8(1) !== 1 || buffer.byteLength !== HEADER + length)
		return null;
	return {
		tab: v.getUint16(2),
		frame: v.getUint32(4),
		width: v.getUint16(16),
		height: v.getUint16(18),
		jpeg: new Blob([new Uint8Array(buffer, HEADER)], { type: "image/jpeg" }),
	};
}

// Events: "open" with the first message, since a refusal too begins with a WebSocket that opens; "message"
// (detail: the JSON object), "frame" (detail: readFrame's), "input", "silent" (detail: seconds) and "heard" when
// the connection pauses and goes on, and once "end" (detail: {code, reason, opened}).
export class Stream extends EventTarget {
	#socket;
	#opened = false;
	#ended = false;
	#reason = "";
	#quiet = 0; // beats since the last message
	#beat;

	constructor(link) {
		super();
		this.#socket = new WebSocket(address(link), [link.ticket]);
		this.#socket.binaryType = "arraybuffer";
		this.#socket.addEventListener("message", (e) => this.#take(e.data));
		this.#socket.addEventListener("close", (e) => this.#end(e.code, this.#reason));
		this.#beat = setInterval(() => this.#check(), BEAT_MS);
	}

	#end(code, reason) {
		if (this.#ended)
			return;
		this.#ended = true;
		clearInterval(this.#beat);
		this.#tell("end", { code, reason, opened: this.#opened });
	}

	// A connection that dies silently, as a laptop's that changes its network, closes nothing: only an answer
	// that does not come shows it. Beats are counted, not seconds, so that a machine that slept is asked first.
	#check() {
		this.#quiet++;
		if (this.#opened && this.#quiet >= QUIET && this.#quiet % QUIET === 0)
			this.send("ping");
		if (this.#quiet >= SILENT)
			this.#tell("silent", this.#quiet);
		if (this.#quiet < DEAD)
			return;
		this.#end(1006, "silent");
		this.#socket.close();
	}

	#heard() {
		const silent = this.#quiet >= SILENT;
		this.#quiet = 0;
		if (!this.#opened) {
			this.#opened = true;
			this.#tell("open");
		}
		if (silent)
			this.#tell("heard");
	}

	#tell(type, detail) {
		this.dispatchEvent(new CustomEvent(type, { detail }));
	}

	#take(data) {
		if (this.#ended)
			return;
		this.#heard();
		if (typeof data !== "string") {
			const frame = readFrame(data);
			if (frame)
				this.#tell("frame", frame);
			return;
		}
		const message = JSON.parse(data);
		if (message.type === "bye")
			this.#reason = message.reason;
		this.#tell("message", message);
	}

	get live() {
		return this.#socket.readyState === WebSocket.OPEN;
	}

	send(type, members = {}) {
		if (this.live)
			this.#socket.send(JSON.stringify({ type, ...members }));
	}

	// What counts as activity of the session.
	input(type, members) {
		this.send(type, members);
		this.#tell("input");
	}

	// A text of any length, in messages that the server takes.
	text(text) {
		const encoder = new TextEncoder();
		let part = "", bytes = 0;
		for (const point of text) {
			const more = encoder.encode(point).length;
			if (bytes + more > TEXT_FRAGMENT) {
				this.input("text", { text: part });
				part = "";
				bytes = 0;
			}
			part += point;
			bytes += more;
		}
		if (part)
			this.input("text", { text: part });
	}

	close() {
		this.#socket.close(1000);
	}
}
