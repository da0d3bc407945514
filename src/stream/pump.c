/* SPDX-License-Identifier: ISC */
/* Frames, both ways. What a side sends is read into one buffer of the process, its heads are checked, and
   what may pass is written from there: it is copied only where the other side does not take it. */
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
	ENDING_US = 3000000, /* for the answer to a close frame */
	JUDGED_US =
	    3000000, /* for the database's answer, before the runner's code is used */
	BROKEN_US = 500000, /* ... of a client whose frames cannot be read any more */
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

/* Of our pings: whose answers the runner has not asked for. */
static const struct str ping_text = STR_INIT("surfaced");

/* What came of one read, to be sent on: pieces of it, and heads and control frames made anew. */
struct parcel {
	struct conn *conn;
	struct side *to;
	struct iovec v[VECTORS];
	int n;
	bool broken; /* the side is gone */
	unsigned char made[VECTORS][WS_CONTROL_FRAME];
};

static struct side *
other(struct conn *c, const struct side *s)
{
	return s == &c->client ? &c->runner : &c->client;
}

/* A frame of somebody else may follow what has been passed on from here. */
static bool
between_frames(const struct side *from)
{
	return ws_left(&from->reader) == 0;
}

/* ---- the end ---- */

static void
release_slot(struct conn *c)
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
	    "req=%s session=%s why=%s code=%u in=%" PRIu64 " out=%" PRIu64 " ms=%" PRId64,
	    c->id, uuid_text(&c->session).z, why_names[c->why], c->code, c->client.bytes,
	    c->runner.bytes, (mono_us() - c->opened) / 1000);
	release_slot(c);
	conn_free(c);
}

static void
want(struct side *s, bool reading)
{
	if (s->fd < 0 || s->reading == reading)
		return;
	s->reading = reading;
	if ((reading ? event_add(&s->readable, NULL) : event_del(&s->readable)) != 0)
		panic("an event for a stream");
}

static void
runner_close(struct conn *c)
{
	struct side *s = &c->runner;

	want(s, false);
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

/* The client has all of ours. With its close frame nothing more comes; where its frames cannot be read any
   more, it sees that nothing more comes of us, and goes. */
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

/* The runner's own close frame, or one with the code that the stream ends with. */
static size_t
build_close_frame(const struct conn *c, unsigned char frame[WS_CONTROL_FRAME])
{
	const struct ws_reader *r = &c->runner.reader;
	struct str payload = { (const char *)r->control, (size_t)r->frame.length };

	if (c->why == WHY_RUNNER)
		return ws_control(frame, WS_FIN | WS_CLOSE, payload, NULL);
	return ws_close(frame, c->code, STR_NULL, NULL);
}

/* Sends the close frame and waits a while for its answer: closing a socket that has unread bytes resets the
   connection, and the reset may overtake the frame. The next stream need not wait for this client. */
static void
send_close_frame(struct conn *c)
{
	unsigned char frame[WS_CONTROL_FRAME];
	size_t n = build_close_frame(c, frame);

	runner_close(c);
	release_slot(c);
	want(&c->client, true);
	if (pump_send(c, &c->client, frame, n))
		end_if_answered(c);
}

void
pump_end(struct conn *c, enum why why, unsigned code)
{
	if (c->state != CONN_OPEN && c->state != CONN_JUDGED)
		return;
	conn_move(c, CONN_ENDING);
	c->why = why;
	c->code = code;
	c->deadline =
	    mono_us() + (c->client.reader.stage == WS_FAILED ? BROKEN_US : ENDING_US);
	if (between_frames(&c->runner))
		send_close_frame(c);
	else
		want(&c->client, false); /* the frame under way comes first */
}

void
pump_end_as_runner(struct conn *c)
{
	pump_end(c, c->why, c->code);
}

/* The runner closed, or went away. It may have ended for a right that was lost (C-113), and neither its code
   nor its silence can be trusted to say so: before the client gets a close frame, the database is asked. The
   slot stays taken until then, because the database knows a stream by its slot. */
static void
judge_end(struct conn *c, enum why why, unsigned code)
{
	runner_close(c);
	want(&c->client, false);
	conn_move(c, CONN_JUDGED);
	c->why = why;
	c->code = code;
	c->asked = mono_us();
	c->deadline = c->asked + JUDGED_US;
	gate_judge(c->proxy->gate);
}

/* The runner went away without a close frame. Within a frame nothing can be sent to the client any more. */
static void
end_without_runner(struct conn *c)
{
	if (between_frames(&c->runner) && c->client.reader.stage != WS_CLOSED) {
		judge_end(c, WHY_LOST, WS_TRY_LATER);
		return;
	}
	runner_close(c);
	release_slot(c);
	pump_end(c, WHY_LOST, WS_TRY_LATER);
}

/* ---- sending ---- */

static void
keep(struct side *s, const struct iovec *v, int n, size_t skip)
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

/* The side is gone. */
static bool
dropped(struct conn *c, struct side *s)
{
	if (c->state == CONN_ANSWER || c->state == CONN_HEAD) {
		conn_free(c);
		return false;
	}
	if (s == &c->runner && c->state == CONN_OPEN) {
		end_without_runner(c);
		return false;
	}
	if (c->state == CONN_OPEN)
		c->why = WHY_CLIENT;
	pump_close(c);
	return false;
}

static void on_writable(int fd, short what, void *arg);

/* As much as goes now; the rest waits. False: the side is gone, of which nothing follows here. */
static bool
push(struct conn *c, struct side *to, const struct iovec *v, int n)
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
	keep(to, v, n, (size_t)sent);
	if (!to->writing) {
		event_assign(&to->writable, c->proxy->base, to->fd, EV_WRITE | EV_PERSIST,
		    on_writable, c);
		if (event_add(&to->writable, NULL) != 0)
			panic("an event for a stream");
		to->writing = true;
	}
	want(other(c, to), false);
	return true;
}

