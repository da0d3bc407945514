// SPDX-License-Identifier: ISC
// The line between the page and the evidence: dragged by mouse, pen or finger, or moved by keys. The place is
// remembered in this browser, one for the evidence beside the page and one for the evidence below it.

const STORE = "viewer.evidence";
const STEP = 24;
const LEAST = { x: 260, y: 120 }; // pixels of the evidence
const LEAST_PAGE = { x: 280, y: 120 };

function remembered() {
	try {
		return JSON.parse(localStorage.getItem(STORE)) ?? {};
	} catch {
		return {}; // storage is switched off, or holds something else
	}
}

export class Splitter {
	#work;
	#line;
	#panel;
	#sizes = remembered();

	constructor(work, line, panel) {
		this.#work = work;
		this.#line = line;
		this.#panel = panel;
		for (const axis of ["x", "y"])
			this.#apply(axis);
		line.addEventListener("pointerdown", (e) => this.#down(e));
		line.addEventListener("pointermove", (e) => line.hasPointerCapture(e.pointerId) && this.#drag(e));
		line.addEventListener("keydown", (e) => this.#key(e));
		line.addEventListener("dblclick", () => this.#set(this.#axis(), null));
		new ResizeObserver(() => this.#report()).observe(work);
		new ResizeObserver(() => this.#report()).observe(panel);
	}

	// "x": the evidence is beside the page; "y": below it.
	#axis() {
		return getComputedStyle(this.#work).getPropertyValue("--axis").trim() === "y" ? "y" : "x";
	}

	#whole(axis) {
		const box = this.#work.getBoundingClientRect();
		return axis === "x" ? box.width : box.height;
	}

	#size(axis) {
		const box = this.#panel.getBoundingClientRect();
		return axis === "x" ? box.width : box.height;
	}

	#most(axis) {
		return Math.max(LEAST[axis], this.#whole(axis) - LEAST_PAGE[axis]);
	}

	#apply(axis) {
		const size = this.#sizes[axis];
		if (Number.isFinite(size))
			this.#work.style.setProperty(`--evidence-${axis}`, `${size}px`);
		else
			this.#work.style.removeProperty(`--evidence-${axis}`);
	}

	// size: pixels of the evidence, or null for the size that the window suggests.
	#set(axis, size) {
		if (size === null)
			delete this.#sizes[axis];
		else
			this.#sizes[axis] = Math.round(Math.min(this.#most(axis), Math.max(LEAST[axis], size)));
		this.#apply(axis);
		this.#report();
		try {
			localStorage.setItem(STORE, JSON.stringify(this.#sizes));
		} catch {
			// it is remembered until the page is closed
		}
	}

	#report() {
		const axis = this.#axis(), whole = this.#whole(axis);
		const percent = (n) => String(Math.round((100 * n) / Math.max(1, whole)));
		this.#line.setAttribute("aria-orientation", axis === "x" ? "vertical" : "horizontal");
		this.#line.setAttribute("aria-valuemin", percent(LEAST[axis]));
		this.#line.setAttribute("aria-valuemax", percent(this.#most(axis)));
		this.#line.setAttribute("aria-valuenow", percent(this.#size(axis)));
	}

	#down(e) {
		if (e.button !== 0)
			return;
		e.preventDefault();
		this.#line.focus();
		this.#line.setPointerCapture(e.pointerId);
	}

	#drag(e) {
		const box = this.#work.getBoundingClientRect(), axis = this.#axis();
		this.#set(axis, axis === "x" ? box.right - e.clientX : box.bottom - e.clientY);
	}

	// The line moves where the arrow points, so the evidence grows by the other one.
	#key(e) {
		const axis = this.#axis(), size = this.#size(axis);
		const [grow, shrink] = axis === "x" ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
		const to = { [grow]: size + STEP, [shrink]: size - STEP, Home: LEAST[axis], End: this.#most(axis), Enter: null }[e.key];
		if (to === undefined)
			return;
		e.preventDefault();
		this.#set(axis, to);
	}
}
