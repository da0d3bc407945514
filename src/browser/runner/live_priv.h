/* SPDX-License-Identifier: ISC */
/* Between the files of the live stream: live.c (socket, connection, the present state for a viewer that
   comes), live_past.c (the past of the session for it), live_in.c (the viewer's messages), live_picture.c
   (frames and their pace). */
#ifndef BROWSER_RUNNER_LIVE_PRIV_H
#define BROWSER_RUNNER_LIVE_PRIV_H

#include "base/limits.h"
#include "browser/runner/live.h"
#include "wire/ws.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/listener.h>
#include <sys/queue.h>

enum { LIVE_OWED = 8, LIVE_SIZES = 256 };

/* The frames between the runner, which waits for frame_taken, and the viewer. */
struct live_picture {
	struct buf held; /* the newest frame, which waits to be sent; empty: none does */
	int64_t held_token;
	int64_t owed[LIVE_OWED]; /* tokens of frames that were sent, the oldest first */
	size_t nowed;
	uint32_t sent, acked; /* numbers of frames */
	size_t
	    sizes[LIVE_SIZES]; /* bytes of those that were not acknowledged, by number */
	size_t unacked;        /* their sum */
	bool acks;             /* the viewer acknowledges, so that it is held to it */
	int64_t sent_us, acked_us;
	int64_t fps, quality;
	struct event *tick;
};

/* The past of the session, for a viewer that comes late (live_past.c). */
enum past_kind { PAST_NET, PAST_REST, PAST_LISTS };

struct live_past {
	struct past_list {
		TAILQ_HEAD(past_messages, past_message) messages;
		size_t bytes;
	} lists[PAST_LISTS];
};

/* The one that watches. */
struct live_viewer {
	struct live *live;
	struct bufferevent *bev;
	struct ws_reader reader;
	struct buf message; /* what has come of the one at hand */
	size_t message_n;   /* its bytes so far, also those that were not kept */
	double credit;      /* messages it may send now */
	int64_t credit_us, heard_us, scolded_us;
	bool closing;     /* our close frame is written; only its close matters now */
	bool peer_closed; /* its close frame has come */
	bool doomed;      /* dropped when the loop turns: its queue is too long */
};

struct live {
	struct event_base *base;
	struct evconnlistener *listener;
	char *path;
	const struct live_ops *ops;
	void *arg;
	struct arena *
	    arena; /* one message of the viewer and all that is said of it, or one said */
	bool taking; /* one of the viewer is at hand */
	struct live_viewer *viewer;
	struct live_picture picture;
	struct event *beat, *linger;
	struct stream_hello hello;
	char profile[32], country[8];
	bool knows_hello, ended;
	struct buf kept[STREAM_MESSAGES]; /* what a viewer that comes must know */
	struct live_past past;
};

/* Appends to what the viewer is sent; nothing without one. */
void live_put(struct live *l, unsigned opcode, struct str payload);
/* Bytes on the way that the proxy has not read. */
size_t live_unsent(const struct live *l);

/* A text message of the viewer. */
void live_take(struct live *l, struct str text);
/* An error for the message "to"; field may be STR_NULL. */
void live_scold(struct live *l, const char *code, struct str message, struct str to,
    struct str field);

void past_open(struct live_past *past);
void past_close(struct live_past *past);
/* Copies the text of a message that belongs to the past of the session; ignores every other. */
void past_keep(struct live_past *past, enum stream_message_id id, struct str text);
/* Sends the past to the viewer that has come, the oldest first. */
void past_send(struct live *l);

void picture_open(struct live *l);
void picture_close(struct live *l);
/* The viewer came, or went: nothing is under way. */
void picture_restart(struct live *l);
void picture_ack(struct live *l, uint32_t frame);
void picture_pace(struct live *l, const struct stream_quality *q);

#endif
