/* SPDX-License-Identifier: ISC */
/* The field tables of the messages of the live stream. The help texts are the documentation in
   asyncapi.json. */
#include "config.h"

#include "base/limits.h"
#include "json/json.h"
#include "wire/stream_messages.h"
#include "wire/values.h"

/* Limits of texts that a page chooses (titles, questions, addresses): longer ones are cut before
   they are sent. */
enum { SHOWN_URL = 2048, SHOWN_TITLE = 512, SHOWN_TEXT = 4096, SHOWN_NAME = 256 };

/* ---- rows ---- */

/* The first row of every message. */
#define TYPE(n)                                                                                    \
	{                                                                                          \
		.name = "type", .type = FIELD_STR, .flags = REQUIRED, .offset = 0,                 \
		.values = (const char *const[]){ n, NULL },                                        \
	}
/* Rows with a help text. A message of the server always has all its members, so its rows are
   REQUIRED. */
#define SAID(s, m, about)                                                                          \
	{                                                                                          \
		.name = #m, .type = FIELD_TYPE(s, m), .flags = REQUIRED, .offset = offsetof(s, m), \
		.help = (about)                                                                    \
	}
#define NULLED(s, m, about)                                                                        \
	{                                                                                          \
		.name = #m, .type = FIELD_TYPE(s, m), .flags = REQUIRED | NULLABLE,                \
		.offset = offsetof(s, m), .help = (about)                                          \
	}
#define SHOWN(s, m, fl, max, about)                                                                \
	{                                                                                          \
		.name = #m, .type = FIELD_TYPE(s, m), .flags = REQUIRED | (fl),                    \
		.offset = offsetof(s, m), .hi = (max), .help = (about)                             \
	}
#define GIVEN(s, m, fl, min, max, about)                                                           \
	{                                                                                          \
		.name = #m, .type = FIELD_TYPE(s, m), .flags = (fl), .offset = offsetof(s, m),     \
		.lo = (min), .hi = (max), .help = (about)                                          \
	}
#define MAYBE(s, m, kind, about)                                                                   \
	{                                                                                          \
		.name = #m, .type = FIELD_RAW, .flags = REQUIRED | NULLABLE,                       \
		.offset = offsetof(s, m), .item = (kind), .help = (about)                          \
	}

#define TAB(s) GIVEN(s, tab, REQUIRED, 1, LIM_STREAM_TABS, "Number of the tab.")

/* ---- from the client ---- */

static const char *const mouse_actions[] = { "move", "down", "up", "wheel", NULL };
static const char *const buttons[] = { "none", "left", "middle", "right", NULL };
static const char *const key_actions[] = { "down", "up", NULL };

static const char modifiers_help[] =
    "The sum of 1 Alt, 2 Control, 4 Meta and 8 Shift, as they are held.";

static const struct field client_mouse[] = {
	TYPE("mouse"),
	ONE_OF(struct stream_mouse, action, REQUIRED, mouse_actions, NULL),
	GIVEN(struct stream_mouse, x, REQUIRED, 0, LIM_VIEWPORT_WIDTH_MAX,
	    "CSS pixels from the left edge of the viewport."),
	GIVEN(struct stream_mouse, y, REQUIRED, 0, LIM_VIEWPORT_HEIGHT_MAX,
	    "CSS pixels from the upper edge of the viewport."),
	ONE_OF(struct stream_mouse, button, 0, buttons, "The one that went down or up."),
	GIVEN(struct stream_mouse, buttons, 0, 0, 7,
	    "The sum of 1 left, 2 right and 4 middle, as they are held."),
	GIVEN(struct stream_mouse, clicks, 0, 0, 3, "2 for the second of a double click."),
	GIVEN(struct stream_mouse, modifiers, 0, 0, 15, modifiers_help),
	GIVEN(struct stream_mouse, dx, 0, -10000, 10000, "Pixels the wheel scrolls right."),
	GIVEN(struct stream_mouse, dy, 0, -10000, 10000, "Pixels the wheel scrolls down."),
	FIELD_END,
};

static const struct field client_key[] = {
	TYPE("key"),
	ONE_OF(struct stream_key, action, REQUIRED, key_actions, NULL),
	GIVEN(struct stream_key, key, REQUIRED, 1, 32, "KeyboardEvent.key."),
	GIVEN(struct stream_key, code, REQUIRED, 0, 32, "KeyboardEvent.code."),
	GIVEN(struct stream_key, text, 0, 0, 8, "The text that the key writes, if any."),
	GIVEN(struct stream_key, location, 0, 0, 3, "KeyboardEvent.location."),
	GIVEN(struct stream_key, modifiers, 0, 0, 15, modifiers_help),
	GIVEN(struct stream_key, repeat, 0, 0, 0, "The key is held and repeats itself."),
	FIELD_END,
};

