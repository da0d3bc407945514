// SPDX-License-Identifier: ISC
// Playback of a session: its pictures by time, the bar, the keys, and its requests beside them.

import { ConnectForm, readLink } from "./connect.js";
import { EvidenceApi } from "./evidence-api.js";
import { Player } from "./player.js";
import { Splitter } from "./splitter.js";
import { Timeline } from "./timeline.js";
import { Waterfall } from "./waterfall.js";
import { clock, duration, hour } from "../common/clock.js";
import { dayAndHour } from "../common/words.js";

const $ = (id) => document.getElementById(id);
const SPEEDS = [0.5, 1, 2, 4, 8];
const STEP_MS = 1000, LEAP_MS = 10000, SKIP_SHOWN_MS = 1500;

let api = null, timeline = null, player = null;
let shown = ""; // the uuid of the picture that is shown, or is being fetched
let wanted = NaN; // the moment of the link
let opened = ""; // the session that is open
let place = ""; // of a link without a ticket, which may stay in the address bar
let skipTimer = 0;

const waterfall = new Waterfall({
	rows: $("network-rows"), scroll: $("network-scroll"), empty: $("network-empty"), count: $("network-count"),
	filter: $("filter"), failed: $("only-failed"),
}, (ms) => {
	player.pause();
	player.seek(ms);
});
const form = new ConnectForm(open, () => show("connect"), "evidence");

function show(view) {
	document.body.dataset.view = view;
}

function linkState(state, words) {
	$("link-state").dataset.state = state;
	$("link-words").textContent = words;
}

function offset(ms) {
	return `${ms < 0 ? "−" : ""}${clock(Math.abs(ms) / 1000)}`;
}

const tab = () => Number($("tab").value);

// ---- the picture ----

function noPicture(words) {
	$("picture").hidden = true;
	$("wait").hidden = false;
	$("wait").textContent = words;
}

// Fetching takes time in which the moment goes on: a picture that comes late for another moment is not shown.
async function drawPicture() {
	const shot = timeline.shotAt(player.moment, tab());
	const uuid = shot?.screenshot_uuid ?? "none";
	if (uuid === shown)
		return;
	shown = uuid;
	$("picture").dataset.uuid = "";
	if (!shot) {
		noPicture("No picture at this moment");
		$("facts").textContent = "";
		return;
	}
	try {
		const url = await api.picture(uuid);
		if (shown !== uuid)
			return;
		const picture = $("picture");
		picture.src = url;
		await picture.decode();
		if (shown !== uuid)
			return;
		picture.alt = `Screenshot of ${shot.url}`;
		picture.hidden = false;
		picture.dataset.uuid = uuid;
		$("wait").hidden = true;
		$("facts").textContent = `Tab ${shot.tab} at ${offset(shot.offset_ms)}`;
		$("stage").style.setProperty("--ratio", String(picture.naturalWidth / picture.naturalHeight));
	} catch (fault) {
		if (shown !== uuid)
			return;
		shown = "";
		refused(fault, "This picture could not be read");
	}
	fetchNext();
}

function fetchNext() {
	const next = timeline.shotBeside(player.moment, tab(), 1);
	if (next)
		api.picture(next.screenshot_uuid).catch(() => {});
}

// ---- the bar ----

function drawStrip() {
	const strip = $("strip"), box = strip.getBoundingClientRect(), scale = devicePixelRatio || 1;
	const style = getComputedStyle(strip), context = strip.getContext("2d");
	strip.width = Math.max(1, box.width * scale);
	strip.height = Math.max(1, box.height * scale);
	const x = (ms) => ((ms - timeline.start) / (timeline.end - timeline.start)) * strip.width;
	context.fillStyle = style.getPropertyValue("--line");
	for (const gap of timeline.gaps)
		context.fillRect(x(gap.from), strip.height * 0.42, Math.max(1, x(gap.to) - x(gap.from)), strip.height * 0.16);
	for (const e of timeline.events) {
		const bad = e.failure !== null || (e.status ?? 0) >= 400, picture = e.kind === "screenshot";
		context.fillStyle = style.getPropertyValue(picture ? "--accent" : bad ? "--bad" : "--quiet");
		context.globalAlpha = picture || bad ? 1 : 0.45;
		const height = picture ? 1 : bad ? 0.8 : 0.5;
		context.fillRect(x(e.offset_ms) - scale, strip.height * (1 - height) / 2, 2 * scale, strip.height * height);
	}
	context.globalAlpha = 1;
}

function drawMoment() {
	const ms = player.moment;
	$("seek").value = String(ms);
	$("seek").setAttribute("aria-valuetext", `${offset(ms)} of ${offset(timeline.end)}`);
	$("moment").textContent = offset(ms);
	$("wall").textContent = hour(new Date(timeline.zero + ms));
	$("page-url").textContent = timeline.urlAt(ms, tab());
	waterfall.moment(ms);
	drawPicture();
}

function drawState() {
	$("play").setAttribute("aria-label", player.playing ? "Pause" : "Play");
	$("play").title = player.playing ? "Pause (Space)" : "Play (Space)";
	$("play").classList.toggle("playing", player.playing);
	if (!player.playing)
		remember();
}

function skipped(gap) {
	$("skipped").hidden = false;
	$("skipped").textContent = `Skipped ${duration((gap.to - gap.from) / 1000)} without events`;
	clearTimeout(skipTimer);
	skipTimer = setTimeout(() => {
		$("skipped").hidden = true;
	}, SKIP_SHOWN_MS);
}

