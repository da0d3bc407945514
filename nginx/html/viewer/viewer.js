// SPDX-License-Identifier: ISC
// The page: joins the parts, and decides what is shown when.

import { Clock } from "./clock.js";
import { ConnectForm, readLink } from "./connect.js";
import { Ended } from "./ended.js";
import { Failure } from "./failure.js";
import { Keyboard } from "./keyboard.js";
import { Network } from "./network.js";
import { Notices } from "./notices.js";
import { PageDialog } from "./dialog.js";
import { Pointer } from "./pointer.js";
import { Screen } from "./screen.js";
import { Shots } from "./shots.js";
import { Splitter } from "./splitter.js";
import { Stream } from "./stream.js";
import { Tabs } from "./tabs.js";
import { markSelected, tablistKeys } from "../common/tablist.js";
import { clock, hostOf } from "../common/clock.js";

const $ = (id) => document.getElementById(id);

let stream = null;
let loading = false;
let address = "";
let began = 0; // ms by the server's clock: what is older was before this stream
let session = ""; // whose evidence is shown
let evidence = ""; // its path, where the cookie of the console opens it

const announce = (words) => {
	$("status").textContent = words;
};

// ---- parts ----

const network = new Network({
	rows: $("network-rows"), scroll: $("network-scroll"), empty: $("network-empty"), count: $("network-count"),
	filter: $("filter"), failed: $("only-failed"), details: $("details"), title: $("details-title"),
	body: $("details-body"), close: $("details-close"),
});
const shots = new Shots({
	list: $("shots-list"), empty: $("shots-empty"), count: $("shots-count"), dialog: $("shot-dialog"),
	title: $("shot-title"), picture: $("shot-picture"), words: $("shot-words"),
});
const notices = new Notices({
	list: $("notices-list"), empty: $("notices-empty"), count: $("notices-count"), toasts: $("toasts"),
	status: $("status"),
});
const time = new Clock({ box: $("clock"), left: $("clock-left"), words: $("clock-words"), status: $("status") });
const dialog = new PageDialog($("page-dialog"), (answer) => stream?.input("dialog", answer));
const tabs = new Tabs($("tabs"), (tab) => stream?.input("tab", { tab }), (tab) => stream?.input("close_tab", { tab }));
const screen = new Screen($("screen"), () => {
	$("wait").hidden = true;
});
const failure = new Failure({
	card: $("failure"), title: $("failure-title"), words: $("failure-words"), code: $("failure-code"),
	again: $("failure-again"), plain: $("failure-plain"),
}, (url) => {
	stream?.input("nav", { url });
	$("keys").focus({ preventScroll: true });
});
const ended = new Ended({
	title: $("ended-title"), words: $("ended-words"), how: $("ended-how"), ticket: $("ended-ticket"), code: $("ended-code"),
	evidence: $("ended-evidence"), console: $("ended-console"), paths: $("ended-paths"), again: $("again"),
}, announce);
const pointer = new Pointer($("frame"), () => $("keys").focus({ preventScroll: true }));
const keyboard = new Keyboard($("keys"), $("compose"), {
	leave: (backwards) => leavePage(backwards),
	reload: () => stream?.input("reload"),
	history: (way) => stream?.input(way),
	address: () => {
		$("url").focus();
		$("url").select();
	},
	cut: (max) => notices.say("Paste cut off", `Only the first ${max} characters were pasted.`),
});

// ---- what is shown ----

function show(view) {
	document.body.dataset.view = view;
	$("bar").querySelectorAll("button, input, select").forEach((n) => {
		if (n.id !== "panel-toggle")
			n.disabled = view !== "live";
	});
	$("keys").disabled = view !== "live";
	$("ended").hidden = view !== "ended";
}

function linkState(state, words) {
	$("link-state").dataset.state = state;
	$("link-words").textContent = words;
}

function showAddress(url) {
	address = url;
	if (document.activeElement !== $("url"))
		$("url").value = url;
}

function showTitle(title) {
	document.title = title ? `${title} – Session viewer` : "Session viewer";
}

function showLoading(yes) {
	const words = yes ? "Stop" : "Reload";
	loading = yes;
	$("reload").classList.toggle("loading", yes);
	$("reload").setAttribute("aria-label", words);
	$("reload").title = words;
	$("stage").classList.toggle("loading", yes);
}

function showFailure(m) {
	if (!m.failure || m.loading)
		failure.hide();
	else
		$("alarm").textContent = failure.show(m.url, hostOf(m.url), m.failure);
}