static const struct field client_text[] = {
	TYPE("text"),
	GIVEN(struct stream_text, text, REQUIRED | BYTES_TOO, 1, LIM_STREAM_TEXT, NULL),
	FIELD_END,
};

static const struct field client_nav[] = {
	TYPE("nav"),
	GIVEN(struct stream_nav, url, REQUIRED | TRIM, 1, LIM_START_URL,
	    "An http or https address of the public network."),
	FIELD_END,
};

#define PLAIN(name) static const struct field client_##name[] = { TYPE(#name), FIELD_END }
PLAIN(back);
PLAIN(forward);
PLAIN(reload);
PLAIN(stop);
PLAIN(shot);
PLAIN(ping);

static const struct field client_tab[] = {
	TYPE("tab"),
	TAB(struct stream_tab),
	FIELD_END,
};

static const struct field client_close_tab[] = {
	TYPE("close_tab"),
	TAB(struct stream_tab),
	FIELD_END,
};

static const struct field client_dialog[] = {
	TYPE("dialog"),
	GIVEN(struct stream_dialog, accept, REQUIRED, 0, 0, "OK, or Cancel."),
	GIVEN(struct stream_dialog, text, BYTES_TOO, 0, LIM_STREAM_TEXT, "The answer to a prompt."),
	FIELD_END,
};

static const struct field client_ack[] = {
	TYPE("ack"),
	GIVEN(struct stream_ack, frame, REQUIRED, 0, UINT32_MAX,
	    "Number of the frame, from its header; all earlier frames count as acknowledged too."),
	FIELD_END,
};

static const struct field client_quality[] = {
	TYPE("quality"),
	GIVEN(struct stream_quality, fps, 0, 1, LIM_STREAM_FPS,
	    "Frames a second at most; unchanged when absent."),
	GIVEN(struct stream_quality, quality, 0, 1, LIM_STREAM_QUALITY,
	    "JPEG quality; unchanged when absent."),
	FIELD_END,
};

/* ---- from the server ---- */

static const struct field viewport[] = {
	SAID(struct stream_viewport, width, "CSS pixels"),
	SAID(struct stream_viewport, height, "CSS pixels"),
	FIELD_END,
};

static const struct field limits[] = {
	SAID(struct stream_limits, message_bytes, "Bytes of a message of the client."),
	SAID(struct stream_limits, messages_per_second, "Messages of the client a second."),
	SAID(struct stream_limits, text_bytes, "Bytes of the text of a text message."),
	SAID(struct stream_limits, frame_bytes, "Bytes of a frame of either side."),
	SAID(struct stream_limits, fps, "Frames a second that can be asked for."),
	SAID(struct stream_limits, quality, "JPEG quality that can be asked for."),
	FIELD_END,
};

static const struct field server_hello[] = {
	TYPE("hello"),
	SAID(struct stream_hello, version, "1: the version of these messages."),
	SAID(struct stream_hello, session, "UUID of the session."),
	OBJECT(struct stream_hello, viewport, REQUIRED, viewport),
	SAID(struct stream_hello, profile, "The browser profile."),
	SAID(struct stream_hello, country, "The egress country, ISO 3166-1 alpha-2."),
	SAID(struct stream_hello, now, "The server's time."),
	NULLED(struct stream_hello, expires_at, "When the session ends at the latest."),
	SAID(struct stream_hello, idle_seconds,
	    "Seconds without input after which the session ends."),
	OBJECT(struct stream_hello, limits, REQUIRED, limits),
	FIELD_END,
};

static const struct field server_state[] = {
	TYPE("state"),
	ONE_OF(struct stream_state, state, REQUIRED, session_states, NULL),
	FIELD_END,
};

static const struct field tab_info[] = {
	TAB(struct stream_tab_info),
	SHOWN(struct stream_tab_info, url, 0, SHOWN_URL, NULL),
	SHOWN(struct stream_tab_info, title, 0, SHOWN_TITLE, NULL),
	SAID(struct stream_tab_info, loading, NULL),
	FIELD_END,
};

