// SPDX-License-Identifier: ISC
// The sign-in over a page, when the session has ended or is not recent. Most visits do not need it.

import { signedIn } from "../common/api.js";
import { styleSheet } from "./parts.js";
import { leave } from "./tabs.js";

let asking = null; // one dialog for all requests that wait for it

async function askOnce(dialog) {
	asking ??= Promise.all([import("./sign-in.js"), styleSheet("sign-in")]).then(([module]) => dialog(module)).finally(() => {
		asking = null;
	});
	return asking;
}

// The same person continues where they were; for another person the page is loaded again.
export async function signInAgain(redraw) {
	const person = signedIn.session?.person;
	if (!person)
		return false;
	const session = await askOnce((module) => module.signInDialog(person));
	if (session.person.uuid !== person.uuid) {
		leave();
		return false;
	}
	redraw();
	return true;
}

// A passkey or the company's sign-in may belong to another person. Then nothing of the first person
// is sent or shown any more (C-351).
export async function proveAgain() {
	const person = signedIn.session.person;
	const session = await askOnce((module) => module.proveDialog(person));
	if (!session)
		return false;
	if (session.person.uuid === person.uuid)
		return true;
	leave();
	return false;
}