// The moment stands in the address bar, and the ticket does not.
function remember() {
	history.replaceState(null, "", `${location.pathname}#${place}t=${Math.round(player.moment)}`);
}

function setSpeed(speed) {
	player.speed = speed;
	$("speed").value = String(speed);
}

function fillTabs() {
	const all = new Option("All tabs", "0");
	$("tab").replaceChildren(all, ...timeline.tabs.map((n) => new Option(`Tab ${n}`, String(n))));
	$("tab").parentElement.hidden = timeline.tabs.length < 2;
}

// ---- opening ----

const WORDS = {
	evidence_ticket_invalid: "This ticket is not valid for this session, or has ended. Ask for a new link.",
	permission_denied: "The key of this ticket may not read the session any more.",
	entitlement_required: "The organisation is not entitled to browser sessions any more.",
	project_not_found: "The key of this ticket does not see the project any more.",
	session_not_found: "There is no such session for the key of this ticket.",
};

function refused(fault, words) {
	player?.pause();
	linkState("ended", "Not connected");
	if (fault.status === 401 || fault.status === 403 || fault.status === 404)
		form.refuse(WORDS[fault.code] ?? fault.message);
	else
		noPicture(`${words}: ${fault.message || "the service did not answer"}`);
}

async function open(link) {
	const same = opened === link.session ? player?.moment : undefined;
	api = new EvidenceApi(link);
	opened = link.session;
	player?.pause();
	show("live");
	linkState("busy", "Reading the evidence");
	noPicture("Reading the evidence…");
	try {
		const mine = api;
		const all = await api.timeline((n) => {
			$("wait").textContent = `Reading the evidence… ${n} events`;
		});
		if (mine !== api)
			return;
		begin(all, same);
		waterfall.durations(await api.durations());
	} catch (fault) {
		refused(fault, "The evidence could not be read");
	}
}

function begin(all, moment) {
	timeline = new Timeline(all);
	player = new Player(timeline);
	shown = "";
	player.addEventListener("moment", drawMoment);
	player.addEventListener("state", drawState);
	player.addEventListener("skip", (e) => skipped(e.detail));
	$("seek").min = timeline.start;
	$("seek").max = timeline.end;
	$("end").textContent = offset(timeline.end);
	$("truncated").hidden = !all.truncated;
	linkState("live", `Recorded ${dayAndHour(timeline.zero)}`);
	fillTabs();
	waterfall.show(timeline.requests);
	drawStrip();
	setSpeed(Number($("speed").value));
	player.seek(Number.isFinite(wanted) ? wanted : moment ?? timeline.shots[0]?.offset_ms ?? 0);
	wanted = NaN;
	$("play").focus();
}

// #PROJECT/SESSION/TICKET, with &t=MS behind it where the link has a moment; #t=MS alone moves.
function fromFragment() {
	const [text, at] = location.hash.slice(1).split(/&?t=(?=-?\d+$)/);
	const ms = at === undefined ? NaN : Number(at);
	if (text && place !== `${text}&`) {
		const link = readLink(text);
		place = link.ticket ? "" : `${text}&`;
		if (link.ticket)
			history.replaceState(null, "", location.pathname);
		wanted = ms;
		form.tryLink(link);
	} else if (Number.isFinite(ms) && player) {
		player.seek(ms);
	} else {
		wanted = ms;
	}
}

// ---- controls ----

function stepShot(step) {
	const shot = timeline.shotBeside(player.moment, tab(), step);
	if (shot)
		player.seek(shot.offset_ms);
}

function stepSpeed(step) {
	setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, SPEEDS.indexOf(player.speed) + step))]);
}

function keyActions(e) {
	const step = e.shiftKey ? LEAP_MS : STEP_MS;
	return {
		" ": () => player.toggle(), k: () => player.toggle(),
		ArrowLeft: () => player.seek(player.moment - step), ArrowRight: () => player.seek(player.moment + step),
		Home: () => player.seek(timeline.start), End: () => player.seek(timeline.end),
		",": () => stepShot(-1), ".": () => stepShot(1),
		"+": () => stepSpeed(1), "-": () => stepSpeed(-1),
		f: () => $("only-failed").click(),
	}[e.key];
}

function key(e) {
	const inside = e.target.closest("input:not([type=range]), select, textarea, [role=separator]");
	const button = e.key === " " && e.target.closest("button, summary, a");
	const action = keyActions(e);
	if (!action || inside || button || !player || document.body.dataset.view !== "live" || e.ctrlKey || e.altKey || e.metaKey)
		return;
	e.preventDefault();
	action();
	if (!player.playing)
		remember();
}

$("play").addEventListener("click", () => player?.toggle());
$("before").addEventListener("click", () => player && stepShot(-1));
$("after").addEventListener("click", () => player && stepShot(1));
$("speed").addEventListener("change", () => player && setSpeed(Number($("speed").value)));
$("tab").addEventListener("change", () => player && drawMoment());
$("seek").addEventListener("input", () => player?.seek(Number($("seek").value)));
$("seek").addEventListener("change", () => player && remember());
document.addEventListener("keydown", key);
window.addEventListener("hashchange", fromFragment);
new ResizeObserver(() => timeline && drawStrip()).observe($("strip"));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => timeline && drawStrip());

new Splitter($("work"), $("splitter"), $("panel"));
show("connect");
fromFragment();
