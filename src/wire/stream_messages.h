/* SPDX-License-Identifier: ISC */
/* The messages of the live stream (tbl/stream_messages.h lists them): a C struct and a field table
   for each, which decode, write and describe it (asyncapi.json). Every struct begins with its type,
   which the runner fills in from the list when it sends a message. The texts in a struct belong to
   the caller and must live until the message is written. */
#ifndef WIRE_STREAM_MESSAGES_H
#define WIRE_STREAM_MESSAGES_H

#include "json/json.h"

enum stream_message_id {
#define CLIENT(id, name, what, help) STREAM_##id,
#define SERVER(id, name, what, help) STREAM_##id,
#include "tbl/stream_messages.h"
	STREAM_MESSAGES,
};

struct stream_message {
	const char *name;
	const char *help;
	bool from_client;
	const struct field *fields;
	size_t size; /* bytes of the struct */
};

extern const struct stream_message stream_messages[STREAM_MESSAGES];

/* The message with this name that a client may send; NULL: there is none. */
const struct stream_message *stream_message_find(struct str name);

enum {
	STREAM_VERSION = 1,
	STREAM_FRAME_HEADER = 32, /* bytes before the JPEG of a picture */
	STREAM_FPS_DEFAULT = 10,
	STREAM_QUALITY_DEFAULT = 60,
};

/* ---- from the client ---- */

/* Messages without members other than type. */
struct stream_plain {
	struct str type;
};

/* Positions are CSS pixels of the viewport. buttons: 1 left, 2 right, 4 middle. modifiers: 1 Alt, 2
   Ctrl, 4 Meta, 8 Shift. */
struct stream_mouse {
	struct str type, action, button;
	double x, y, dx, dy;
	int64_t buttons, clicks, modifiers;
};

struct stream_key {
	struct str type, action, key, code, text;
	int64_t location, modifiers;
	bool repeat;
};

struct stream_text {
	struct str type, text;
};

struct stream_nav {
	struct str type, url;
};

struct stream_tab {
	struct str type;
	int64_t tab;
};

struct stream_dialog {
	struct str type, text;
	bool accept;
};

struct stream_ack {
	struct str type;
	int64_t frame;
};

struct stream_quality { /* 0: unchanged */
	struct str type;
	int64_t fps, quality;
};

/* ---- from the server ---- */

struct stream_viewport {
	int64_t width, height;
};

struct stream_limits {
	int64_t message_bytes, messages_per_second, text_bytes, frame_bytes, fps, quality;
};

struct stream_hello {
	struct str type, profile, country;
	int64_t version, idle_seconds;
	struct uuid session;
	struct stream_viewport viewport;
	struct ts now, expires_at;
	struct stream_limits limits;
};

struct stream_state {
	struct str type, state; /* tbl/session_states.h */
};

struct stream_tab_info {
	int64_t tab;
	struct str url, title;
	bool loading;
};

struct stream_tabs {
	struct str type;
	int64_t active;
	struct list tabs; /* of struct stream_tab_info */
};

struct stream_url {
	struct str type, url, failure;
	int64_t tab;
	bool loading, can_go_back, can_go_forward;
};

struct stream_title {
	struct str type, title;
	int64_t tab;
};

struct stream_dialog_open {
	struct str type, kind, message, preset; /* preset is "default" in JSON */
	int64_t tab;
	bool open;
};

struct stream_download_blocked {
	struct str type, url, name;
	struct ts at;
	int64_t tab;
};

struct stream_cert {
	struct str type, url, error;
	struct ts at;
	int64_t tab;
};

struct stream_egress_denied {
	struct str type, host, reason;
	struct ts at;
	int64_t port;
};

struct net_header {
	struct str name, value;
};

struct net_tls { /* all members unset: the connection has no TLS */
	struct str version, cipher, subject, issuer;
	struct ts not_after;
};

/* A network event of a session, for the evidence and for the stream. Each struct json is a number
   or null. */
struct net_event {
	struct uuid id;
	struct ts at;
	int64_t tab;
	struct str kind, method, url, resource_type, mime, remote_address, protocol, failure,
	    redirected_from;
	struct json status, remote_port, duration_ms;
	struct net_tls tls;
	struct list request_headers, response_headers; /* of struct net_header */
	int64_t bytes_sent, bytes_received;
};

extern const struct field net_event_fields[];

struct stream_net {
	struct str type;
	struct list events; /* of struct net_event */
};

struct stream_shot_taken {
	struct str type, reason, url, title;
	struct uuid id;
	int64_t tab, width, height;
	struct ts taken_at;
};

struct stream_crashed {
	struct str type;
	struct ts at;
	int64_t tab;
	bool reloading;
};

struct stream_pong {
	struct str type;
};

struct stream_expiring {
	struct str type, reason; /* expired or idle_timeout */
	int64_t seconds;
};

struct stream_error {
	struct str type, code, message, to, field;
};

struct stream_bye {
	struct str type, reason;
};

#endif
