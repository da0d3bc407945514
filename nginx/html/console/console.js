// SPDX-License-Identifier: ISC
// The console: who is signed in, the header, and one page at a time.
//
// A page is a module that a row of routes.js names. It is loaded when it is opened first, and exports
//
//   export async function open(main, route, signal)
//
//     main    an empty element, to be filled; parts.js has heading(), reading() (a list with its four states), toast(),
//             menu(), badge(); common/dom.js makes elements; common/form.js and common/dialog.js ask
//     route   of the fragment #/keys/new?name=x: {page: "keys", path: ["new"], query: URLSearchParams, hash}
//     signal  ends when the page is left: pass it to every request of api.js, and to every listener outside main
//
//   It may return {change(route)}, which is called when the fragment changes within the same page. When change
//   returns false, the page is opened again. main.className "page wide" takes the whole window. A refusal that open
//   throws is shown with a button to try again; AbortError is ignored.
//
// When a request is refused because the sign-in is not recent, common/api.js shows a dialog (below)
// and repeats the request, so a page gets only refusals of its own request. Entries of lists have
// the attribute data-entry, so that the keys j and k reach them, and the search box of a page has
// data-search. Names in localStorage of data about a person begin with PERSONAL (tabs.js).

import { h, show } from "../common/dom.js";
import { ApiError, api, readSession, serveShell, signedIn, unreachable } from "../common/api.js";
import { drawHeader, markPage } from "./header.js";
import { place } from "./memory.js";
import { faultPanel, toast, styleSheet } from "./parts.js";
import { FIRST, ROUTES } from "./routes.js";
import { leave, listen, tellSignedIn } from "./tabs.js";

const shell = document.getElementById("shell");
const top = h("header.shell-top"), main = h("main", { id: "main" });
let current = { page: "", leave: new AbortController(), handle: null };

// ---- the router ----

// Only fragments that begin with #/ and a letter are places of the console.
export function parse(hash) {
	const [, page, rest, query] = /^#\/([a-z][a-z-]*)((?:\/[^?]*)?)(\?.*)?$/s.exec(hash) ?? [];
	if (!page)
		return null;
	try {
		return { page, path: rest.split("/").filter(Boolean).map(decodeURIComponent), query: new URLSearchParams(query ?? ""), hash };
	} catch {
		return null;
	}
}

// A module that could not be loaded, as Chromium, Firefox or Safari words it, is shown like a request without an answer.
const asShown = (fault) => (fault instanceof TypeError && /imported module|module script failed/u.test(fault.message) ? unreachable() : fault);

// A button whose module or request failed, and that has no better place to say so. The request of a page that was left is no fault.
addEventListener("unhandledrejection", (e) => {
	const fault = asShown(e.reason);
	if (fault instanceof ApiError)
		toast(fault.message, "bad");
	if (fault instanceof ApiError || fault?.name === "AbortError")
		e.preventDefault();
});

async function openPage(route, row) {
	current.leave.abort();
	const box = h("div.page", { "aria-busy": "true" });
	const mine = current = { page: route.page, leave: new AbortController(), handle: null };
	show(main, box);
	markPage(top, route.page);
	document.title = `${row.title} – surfaced`;
	try {
		const [module] = await Promise.all([row.load(), ...(row.styles ?? []).map(styleSheet)]);
		if (mine !== current)
			return;
		mine.handle = await module.open(box, route, mine.leave.signal) ?? null;
	} catch (e) {
		if (mine !== current)
			return;
		const fault = asShown(e);
		if (!(fault instanceof ApiError || e.name === "AbortError"))
			reportError(fault); // a fault of the page
		if (e.name !== "AbortError")
			show(box, faultPanel(fault, () => openPage(route, row)));
	}
	if (mine !== current)
		return;
	box.removeAttribute("aria-busy");
	(box.querySelector("[autofocus]") ?? box.querySelector("h1"))?.focus({ preventScroll: true });
	place();
}

function follow() {
	const route = parse(location.hash), row = ROUTES.find((r) => r.page === route?.page);
	if (route?.page === "link") {
		location.reload(); // a one-time link was opened in this tab; link.js shows it first
		return;
	}
	if (!row) {
		history.replaceState(null, "", FIRST);
		follow();
		return;
	}
	if (current.page === route.page && current.handle?.change?.(route))
		return;
	scrollTo(0, 0);
	openPage(route, row);
}

function redraw() {
	drawHeader(top, () => {
		redraw();
		current.page = "";
		follow();
	});
	markPage(top, current.page);
}

// ---- what requests ask of the shell ----

// Most visits do not need these modules and their style sheet.
const withSignInStyles = async (module) => (await Promise.all([module, styleSheet("sign-in")]))[0];
const again = () => import("./again.js");

let waitTimer = 0;

function waiting(seconds) {
	clearTimeout(waitTimer);
	if (seconds > 1)
		waitTimer = setTimeout(() => toast(`The request limit is reached. The page goes on in ${Math.ceil(seconds)} seconds.`), 300);
}

// ---- beginning ----

let entered = false; // whether a person is signed in and pages are shown

// Before pages are shown, the address leads to a form. A link that is opened in the tab takes the place of the form of
// sign-in, and any other address that of the page of a link. The page that sign-in leads to is only read afterwards.
function changed() {
	if (entered)
		follow();
	else if (parse(location.hash)?.page === "link" || front === "link")
		location.reload();
}

async function enter() {
	await readSession();
	entered = true;
	show(shell, top, main);
	redraw();
	follow();
	addEventListener("session", redraw); // a page has read the session again
	const { startKeys } = await import("./keyboard.js"); // after the first page, which does not need it
	startKeys();
}

let front = ""; // "link" while the page of a link is shown

async function begin() {
	addEventListener("hashchange", changed);
	serveShell({ signInAgain: async () => (await again()).signInAgain(redraw), proveAgain: async () => (await again()).proveAgain(), otherPerson: leave, waiting });
	listen({
		signedOut: () => signedIn.session && leave(),
		signedIn: (person) => {
			if (!signedIn.session)
				location.reload();
			else if (signedIn.session.person.uuid !== person)
				leave();
		},
	});
	try {
		const { methods, signed_in } = await api.get("/auth/methods", { alone: true });
		const link = parse(location.hash);
		if (link?.page === "link") {
			front = "link";
			const { openLink } = await withSignInStyles(import("./link.js"));
			tellSignedIn(await openLink(shell, link, { methods, signed_in }));
			history.replaceState(null, "", FIRST);
		} else if (!signed_in) {
			tellSignedIn(await (await withSignInStyles(import("./sign-in.js"))).signInPage(shell, methods));
		}
		await enter();
	} catch (fault) {
		show(shell, h("main.page", null, h("h1.hidden", null, "surfaced"), faultPanel(fault, () => location.reload())));
	}
}

begin();
