// SPDX-License-Identifier: ISC
// The page of a one-time link, with which somebody becomes a member or gets a new password. Only
// the button uses the link up, not opening it. The token is removed from the address bar at once.

import { h, show } from "../common/dom.js";
import { api, readSession, signedIn, takeSession } from "../common/api.js";
import { field, fieldFault, onSubmit, passwordField } from "../common/form.js";
import { ago } from "../common/words.js";
import { signOut } from "./header.js";
import { passkeyFault, passkeysWork, addPasskey } from "./passkey.js";
import { faultPanel } from "./parts.js";
import { signInPage } from "./sign-in.js";

const TOKEN = /(?:^|[/#=])([A-Za-z0-9_-]{43})\s*$/;

function card(shell, title, ...children) {
	document.title = `${title} – surfaced`;
	show(shell, h("main.front", { id: "main" }, h("div.card", null, h("img", { src: "/common/icon.svg", alt: "", width: "40", height: "40" }), h("h1", { tabindex: "-1" }, title), ...children)));
	(shell.querySelector("[autofocus]") ?? shell.querySelector("h1")).focus();
}

// Asks for the token of a link; the whole link can be pasted, too.
function askToken(shell) {
	return new Promise((done) => {
		const input = h("input", { name: "token", autocomplete: "off", autocapitalize: "none", spellcheck: "false", required: true, autofocus: true });
		card(shell, "Open a link", onSubmit(h("form", null, field("Link, or its token", input, "As it was sent to you. It works once, and for a day."),
			h("div.buttons.wide", null, h("button.main", { type: "submit" }, "Open"), h("a.button", { href: "#/home" }, "Sign in instead"))), async () => {
			const [, token] = TOKEN.exec(input.value.trim()) ?? [];
			if (!token)
				throw fieldFault("token", "This is not a link of the console: its token has 43 letters, digits, - or _.");
			done({ token, link: (await api.post("/auth/links/open", { token }, { alone: true })).link });
		}));
	});
}

function newPassword(methods) {
	return passwordField("Password", { autocomplete: "new-password", minlength: String(methods.password_min), maxlength: String(methods.password_max) },
		`${methods.password_min} characters at least; a sentence is easier to remember than symbols.`);
}

// Makes a form whose answer is a session.
function sessionForm(done, label, send, ...children) {
	return onSubmit(h("form", null, ...children, h("div.buttons.wide", null, h("button.main", { type: "submit" }, label))),
		async (form) => done(await send(Object.fromEntries(new FormData(form)))));
}

const use = (body) => api.post("/auth/links/use", body, { alone: true });

function recover(shell, { token, link, methods }) {
	return new Promise((done) => card(shell, "A new password", h("p", null, "The link sets a new password", link.email ? [" for ", h("bdi", null, link.email)] : "", ". Your passkeys and your authenticator are taken away, and you are signed out everywhere else."),
		sessionForm(done, "Set the password", ({ password }) => use({ token, password }), h("input", { type: "hidden", autocomplete: "username", value: link.email ?? "" }), newPassword(methods))));
}

function words(link) {
	return h("p.lead", null, link.invited_by ? [h("bdi", null, link.invited_by), " invites you to "] : "You are invited to ", h("strong", null, h("bdi", null, link.organisation_name)), `. The link ends ${ago(link.expires_at)}.`);
}

function joinSignedIn(shell, { token, link }) {
	const { person } = signedIn.session;
	return new Promise((done) => card(shell, `Join ${link.organisation_name}`, words(link),
		sessionForm(done, `Join as ${person.name}`, async () => {
			takeSession(await api.post("/auth/links/use", { token }));
			return signedIn.session;
		}, h("p.quiet", null, "You are signed in as ", h("bdi", null, person.email), ".")),
		h("p.small.quiet", null, "Not you? ", h("button.link", { type: "button", onclick: signOut }, "Sign out"), ", then open the link again.")));
}

function joinNew(shell, { token, link, methods }) {
	return new Promise((done) => card(shell, `Join ${link.organisation_name}`, words(link),
		sessionForm(done, "Join", (fields) => use({ token, ...fields }),
			field("Your name", h("input", { name: "name", autocomplete: "name", maxlength: "200", required: true, value: link.name, autofocus: true })),
			field("E-mail", h("input", { type: "email", name: "email", autocomplete: "username", maxlength: "254", required: true, value: link.email ?? "" }), "You sign in with it."),
			newPassword(methods)),
		h("p.small.quiet", null, "You have an account here? ", h("button.link", { type: "button", onclick: async () => {
			takeSession(await signInPage(shell, methods));
			done(await joinSignedIn(shell, { token, link }));
		} }, "Sign in first"))));
}

// Offers once, after a link was used, to register a passkey of this device.
function offerPasskey(shell, person) {
	return new Promise((done) => card(shell, "Add a passkey", h("p", null, "With a passkey you sign in by your fingerprint, face or screen lock, and nobody can guess or steal it."),
		onSubmit(h("form", null, h("div.buttons.wide", null, h("button.main", { type: "submit", autofocus: true }, "Add a passkey"), h("button", { type: "button", onclick: done }, "Not now"))), async () => {
			try {
				await addPasskey(person, "This device");
			} catch (e) {
				throw passkeyFault(e);
			}
			done();
		})));
}

// Shows the page of a link. Resolves to the session that it opened.
export async function openLink(shell, route, { methods, signed_in }) {
	const [, pasted] = TOKEN.exec(route.path[0] ?? "") ?? [];
	history.replaceState(null, "", "#/link");
	let opened;
	try {
		opened = pasted ? { token: pasted, link: (await api.post("/auth/links/open", { token: pasted }, { alone: true })).link } : await askToken(shell);
	} catch (fault) {
		card(shell, "The link cannot be opened", faultPanel(fault), h("p.buttons", null, h("button", { type: "button", onclick: () => location.reload() }, "Paste another link"), h("a.button", { href: "#/home" }, "To the console")));
		return new Promise(() => {});
	}
	const all = { ...opened, methods };
	if (signed_in)
		await readSession();
	const session = await (opened.link.purpose === "recover" ? recover : signed_in ? joinSignedIn : joinNew)(shell, all);
	takeSession(session);
	if (methods.passkey && passkeysWork() && session.person.passkeys === 0)
		await offerPasskey(shell, session.person);
	return session;
}
