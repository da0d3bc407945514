// SPDX-License-Identifier: ISC
// The methods with which a person signs in: passkeys, a password, codes of an authenticator. The
// API refuses to remove the last one.

import { foreign, h, show, svg } from "../common/dom.js";
import { api, readSession, signedIn } from "../common/api.js";
import { agree, ask } from "../common/dialog.js";
import { field, passwordField } from "../common/form.js";
import { ago, day, plural } from "../common/words.js";
import { addPasskey, passkeyFault, passkeysWork, removePasskey } from "./passkey.js";
import { table } from "./lists.js";
import { copyButton } from "./copy.js";
import { badge, reading, toast } from "./parts.js";

const quietly = (act) => async () => {
	try {
		await act();
	} catch (e) {
		const fault = passkeyFault(e);
		if (!fault.quiet)
			toast(fault.message, "bad");
	}
};

// ---- passkeys ----

async function nameDialog(title, label, name, act) {
	const input = h("input", { name: "name", value: name, maxlength: "200", required: true, autocomplete: "off" });
	return ask({ title, label, body: field("Name", input, "Where it is, such as Laptop or Phone."), act: () => act(input.value.trim()) });
}

async function add(after) {
	const done = await nameDialog("Add a passkey", "Go on", "This device", async (name) => {
		try {
			return await addPasskey(signedIn.session.person, name);
		} catch (e) {
			throw passkeyFault(e);
		}
	});
	if (done) {
		toast("The passkey is added.");
		after();
	}
}

// rp: the present host of the service. Passkeys of another host cannot be used.
function passkeyTable(rp, after) {
	const rename = (p) => nameDialog("Rename the passkey", "Save", p.name, (name) => api.put(`/auth/passkeys/${p.uuid}`, { name })).then((done) => done && after());
	const remove = async (p) => {
		if (await agree(`Remove ${p.name}?`, "This passkey does not work any more, and your other browsers are signed out.", "Remove", () => removePasskey(p)))
			after();
	};
	return table("Passkeys", [
		["Name", (p) => [foreign(p.name), p.rp_id !== rp && [" ", badge(`only for ${p.rp_id}`, "bad")]]],
		["Added", (p) => day(p.created_at), "nowrap"],
		["Last used", (p) => (p.last_used_at ? ago(p.last_used_at) : h("span.quiet", null, "never")), "nowrap"],
		["Kept", (p) => (p.backed_up ? "in a backup of yours" : "on one device")],
		["", (p) => h("span.row-buttons", null, h("button.plain", { type: "button", "aria-label": `Rename ${p.name}`, onclick: () => rename(p) }, "Rename"),
			h("button.plain.danger", { type: "button", "aria-label": `Remove ${p.name}`, onclick: () => remove(p) }, "Remove")), "number"],
	]);
}

// ---- password ----

async function setPassword(methods, has, after) {
	const { person } = signedIn.session;
	const done = await ask({ title: has ? "Change the password" : "Set a password", label: "Save",
		body: [h("input.hidden", { type: "text", name: "username", autocomplete: "username", value: person.email, tabindex: "-1", "aria-hidden": "true" }),
			passwordField("New password", { autocomplete: "new-password" }, `${methods.password_min} characters at least. Your other browsers are signed out.`)],
		act: (form) => api.put("/auth/password", { password: form.elements.password.value }) });
	if (done) {
		toast("The password is set.");
		after();
	}
}

async function removePassword(after) {
	if (await agree("Remove the password?", "You sign in only with passkeys now, and your other browsers are signed out.", "Remove", () => api.del("/auth/password")))
		after();
}

// ---- codes of an authenticator ----

// Draws the matrix of the API. The picture is black on white in dark mode, too, so that cameras can
// read it.
function qrPicture({ size, rows }) {
	const path = rows.flatMap((row, y) => [...row].map((bit, x) => (bit === "1" ? `M${x + 4} ${y + 4}h1v1h-1z` : ""))).join("");
	return svg("svg", { class: "qr", viewBox: `0 0 ${size + 8} ${size + 8}`, role: "img", "aria-label": "QR code for an authenticator; its text is below", "shape-rendering": "crispEdges" },
		svg("rect", { class: "qr-ground", width: size + 8, height: size + 8 }), svg("path", { class: "qr-ink", d: path }));
}

