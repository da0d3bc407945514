/* SPDX-License-Identifier: ISC */
/* The live stream of one session, as the runner serves it: WebSocket on a Unix socket, where the proxy has
   done the handshake, so that a connection is an open WebSocket from its first byte. live.c decodes what the
   viewer sends into calls of live_ops, and writes what the runner says of the browser.

   It keeps the state that a viewer must know when it comes (hello, state, tabs, url, an open dialog) and the
   newest network events, screenshots and notices, so all of these may be sent at any time, viewer or not. */
#ifndef BROWSER_RUNNER_LIVE_H
#define BROWSER_RUNNER_LIVE_H

#include "daemon/ev.h"
#include "wire/stream_messages.h"

struct live;

/* What live asks of the browser. Pointers and texts are valid until the call returns. Positions lie within
   what hello said of the viewport. Rates, sizes and the rule for addresses have been checked. None of them
   may free the live. */
struct live_ops {
	/* on: a viewer is there, or wants another rate or quality (1 to 80); take one screenshot as the
	   first frame, a still page sends none. Off: it has gone, stop the screencast. */
	void (*watch)(void *arg, bool on, int64_t fps, int64_t quality);
	/* The frame with this token has been dealt with, and the next one is wanted: the time for
	   Page.screencastFrameAck. Once for each live_frame, perhaps within it. */
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
	/* After live_end: everything has been sent, or could not be in time. Perhaps within live_end. */
	void (*ended)(void *arg);
};

/* Listens at path (an old socket there is replaced), mode 0660. NULL with errno. ops and path's folder are
   the caller's. The process must ignore SIGPIPE. */
struct live *live_new(
    struct event_base *base, const char *path, const struct live_ops *ops, void *arg);

/* live_hello(l, &(struct stream_hello){ ... }), live_state, live_tabs, live_url, live_title,
   live_dialog_open, live_download_blocked, live_cert, live_egress_denied, live_net, live_shot_taken,
   live_crashed, live_expiring, live_error: one for each message of the server. The structs are the caller's;
   their type is set here, and of hello the version, now and limits. After a change of the active tab say
   live_url of it. Not live_bye: live_end says it. */
void live_say(struct live *l, enum stream_message_id id, const void *message);
#define SERVER(id, name, what, help)                                                     \
	static inline void live_##what(struct live *l, const struct stream_##what *m)    \
	{                                                                                \
		live_say(l, STREAM_##id, m);                                             \
	}
#include "tbl/stream_messages.h"

struct live_frame {
	int64_t token; /* given back by frame_taken */
	int64_t tab;
	struct str jpeg; /* copied */
	int64_t width, height, scroll_x, scroll_y;
	struct ts at;
};

void live_frame(struct live *l, const struct live_frame *f);

bool live_watched(const struct live *l); /* a viewer is there */

/* Says bye with the reason (tbl/session_states.h's terminal reasons, "failed" ...), closes the WebSocket with
   code, stops to listen, then calls ops->ended, after 2 s at the latest. */
void live_end(struct live *l, const char *reason, unsigned code);

void live_free(struct live *l);

#endif
