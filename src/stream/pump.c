/* SPDX-License-Identifier: ISC */
/* The pump: decides what each event of a stream does. forward.c moves the bytes and reports the
 * events, and stream.h lists every end with its code.
 *
 * The ends are hard. A frame of the proxy's own may only be sent between two forwarded frames, each
 * side may end first, in the middle of a frame, or not at all, and neither the code nor the silence
 * of a runner shows whether the client lost a right. So the decisions stand in one table,
 * `actions`: a row for each event, a column for each state, a function in each cell.
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
 *   FLUSH     the stream ends, but the client has an incomplete frame of the runner, whose rest
 *             goes first
 *   FAREWELL  the runner's socket is closed; the client has a close frame, or as much as it will
 *             get
 *
 * A dash does nothing. A dot cannot happen: the socket of that event is closed, or it is not read,
 * in that state; pump_event panics. An ending stream moves to the right only, so it ends. */
#include "config.h"

#include "stream/pump_priv.h"

#include <inttypes.h>
#include <sys/socket.h>

enum {
	RECHECK_US = 3000000, /* after this the runner's code is used unchecked */
	BROKEN_US = 500000,   /* ENDING_US of a client whose frames are malformed */
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

/* A client that sent its close frame sends nothing more. A client whose frames cannot be parsed any
   more gets an end of file instead, and disconnects. */
void
pump_end_if_answered(struct conn *c)
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

/* Sends the close frame and waits until c->deadline for the client's answer: closing a socket that
   has unread bytes resets the connection, and the reset may overtake the frame. The slot is
   released first, because the session's next stream need not wait for this client. */
static void
send_farewell(struct conn *c)
{
	unsigned char frame[WS_CONTROL_FRAME];
	size_t n = build_close_frame(c, frame);

	side_close(&c->runner);
	release_stream_slot(c);
	side_start_reading(&c->client);
	if (pump_send(c, &c->client, frame, n))
		pump_end_if_answered(c);
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

/* The column of the table. Three facts decide it: the list that the connection is on, the stage of
   the client's reader, and the runner's socket. */
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
	side_start_reading(&c->client);
}

static void
read_runner_again(struct conn *c, struct ending e)
{
	(void)e;
	side_start_reading(&c->runner);
}

static void
close_if_answered(struct conn *c, struct ending e)
{
	(void)e;
	pump_end_if_answered(c);
}

static void
send_last_message(struct conn *c, struct ending e)
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
	if (side_between_frames(&c->runner))
		send_farewell(c);
	else
		side_stop_reading(&c->client);
}

/* The runner closed, or its connection was lost. The runner may have ended because a right was lost
   (C-113), and neither its code nor its silence shows that: before the client gets a close frame,
   the database is asked. The slot stays taken until then, because the database identifies a stream
   by its slot. */
static void
recheck_before_end(struct conn *c, struct ending e)
{
	side_close(&c->runner);
	side_stop_reading(&c->client);
	conn_move(c, CONN_RECHECK);
	c->why = e.why;
	c->code = e.code;
	c->recheck_since = mono_us();
	c->deadline = c->recheck_since + RECHECK_US;
	event_active(c->proxy->recheck_now, EV_TIMEOUT, 0);
}

/* Ends a stream whose runner is lost. If a frame is incomplete, the client would read anything
   further as its payload: begin_end then sends no close frame, and the rest never comes. The
   client's socket stays open until the deadline, so that bytes which wait for it still arrive. */
static void
end_without_runner(struct conn *c, struct ending e)
{
	side_close(&c->runner);
	release_stream_slot(c);
	begin_end(c, e);
}

/* Both sides have sent their close frames; the deadline is that of the client's. */
static void
end_after_both_closed(struct conn *c, struct ending e)
{
	(void)e;
	conn_move(c, CONN_ENDING);
	side_close(&c->runner);
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
	[RUNNER_FRAME_COMPLETE] = { NULL, NULL, NULL, NULL, send_last_message, NULL },
	[STREAM_END] = { do_nothing, begin_end, begin_end, begin_end, do_nothing, do_nothing },
	[STREAM_LATE] = { NULL, NULL, end_with_client_code, end_with_runner_code, close_stream,
	    close_stream },
};

void
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

bool
pump_lose_side(struct conn *c, const struct side *s)
{
	if (s == &c->client)
		pump_event(c, CLIENT_LOST, NO_END);
	else
		pump_event(c, side_between_frames(s) ? RUNNER_LOST : RUNNER_CUT,
		    (struct ending){ WHY_LOST, WS_TRY_LATER });
	return false;
}

/* ---- sending ---- */

static void
on_stream_writable(int fd, short what, void *arg)
{
	struct conn *c = arg;
	struct side *to = fd == c->client.fd ? &c->client : &c->runner;
	enum side_rc rc = side_flush(to);

	(void)what;
	if (rc == SIDE_WAITS)
		return;
	if (rc == SIDE_LOST) {
		(void)pump_lose_side(c, to);
		return;
	}
	if (to == &c->client)
		c->alive = mono_us(); /* the client reads again */
	if (rc == SIDE_SENT)
		pump_event(c, to == &c->client ? CLIENT_DRAINED : RUNNER_DRAINED, NO_END);
}

bool
pump_write(struct conn *c, struct side *to, const struct iovec *v, int n)
{
	enum side_rc rc = side_write(to, v, n);

	if (rc != SIDE_WAITS)
		return rc == SIDE_SENT;
	if (!to->writing) {
		event_assign(&to->writable, c->proxy->base, to->fd, EV_WRITE | EV_PERSIST,
		    on_stream_writable, c);
		if (event_add(&to->writable, NULL) != 0)
			panic("event_add failed for a stream");
		to->writing = true;
	}
	side_stop_reading(other_side(c, to));
	return true;
}

bool
pump_send(struct conn *c, struct side *to, const void *bytes, size_t n)
{
	struct iovec v = { .iov_base = (void *)(uintptr_t)bytes, .iov_len = n };

	return pump_write(c, to, &v, 1) || pump_lose_side(c, to);
}
