/* SPDX-License-Identifier: ISC */
/* The pump: forwards WebSocket frames between the client and the runner of a stream. Bytes are read
 * into one buffer of the process, checked there, and written from there; they are copied only if the
 * receiving socket does not accept them. stream.h draws the buffer and lists every end with its code.
 *
 * The ends are hard. A frame of the proxy's own may only be sent between two forwarded frames, each
 * side may end first, in the middle of a frame, or not at all, and neither the code nor the silence of
 * a runner shows whether the client lost a right. So the decisions stand in one table, `actions`: a row
 * for each event, a column for each state, a function in each cell.
 *
 *                   ANSWER  OPEN         CLOSING        RECHECK      FLUSH         FAREWELL
 *   client lost     free    client left  client left    close        close         close
 *   client drained  free    read runner  read runner    -            read runner   answered?
 *   runner lost     .       recheck      end            .            close         .
 *   runner cut      .       end          end            .            close         .
 *   runner drained  .       read client  read client    .            read client   .
 *   runner closed   .       recheck      both closed    .            .             .
 *   frame complete  .       .            .              .            farewell      .
 *   end             -       end          end            end          -             -
 *   late            .       .            client's code  runner's     close         close
 *
 *   OPEN      frames are forwarded in both directions
 *   CLOSING   the same, but the client has sent its close frame and waits for the runner's answer
 *   RECHECK   the runner has ended; the database is asked whether a right was lost
 *   FLUSH     the stream ends, but the client has an incomplete frame of the runner, whose rest goes first
 *   FAREWELL  the runner's socket is closed; the client has a close frame, or as much as it will get
 *
 * A dash does nothing. A dot cannot happen: the socket of that event is closed, or it is not read, in
 * that state; pump_event panics. An ending stream moves to the right only, so it ends.
 *
 * Nothing of this runs for a frame that is forwarded: the table is asked when a socket ends or has
 * accepted the bytes that waited, and otherwise not at all. */
#include "config.h"

#include "base/limits.h"
#include "daemon/conf.h"
#include "stream/stream.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
	VECTORS = 32,
	ENDING_US = 3000000,  /* a side has this long to answer a close frame */
	RECHECK_US = 3000000, /* after this the runner's code is used unchecked */
	BROKEN_US = 500000,   /* ENDING_US of a client whose frames are malformed */
	PINGS_A_SILENCE = 3,
};

static const char *const why_names[WHYS] = {
	[WHY_CLIENT] = "client",
	[WHY_RUNNER] = "runner",
	[WHY_LOST] = "runner_lost",
	[WHY_TERMINAL] = "session_terminal",
	[WHY_REVOKED] = "revoked",
	[WHY_DISPLACED] = "displaced",
	[WHY_SILENT] = "silent",
	[WHY_PROTOCOL] = "protocol",
	[WHY_SHUTDOWN] = "shutdown",
};

/* Payload of the proxy's pings. A pong with this payload is not forwarded: the runner sent no such ping. */
static const struct str ping_text = STR_INIT("surfaced");

/* The output of one read: spans of the buffer, and heads and control frames written again into frames. */
struct batch {
	struct conn *conn;
	struct side *to;
	struct iovec v[VECTORS];
	int n;
	bool broken; /* the receiver's connection is lost */
	unsigned char frames[VECTORS][WS_CONTROL_FRAME];
};

static struct side *
other_side(struct conn *c, const struct side *s)
{
	return s == &c->client ? &c->runner : &c->client;
}

/* Whether no forwarded frame of this side is incomplete, so that a frame of the proxy's own may follow. */
static bool
between_frames(const struct side *from)
{
	return ws_left(&from->reader) == 0;
}

/* ---- the end ---- */

static void
release_stream_slot(struct conn *c)
{
	if (c->released)
		return;
	c->released = true;
	gate_release(c->proxy->gate, c->stream);
}

void
pump_close(struct conn *c)
{
	log_event(LOGP_INFO, "closed",
	    "req=%s session=%s why=%s code=%u in=%" PRIu64 " out=%" PRIu64 " ms=%" PRId64, c->id,
	    uuid_text(&c->session).z, why_names[c->why], c->code, c->client.bytes, c->runner.bytes,
	    (mono_us() - c->opened) / 1000);
	release_stream_slot(c);
	conn_free(c);
}

static void
start_reading(struct side *s)
{
	if (s->fd < 0 || s->reading)
		return;
	s->reading = true;
	if (event_add(&s->readable, NULL) != 0)
		panic("event_add failed for a stream");
}

static void
stop_reading(struct side *s)
{
	if (s->fd < 0 || !s->reading)
		return;
	s->reading = false;
	if (event_del(&s->readable) != 0)
		panic("event_del failed for a stream");
}

