// SPDX-License-Identifier: ISC
// The forms of signing in: as a page, over a page whose session has ended, and again before
// important operations. Messages never show which part of the credentials was wrong.

import { h, icon, show } from "../common/dom.js";
import { api, takeSession } from "../common/api.js";
import { field, onSubmit, showFault } from "../common/form.js";
import { offeredInField, passkeyFault, passkeysWork, signInByPasskey } from "./passkey.js";
import { announce } from "./parts.js";
import { listen, tellSignedIn } from "./tabs.js";

const KEY = "M10.8 11.4a4 4 0 1 0-2.2-2.2L3 14.8V17h3v-2h2v-2h1.2zM13.2 6.8v.1";

// A form that signs in. done(session) is called once; person: the only person who may sign in
// again; email: the initial value of the field.
class SignIn {
	#done;
	#methods;
	#person;
	#email;
	#offer = new AbortController(); // ends the offer of passkeys in the field of the e-mail address
	box = h("div.sign-in");

	constructor({ methods, person = null, email = "", done }) {
		this.#methods = methods;
		this.#person = person;
		this.#email = person?.email ?? email;
		this.#done = (session) => {
			this.#offer.abort();
			takeSession(session);
			done(session);
		};
		this.begin();
	}

	stop() {
		this.#offer.abort();
	}

	begin() {
		const email = h("input", { type: "email", name: "email", autocomplete: "username webauthn", required: true, value: this.#email, readonly: Boolean(this.#person), autocapitalize: "none", spellcheck: "false" });
		const password = h("input", { type: "password", name: "password", autocomplete: "current-password", required: true });
		const passkey = this.#methods.passkey && passkeysWork();
		const form = onSubmit(h("form", null, field("E-mail", email), field("Password", password),
			h("div.buttons", null, h("button", { type: "submit", class: passkey ? "" : "main" }, this.#person ? "Confirm" : "Sign in"))), () => this.#password(email.value, password.value));
		show(this.box,
			passkey && h("button.main.passkey", { type: "button", onclick: (e) => this.#passkey(e.currentTarget, form) }, icon(KEY), "Use a passkey"),
			passkey && h("p.or", null, h("span", null, "or")), form,
			this.#methods.proxy && h("p.company", null, h("button", { type: "button", onclick: () => this.#company(form) }, "Company sign-in")));
		(this.#email ? password : email).setAttribute("autofocus", "");
		if (passkey)
			this.#offerInField();
	}

	focus() {
		this.box.querySelector("[autofocus]")?.focus();
	}

	async #password(email, password) {
		const answer = await api.post("/auth/sign-in/password", { email: email.trim(), password }, { alone: true });
		if (answer.step)
			this.#askMore(answer.step);
		else
			this.#done(answer);
	}

	// Asks for the second proof: a code, a passkey, or either, depending on the step.
	#askMore(step) {
		const wantsCode = step.methods.includes("totp"), wantsPasskey = step.methods.includes("passkey") && passkeysWork();
		const code = h("input.code", { name: "code", inputmode: "numeric", autocomplete: "one-time-code", maxlength: "6", pattern: "[0-9]{6}", required: true, autofocus: true });
		const back = h("button", { type: "button", onclick: () => {
			this.begin();
			this.focus();
		} }, "Back");
		const form = onSubmit(h("form", null, h("p", null, wantsCode ? "The password was right. Now the code that your authenticator shows." : "The password was right. Your passkey is needed too."),
			wantsCode && field("Code", code, "Six digits"), h("div.buttons", null, wantsCode && h("button.main", { type: "submit" }, "Go on"), back)),
		async () => this.#done(await api.post("/auth/sign-in/totp", { step: step.token, code: code.value.replace(/\s/g, "") }, { alone: true })));
		if (wantsPasskey)
			form.querySelector(".buttons").prepend(h("button", { type: "button", class: wantsCode ? "" : "main", autofocus: !wantsCode, onclick: (e) => this.#passkey(e.currentTarget, form) }, "Use a passkey"));
		show(this.box, form);
		announce(form.querySelector("p").textContent);
		this.focus();
	}

	async #passkey(button, form) {
		this.#offer.abort();
		button.disabled = true;
		try {
			this.#done(await signInByPasskey());
		} catch (e) {
			const fault = passkeyFault(e);
			if (!fault.quiet)
				showFault(form, fault);
		}
		button.disabled = false;
	}

	async #offerInField() {
		if (!(await offeredInField()))
			return;
		const offer = this.#offer = new AbortController();
		try {
			this.#done(await signInByPasskey({ mediation: "conditional", signal: offer.signal }));
		} catch {
			// No passkey was chosen; the rest of the form can still be used.
		}
	}

	async #company(form) {
		try {
			this.#done(await api.post("/auth/sign-in/proxy", {}, { alone: true }));
		} catch (fault) {
			showFault(form, fault);
		}
	}
}

// Shows the page of sign-in. Resolves to the session.
export function signInPage(shell, methods) {
	document.title = "Sign in – surfaced";
	return new Promise((done) => {
		const form = new SignIn({ methods, done });
		show(shell, h("main.front", { id: "main" }, h("div.card", null,
			h("img", { src: "/common/icon.svg", alt: "", width: "40", height: "40" }), h("h1", { tabindex: "-1" }, "Sign in to surfaced"), form.box,
			h("p.small.quiet", null, "Lost your password? Use a passkey, or ask the operator of the service for a link that sets a new one."),
			h("p.small.quiet", null, "No account? An owner of your organisation sends you a link. ", h("a", { href: "#/link" }, "I have a link")))));
		form.focus();
	});
}

// Shows the same form over the page. left: whether the person may close it.
function dialog({ title, words, left, ...who }) {
	return new Promise((done) => {
		const box = h("dialog", { "aria-labelledby": "sign-in-title" });
		const form = new SignIn({ ...who, done: (session) => end(session) });
		const open = new AbortController();
		let ended = false;
		function end(session) {
			if (ended)
				return;
			ended = true;
			form.stop();
			open.abort();
			box.close();
			box.remove();
			done(session);
		}
		show(box, h("h2", { id: "sign-in-title" }, title), h("p.quiet", null, words), form.box,
			h("div.buttons", null, left && h("button", { type: "button", onclick: () => end(null) }, "Cancel")));
		box.addEventListener("cancel", (e) => {
			e.preventDefault();
			if (left)
				end(null);
		});
		if (left)
			addEventListener("hashchange", () => end(null), { signal: open.signal }); // the page that asked was left
		// Another tab has signed in first.
		listen({ signedIn: async () => !ended && end(await api.get("/auth/session", { alone: true }).catch(() => null) ?? undefined), signedOut: () => {} }, open.signal);
		document.body.append(box);
		box.showModal();
		form.focus();
	});
}

async function methodsNow() {
	return (await api.get("/auth/methods", { alone: true })).methods;
}

// Shows the sign-in over a page whose session has ended. The page stays; another person may sign
// in, too.
export async function signInDialog(person) {
	const session = await dialog({ title: "Your session is over", words: "Sign in again to go on. What you typed is still here.", email: person.email, left: false, methods: await methodsNow() });
	takeSession(session);
	tellSignedIn(session);
	return session;
}

// Asks for a sign-in again before an important operation. Resolves to the session, or null when the
// person cancels.
export async function proveDialog(person) {
	const session = await dialog({ title: "Confirm that it is you", words: "Your last sign-in was a while ago, and this operation changes rights.", person, left: true, methods: await methodsNow() });
	if (session)
		takeSession(session);
	return session;
}