// The connection may come back by itself: until then the picture is an old one.
function showSilent(seconds) {
	$("stage").classList.toggle("silent", seconds > 0);
	if (!seconds) {
		linkState(...state);
		banner("", false);
		announce("Connected again");
		return;
	}
	linkState("busy", "Reconnecting…");
	banner(`Nothing has come from the session for ${seconds} seconds. Reconnecting…`, false);
	if (seconds === 10)
		announce("The connection is silent. Reconnecting");
}

function banner(words, canStay) {
	$("banner").hidden = !words;
	$("banner-words").textContent = words;
	$("banner-stay").hidden = !canStay;
}

// ---- messages of the server ----

function shot(message) {
	if (shots.has(message.id))
		return;
	shots.add(message, evidence && `${evidence}/screenshots/${message.id}`);
	if (message.reason === "request" && Date.parse(message.taken_at) >= began)
		announce("Screenshot taken");
}

const STATES = { queued: "Waiting", starting: "Starting", running: "Live", closing: "Closing", terminal: "Over" };

let state = ["busy", "Connecting"]; // what the session said last

const takers = {
	hello(m) {
		began = Date.parse(m.now);
		notices.since(began);
		pointer.viewport(m.viewport);
		screen.size(m.viewport.width, m.viewport.height);
		$("work").style.setProperty("--ratio", m.viewport.width / m.viewport.height);
		$("work").style.setProperty("--wide", `${m.viewport.width}px`);
		$("facts").textContent = `${m.viewport.width} × ${m.viewport.height}, ${m.profile}${m.country ? `, egress ${m.country}` : ""}`;
		time.start(m);
		sendQuality();
	},
	state(m) {
		state = [m.state === "running" ? "live" : "busy", STATES[m.state] ?? m.state];
		linkState(...state);
	},
	tabs(m) {
		const active = m.tabs.find((t) => t.tab === m.active);
		tabs.show(m);
		showTitle(active?.title);
		if (active)
			showLoading(active.loading);
	},
	url(m) {
		if (m.tab !== tabs.active)
			return;
		showAddress(m.url);
		showLoading(m.loading);
		network.page(hostOf(m.url));
		showFailure(m);
		$("back").disabled = !m.can_go_back;
		$("forward").disabled = !m.can_go_forward;
	},
	title(m) {
		tabs.title(m.tab, m.title);
		if (m.tab === tabs.active)
			showTitle(m.title);
	},
	dialog(m) {
		keyboard.release();
		dialog.take(m, hostOf(address));
	},
	error(m) {
		if (m.code === "unknown_message")
			return; // a browser that is older than this page does not know ping; its answer is a sign of life
		if (m.to === "nav")
			showAddress(address); // what was typed is not where the page is
		notices.take(m);
	},
	net: (m) => network.add(m.events),
	shot,
	expiring(m) {
		const idle = m.reason === "idle_timeout";
		const words = `The session ends in ${clock(m.seconds)}${idle ? ", because nobody does anything." : "."}`;
		banner(words, idle);
		$("alarm").textContent = words;
	},
};

function take(message) {
	const taker = takers[message.type];
	if (taker)
		taker(message);
	else
		notices.take(message);
}

// ---- connecting and ending ----

function connect(link) {
	const mine = new Stream(link);
	stream = mine;
	if (session !== link.session) // again the same one: what is shown stays, and what comes twice is known
		[network, shots, notices].forEach((part) => part.clear());
	session = link.session;
	evidence = link.own ? `/api/v1/projects/${link.project}/sessions/${link.session}` : "";
	failure.hide();
	$("stage").classList.remove("silent");
	[screen, keyboard, pointer].forEach((part) => part.attach(mine));
	$("wait").hidden = false;
	banner("", false);
	linkState("busy", "Connecting");
	announce("Connecting");
	show("live");
	if (SHORT.matches)
		showPanel(false);
	else if (folded)
		showPanel(true);
	folded = false;
	mine.addEventListener("silent", (e) => mine === stream && showSilent(e.detail));
	mine.addEventListener("heard", () => mine === stream && showSilent(0));
	mine.addEventListener("open", () => {
		linkState("live", "Connected");
		announce("Connected");
		$("keys").focus({ preventScroll: true });
	});
	mine.addEventListener("message", (e) => mine === stream && take(e.detail));
	mine.addEventListener("input", () => {
		if (mine !== stream)
			return;
		time.active();
		if (!$("banner-stay").hidden)
			banner("", false);
	});
	mine.addEventListener("end", (e) => mine === stream && end(e.detail, link));
}

function end(how, link) {
	const words = ended.show(how, link);
	stream = null;
	failure.hide();
	$("stage").classList.remove("silent");
	time.stop();
	dialog.close();
	notices.end();
	if (SMALL.matches && !$("panel").hidden) { // the card needs the room
		folded = true;
		showPanel(false);
	}
	tabs.end();
	banner("", false);
	showLoading(false);
	showTitle(words.title);
	linkState("ended", words.state);
	$("wait").hidden = true;
	show("ended");
	$("ended-title").focus();
}

