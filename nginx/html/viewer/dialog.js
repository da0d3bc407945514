// SPDX-License-Identifier: ISC
// A dialog of the page, which waits for its answer.

import { dialogTitle } from "./words.js";

const LABELS = {
	alert: ["OK"],
	confirm: ["OK", "Cancel"],
	prompt: ["OK", "Cancel"],
	beforeunload: ["Leave", "Stay"],
};

export class PageDialog {
	#dialog;
	#kind = "alert";
	#answer;
	#parts;

	constructor(dialog, answer) {
		const part = (name) => dialog.querySelector(`#dialog-${name}`);
		this.#dialog = dialog;
		this.#answer = answer;
		this.#parts = { title: part("title"), words: part("words"), field: part("field"), text: part("text"), ok: part("ok"), cancel: part("cancel") };
		part("form").addEventListener("submit", (e) => {
			e.preventDefault();
			this.#give(true);
		});
		part("cancel").addEventListener("click", () => this.#give(false));
		dialog.addEventListener("cancel", (e) => {
			e.preventDefault();
			this.#give(this.#kind === "alert");
		});
	}

	take(message, host) {
		if (message.open)
			this.#open(message, host);
		else
			this.close();
	}

	close() {
		if (this.#dialog.open)
			this.#dialog.close();
	}

	#open(message, host) {
		const { title, words, field, text, ok, cancel } = this.#parts;
		const [yes, no] = LABELS[message.kind] ?? LABELS.alert;
		this.#kind = message.kind;
		title.textContent = dialogTitle(message.kind, host);
		words.textContent = message.kind === "beforeunload" ? "Changes that you made may not be saved." : message.message;
		field.hidden = message.kind !== "prompt";
		text.value = message.default;
		ok.textContent = yes;
		cancel.textContent = no ?? "";
		cancel.hidden = !no;
		if (!this.#dialog.open)
			this.#dialog.showModal();
		(message.kind === "prompt" ? text : ok).focus();
		text.select();
	}

	#give(accept) {
		const answer = { accept };
		if (this.#kind === "prompt" && accept)
			answer.text = this.#parts.text.value;
		this.#answer(answer);
		this.close();
		document.getElementById("keys").focus({ preventScroll: true });
	}
}
