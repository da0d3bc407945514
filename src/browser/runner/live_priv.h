/* SPDX-License-Identifier: ISC */
/* The structs that the files of the live stream share. A file uses those before it in this list:
 *
 *   live_write.c     writes frames to the viewer
 *   live_past.c      the past of the session, for a new viewer
 *   live_send.c      messages to the viewer, and the present state for a new viewer
 *   live_picture.c   pictures and their pace
 *   live_in.c        the viewer's messages
 *   live.c           the socket and the connection */
#ifndef BROWSER_RUNNER_LIVE_PRIV_H
#define BROWSER_RUNNER_LIVE_PRIV_H

#include "base/limits.h"
#include "browser/runner/live.h"
#include "wire/ws.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/listener.h>
#include <sys/queue.h>

enum { LIVE_TOKENS = 8, LIVE_SIZES = 256 };

/* The frames between the runner and the viewer; live.h has a picture of their way. */
struct live_picture {
	struct buf waiting; /* the newest frame, not sent yet; empty: there is none */
	int64_t waiting_token;
	/* Tokens of sent frames that frame_taken has not returned, the oldest first. */
	int64_t tokens[LIVE_TOKENS];
	size_t ntokens;
	uint32_t sent, acked;     /* number of the newest frame that was sent, and acknowledged */
	size_t sizes[LIVE_SIZES]; /* bytes of each frame that is not acknowledged, by number */
	size_t unacked;           /* the sum of sizes */
	bool acks;                /* this viewer acknowledges frames, so unacked limits the pace */
	int64_t sent_us, acked_us;
	int64_t fps, quality;
	struct event *tick;
};

/* The past of the session, for a viewer that connects later (live_past.c). */
enum past_kind { PAST_NET, PAST_REST, PAST_LISTS };

struct live_past {
	struct past_list {
		TAILQ_HEAD(past_messages, past_message) messages;
		size_t bytes;
	} lists[PAST_LISTS];
};

/* The connected viewer. */
struct live_viewer {
	struct live *live;
	struct bufferevent *bev;
	struct ws_reader reader;
	struct buf message; /* the bytes of the incomplete message */
	size_t message_n;   /* the size of the incomplete message, with bytes above the limit */
	double credit;      /* messages that the viewer may send now */
	int64_t credit_us, received_us, rate_error_us;
	bool closing;     /* the runner's close frame is queued; only the viewer's is read now */
	bool peer_closed; /* the viewer's close frame has been received */
	bool overflowed;  /* the queue is too long; the next on_ping closes the connection */
};

struct live {
	struct event_base *base;
	struct evconnlistener *listener;
	char *path;
	const struct live_ops *ops;
	void *arg;
	/* The memory of one message of the viewer with the replies to it, or of one message to the
	   viewer. */
	struct arena *arena;
	bool handling; /* a viewer's message is being handled: live_send must not reset arena */
	struct live_viewer *viewer;
	struct live_picture picture;
	struct event *ping, *linger;
	struct stream_hello hello;
	char profile[32], country[8];
	bool knows_hello, ended;
	struct buf state_messages
	    [STREAM_MESSAGES]; /* the newest message of each kind that every new viewer gets */
	struct live_past past;
};

/* Queues a WebSocket frame for the viewer; does nothing without a viewer. */
void live_write(struct live *l, unsigned opcode, struct str payload);
/* The same for a control frame; there must be a viewer. */
void live_write_control(struct live_viewer *v, unsigned opcode, struct str payload);
/* Sends the viewer a close frame and sets the time for its answer; does nothing at a second
   call. */
void live_write_close(struct live *l, unsigned code, const char *why);
/* Bytes that surfaced-stream has not read yet, queued here or in the socket. */
size_t live_unsent(const struct live *l);

/* Sends the first messages to a new viewer: hello, the present state, the past. */
void live_send_state(struct live *l);
/* Sends an error about the message "to"; field may be STR_NULL. */
void live_send_error(
    struct live *l, const char *code, struct str message, struct str to, struct str field);

/* Handles a text message of the viewer. */
void live_handle(struct live *l, struct str text);

void past_open(struct live_past *past);
void past_close(struct live_past *past);
/* Copies the text of a message that belongs to the past of the session; ignores every other. */
void past_keep(struct live_past *past, enum stream_message_id id, struct str text);
/* Sends the past to the new viewer, the oldest message of each list first. */
void past_send(struct live *l);

void picture_open(struct live *l);
void picture_close(struct live *l);
/* A viewer connected or disconnected: forgets all frames and returns their tokens. */
void picture_restart(struct live *l);
void picture_ack(struct live *l, uint32_t frame);
void picture_pace(struct live *l, const struct stream_quality *q);

#endif
