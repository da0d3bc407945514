// SPDX-License-Identifier: ISC
// Fields with their labels, hints and faults, and forms that say what the API refused.

import { h, show } from "./dom.js";

let number = 0;

// A control with its label; its hint and its fault are read with it. control.name is the member of the API's body.
export function field(label, control, hint = "") {
	control.id ||= `field-${++number}`;
	control.setAttribute("aria-describedby", `${control.id}-hint ${control.id}-fault`);
	return h("div.field", null, h("label", { for: control.id }, label), control,
		h("span.hint", { id: `${control.id}-hint`, hidden: !hint }, hint), h("span.fault", { id: `${control.id}-fault` }));
}

// A password with a button that shows it. Pasting and password managers work as in any field.
export function passwordField(label, props, hint = "") {
	const input = h("input", { type: "password", name: "password", required: true, ...props });
	const toggle = h("button", { type: "button", "aria-pressed": "false", "aria-label": `Show: ${label}`, onclick: () => {
		const open = input.type === "password";
		input.type = open ? "text" : "password";
		toggle.setAttribute("aria-pressed", String(open));
	} }, "Show");
	const box = field(label, input, hint), line = h("div.secret-field");
	input.before(line);
	line.append(input, toggle);
	return box;
}

// Several controls under one heading, such as a group of checks.
export function group(legend, ...children) {
	return h("fieldset.field", null, h("legend", null, legend), ...children, h("span.fault"));
}

export function check(label, props, hint = "") {
	return h("label.check", null, h("input", { type: "checkbox", ...props }), h("span", null, label, hint && h("span.hint", null, hint)));
}

export function radio(label, props, hint = "") {
	return h("label.check", null, h("input", { type: "radio", ...props }), h("span", null, label, hint && h("span.hint", null, hint)));
}

function clear(form) {
	for (const node of form.querySelectorAll(".fault"))
		show(node);
	for (const node of form.querySelectorAll("[aria-invalid]"))
		node.removeAttribute("aria-invalid");
	form.querySelector(".form-fault")?.remove();
}

// scopes[2] is a fault of the control scopes.
function controlOf(form, name) {
	const found = form.elements.namedItem(name.split(/[.[]/)[0]);
	return found instanceof RadioNodeList ? found[0] : found;
}

function mark(control, message) {
	const box = control.closest(".field")?.querySelector(".fault");
	if (!box)
		return false;
	control.setAttribute("aria-invalid", "true");
	show(box, message);
	return true;
}

// What the API refused: each fault at its field, the rest above the buttons.
export function showFault(form, fault) {
	const rest = [];
	let first = null;
	clear(form);
	for (const { field: name, message } of fault.fields ?? []) {
		const control = controlOf(form, name), [, at] = /\[(\d+)\]/.exec(name) ?? [];
		if (control && mark(control, at === undefined ? message : `No. ${Number(at) + 1}: ${message}`))
			first ??= control;
		else
			rest.push(`${name}: ${message}`);
	}
	if (!first || rest.length) {
		const words = rest.length ? rest.join(" ") : fault.message;
		const box = h("p.form-fault", { role: "alert", tabindex: "-1" }, words, fault.requestId && h("small", null, ` Request ${fault.requestId}`));
		(form.querySelector(".buttons") ?? form.lastElementChild).before(box);
		first ??= box;
	}
	first.focus();
}

// act(form) when the form is sent; its refusal is shown in the form. While it runs the form is not sent again.
export function onSubmit(form, act) {
	form.noValidate = true;
	form.addEventListener("input", (e) => { // the accusation goes with its cause
		e.target.removeAttribute("aria-invalid");
		const fault = e.target.closest(".field")?.querySelector(".fault");
		if (fault)
			show(fault);
	});
	form.addEventListener("submit", async (e) => {
		e.preventDefault();
		if (form.getAttribute("aria-busy") === "true")
			return;
		form.setAttribute("aria-busy", "true");
		clear(form);
		try {
			await act(form, e.submitter);
		} catch (fault) {
			if (fault.name !== "AbortError" && !fault.quiet)
				showFault(form, fault);
		} finally {
			form.removeAttribute("aria-busy");
		}
	});
	return form;
}

// A fault of a field that the page itself finds, in the form of the API's.
export function fieldFault(name, message) {
	return Object.assign(new Error(message), { fields: [{ field: name, code: "invalid", message }] });
}