static const struct field server_tabs[] = {
	TYPE("tabs"),
	SAID(struct stream_tabs, active, "Number of the active tab; 0 while there is none."),
	LIST(struct stream_tabs, tabs, REQUIRED, struct stream_tab_info, tab_info, 0, 0),
	FIELD_END,
};

static const struct field server_url[] = {
	TYPE("url"),
	TAB(struct stream_url),
	SHOWN(struct stream_url, url, 0, SHOWN_URL, NULL),
	SAID(struct stream_url, loading, NULL),
	SAID(struct stream_url, can_go_back, NULL),
	SAID(struct stream_url, can_go_forward, NULL),
	SHOWN(struct stream_url, failure, NULLABLE, SHOWN_NAME,
	    "Why the page could not be loaded, as in its network event; null when it was "
	    "loaded."),
	FIELD_END,
};

static const struct field server_title[] = {
	TYPE("title"),
	TAB(struct stream_title),
	SHOWN(struct stream_title, title, 0, SHOWN_TITLE, NULL),
	FIELD_END,
};

static const char *const dialog_kinds[] = { "alert", "confirm", "prompt", "beforeunload", NULL };

static const struct field server_dialog[] = {
	TYPE("dialog"),
	TAB(struct stream_dialog_open),
	ONE_OF(struct stream_dialog_open, kind, REQUIRED, dialog_kinds, NULL),
	SHOWN(struct stream_dialog_open, message, 0, SHOWN_TEXT, "The text that the page chose."),
	{
	    .name = "default",
	    .type = FIELD_STR,
	    .flags = REQUIRED,
	    .offset = offsetof(struct stream_dialog_open, preset),
	    .hi = SHOWN_TEXT,
	    .help = "The text that a prompt suggests.",
	},
	SAID(struct stream_dialog_open, open,
	    "False: the dialog was answered or has closed; ignore the other members."),
	FIELD_END,
};

static const struct field server_download_blocked[] = {
	TYPE("download_blocked"),
	TAB(struct stream_download_blocked),
	SHOWN(struct stream_download_blocked, url, 0, SHOWN_URL, NULL),
	SHOWN(struct stream_download_blocked, name, 0, SHOWN_NAME,
	    "The file's name, as the site gave it."),
	SAID(struct stream_download_blocked, at, "When it was denied."),
	FIELD_END,
};

static const struct field server_cert[] = {
	TYPE("cert"),
	TAB(struct stream_cert),
	SHOWN(struct stream_cert, url, 0, SHOWN_URL, NULL),
	SHOWN(struct stream_cert, error, 0, SHOWN_NAME, "Chromium's name of the error."),
	SAID(struct stream_cert, at, "When the page was asked for."),
	FIELD_END,
};

static const struct field server_egress_denied[] = {
	TYPE("egress_denied"),
	SHOWN(struct stream_egress_denied, host, 0, SHOWN_NAME, NULL),
	SAID(struct stream_egress_denied, port, NULL),
	SHOWN(struct stream_egress_denied, reason, 0, SHOWN_NAME, NULL),
	SAID(struct stream_egress_denied, at, "When it was denied."),
	FIELD_END,
};

static const struct field net_header_fields[] = {
	SAID(struct net_header, name, NULL),
	SAID(
	    struct net_header, value, "\"[redacted]\" where it would be a credential or a cookie."),
	FIELD_END_OF("HttpHeader"),
};

static const struct field net_tls_fields[] = {
	NULLED(struct net_tls, version, NULL),
	NULLED(struct net_tls, cipher, NULL),
	NULLED(struct net_tls, subject, NULL),
	NULLED(struct net_tls, issuer, NULL),
	NULLED(struct net_tls, not_after, NULL),
	FIELD_END_OF("TlsConnection"),
};