static void
close_runner(struct conn *c)
{
	struct side *s = &c->runner;

	stop_reading(s);
	if (s->fd < 0)
		return;
	if (s->writing)
		event_del(&s->writable);
	s->writing = false;
	close(s->fd);
	s->fd = -1;
	free(s->wait);
	s->wait = NULL;
}

/* Called when the client may have accepted everything. A client that sent its close frame sends nothing
   more. A client whose frames cannot be parsed any more gets an end of file instead, and disconnects. */
static void
end_if_answered(struct conn *c)
{
	if (c->client.wait != NULL)
		return;
	if (c->client.reader.stage == WS_CLOSED)
		pump_close(c);
	else if (c->client.reader.stage == WS_FAILED)
		shutdown(c->client.fd, SHUT_WR);
}

/* Copies the runner's close frame, or builds one with the code that the stream ends with. */
static size_t
build_close_frame(const struct conn *c, unsigned char frame[WS_CONTROL_FRAME])
{
	const struct ws_reader *r = &c->runner.reader;
	struct str payload = { (const char *)r->control, (size_t)r->frame.length };

	if (c->why == WHY_RUNNER)
		return ws_control(frame, WS_FIN | WS_CLOSE, payload, NULL);
	return ws_close(frame, c->code, STR_NULL, NULL);
}

/* Sends the close frame and waits until c->deadline for the client's answer: closing a socket that has unread
   bytes resets the connection, and the reset may overtake the frame. The slot is released first, because
   the session's next stream need not wait for this client. */
static void
send_farewell(struct conn *c)
{
	unsigned char frame[WS_CONTROL_FRAME];
	size_t n = build_close_frame(c, frame);

	close_runner(c);
	release_stream_slot(c);
	start_reading(&c->client);
	if (pump_send(c, &c->client, frame, n))
		end_if_answered(c);
}

/* ---- the table ---- */

enum pump_state {
	PUMP_ANSWER,
	PUMP_OPEN,
	PUMP_CLOSING,
	PUMP_RECHECK,
	PUMP_FLUSH,
	PUMP_FAREWELL,
	PUMP_STATES
};

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

/* The column of the table. Three facts decide it: the list that the connection is on, the stage of the
   client's reader, and the runner's socket. */
static enum pump_state
pump_state(const struct conn *c)
{
	switch (c->state) {
	case CONN_OPEN:
		return c->client.reader.stage == WS_CLOSED ? PUMP_CLOSING : PUMP_OPEN;
	case CONN_RECHECK:
		return PUMP_RECHECK;
	case CONN_ENDING:
		return c->runner.fd < 0 ? PUMP_FAREWELL : PUMP_FLUSH;
	case CONN_HEAD:
	case CONN_TICKET:
	case CONN_ANSWER:
		return PUMP_ANSWER;
	case CONN_STATES:
		break;
	}
	panic("unknown connection state %d", (int)c->state);
}

static void
free_unopened(struct conn *c, struct ending e)
{
	(void)e;
	conn_free(c);
}

static void
do_nothing(struct conn *c, struct ending e)
{
	(void)c;
	(void)e;
}

static void
close_stream(struct conn *c, struct ending e)
{
	(void)e;
	pump_close(c);
}

static void
close_for_client(struct conn *c, struct ending e)
{
	(void)e;
	c->why = WHY_CLIENT;
	pump_close(c);
}

static void
read_client_again(struct conn *c, struct ending e)
{
	(void)e;
	start_reading(&c->client);
}

static void
read_runner_again(struct conn *c, struct ending e)
{
	(void)e;
	start_reading(&c->runner);
}

static void
close_if_answered(struct conn *c, struct ending e)
{
	(void)e;
	end_if_answered(c);
}

static void
say_farewell(struct conn *c, struct ending e)
{
	(void)e;
	send_farewell(c);
}

/* Moves to FAREWELL, or to FLUSH if a frame of the runner is incomplete. */
static void
begin_end(struct conn *c, struct ending e)
{
	conn_move(c, CONN_ENDING);
	c->why = e.why;
	c->code = e.code;
	c->deadline = mono_us() + (c->client.reader.stage == WS_FAILED ? BROKEN_US : ENDING_US);
	if (between_frames(&c->runner))
		send_farewell(c);
	else
		stop_reading(&c->client);
}

/* The runner closed, or its connection was lost. The runner may have ended because a right was lost
   (C-113), and neither its code nor its silence shows that: before the client gets a close frame, the
   database is asked. The slot stays taken until then, because the database identifies a stream by its
   slot. */
static void
recheck_before_end(struct conn *c, struct ending e)
{
	close_runner(c);
	stop_reading(&c->client);
	conn_move(c, CONN_RECHECK);
	c->why = e.why;
	c->code = e.code;
	c->recheck_since = mono_us();
	c->deadline = c->recheck_since + RECHECK_US;
	gate_recheck(c->proxy->gate);
}

