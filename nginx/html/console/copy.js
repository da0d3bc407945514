// SPDX-License-Identifier: ISC
// What takes data out of a page: buttons that copy, and files that the browser saves.

import { h, icon, show } from "../common/dom.js";
import { announce, toast } from "./parts.js";

const CLIPBOARD = "M7 7V4h9v10h-3M4 7h9v10H4z", DONE = "M4 10.5l4 4 8-9";

// Makes a button that copies a text; text may be a function.
export function copyButton(text, label = "Copy", { words = true } = {}) {
	const button = h("button", { type: "button", class: words ? "" : "plain square", "aria-label": words ? null : label, title: words ? null : label });
	const draw = (path, name) => show(button, icon(path), words && name);
	button.addEventListener("click", async () => {
		try {
			await navigator.clipboard.writeText(typeof text === "function" ? text() : text);
		} catch {
			toast("The browser did not let this page copy. Select the text and copy it yourself.", "bad");
			return;
		}
		draw(DONE, "Copied");
		announce("Copied.");
		setTimeout(() => draw(CLIPBOARD, label), 1500);
	});
	draw(CLIPBOARD, label);
	return button;
}

// Lets the browser save a file; parts are texts or blobs.
export function save(parts, type, name) {
	const url = URL.createObjectURL(new Blob(parts, { type }));
	h("a", { href: url, download: name }).click();
	setTimeout(() => URL.revokeObjectURL(url), 60000);
}
