/* SPDX-License-Identifier: ISC */
/* One of the two sockets of a stream, and its bytes that wait:
 *
 *   wait   | sent | not yet sent |      a copy of the bytes that the socket did not accept
 *                 ^ wait_at      ^ wait_end
 *
 * While a side has bytes in wait, the proxy does not read the other side. A direction therefore
 * never stores more than one read, and a slow reader slows its sender down. */
#ifndef STREAM_SIDE_H
#define STREAM_SIDE_H

#include "base/base.h"
#include "wire/ws.h"

#include <event2/event.h>
#include <event2/event_struct.h>
#include <sys/uio.h>

struct side {
	int fd;                /* -1: closed */
	bool reading, writing; /* whether the event is added */
	struct event readable, writable;
	struct ws_reader reader; /* parses the frames that this side sends */
	unsigned char *wait;     /* NULL: the socket has accepted everything */
	size_t wait_at, wait_end;
	uint64_t bytes; /* received from this side */
};

enum side_rc {
	SIDE_SENT,  /* nothing waits */
	SIDE_WAITS, /* the socket is full */
	SIDE_MOVED, /* the socket accepted a part of the bytes that waited */
	SIDE_LOST,  /* the connection is lost */
};

void side_start_reading(struct side *s);
void side_stop_reading(struct side *s);
/* Closes the socket and drops the bytes that wait. */
void side_close(struct side *s);
/* Writes what the socket accepts and queues the rest. */
enum side_rc side_write(struct side *to, const struct iovec *v, int n) MUST_USE;
/* Writes the bytes that wait, and ends the waiting for the socket when all are written. */
enum side_rc side_flush(struct side *to) MUST_USE;

/* Whether no forwarded frame of this side is incomplete, so that a frame of the proxy's own may
   follow. */
static inline bool
side_between_frames(const struct side *from)
{
	return ws_left(&from->reader) == 0;
}

#endif