/* Ends a stream whose runner is lost. If a frame is incomplete, the client would read anything further as
   its payload: begin_end then sends no close frame, and the rest never comes. The client's socket stays
   open until the deadline, so that bytes which wait for it still arrive. */
static void
end_without_runner(struct conn *c, struct ending e)
{
	close_runner(c);
	release_stream_slot(c);
	begin_end(c, e);
}

/* Both sides have sent their close frames; the deadline is that of the client's. */
static void
end_after_both_closed(struct conn *c, struct ending e)
{
	(void)e;
	conn_move(c, CONN_ENDING);
	close_runner(c);
	release_stream_slot(c);
	if (c->client.wait == NULL)
		pump_close(c);
}

/* The runner has not answered the client's close frame. */
static void
end_with_client_code(struct conn *c, struct ending e)
{
	(void)e;
	begin_end(c, (struct ending){ c->why, c->client.reader.close_code });
}

/* The database does not answer the recheck. */
static void
end_with_runner_code(struct conn *c, struct ending e)
{
	(void)e;
	begin_end(c, (struct ending){ c->why, c->code });
}

typedef void pump_action(struct conn *c, struct ending e);

/* The table that the head of this file draws. NULL: the event cannot happen in the state. */
static pump_action *const actions[PUMP_EVENTS][PUMP_STATES] = {
	[CLIENT_LOST] = { free_unopened, close_for_client, close_for_client, close_stream,
	    close_stream, close_stream },
	[CLIENT_DRAINED] = { free_unopened, read_runner_again, read_runner_again, do_nothing,
	    read_runner_again, close_if_answered },
	[RUNNER_LOST] = { NULL, recheck_before_end, end_without_runner, NULL, close_stream, NULL },
	[RUNNER_CUT] = { NULL, end_without_runner, end_without_runner, NULL, close_stream, NULL },
	[RUNNER_DRAINED] = { NULL, read_client_again, read_client_again, NULL, read_client_again,
	    NULL },
	[RUNNER_CLOSED] = { NULL, recheck_before_end, end_after_both_closed, NULL, NULL, NULL },
	[RUNNER_FRAME_COMPLETE] = { NULL, NULL, NULL, NULL, say_farewell, NULL },
	[STREAM_END] = { do_nothing, begin_end, begin_end, begin_end, do_nothing, do_nothing },
	[STREAM_LATE] = { NULL, NULL, end_with_client_code, end_with_runner_code, close_stream,
	    close_stream },
};

static void
pump_event(struct conn *c, enum pump_event event, struct ending e)
{
	enum pump_state state = pump_state(c);

	if (actions[event][state] == NULL)
		panic("stream event %d in state %d", (int)event, (int)state);
	actions[event][state](c, e);
}

void
pump_end(struct conn *c, enum why why, unsigned code)
{
	pump_event(c, STREAM_END, (struct ending){ why, code });
}

void
pump_end_as_runner(struct conn *c)
{
	pump_end(c, c->why, c->code);
}

void
pump_late(struct conn *c)
{
	pump_event(c, STREAM_LATE, NO_END);
}

/* A socket of the connection ended or failed. Always false, for callers that return it. */
static bool
lose_side(struct conn *c, const struct side *s)
{
	if (s == &c->client)
		pump_event(c, CLIENT_LOST, NO_END);
	else
		pump_event(c, between_frames(s) ? RUNNER_LOST : RUNNER_CUT,
		    (struct ending){ WHY_LOST, WS_TRY_LATER });
	return false;
}

/* ---- sending ---- */

/* Queues the bytes of v behind those that wait already, except the first skip bytes, which were sent. */
static void
queue_unsent(struct side *s, const struct iovec *v, int n, size_t skip)
{
	size_t all = s->wait_end - s->wait_at;
	unsigned char *room;

	for (int i = 0; i < n; i++)
		all += v[i].iov_len;
	room = mem_alloc(all - skip);
	all = s->wait_end - s->wait_at;
	if (s->wait != NULL)
		memcpy(room, s->wait + s->wait_at, all);
	for (int i = 0; i < n; i++) {
		size_t drop = skip < v[i].iov_len ? skip : v[i].iov_len;

		memcpy(room + all, (char *)v[i].iov_base + drop, v[i].iov_len - drop);
		all += v[i].iov_len - drop;
		skip -= drop;
	}
	free(s->wait);
	s->wait = room;
	s->wait_at = 0;
	s->wait_end = all;
}

static void on_stream_writable(int fd, short what, void *arg);

/* Writes what the socket accepts, queues the rest and stops reading the other side. Returns false when the
   receiver's connection is lost; the caller handles that. */