bool
pump_send(struct conn *c, struct side *to, const void *bytes, size_t n)
{
	struct iovec v = { .iov_base = (void *)(uintptr_t)bytes, .iov_len = n };

	return push(c, to, &v, 1) || dropped(c, to);
}

/* All of it went: the other side is read again, or what was to follow does. */
static void
drained(struct conn *c, struct side *to)
{
	event_del(&to->writable);
	to->writing = false;
	free(to->wait);
	to->wait = NULL;
	to->wait_at = to->wait_end = 0;
	switch (c->state) {
	case CONN_ENDING:
		if (c->runner.fd < 0) {
			end_if_answered(c);
			return;
		}
		want(other(c, to), true);
		return;
	case CONN_OPEN:
		want(other(c, to), true);
		return;
	case CONN_JUDGED:
		return;
	case CONN_ANSWER:
		conn_free(c);
		return;
	case CONN_HEAD:
	case CONN_TICKET:
	case CONN_STATES:
		break;
	}
	panic("a connection in state %d sends", (int)c->state);
}

static void
on_writable(int fd, short what, void *arg)
{
	struct conn *c = arg;
	struct side *to = fd == c->client.fd ? &c->client : &c->runner;
	ssize_t n;

	(void)what;
	n = send(fd, to->wait + to->wait_at, to->wait_end - to->wait_at, MSG_NOSIGNAL);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0) {
		(void)dropped(c, to);
		return;
	}
	if (to == &c->client)
		c->alive = mono_us(); /* it had not taken it before: somebody has read */
	to->wait_at += (size_t)n;
	if (to->wait_at == to->wait_end)
		drained(c, to);
}

/* ---- what passes ---- */

static void
parcel_send(struct parcel *p)
{
	if (p->n > 0 && !p->broken && p->to->fd >= 0)
		p->broken = !push(p->conn, p->to, p->v, p->n);
	p->n = 0;
}

static void
parcel_add(struct parcel *p, const unsigned char *from, const unsigned char *end)
{
	if (from == NULL || from == end)
		return;
	if (p->n == VECTORS)
		parcel_send(p);
	p->v[p->n++] = (struct iovec){ .iov_base = (void *)(uintptr_t)from,
		.iov_len = (size_t)(end - from) };
}

/* Room for something made anew, which stays until the parcel is sent. */
static unsigned char *
parcel_room(struct parcel *p)
{
	if (p->n == VECTORS)
		parcel_send(p);
	return p->made[p->n];
}