async function addCodes(after) {
	const { totp } = await api.post("/auth/totp", {});
	const spaced = totp.secret.match(/.{1,4}/g).join(" ");
	const code = h("input.code", { name: "code", inputmode: "numeric", autocomplete: "one-time-code", maxlength: "6", required: true });
	const done = await ask({ title: "Set up an authenticator", label: "Confirm", body: [
		h("p", null, "Scan the picture with the authenticator on your phone, or type its secret."), qrPicture(totp.qr),
		h("div.secret-line", null, h("code", { tabindex: "0", role: "textbox", "aria-readonly": "true", "aria-label": "Secret of the authenticator" }, spaced), copyButton(totp.secret)),
		field("Code", code, "The six digits that it shows now.")],
	act: () => api.post("/auth/totp/confirm", { code: code.value.replace(/\s/g, "") }) });
	if (done) {
		toast("The authenticator is set up. From now on your password needs its code, too.");
		after();
	}
}

async function removeCodes(after) {
	if (await agree("Remove the authenticator?", "Your password alone signs you in again, unless you have a passkey. Your other browsers are signed out.", "Remove", () => api.del("/auth/totp")))
		after();
}

// ---- the part of the settings ----

function way(title, state, words, ...buttons) {
	return h("section.card", null, h("div.card-head", null, h("h2", null, title, " ", state), h("div.actions", null, buttons)), words);
}

const isSet = (yes) => (yes ? badge("set", "good") : badge("not set"));

function drawWays({ methods, passkeys }, box, after) {
	const { person } = signedIn.session;
	const list = passkeyTable(methods.rp_id, after);
	const canAdd = methods.passkey && passkeysWork();
	show(box,
		way("Passkeys", passkeys.length ? badge(plural(passkeys.length, "passkey"), "good") : badge("none yet"),
			passkeys.length ? h("div.inner", null, list.node.firstChild) : h("p.quiet", null, canAdd ? "By your fingerprint, face or screen lock: the safest way, and the quickest." : methods.passkey ? "This browser has no passkeys." : "Passkeys need the parameter public_url, which the operator has not set."),
			canAdd && h("button", { type: "button", class: passkeys.length ? "" : "main", onclick: quietly(() => add(after)) }, "Add a passkey")),
		way("Password", isSet(person.has_password), h("p.quiet", null, person.passkeys || person.has_totp ? "It is not enough alone: you need your passkey or your authenticator, too." : "Alone it can be guessed or stolen. Add a passkey."),
			h("button", { type: "button", onclick: quietly(() => setPassword(methods, person.has_password, after)) }, person.has_password ? "Change" : "Set a password"),
			person.has_password && h("button.danger", { type: "button", onclick: quietly(() => removePassword(after)) }, "Remove")),
		methods.totp && way("Authenticator", isSet(person.has_totp), h("p.quiet", null, "Six digits from your phone, asked for beside the password."),
			person.has_totp ? h("button.danger", { type: "button", onclick: quietly(() => removeCodes(after)) }, "Remove") : h("button", { type: "button", onclick: quietly(() => addCodes(after)) }, "Set up")));
	list.draw(passkeys);
}

export function ways(box, signal) {
	const part = reading({ signal, lines: 5, box: h("div.stacked-parts"),
		read: async (s) => {
			const [{ methods }] = await Promise.all([api.get("/auth/methods", { signal: s }), readSession(s)]);
			const { passkeys } = methods.passkey || signedIn.session.person.passkeys ? await api.get("/auth/passkeys", { signal: s }) : { passkeys: [] };
			return { methods, passkeys };
		},
		draw: (data, inner) => drawWays(data, inner, () => part.read()) });
	show(box, part.box);
}
