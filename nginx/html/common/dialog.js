// SPDX-License-Identifier: ISC
// Dialogs that ask for something. The element dialog keeps the focus inside and gives it back.

import { h } from "./dom.js";
import { onSubmit } from "./form.js";

let number = 0;

// Shows a dialog with a form. act(form) runs when it is sent: the dialog closes with its value, or shows its refusal.
// Answers that value, or undefined when the dialog was left.
//   title, body (nodes), label (of the button that sends), danger, act, cancel (label; "" for none),
//   wide, left: false when only its buttons may close it
// A dialog belongs to the page under it: it is left when another address is opened, by Back or by a link, unless it may not be left.
export function ask({ title, body, label = "OK", danger = false, act = () => true, cancel = "Cancel", wide = false, left = true }) {
	const id = `dialog-title-${++number}`;
	const leave = h("button", { type: "button" }, cancel);
	const form = h("form", null, h("h2", { id }, title), body,
		h("div.buttons", null, cancel && leave, h("button.main", { type: "submit", class: danger ? "main danger" : "main" }, label)));
	const box = h(wide ? "dialog.wide" : "dialog", { "aria-labelledby": id }, form);
	const open = new AbortController();
	return new Promise((done) => {
		let value;
		if (left)
			addEventListener("hashchange", () => box.close(), { signal: open.signal });
		onSubmit(form, async (f, submitter) => {
			value = await act(f, submitter);
			box.close();
		});
		leave.addEventListener("click", () => box.close());
		box.addEventListener("cancel", (e) => left || e.preventDefault());
		box.addEventListener("close", () => {
			open.abort();
			box.remove();
			done(value);
		});
		document.body.append(box);
		box.showModal();
		(box.querySelector("[autofocus]") ?? box.querySelector("input:not([type=hidden]), select, textarea") ?? form.querySelector(".main")).focus();
	});
}

// A question; answers whether the reader agreed and act succeeded.
export async function agree(title, words, label, act) {
	const body = h("p", null, words);
	return await ask({ title, body, label, danger: true, act: async () => {
		await act?.();
		return true;
	} }) === true;
}
