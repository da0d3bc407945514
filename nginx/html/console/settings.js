// SPDX-License-Identifier: ISC
// Settings of the person, with methods of signing in and browsers, and of the organisation.

import { foreign, h, show } from "../common/dom.js";
import { api, readSession, signedIn } from "../common/api.js";
import { agree } from "../common/dialog.js";
import { check, field, onSubmit } from "../common/form.js";
import { ago, dayAndHour } from "../common/words.js";
import { themeChoice } from "./header.js";
import { keysAreOn, turnKeys } from "./keyboard.js";
import { subpages, table } from "./lists.js";
import { badge, heading, reading, toast } from "./parts.js";

// ---- the person ----

function profile(box) {
	const { person } = signedIn.session;
	const name = h("input", { name: "name", value: person.name, autocomplete: "name", maxlength: "200", required: true });
	const email = h("input", { type: "email", name: "email", value: person.email, autocomplete: "email", maxlength: "254", required: true });
	show(box, h("section.card.narrow", null, h("h2", null, "Profile"), onSubmit(h("form", null, field("Name", name, "Members of your organisations see it."),
		field("E-mail", email, "You sign in with it. Owners of your organisations see it."), h("div.buttons", null, h("button.main", { type: "submit" }, "Save"))), async () => {
		await api.put("/auth/person", { name: name.value.trim(), email: email.value.trim() });
		await readSession();
		toast("Your profile is saved.");
		dispatchEvent(new Event("session"));
	})));
}

// ---- browsers ----

const BROWSERS = [[/Edg\//, "Edge"], [/OPR\//, "Opera"], [/Firefox\//, "Firefox"], [/HeadlessChrome\//, "Headless Chromium"], [/Chrome\//, "Chrome"], [/Safari\//, "Safari"], [/^curl\//, "curl"]];
const SYSTEMS = [[/iPhone|iPad/, "iOS"], [/Android/, "Android"], [/Windows/, "Windows"], [/Mac OS X/, "macOS"], [/Linux|X11/, "Linux"]];

// Returns "Firefox on Linux" for a User-Agent. Unknown ones are shown unchanged.
function agentWords(agent) {
	const find = (list) => list.find(([sign]) => sign.test(agent))?.[1];
	const browser = find(BROWSERS), system = find(SYSTEMS);
	return browser ? [browser, system && ` on ${system}`] : foreign(agent || "unknown", 80);
}

function browsers(box, signal) {
	const end = async (one) => {
		if (await agree("End this sign-in?", "That browser is signed out at once.", "End", () => api.del(`/auth/sign-ins/${one.uuid}`)))
			part.read();
	};
	const grid = table("Signed-in browsers", [
		["Browser", (s) => h("span", { title: s.agent }, agentWords(s.agent), s.current && [" ", badge("this one", "accent")])],
		["Network", (s) => h("code", null, s.address)],
		["Signed in by", (s) => s.methods.join(", ")],
		["Signed in", (s) => h("span", { title: dayAndHour(s.created_at) }, ago(s.created_at)), "nowrap"],
		["Last seen", (s) => h("span", { title: dayAndHour(s.seen_at) }, ago(s.seen_at)), "nowrap"],
		["", (s) => !s.current && h("button", { type: "button", "aria-label": `End ${s.agent} from ${s.address}`, onclick: () => end(s) }, "End"), "doings"],
	]);
	const part = reading({ signal, lines: 3, read: async (s) => (await api.get("/auth/sign-ins", { signal: s })).sign_ins, draw: (list, inner) => {
		if (!grid.node.isConnected)
			show(inner, grid.node);
		grid.draw(list);
	} });
	show(box, h("p.quiet", null, "Browsers in which you are signed in. If you do not know one, end it and change your password."), part.box);
}

// ---- appearance ----

function appearance(box) {
	show(box, h("section.card.narrow", null, h("h2", null, "Appearance"), field("Light or dark", themeChoice(), "In this browser."),
		h("div.field", null, check("Single-letter shortcuts", { checked: keysAreOn(), onchange: (e) => turnKeys(e.target.checked) }, "/ searches, g and a letter open pages, j and k move in lists. Turn them off if your speech input types them."))));
}

// ---- the page ----

const PARTS = [
	["profile", "Profile", profile],
	["ways", "Ways to sign in", async (...all) => (await import("./ways.js")).ways(...all)],
	["browsers", "Signed-in browsers", browsers],
	["appearance", "Appearance", appearance],
	["organisation", "Organisation", async (...all) => (await import("./organisation.js")).organisation(...all)],
];

export async function open(main, route, signal) {
	const [name, , draw] = PARTS.find(([part]) => part === route.path[0]) ?? PARTS[0];
	const box = h("div.stacked-parts");
	show(main, heading("Settings"), subpages("Settings", "#/settings", PARTS.map(([part, words]) => [part, words]), name), box);
	await draw(box, signal);
}
