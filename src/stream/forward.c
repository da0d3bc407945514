/* SPDX-License-Identifier: ISC */
/* Forwards WebSocket frames between the client and the runner of a stream. Bytes are read into one
 * buffer of the process, checked there, and written from there; they are copied only if the
 * receiving socket does not accept them. stream.h draws the buffer.
 *
 * This file reports ends of sockets, drained sockets and faults to pump.c as events, which the
 * table there handles. A frame that is forwarded in an open stream needs no event. */
#include "config.h"

#include "base/limits.h"
#include "daemon/conf.h"
#include "stream/pump_priv.h"

#include <errno.h>
#include <sys/socket.h>

enum { VECTORS = 32, PINGS_A_SILENCE = 3 };

/* Payload of the proxy's pings. A pong with this payload is not forwarded: the runner sent no such
   ping. */
static const struct str ping_text = STR_INIT("surfaced");

/* The output of one read: spans of the buffer, and heads and control frames written again into
   frames. */
struct batch {
	struct conn *conn;
	struct side *to;
	struct iovec v[VECTORS];
	int n;
	bool broken; /* the receiver's connection is lost */
	unsigned char frames[VECTORS][WS_CONTROL_FRAME];
};

static void
batch_send(struct batch *b)
{
	if (b->n > 0 && !b->broken && b->to->fd >= 0)
		b->broken = !pump_write(b->conn, b->to, b->v, b->n);
	b->n = 0;
}

static void
batch_add(struct batch *b, const unsigned char *from, const unsigned char *end)
{
	if (from == NULL || from == end)
		return;
	if (b->n == VECTORS)
		batch_send(b);
	b->v[b->n++] =
	    (struct iovec){ .iov_base = (void *)(uintptr_t)from, .iov_len = (size_t)(end - from) };
}

/* Returns room for a new frame head, which stays valid until the batch is sent. */
static unsigned char *
batch_frame(struct batch *b)
{
	if (b->n == VECTORS)
		batch_send(b);
	return b->frames[b->n];
}

static void
forward_rebuilt_head(struct batch *b, const struct ws_frame *f)
{
	unsigned char *room = batch_frame(b);
	size_t n = ws_head(room, (unsigned)f->opcode | (f->fin ? WS_FIN : 0), f->length,
	    f->masked ? f->mask : NULL);

	batch_add(b, room, room + n);
}

/* Forwards a complete control frame, unless it answers a ping of the proxy's own. */
static void
forward_control_frame(struct batch *b, struct side *from)
{
	struct ws_reader *r = &from->reader;
	struct str text = { (const char *)r->control, (size_t)r->frame.length };
	unsigned char *room;
	size_t n;

	if (from == &b->conn->client && r->frame.opcode == WS_PONG && str_eq(text, ping_text))
		return;
	room = batch_frame(b);
	n = ws_control(
	    room, WS_FIN | (unsigned)r->frame.opcode, text, r->frame.masked ? r->frame.mask : NULL);
	batch_add(b, room, room + n);
}

/* Forwards the client's close frame, and the runner's answer to one. A close frame that the runner
   sends first is not forwarded yet: on_stream_readable asks the database before
   (recheck_before_end). */
static void
forward_close_frame(struct batch *b, struct side *from)
{
	struct conn *c = b->conn;

	if (from == &c->client) {
		c->why = WHY_CLIENT;
		c->deadline = mono_us() + ENDING_US;
		forward_control_frame(b, from);
	} else if (c->client.reader.stage == WS_CLOSED) {
		c->code = from->reader.close_code;
		forward_control_frame(b, from);
	}
}

/* The progress through the bytes of one read. */
struct scan {
	struct batch batch;
	unsigned char *at, *end;
	/* Bytes from span to at are forwarded as they are; NULL: there are none. */
	unsigned char *span;
	/* The head of the current frame; NULL: the head began in an earlier read. */
	unsigned char *frame;
};