const struct field net_event_fields[] = {
	SAID(struct net_event, id, NULL),
	SAID(struct net_event, at, "When the request began."),
	SAID(struct net_event, tab, "Number of the tab."),
	ONE_OF(struct net_event, kind, REQUIRED, net_kinds, NULL),
	SAID(struct net_event, method, "Empty if the event is not a request."),
	SAID(struct net_event, url, NULL),
	SAID(struct net_event, resource_type, "Document, Script, Image ..., as Chromium says."),
	MAYBE(struct net_event, status, FIELD_INT, "The HTTP status."),
	NULLED(struct net_event, mime, NULL),
	NULLED(struct net_event, remote_address, "The address that was connected to."),
	MAYBE(struct net_event, remote_port, FIELD_INT, NULL),
	NULLED(struct net_event, protocol, "http/1.1, h2 ..."),
	OBJECT(struct net_event, tls, REQUIRED | NULLABLE, net_tls_fields),
	LIST(struct net_event, request_headers, REQUIRED, struct net_header, net_header_fields, 0,
	    0),
	LIST(struct net_event, response_headers, REQUIRED, struct net_header, net_header_fields, 0,
	    0),
	SAID(struct net_event, bytes_sent,
	    "Bytes of the request line, the headers as text and the body that "
	    "Content-Length "
	    "announces; of a WebSocket, its handshake. 0: nothing was sent."),
	SAID(struct net_event, bytes_received,
	    "Bytes of the status line, headers and body as they came, before they are "
	    "decompressed; of a WebSocket, its handshake. 0: nothing came, or it was in "
	    "the browser's cache."),
	MAYBE(struct net_event, duration_ms, FIELD_INT, "Until the last byte."),
	NULLED(struct net_event, failure, "The reason why there is no complete answer."),
	NULLED(struct net_event, redirected_from, "The address that led here."),
	FIELD_END_OF("NetworkEvent"),
};

static const struct field server_net[] = {
	TYPE("net"),
	LIST(struct stream_net, events, REQUIRED, struct net_event, net_event_fields, 0, 0),
	FIELD_END,
};

static const struct field server_shot[] = {
	TYPE("shot"),
	SAID(struct stream_shot_taken, id, "UUID of the screenshot among the evidence."),
	ONE_OF(struct stream_shot_taken, reason, REQUIRED, shot_reasons, NULL),
	TAB(struct stream_shot_taken),
	SHOWN(struct stream_shot_taken, url, 0, SHOWN_URL, NULL),
	SHOWN(struct stream_shot_taken, title, 0, SHOWN_TITLE, NULL),
	SAID(struct stream_shot_taken, width, "Pixels."),
	SAID(struct stream_shot_taken, height, "Pixels."),
	SAID(struct stream_shot_taken, taken_at, NULL),
	FIELD_END,
};

static const struct field server_crashed[] = {
	TYPE("crashed"),
	TAB(struct stream_crashed),
	SAID(struct stream_crashed, reloading, "It is being loaded again, once."),
	SAID(struct stream_crashed, at, "When it crashed."),
	FIELD_END,
};

static const char *const expiring_reasons[] = { "expired", "idle_timeout", NULL };

static const struct field server_expiring[] = {
	TYPE("expiring"),
	SAID(struct stream_expiring, seconds, "Until the session ends."),
	ONE_OF(struct stream_expiring, reason, REQUIRED, expiring_reasons,
	    "Input prevents the end for idle_timeout."),
	FIELD_END,
};

static const struct field server_error[] = {
	TYPE("error"),
	SHOWN(struct stream_error, code, 0, 64,
	    "One of the codes of a field error, or too_many_messages, message_too_long, "
	    "invalid_json, unknown_message, session_not_ready, tab_not_found, no_dialog, "
	    "shot_refused, internal_error."),
	SHOWN(struct stream_error, message, 0, 512, "A description for people."),
	SHOWN(
	    struct stream_error, to, NULLABLE, 32, "Type of the message that was not carried out."),
	SHOWN(struct stream_error, field, NULLABLE, 128,
	    "The member of that message that is at fault."),
	FIELD_END,
};

static const struct field server_pong[] = {
	TYPE("pong"),
	FIELD_END,
};

static const struct field server_bye[] = {
	TYPE("bye"),
	SHOWN(struct stream_bye, reason, 0, 64,
	    "Why the stream ends: a terminal_reason of the session, or displaced when "
	    "another stream took over."),
	FIELD_END,
};

/* ---- the list ---- */

const struct stream_message stream_messages[STREAM_MESSAGES] = {
#define CLIENT(id, name, what, help)                                                               \
	[STREAM_##id] = { #name, help, true, client_##name, sizeof(struct stream_##what) },
#define SERVER(id, name, what, help)                                                               \
	[STREAM_##id] = { #name, help, false, server_##name, sizeof(struct stream_##what) },
#include "tbl/stream_messages.h"
};

const struct stream_message *
stream_message_find(struct str name)
{
	for (const struct stream_message *m = stream_messages;
	     m < stream_messages + STREAM_MESSAGES; m++)
		if (m->from_client && str_is(name, m->name))
			return m;
	return NULL;
}