static bool
write_or_queue(struct conn *c, struct side *to, const struct iovec *v, int n)
{
	size_t all = 0;
	ssize_t sent = 0;

	for (int i = 0; i < n; i++)
		all += v[i].iov_len;
	if (all == 0)
		return true;
	if (to->wait == NULL) {
		struct msghdr m = { .msg_iov = (struct iovec *)(uintptr_t)v,
			.msg_iovlen = (size_t)n };

		sent = sendmsg(to->fd, &m, MSG_NOSIGNAL);
		if (sent < 0 && errno != EAGAIN && errno != EINTR)
			return false;
		if (sent < 0)
			sent = 0;
		if ((size_t)sent == all)
			return true;
	}
	queue_unsent(to, v, n, (size_t)sent);
	if (!to->writing) {
		event_assign(&to->writable, c->proxy->base, to->fd, EV_WRITE | EV_PERSIST,
		    on_stream_writable, c);
		if (event_add(&to->writable, NULL) != 0)
			panic("event_add failed for a stream");
		to->writing = true;
	}
	stop_reading(other_side(c, to));
	return true;
}

bool
pump_send(struct conn *c, struct side *to, const void *bytes, size_t n)
{
	struct iovec v = { .iov_base = (void *)(uintptr_t)bytes, .iov_len = n };

	return write_or_queue(c, to, &v, 1) || lose_side(c, to);
}

/* The socket has accepted everything that waited. */
static void
resume_after_drain(struct conn *c, struct side *to)
{
	event_del(&to->writable);
	to->writing = false;
	free(to->wait);
	to->wait = NULL;
	to->wait_at = to->wait_end = 0;
	pump_event(c, to == &c->client ? CLIENT_DRAINED : RUNNER_DRAINED, NO_END);
}

static void
on_stream_writable(int fd, short what, void *arg)
{
	struct conn *c = arg;
	struct side *to = fd == c->client.fd ? &c->client : &c->runner;
	ssize_t n;

	(void)what;
	n = send(fd, to->wait + to->wait_at, to->wait_end - to->wait_at, MSG_NOSIGNAL);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0) {
		(void)lose_side(c, to);
		return;
	}
	if (to == &c->client)
		c->alive = mono_us(); /* the client reads again */
	to->wait_at += (size_t)n;
	if (to->wait_at == to->wait_end)
		resume_after_drain(c, to);
}

/* ---- forwarding ---- */

static void
batch_send(struct batch *b)
{
	if (b->n > 0 && !b->broken && b->to->fd >= 0)
		b->broken = !write_or_queue(b->conn, b->to, b->v, b->n);
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

/* Forwards the client's close frame, and the runner's answer to one. A close frame that the runner sends
   first is not forwarded yet: on_stream_readable asks the database before (recheck_before_end). */
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

/* Ends a stream for a fault in its frames. rest: the bytes behind the fault. A client's frame that is too big
   can still be skipped, so that the client's answer to the close frame is recognised behind it. */
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
		return lose_side(c, s.batch.to);
	if (e == WS_BAD) {
		log_event(LOGP_NOTICE, "protocol", "req=%s side=%s why=\"%s\"", c->id,
		    from == &c->client ? "client" : "runner", from->reader.why);
		end_for_fault(c, from, s.at, (size_t)(s.end - s.at));
		return false;
	}
	return true;
}

/* ---- reading ---- */

/* Drops what the client sends after the stream has ended; only its answer to the close frame matters. */
static void
discard_from_client(struct conn *c, unsigned char *bytes, size_t n)
{
	skip_frames(&c->client.reader, bytes, n);
	end_if_answered(c);
}

static void
read_ending(struct conn *c, struct side *from, unsigned char *bytes, size_t n)
{
	if (from == &c->client) {
		discard_from_client(c, bytes, n);
		return;
	}
	/* The close frame waits for the end of the frame that the runner is sending. */
	if (forward_bytes(c, from, bytes, n) && between_frames(from))
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
		stop_reading(from);
		(void)lose_side(c, from);
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
pump_start(struct conn *c)
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
	start_reading(&c->client);
	if (c->client.wait == NULL)
		start_reading(&c->runner);
}

/* Pings the client and closes a stream whose client is silent. A live client answers pings with
 * pongs, so any byte from it is a sign of life, and so is accepting bytes that waited for it.
 * While the runner is slow the client is not read and no answer can arrive, so the clock is set
 * forward. While bytes wait for the client no ping can be sent behind them; a client that
 * accepts none of them for as long is silent, too. */
void
pump_ping(struct conn *c, int64_t now)
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
	    !between_frames(&c->runner))
		return;
	c->pinged = now;
	(void)pump_send(c, &c->client, frame, ws_control(frame, WS_FIN | WS_PING, ping_text, NULL));
}
