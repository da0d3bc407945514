// SPDX-License-Identifier: ISC
// What takes data out of a page: buttons that copy, and files that the browser saves.

import { h, icon, show } from "../common/dom.js";
import { announce, toast } from "./parts.js";

const CLIPBOARD = "M7 7V4h9v10h-3M4 7h9v10H4z", DONE = "M4 10.5l4 4 8-9";

// Resolves to whether the text is in the clipboard.
async function written(text) {
	try {
		await navigator.clipboard.writeText(text);
		return true;
	} catch {
		toast("The browser did not let this page copy. Select the text and copy it yourself.", "bad");
		return false;
	}
}

// Makes a button that copies a text; text may be a function.
export function copyButton(text, label = "Copy", { words = true } = {}) {
	const button = h("button", { type: "button", class: words ? "" : "plain square", "aria-label": words ? null : label, title: words ? null : label });
	const draw = (path, name) => show(button, icon(path), words && name);
	button.addEventListener("click", async () => {
		if (!(await written(typeof text === "function" ? text() : text)))
			return;
		draw(DONE, "Copied");
		announce("Copied.");
		setTimeout(() => draw(CLIPBOARD, label), 1500);
	});
	draw(CLIPBOARD, label);
	return button;
}

// Copies the address of the page.
export async function copyLink() {
	if (await written(location.href))
		toast("The link is copied.");
}

// Lets the browser save a file; parts are texts or blobs.
export function save(parts, type, name) {
	const url = URL.createObjectURL(new Blob(parts, { type }));
	h("a", { href: url, download: name }).click();
	setTimeout(() => URL.revokeObjectURL(url), 60000);
}
