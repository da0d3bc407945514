/* SPDX-License-Identifier: ISC */
/* The events that forward.c reports to the table of pump.c. */
#ifndef STREAM_PUMP_PRIV_H
#define STREAM_PUMP_PRIV_H

#include "stream/stream.h"

enum pump_event {
	CLIENT_LOST,    /* its socket ended or failed */
	CLIENT_DRAINED, /* its socket has accepted everything that waited */
	RUNNER_LOST,    /* its socket ended or failed between two frames */
	RUNNER_CUT,     /* ... within a frame */
	RUNNER_DRAINED,
	RUNNER_CLOSED, /* its close frame was read */
	RUNNER_FRAME_COMPLETE,
	STREAM_END, /* a fault in a frame, a lost right, or the shutdown */
	STREAM_LATE,
	PUMP_EVENTS
};

/* The reason and the code that an event ends the stream with; most events do not use them. */
struct ending {
	enum why why;
	unsigned code;
};

#define NO_END ((struct ending){ WHY_CLIENT, 0 })

enum { ENDING_US = 3000000 }; /* a side has this long to answer a close frame */

static inline struct side *
other_side(struct conn *c, const struct side *s)
{
	return s == &c->client ? &c->runner : &c->client;
}

/* Acts on the event as the table says; c may be freed. */
void pump_event(struct conn *c, enum pump_event event, struct ending e);
/* A socket of the connection ended or failed. Always false, for callers that return it. */
bool pump_lose_side(struct conn *c, const struct side *s);
/* Writes what the socket accepts, queues the rest and stops reading the other side. Returns false
   when the receiver's connection is lost; the caller handles that. */
bool pump_write(struct conn *c, struct side *to, const struct iovec *v, int n) MUST_USE;
/* Called when the client may have accepted everything, or answered. c may be freed. */
void pump_end_if_answered(struct conn *c);

#endif
