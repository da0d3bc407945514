// SPDX-License-Identifier: ISC
// Requests that are repeated while somebody is there.

const AWAKE_MS = 600000; // nothing is polled when there was no input for so long

let lastInput = Date.now();
for (const kind of ["pointerdown", "pointermove", "keydown", "wheel", "touchstart"])
	addEventListener(kind, () => {
		lastInput = Date.now();
	}, { passive: true, capture: true });

// Calls act every so often until the signal, while the tab is visible and somebody is there.
export function every(milliseconds, signal, act) {
	const timer = setInterval(() => {
		if (document.visibilityState === "visible" && Date.now() - lastInput < AWAKE_MS)
			act();
	}, milliseconds);
	signal.addEventListener("abort", () => clearInterval(timer), { once: true });
}