static void
add_head(struct parcel *p, const struct ws_frame *f)
{
	unsigned char *room = parcel_room(p);
	size_t n = ws_head(room, (unsigned)f->opcode | (f->fin ? WS_FIN : 0), f->length,
	    f->masked ? f->mask : NULL);

	parcel_add(p, room, room + n);
}

/* A whole control frame: passed on as it was, but for the answer to our own ping. */
static void
pass_control(struct parcel *p, struct side *from)
{
	struct ws_reader *r = &from->reader;
	struct str text = { (const char *)r->control, (size_t)r->frame.length };
	unsigned char *room;
	size_t n;

	if (from == &p->conn->client && r->frame.opcode == WS_PONG &&
	    str_eq(text, ping_text))
		return;
	room = parcel_room(p);
	n = ws_control(room, WS_FIN | (unsigned)r->frame.opcode, text,
	    r->frame.masked ? r->frame.mask : NULL);
	parcel_add(p, room, room + n);
}

/* A close frame has come. The client's passes, and the runner's answer to it; a runner that closes first is
   judged before its frame may pass. */
static void
take_close(struct parcel *p, struct side *from)
{
	struct conn *c = p->conn;

	if (from == &c->client) {
		c->why = WHY_CLIENT;
		c->deadline = mono_us() + ENDING_US;
		pass_control(p, from);
	} else if (c->client.reader.stage == WS_CLOSED) {
		c->code = from->reader.close_code;
		pass_control(p, from);
	}
}

/* Where the bytes of one read stand in the frames of their side. */
struct walk {
	struct parcel parcel;
	unsigned char *at, *end;
	unsigned char *raw; /* from here on they pass as they are; NULL: nothing does */
	unsigned char
	    *frame; /* the head of this frame begins here; NULL: in an earlier read */
};

static void
pass_raw(struct walk *w, unsigned char *end)
{
	parcel_add(&w->parcel, w->raw, end);
	w->raw = NULL;
}

static bool
is_control(const struct ws_reader *r)
{
	return r->frame.opcode >= WS_CLOSE;
}

/* False: the walk is over. */
static bool
walk_event(struct walk *w, struct side *from, enum ws_event e)
{
	struct ws_reader *r = &from->reader;

	switch (e) {
	case WS_MORE:
		pass_raw(
		    w, r->stage == WS_IN_HEAD && w->frame != NULL ? w->frame : w->end);
		return false;
	case WS_BAD:
		pass_raw(w, w->frame);
		return false;
	case WS_HEAD:
		if (is_control(r)) {
			pass_raw(w, w->frame);
		} else if (w->frame == NULL) {
			add_head(&w->parcel, &r->frame);
			w->raw = w->at;
		} else if (w->raw == NULL) {
			w->raw = w->frame;
		}
		return true;
	case WS_PIECE:
		if (!is_control(r) && w->raw == NULL)
			w->raw = r->piece;
		return true;
	case WS_END:
		if (is_control(r)) {
			if (r->frame.opcode == WS_CLOSE) {
				take_close(&w->parcel, from);
				return false;
			}
			pass_control(&w->parcel, from);
		}
		w->frame = w->at;
		return w->parcel.conn->state == CONN_OPEN;
	}
	panic("ws_event out of range");
}

/* Only what the reader then knows is of interest. */
static void
read_over(struct ws_reader *r, unsigned char *bytes, size_t n)
{
	enum ws_event e;
	size_t used;

	do {
		e = ws_next(r, bytes, n, &used);
		bytes += used;
		n -= used;
	} while (e != WS_MORE && e != WS_BAD);
}

/* rest: what came behind the fault. What is too big has an end, behind which the answer to our close frame may be read. */
static void
fail(struct conn *c, struct side *from, unsigned char *rest, size_t n)
{
	unsigned code = from->reader.code;

	if (from == &c->client && code == WS_TOO_BIG) {
		ws_unbound(&from->reader);
		read_over(&from->reader, rest, n);
	}
	pump_end(c, WHY_PROTOCOL, code);
}