static void
forward_span(struct scan *s, unsigned char *end)
{
	batch_add(&s->batch, s->span, end);
	s->span = NULL;
}

static bool
has_control_frame(const struct ws_reader *r)
{
	return r->frame.opcode >= WS_CLOSE;
}

/* Handles one event of the reader. Returns false when the scan is over: no more bytes, a fault,
 * a close frame, or a lost connection. A span of bytes that go out as they came is kept open as
 * long as possible and is closed where something else has to be sent in its place:
 *
 *   | head payload | head payload | PING | head payload | he|
 *   ^ span opened                 ^ closed: a control frame is written again
 *                                        ^ opened again ^ closed before a partial head
 *
 * A head that began in an earlier read is rebuilt, because its first bytes are no longer in the
 * buffer. */
static bool
handle_frame_event(struct scan *s, struct side *from, enum ws_event e)
{
	struct ws_reader *r = &from->reader;

	switch (e) {
	case WS_MORE:
		/* The reader keeps an incomplete head; forward_rebuilt_head sends it later. */
		forward_span(s, r->stage == WS_IN_HEAD && s->frame != NULL ? s->frame : s->end);
		return false;
	case WS_BAD:
		forward_span(s, s->frame);
		return false;
	case WS_HEAD:
		if (has_control_frame(r)) {
			forward_span(s, s->frame);
		} else if (s->frame == NULL) {
			forward_rebuilt_head(&s->batch, &r->frame);
			s->span = s->at;
		} else if (s->span == NULL) {
			s->span = s->frame;
		}
		return true;
	case WS_PIECE:
		if (!has_control_frame(r) && s->span == NULL)
			s->span = r->piece;
		return true;
	case WS_END:
		if (has_control_frame(r)) {
			if (r->frame.opcode == WS_CLOSE) {
				forward_close_frame(&s->batch, from);
				return false;
			}
			forward_control_frame(&s->batch, from);
		}
		s->frame = s->at;
		return s->batch.conn->state == CONN_OPEN;
	}
	panic("ws_event out of range");
}

/* Feeds the reader without forwarding anything; the caller looks at the reader's stage. */
static void
skip_frames(struct ws_reader *r, unsigned char *bytes, size_t n)
{
	enum ws_event e;
	size_t used;

	do {
		e = ws_next(r, bytes, n, &used);
		bytes += used;
		n -= used;
	} while (e != WS_MORE && e != WS_BAD);
}

/* Ends a stream for a fault in its frames. rest: the bytes behind the fault. A client's frame that
   is too big can still be skipped, so that the client's answer to the close frame is recognised
   behind it. */
static void
end_for_fault(struct conn *c, struct side *from, unsigned char *rest, size_t n)
{
	unsigned code = from->reader.code;

	if (from == &c->client && code == WS_TOO_BIG) {
		ws_unbound(&from->reader);
		skip_frames(&from->reader, rest, n);
	}
	pump_end(c, WHY_PROTOCOL, code);
}

/* Forwards the bytes of one read. Returns false when the connection is ending or freed. */
static bool
forward_bytes(struct conn *c, struct side *from, unsigned char *bytes, size_t n)
{
	struct scan s = { .at = bytes, .end = bytes + n };
	enum ws_event e;
	size_t used;

	s.batch.conn = c;
	s.batch.to = other_side(c, from);
	s.frame = from->reader.stage == WS_IN_HEAD && from->reader.have == 0 ? bytes : NULL;
	do {
		e = ws_next(&from->reader, s.at, (size_t)(s.end - s.at), &used);
		s.at += used;
	} while (handle_frame_event(&s, from, e));
	if (e == WS_END)
		forward_span(&s, s.at);
	batch_send(&s.batch);
	if (s.batch.broken)
		return pump_lose_side(c, s.batch.to);
	if (e == WS_BAD) {
		log_event(LOGP_NOTICE, "protocol", "req=%s side=%s why=\"%s\"", c->id,
		    from == &c->client ? "client" : "runner", from->reader.why);
		end_for_fault(c, from, s.at, (size_t)(s.end - s.at));
		return false;
	}
	return true;
}

