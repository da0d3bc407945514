// SPDX-License-Identifier: ISC
// Shows the secret of a new key, once. The secret is in one variable and one element; both are
// overwritten when the dialog closes, when the page is left, and at a sign-out.

import { h, show } from "../common/dom.js";
import { copyButton } from "./copy.js";

const HIDDEN = "•";

// answer: {key, secret}; the secret is removed from it. Resolves when the person confirms that the
// secret is stored.
export function showSecret(answer, note = "") {
	let secret = answer.secret;
	const { key } = answer;
	answer.secret = "";
	const covered = `${key.key_prefix}_${HIDDEN.repeat(Math.max(0, secret.length - key.key_prefix.length - 1))}`;
	const text = h("code.secret", { tabindex: "0", role: "textbox", "aria-readonly": "true", "aria-label": "The new key" }, covered);
	const toggle = h("button", { type: "button", "aria-pressed": "false" }, "Show");
	const stored = h("input", { type: "checkbox" }), done = h("button.main", { type: "button", disabled: true }, "Done");
	const curl = `curl -H "X-API-Key: $KEY" ${location.origin}/api/v1/usage`;
	const box = h("dialog.wide", { "aria-labelledby": "secret-title" }, h("h2", { id: "secret-title" }, "Your new key"),
		h("p", null, "It is shown this once. Store it where your programs read it from; nobody can read it here again."),
		h("div.secret-line", null, text, toggle, copyButton(() => secret)),
		h("div.secret-line", null, h("code.command", { tabindex: "0" }, curl), copyButton(curl)), note && h("p.quiet", null, note),
		h("label.check", null, stored, h("span", null, "I have stored it.")), h("div.buttons", null, done));
	const forget = () => {
		secret = "";
		show(text);
	};
	toggle.addEventListener("click", () => {
		const open = toggle.getAttribute("aria-pressed") === "false";
		toggle.setAttribute("aria-pressed", String(open));
		show(toggle, open ? "Hide" : "Show");
		show(text, open ? secret : covered);
	});
	stored.addEventListener("change", () => {
		done.disabled = !stored.checked;
	});
	addEventListener("pagehide", forget, { once: true });
	return new Promise((end) => {
		done.addEventListener("click", () => box.close());
		box.addEventListener("cancel", (e) => stored.checked || e.preventDefault());
		box.addEventListener("close", () => {
			forget();
			removeEventListener("pagehide", forget);
			box.remove();
			end();
		});
		document.body.append(box);
		box.showModal();
		toggle.focus();
	});
}
