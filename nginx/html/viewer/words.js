// SPDX-License-Identifier: ISC
// What the viewer says in words: why a stream ended, and what happened. Sizes and times are in ../common/words.js.

const REASONS = {
	closed_by_creator: ["The session was closed", "Its creator closed it."],
	closed_by_manager: ["The session was closed", "A manager of the project closed it."],
	expired: ["The session's time is over", "It reached the end of its allotted time."],
	idle_timeout: ["The session was idle too long", "Nobody typed, clicked or scrolled for a while, so it was closed."],
	failed: ["The session failed", "Its browser ended unexpectedly."],
	access_revoked: ["Access was withdrawn", "The key that created this session may no longer use it."],
	silent: ["The connection was lost", "Nothing has come from the service for 45 seconds. The session may still be running: connect again with a new ticket."],
	displaced: ["The stream moved elsewhere", "A newer connection took over this session. One stream at a time can control it."],
};

// src/tbl/stream_refusals.h: the reasons of a refusal.
const REFUSALS = {
	4001: ["The ticket is used up or too old", "A ticket opens one stream, within thirty seconds. Ask for a new one."],
	4002: ["The API key is not valid", "It was revoked, or another key created this session."],
	4003: ["Access was withdrawn", "The key that created this session may not use it any more."],
	4004: ["Somebody is watching this session", "One stream at a time controls a session. Close the other viewer, then connect with a new ticket."],
	4005: ["The session is not running yet", "Its browser is still starting. Connect with a new ticket in a moment."],
	4006: ["The session has ended", "There is no picture any more."],
	4007: ["The session's browser cannot be reached", "The service is busy or restarting. Try a new ticket in a moment."],
};

const CODES = {
	...REFUSALS,
	1000: ["The stream ended", "The session is over."],
	1001: ["The server is restarting", "The session goes on. Connect again with a new ticket."],
	1002: ["The connection was faulty", "One side broke the WebSocket protocol. Connect again with a new ticket."],
	1006: ["The connection was lost", "The session may still be running. Connect again with a new ticket."],
	1007: ["The connection was faulty", "Text arrived that is not valid. Connect again with a new ticket."],
	1008: ["Access was withdrawn", "The key, its permission or its entitlement is no longer valid for this session."],
	1009: ["A message was too large", "The stream allows at most 8 MiB a frame. Connect again with a new ticket."],
	1011: ["The server had a fault", "Connect again with a new ticket."],
	1012: ["The server is restarting", "The session goes on. Connect again with a new ticket."],
	1013: ["The browser cannot be reached", "The session is busy or its browser is starting again. Try a new ticket in a moment."],
};

// No WebSocket came about at all: the browser shows a page neither the status nor the reason.
const UNREACHED = ["The service did not answer", "It is down or cannot be reached from here, or pages of this address may not open streams. Try again with a new ticket; if this stays, the operator of the service can see why."];

// A session that is over gets no more tickets.
function isOver(end) {
	if (end.code === 4006)
		return true;
	return end.reason ? !["displaced", "silent"].includes(end.reason) : end.opened && end.code === 1000;
}

// {title, words, small print, state: beside the dot, over, evidence: there is some} of an end.
export function endWords(end) {
	const known = end.opened || REFUSALS[end.code] ? CODES[end.code] : UNREACHED;
	const [title, words] = REASONS[end.reason] ?? known ?? ["The stream ended", "Connect again with a new ticket."];
	const small = end.reason ? `Reason: ${end.reason}, close code ${end.code}` : `Close code ${end.code}`;
	const over = isOver(end);
	return { title, words, small, over, evidence: end.opened || over, state: over ? "Ended" : "Not connected" };
}

export function dialogTitle(kind, host) {
	if (kind === "beforeunload")
		return "Leave this page?";
	return host ? `${host} says` : "The page says";
}

const SHOTS = {
	ready: "When the session began",
	load: "When a page had loaded",
	request: "On request",
	interval: "Taken every minute",
	close: "When the session ended",
};

export function shotWords(reason) {
	return SHOTS[reason] ?? reason;
}
