// SPDX-License-Identifier: ISC
// Pointer of the page: mouse, pen and touch. A finger scrolls, taps, and after a while clicks right; two fingers
// move the picture where it is larger than its place.

const BUTTONS = ["left", "middle", "right"];
const HELD = { left: 1, right: 2, middle: 4 };
const DOUBLE_MS = 500, DOUBLE_PX = 5;
const TOUCH_SLACK_PX = 8, LONG_MS = 600;
const LINE_PX = 20;
const MOVE_MS = 20; // between two moves, however fast the screen is: the server takes 200 messages a second

function modifiers(e) {
	return (e.altKey ? 1 : 0) + (e.ctrlKey ? 2 : 0) + (e.metaKey ? 4 : 0) + (e.shiftKey ? 8 : 0);
}

export class Pointer {
	#area;
	#stream = null;
	#viewport = { width: 1, height: 1 };
	#move = null; // the newest, which waits to be sent
	#wheel = null;
	#planned = false;
	#sent = 0;
	#last = { at: -DOUBLE_MS, x: 0, y: 0, clicks: 0 };
	#touch = null;
	#pan = null; // the second finger: where it was
	#held = 0;

	// onPress: the keyboard is wanted.
	constructor(area, onPress) {
		this.#area = area;
		area.addEventListener("pointerdown", (e) => {
			onPress();
			this.#down(e);
		});
		area.addEventListener("pointermove", (e) => this.#moved(e));
		area.addEventListener("pointerup", (e) => this.#up(e));
		area.addEventListener("pointercancel", () => this.#cancel());
		area.addEventListener("wheel", (e) => this.#turned(e), { passive: false });
		area.addEventListener("contextmenu", (e) => e.preventDefault());
		area.addEventListener("dragstart", (e) => e.preventDefault());
		area.addEventListener("mousedown", (e) => e.preventDefault()); // the focus is ours to give
	}

	attach(stream) {
		this.#stream = stream;
		this.#held = 0;
		this.#touch = this.#pan = null;
	}

	viewport(size) {
		this.#viewport = size;
	}

	// A move to where the pointer was: activity without consequence.
	nudge() {
		this.#send("move", { x: this.#last.x, y: this.#last.y });
	}

	#place(e) {
		const box = this.#area.getBoundingClientRect();
		const within = (n, max) => Math.min(max, Math.max(0, Math.round(n)));
		return {
			x: within(((e.clientX - box.left) / box.width) * this.#viewport.width, this.#viewport.width - 1),
			y: within(((e.clientY - box.top) / box.height) * this.#viewport.height, this.#viewport.height - 1),
		};
	}

	#send(action, members) {
		this.#stream?.input("mouse", { action, ...members });
	}

	#plan() {
		if (this.#planned)
			return;
		this.#planned = true;
		setTimeout(() => {
			this.#planned = false;
			this.#flush();
		}, Math.max(0, this.#sent + MOVE_MS - performance.now()));
	}

	#flush() {
		this.#sent = performance.now();
		if (this.#move)
			this.#send("move", this.#move);
		if (this.#wheel)
			this.#send("wheel", this.#wheel);
		this.#move = this.#wheel = null;
	}

	#clicks(place) {
		const last = this.#last, now = performance.now();
		const near = Math.abs(place.x - last.x) < DOUBLE_PX && Math.abs(place.y - last.y) < DOUBLE_PX;
		const clicks = near && now - last.at < DOUBLE_MS ? (last.clicks % 3) + 1 : 1;
		this.#last = { at: now, ...place, clicks };
		return clicks;
	}

	#press(place, button, e) {
		this.#flush();
		this.#held |= HELD[button];
		this.#send("down", { ...place, button, buttons: this.#held, clicks: this.#clicks(place), modifiers: modifiers(e) });
	}

	#release(place, button, e) {
		this.#flush();
		this.#held &= ~HELD[button];
		this.#send("up", { ...place, button, buttons: this.#held, clicks: this.#last.clicks, modifiers: modifiers(e) });
	}

	#down(e) {
		const button = BUTTONS[e.button];
		if (!button)
			return;
		this.#area.setPointerCapture(e.pointerId);
		if (e.pointerType === "touch")
			this.#touchDown(e);
		else
			this.#press(this.#place(e), button, e);
	}

	#moved(e) {
		if (e.pointerType === "touch") {
			this.#touchMoved(e);
			return;
		}
		this.#move = { ...this.#place(e), buttons: this.#held, modifiers: modifiers(e) };
		this.#plan();
	}

	#up(e) {
		const button = BUTTONS[e.button];
		if (e.pointerType === "touch")
			this.#touchUp(e);
		else if (button && this.#held & HELD[button])
			this.#release(this.#place(e), button, e);
	}

	#cancel() {
		clearTimeout(this.#touch?.timer);
		this.#touch = this.#pan = null;
		for (const button of BUTTONS)
			if (this.#held & HELD[button])
				this.#release({ x: this.#last.x, y: this.#last.y }, button, {});
	}

	#turned(e) {
		const unit = e.deltaMode === 1 ? LINE_PX : e.deltaMode === 2 ? this.#viewport.height : 1;
		e.preventDefault();
		this.#scroll(this.#place(e), e.deltaX * unit, e.deltaY * unit, modifiers(e));
	}

	#scroll(place, dx, dy, held) {
		const clamp = (n) => Math.max(-10000, Math.min(10000, n));
		const old = this.#wheel ?? { dx: 0, dy: 0 };
		this.#wheel = { ...place, dx: clamp(old.dx + dx), dy: clamp(old.dy + dy), modifiers: held };
		this.#plan();
	}

	// ---- a finger ----

	#touchDown(e) {
		if (this.#touch || this.#pan) {
			clearTimeout(this.#touch?.timer);
			this.#touch = null;
			this.#pan ??= { id: e.pointerId, x: e.clientX, y: e.clientY };
			return;
		}
		const place = this.#place(e);
		const timer = setTimeout(() => {
			this.#press(place, "right", e);
			this.#release(place, "right", e);
			this.#touch = null;
		}, LONG_MS);
		this.#touch = { id: e.pointerId, place, x: e.clientX, y: e.clientY, timer, scrolls: false };
	}

	#panTo(e) {
		const pan = this.#pan;
		if (pan?.id !== e.pointerId)
			return;
		this.#area.parentElement.scrollBy(pan.x - e.clientX, pan.y - e.clientY);
		pan.x = e.clientX;
		pan.y = e.clientY;
	}

	#touchMoved(e) {
		const t = this.#touch;
		this.#panTo(e);
		if (!t || t.id !== e.pointerId)
			return;
		const dx = t.x - e.clientX, dy = t.y - e.clientY;
		if (!t.scrolls && Math.hypot(dx, dy) < TOUCH_SLACK_PX)
			return;
		const scale = this.#viewport.width / this.#area.getBoundingClientRect().width;
		clearTimeout(t.timer);
		t.scrolls = true;
		t.x = e.clientX;
		t.y = e.clientY;
		this.#scroll(t.place, dx * scale, dy * scale, 0);
	}

	#touchUp(e) {
		const t = this.#touch;
		if (this.#pan?.id === e.pointerId)
			this.#pan = null;
		if (!t || t.id !== e.pointerId)
			return;
		clearTimeout(t.timer);
		this.#touch = null;
		if (t.scrolls)
			return;
		this.#send("move", t.place);
		this.#press(t.place, "left", e);
		this.#release(t.place, "left", e);
	}
}