const form = new ConnectForm(connect, () => show("connect"), "stream");

function fromFragment() {
	const text = location.hash.slice(1);
	if (!text)
		return;
	const link = readLink(text);
	if (link.ticket)
		history.replaceState(null, "", location.pathname);
	if (stream)
		stream.close();
	form.tryLink(link);
}

// ---- the viewer's own controls ----

function leavePage(backwards) {
	if (backwards && !$("panel").hidden)
		document.querySelector('.panel-tabs [aria-selected="true"]').focus();
	else
		$("url").focus();
}

// F6 elsewhere: from the toolbar to the page, from the evidence to the toolbar; Shift+F6 from the toolbar to
// the evidence, and from there to the page.
function cycle(e) {
	if (e.key !== "F6" || e.defaultPrevented || document.body.dataset.view !== "live" || document.querySelector("dialog[open]"))
		return;
	const regions = [$("bar"), $("panel")];
	const here = regions.findIndex((r) => r.contains(document.activeElement));
	e.preventDefault();
	if ((here === 1 && !e.shiftKey) || (here !== 1 && e.shiftKey && here !== 0))
		$("url").focus();
	else if (here === 0 && e.shiftKey)
		leavePage(true);
	else
		$("keys").focus();
}

function sendQuality() {
	const [fps, quality] = $("quality").value.split(",").map(Number);
	stream?.send("quality", { fps: document.hidden ? 1 : fps, quality });
}

// What people type into an address bar: a name without a scheme is meant.
function completed(text) {
	const url = text.trim();
	return /^[a-z][a-z0-9+.-]*:/i.test(url) && !/^[^/]*:\d/.test(url) ? url : `https://${url}`;
}

const SHORT = matchMedia("(max-height: 500px)"); // a phone on its side, or a page that is zoomed
const SMALL = matchMedia("(max-width: 860px), (max-height: 500px)");
let folded = false; // the evidence was closed by us

function showPanel(yes) {
	$("panel").hidden = $("splitter").hidden = !yes;
	$("panel-toggle").setAttribute("aria-expanded", String(yes));
	$("work").classList.toggle("alone", !yes);
}

function toggleActual() {
	const actual = $("actual").getAttribute("aria-pressed") !== "true";
	$("actual").setAttribute("aria-pressed", String(actual));
	$("stage").classList.toggle("actual", actual);
	$("view").scrollTo(0, 0);
}

function choosePanel(tab) {
	const all = [...document.querySelectorAll(".panel-tabs [role=tab]")];
	markSelected(all, tab);
	for (const t of all)
		$(t.getAttribute("aria-controls")).hidden = t !== tab;
}

$("again").addEventListener("click", () => {
	if (ended.next) {
		form.take(ended.next);
		return;
	}
	show("connect");
	linkState("idle", "Not connected");
	$("ticket").focus();
});
$("address").addEventListener("submit", (e) => {
	e.preventDefault();
	if (!$("url").value.trim())
		return;
	stream?.input("nav", { url: completed($("url").value) });
	$("keys").focus();
});
$("url").addEventListener("focus", () => $("url").select());
$("url").addEventListener("keydown", (e) => {
	if (e.key !== "Escape")
		return;
	$("url").value = address;
	$("keys").focus();
});
$("back").addEventListener("click", () => stream?.input("back"));
$("forward").addEventListener("click", () => stream?.input("forward"));
$("reload").addEventListener("click", () => stream?.input(loading ? "stop" : "reload"));
$("shoot").addEventListener("click", () => stream?.send("shot"));
$("quality").addEventListener("change", sendQuality);
$("panel-toggle").addEventListener("click", () => showPanel($("panel").hidden));
$("actual").addEventListener("click", toggleActual);
$("banner-stay").addEventListener("click", () => pointer.nudge());
document.querySelector(".panel-tabs").addEventListener("click", (e) => {
	const tab = e.target.closest("[role=tab]");
	if (tab)
		choosePanel(tab);
});
tablistKeys(document.querySelector(".panel-tabs"), choosePanel);
document.addEventListener("keydown", cycle);
document.addEventListener("pointerdown", (e) => {
	if (!$("clock").contains(e.target))
		$("clock").open = false;
});
$("clock").addEventListener("keydown", (e) => {
	if (e.key === "Escape")
		$("clock").open = false;
});
document.addEventListener("visibilitychange", sendQuality);
window.addEventListener("blur", () => keyboard.release());
window.addEventListener("hashchange", fromFragment);

new Splitter($("work"), $("splitter"), $("panel"));
show("connect");
fromFragment();
