/* SPDX-License-Identifier: ISC */
/* The live stream of one session: frames, state and network events to at most one viewer, and the
 * viewer's mouse, keys and commands back. It knows WebSocket and the stream's messages, but not
 * CDP.
 *
 *   viewer <= TLS => nginx <=> surfaced-stream <= Unix socket => live.c <- live_ops, live_* ->
 *                              (handshake, ticket)                                     runner
 *
 * surfaced-stream has completed the WebSocket handshake, so a connection to the socket is an open
 * WebSocket from its first byte. A new connection displaces the old one.
 *
 * Messages to the viewer. live_send and its wrappers may be called at any time, with or without a
 * viewer:
 *
 *   hello, state, tabs, url, dialog    the newest of each is kept and sent to every viewer that
 *                                      connects
 *   net, shot_taken, notices           the newest are kept (live_past.c) and sent after those
 *   pong, error, expiring, title       only for the viewer that is connected now
 *
 * Frames (live_picture.c). Only the newest frame waits; a newer one replaces it. The pace is
 *
 *   runner -- live_frame(token) --> waiting -- at most fps, if the viewer keeps up --> sent
 *     ^                                |                                                 |
 *     +------- frame_taken(token) -----+ replaced or refused                             |
 *     +------- frame_taken(token) -------------------------------------------------------+
 *                                                           when the next frame is wanted
 *
 * Each token comes back exactly once. The browser produces a new frame only after frame_taken, so a
 * slow viewer slows the browser's screencast down instead of filling memory.
 *
 * Messages from the viewer (live_in.c) are decoded by the field tables of tbl/stream_messages.h and
 * become calls of live_ops; a faulty message is answered with an error and changes nothing. */
#ifndef BROWSER_RUNNER_LIVE_H
#define BROWSER_RUNNER_LIVE_H

#include "daemon/ev.h"
#include "wire/stream_messages.h"

struct live;

/* The viewer's commands, which the runner carries out (viewer.c). Pointers and texts are valid
   until the call returns. Positions are within the viewport of hello; rates, sizes and addresses
   have been checked. None of these functions may free the live. */
struct live_ops {
	/* on: a viewer has connected, or has chosen another rate or quality (1 to 80). The runner
	   sends one screenshot as the first frame, since the screencast of a still page sends none.
	   Off: the viewer has gone, and the runner stops the screencast. */
	void (*watch)(void *arg, bool on, int64_t fps, int64_t quality);
	/* The frame with this token was sent or discarded, and the next one is wanted: the runner
	   sends Page.screencastFrameAck. Called once for each live_frame, perhaps within it. */
	void (*frame_taken)(void *arg, int64_t token);
	void (*mouse)(void *arg, const struct stream_mouse *m);
	void (*key)(void *arg, const struct stream_key *k);
	void (*text)(void *arg, struct str text);
	void (*nav)(void *arg, struct str canonical_url);
	void (*history)(void *arg, int steps); /* -1 or +1 */
	void (*reload)(void *arg);
	void (*stop)(void *arg);
	void (*tab)(void *arg, int64_t tab);
	void (*close_tab)(void *arg, int64_t tab);
	void (*dialog)(void *arg, const struct stream_dialog *d);
	void (*shot)(void *arg);
	/* After live_end: the viewer's connection is closed. Perhaps called within live_end. */
	void (*ended)(void *arg);
};

/* Listens at path with mode 0660 and replaces an old socket there. NULL with errno. ops must
   outlive the live; the caller creates and removes the directory of path. The process must ignore
   SIGPIPE. */
struct live *live_new(
    struct event_base *base, const char *path, const struct live_ops *ops, void *arg);

/* live_hello(l, &(struct stream_hello){ ... }), live_state, live_tabs, live_url, live_title,
   live_dialog_open, live_download_blocked, live_cert, live_egress_denied, live_net,
   live_shot_taken, live_crashed, live_expiring, live_error: one for each message of the server.
   live_send sets the type, and in hello also version, now and limits; the caller keeps its struct.
   The caller sends live_url after each change of the active tab. Only live_end sends live_bye. */
void live_send(struct live *l, enum stream_message_id id, const void *message);
#define SERVER(id, name, what, help)                                                               \
	static inline void live_##what(struct live *l, const struct stream_##what *m)              \
	{                                                                                          \
		live_send(l, STREAM_##id, m);                                                      \
	}
#include "tbl/stream_messages.h"

struct live_frame {
	int64_t token; /* returned by frame_taken */
	int64_t tab;
	struct str jpeg; /* copied */
	int64_t width, height, scroll_x, scroll_y;
	struct ts at;
};

void live_frame(struct live *l, const struct live_frame *f);

bool live_watched(const struct live *l); /* is a viewer connected? */

/* Sends bye with the reason (a terminal reason of tbl/session_states.h, or "failed"), closes the
   WebSocket
   with code, stops listening, and calls ops->ended within 2 s. */
void live_end(struct live *l, const char *reason, unsigned code);

void live_free(struct live *l);

#endif