/* ---- reading ---- */

/* Drops what the client sends after the stream has ended; only its answer to the close frame
   matters. */
static void
discard_from_client(struct conn *c, unsigned char *bytes, size_t n)
{
	skip_frames(&c->client.reader, bytes, n);
	pump_end_if_answered(c);
}

static void
read_ending(struct conn *c, struct side *from, unsigned char *bytes, size_t n)
{
	if (from == &c->client) {
		discard_from_client(c, bytes, n);
		return;
	}
	/* The close frame waits for the end of the frame that the runner is sending. */
	if (forward_bytes(c, from, bytes, n) && side_between_frames(from))
		pump_event(c, RUNNER_FRAME_COMPLETE, NO_END);
}

static void
on_stream_readable(int fd, short what, void *arg)
{
	struct conn *c = arg;
	struct side *from = fd == c->client.fd ? &c->client : &c->runner;
	unsigned char *bytes = c->proxy->scratch;
	ssize_t n = recv(fd, bytes, SCRATCH, 0);

	(void)what;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		side_stop_reading(from);
		(void)pump_lose_side(c, from);
		return;
	}
	from->bytes += (uint64_t)n;
	totals_add(&c->proxy->totals,
	    from == &c->client ? TOTAL_STREAM_BYTES_IN : TOTAL_STREAM_BYTES_OUT, (uint64_t)n);
	if (from == &c->client)
		c->alive = mono_us();
	if (c->state == CONN_ENDING) {
		read_ending(c, from, bytes, (size_t)n);
		return;
	}
	if (!forward_bytes(c, from, bytes, (size_t)n))
		return;
	if (c->runner.reader.stage == WS_CLOSED)
		pump_event(
		    c, RUNNER_CLOSED, (struct ending){ WHY_RUNNER, c->runner.reader.close_code });
}

void
forward_start(struct conn *c)
{
	static const struct ws_rules of_client = {
		.masked = true, .frame_max = LIM_STREAM_FRAME, .message_max = LIM_STREAM_FRAME
	};
	static const struct ws_rules of_runner = { .frame_max = LIM_STREAM_FRAME,
		.message_max = LIM_STREAM_FRAME };
	struct event_base *base = c->proxy->base;

	ws_start(&c->client.reader, &of_client);
	ws_start(&c->runner.reader, &of_runner);
	event_assign(
	    &c->client.readable, base, c->client.fd, EV_READ | EV_PERSIST, on_stream_readable, c);
	event_assign(
	    &c->runner.readable, base, c->runner.fd, EV_READ | EV_PERSIST, on_stream_readable, c);
	side_start_reading(&c->client);
	if (c->client.wait == NULL)
		side_start_reading(&c->runner);
}

/* Pings the client and closes a stream whose client is silent. A live client answers pings with
 * pongs, so any byte from it is a sign of life, and so is accepting bytes that waited for it.
 * While the runner is slow the client is not read and no answer can arrive, so the clock is set
 * forward. While bytes wait for the client no ping can be sent behind them; a client that
 * accepts none of them for as long is silent, too. */
void
forward_ping(struct conn *c, int64_t now)
{
	int64_t silence = conf.stream_silence * SECOND_US;
	unsigned char frame[WS_CONTROL_FRAME];

	if (!c->client.reading) /* the runner is slow: no answer can be read */
		c->alive = now;
	if (now - c->alive > silence) {
		c->why = WHY_SILENT;
		pump_close(c);
		return;
	}
	if (now - c->pinged < silence / PINGS_A_SILENCE || c->client.wait != NULL ||
	    !side_between_frames(&c->runner))
		return;
	c->pinged = now;
	(void)pump_send(c, &c->client, frame, ws_control(frame, WS_FIN | WS_PING, ping_text, NULL));
}