/* One read's bytes. False: the connection is ending or gone. */
static bool
pass(struct conn *c, struct side *from, unsigned char *bytes, size_t n)
{
	struct walk w = { .at = bytes, .end = bytes + n };
	enum ws_event e;
	size_t used;

	w.parcel.conn = c;
	w.parcel.to = other(c, from);
	w.frame =
	    from->reader.stage == WS_IN_HEAD && from->reader.have == 0 ? bytes : NULL;
	do {
		e = ws_next(&from->reader, w.at, (size_t)(w.end - w.at), &used);
		w.at += used;
	} while (walk_event(&w, from, e));
	if (e == WS_END)
		pass_raw(&w, w.at);
	parcel_send(&w.parcel);
	if (w.parcel.broken)
		return dropped(c, w.parcel.to);
	if (e == WS_BAD) {
		log_event(LOGP_NOTICE, "protocol", "req=%s side=%s why=\"%s\"", c->id,
		    from == &c->client ? "client" : "runner", from->reader.why);
		fail(c, from, w.at, (size_t)(w.end - w.at));
		return false;
	}
	return true;
}

/* ---- reading ---- */

/* Its last byte has come. */
static void
ended(struct conn *c, struct side *from)
{
	want(from, false);
	if (from == &c->client) {
		if (c->state == CONN_OPEN && c->code == 0)
			c->why = WHY_CLIENT;
		pump_close(c);
		return;
	}
	if (c->state == CONN_ENDING) /* within a frame: there is no place for ours */
		pump_close(c);
	else
		end_without_runner(c);
}

/* Nothing of the client passes any more; its answer to the close frame is all that is waited for. */
static void
discard(struct conn *c, unsigned char *bytes, size_t n)
{
	read_over(&c->client.reader, bytes, n);
	end_if_answered(c);
}

static void
read_ending(struct conn *c, struct side *from, unsigned char *bytes, size_t n)
{
	if (from == &c->client) {
		discard(c, bytes, n);
		return;
	}
	/* The rest of the frame that our close frame waits for. */
	if (pass(c, from, bytes, n) && between_frames(from))
		send_close_frame(c);
}

static void
on_readable(int fd, short what, void *arg)
{
	struct conn *c = arg;
	struct side *from = fd == c->client.fd ? &c->client : &c->runner;
	unsigned char *bytes = c->proxy->scratch;
	ssize_t n = recv(fd, bytes, SCRATCH, 0);

	(void)what;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		ended(c, from);
		return;
	}
	from->bytes += (uint64_t)n;
	totals_add(&c->proxy->totals,
	    from == &c->client ? TOTAL_STREAM_BYTES_IN : TOTAL_STREAM_BYTES_OUT,
	    (uint64_t)n);
	if (from == &c->client)
		c->alive = mono_us();
	if (c->state == CONN_ENDING) {
		read_ending(c, from, bytes, (size_t)n);
		return;
	}
	if (!pass(c, from, bytes, (size_t)n))
		return;
	if (c->runner.reader.stage != WS_CLOSED)
		return;
	if (c->client.reader.stage != WS_CLOSED) {
		judge_end(c, WHY_RUNNER, c->runner.reader.close_code);
		return;
	}
	conn_move(c, CONN_ENDING);
	runner_close(c);
	release_slot(c);
	if (c->client.wait == NULL)
		pump_close(c);
}

void
pump_start(struct conn *c)
{
	static const struct ws_rules of_client = { .masked = true,
		.frame_max = LIM_STREAM_FRAME,
		.message_max = LIM_STREAM_FRAME };
	static const struct ws_rules of_runner = { .frame_max = LIM_STREAM_FRAME,
		.message_max = LIM_STREAM_FRAME };
	struct event_base *base = c->proxy->base;

	ws_start(&c->client.reader, &of_client);
	ws_start(&c->runner.reader, &of_runner);
	event_assign(&c->client.readable, base, c->client.fd, EV_READ | EV_PERSIST,
	    on_readable, c);
	event_assign(&c->runner.readable, base, c->runner.fd, EV_READ | EV_PERSIST,
	    on_readable, c);
	want(&c->client, true);
	if (c->client.wait == NULL)
		want(&c->runner, true);
}

/* A client that is there answers; one whose way is full shows it by taking what waits. */
void
pump_ping(struct conn *c, int64_t now)
{
	int64_t silence = conf.stream_silence * SECOND_US;
	unsigned char frame[WS_CONTROL_FRAME];

	if (!c->client.reading) /* the runner holds it up: it cannot answer */
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
	(void)pump_send(
	    c, &c->client, frame, ws_control(frame, WS_FIN | WS_PING, ping_text, NULL));
}
