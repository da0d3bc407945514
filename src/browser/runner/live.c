/* SPDX-License-Identifier: ISC */
/* The socket of the live stream: accepts one viewer at a time, and splits its bytes into messages.
   The viewer is freed here alone, and only from an event (live_write.c). */
#include "config.h"

#include "browser/runner/live_priv.h"
#include "daemon/daemon.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	ARENA = 16 * 1024 * 1024,
	PING_MS = 15000,
	SILENT_US = 45000000,    /* without a byte, pongs included: the viewer is disconnected */
	RATE_ERROR_US = 1000000, /* at most one error about the rate of messages in this time */
	BACKLOG = 8,
};

/* ---- the viewer's bytes ---- */

static void
free_viewer(struct live_viewer *v)
{
	bufferevent_free(v->bev);
	buf_free(&v->message);
	free(v);
}

/* Frees the viewer, whichever side closed the connection, and stops the screencast. */
static void
drop_viewer(struct live *l, const char *why)
{
	struct live_viewer *v = l->viewer;

	l->viewer = NULL;
	event_del(l->linger);
	log_event(LOGP_INFO, "viewer", "gone=\"%s\"", why);
	free_viewer(v);
	l->ops->watch(l->arg, false, 0, 0);
	picture_restart(l);
	if (l->ended)
		l->ops->ended(l->arg);
}

/* Takes one message from a bucket that holds the messages of one second. */
static bool
take_credit(struct live_viewer *v)
{
	int64_t now = mono_us();

	v->credit += (double)(now - v->credit_us) * LIM_STREAM_RATE / 1e6;
	if (v->credit > LIM_STREAM_RATE)
		v->credit = LIM_STREAM_RATE;
	v->credit_us = now;
	if (v->credit < 1)
		return false;
	v->credit--;
	return true;
}

static void
send_rate_error(struct live *l)
{
	struct live_viewer *v = l->viewer;
	int64_t now = mono_us();

	if (now - v->rate_error_us < RATE_ERROR_US)
		return;
	v->rate_error_us = now;
	live_send_error(l, "too_many_messages",
	    arena_printf(l->arena, "more than %d messages a second: some were dropped",
		(int)LIM_STREAM_RATE),
	    STR_NULL, STR_NULL);
}

static void
handle_viewer_message(struct live *l, enum ws_opcode kind)
{
	struct live_viewer *v = l->viewer;

	l->handling = true;
	if (!take_credit(v))
		send_rate_error(l);
	else if (kind != WS_TEXT)
		live_send_error(l, "invalid_type", STR("a viewer sends text messages alone"),
		    STR_NULL, STR_NULL);
	else if (v->message_n > LIM_STREAM_MESSAGE)
		live_send_error(l, "message_too_long",
		    arena_printf(
			l->arena, "a message must have at most %d bytes", (int)LIM_STREAM_MESSAGE),
		    STR_NULL, STR_NULL);
	else
		live_handle(l, buf_done(&v->message));
	l->handling = false;
	arena_reset(l->arena);
	buf_clear(&v->message);
	v->message_n = 0;
}

static void
append_piece(struct live_viewer *v)
{
	const struct ws_reader *r = &v->reader;

	if (r->frame.opcode > WS_BINARY)
		return;
	v->message_n += r->piece_n;
	if (v->message_n <= LIM_STREAM_MESSAGE)
		buf_add(&v->message, r->piece, r->piece_n);
}

static void
handle_ws_frame(struct live *l)
{
	struct live_viewer *v = l->viewer;
	const struct ws_reader *r = &v->reader;

	if (r->frame.opcode == WS_CLOSE) {
		v->peer_closed = true;
		live_write_close(l, r->close_code, NULL);
	} else if (v->closing) {
		return;
	} else if (r->frame.opcode == WS_PING) {
		live_write_control(
		    v, WS_PONG, (struct str){ (const char *)r->control, (size_t)r->frame.length });
	} else if (r->frame.opcode <= WS_BINARY && r->frame.fin) {
		handle_viewer_message(l, r->frame.message);
	}
}

static void
parse_viewer_bytes(struct live *l, unsigned char *bytes, size_t n)
{
	struct ws_reader *r = &l->viewer->reader;
	enum ws_event e;
	size_t used;

	do {
		e = ws_next(r, bytes, n, &used);
		bytes += used;
		n -= used;
		if (e == WS_PIECE)
			append_piece(l->viewer);
		else if (e == WS_END)
			handle_ws_frame(l);
	} while (e != WS_MORE && e != WS_BAD);
	if (e == WS_BAD)
		live_write_close(l, r->code, r->why);
}

/* ---- the connection ---- */

static void
on_viewer_drained(struct bufferevent *bev, void *arg)
{
	struct live *l = arg;

	if (l->viewer->peer_closed && evbuffer_get_length(bufferevent_get_output(bev)) == 0)
		drop_viewer(l, "closed");
}

static void
on_viewer_readable(struct bufferevent *bev, void *arg)
{
	static unsigned char room[16384];
	struct live *l = arg;
	size_t n;

	l->viewer->received_us = mono_us();
	while ((n = bufferevent_read(bev, room, sizeof(room))) > 0)
		parse_viewer_bytes(l, room, n);
	on_viewer_drained(bev, l);
}

static void
on_viewer_lost(struct bufferevent *bev, short what, void *arg)
{
	(void)bev;
	(void)what;
	drop_viewer(arg, "the connection ended");
}

static void
on_linger(int fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	drop_viewer(arg, "did not close in time");
}

static void
on_ping(int fd, short what, void *arg)
{
	struct live *l = arg;

	(void)fd;
	(void)what;
	if (l->viewer == NULL)
		return;
	if (l->viewer->overflowed)
		drop_viewer(l, "too much is unsent");
	else if (mono_us() - l->viewer->received_us > SILENT_US)
		drop_viewer(l, "silent");
	else if (!l->viewer->closing)
		live_write_control(l->viewer, WS_PING, STR_NULL);
}

/* Closes the old connection in favour of a new one: the newest viewer is the one whose person is
 * looking, and usually the old connection is already dead. surfaced-stream therefore connects
 * only after it has taken the session's slot.
 *
 * The last frames are written once, past the bufferevent, and may be lost: waiting for a dead
 * peer would delay the new viewer. The bufferevent freezes its output against writes of others,
 * so it is unfrozen first. */
static void
displace_viewer(struct live *l)
{
	struct evbuffer *out = bufferevent_get_output(l->viewer->bev);

	live_bye(l, &(struct stream_bye){ .reason = STR("displaced") });
	live_write_close(l, WS_TRY_LATER, "displaced");
	evbuffer_unfreeze(out, 1); /* a bufferevent freezes its output */
	if (evbuffer_write(out, bufferevent_getfd(l->viewer->bev)) < 0)
		log_event(LOGP_INFO, "viewer", "unsent=\"%s\"", strerror(errno));
	drop_viewer(l, "displaced");
}

static void
on_connection(
    struct evconnlistener *listener, evutil_socket_t fd, struct sockaddr *from, int n, void *arg)
{
	static const struct ws_rules rules = { .masked = true,
		.unmask = true,
		.text = true,
		.frame_max = LIM_STREAM_FRAME,
		.message_max = LIM_STREAM_FRAME };
	struct live *l = arg;
	struct live_viewer *v = mem_zero(sizeof(*v));

	(void)listener;
	(void)from;
	(void)n;
	if (l->viewer != NULL)
		displace_viewer(l);
	v->bev = bufferevent_socket_new(l->base, fd, BEV_OPT_CLOSE_ON_FREE);
	if (v->bev == NULL)
		panic("bufferevent_socket_new failed for the viewer");
	ws_start(&v->reader, &rules);
	v->credit = LIM_STREAM_RATE;
	v->received_us = v->credit_us = mono_us();
	v->rate_error_us = -RATE_ERROR_US;
	l->viewer = v;
	bufferevent_setcb(v->bev, on_viewer_readable, on_viewer_drained, on_viewer_lost, l);
	if (bufferevent_enable(v->bev, EV_READ | EV_WRITE) != 0)
		panic("bufferevent_enable failed for the viewer");
	log_event(LOGP_INFO, "viewer", "came=1");
	live_send_state(l);
	l->ops->watch(l->arg, true, l->picture.fps, l->picture.quality);
}

/* ---- the listening socket ---- */

struct live *
live_new(struct event_base *base, const char *path, const struct live_ops *ops, void *arg)
{
	int fd = daemon_bind(path, SOCK_STREAM, 0660);
	struct live *l;

	if (fd < 0)
		return NULL;
	l = mem_zero(sizeof(*l));
	l->path = mem_text(path);
	l->base = base;
	l->ops = ops;
	l->arg = arg;
	l->arena = arena_new(ARENA);
	l->hello.expires_at = TS_NULL;
	l->ping = ev_every(base, PING_MS, on_ping, l);
	l->linger = event_new(base, -1, 0, on_linger, l);
	l->listener = evconnlistener_new(
	    base, on_connection, l, LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC, BACKLOG, fd);
	if (l->linger == NULL || l->listener == NULL)
		panic("event_new failed for the live stream");
	past_open(&l->past);
	picture_open(l);
	return l;
}

static void
stop_live_listener(struct live *l)
{
	if (l->listener == NULL)
		return;
	evconnlistener_free(l->listener);
	l->listener = NULL;
	if (unlink(l->path) != 0)
		log_event(LOGP_WARNING, "live", "socket=\"%s\"", strerror(errno));
}

void
live_end(struct live *l, const char *reason, unsigned code)
{
	if (l->ended)
		return;
	stop_live_listener(l);
	if (l->viewer != NULL) {
		live_bye(l, &(struct stream_bye){ .reason = str_of(reason) });
		live_write_close(l, code, reason);
	}
	l->ended = true;
	if (l->viewer == NULL)
		l->ops->ended(l->arg);
}

void
live_free(struct live *l)
{
	stop_live_listener(l);
	if (l->viewer != NULL)
		free_viewer(l->viewer);
	past_close(&l->past);
	picture_close(l);
	event_free(l->ping);
	event_free(l->linger);
	for (size_t i = 0; i < STREAM_MESSAGES; i++)
		buf_free(&l->state_messages[i]);
	arena_free(l->arena);
	free(l->path);
	free(l);
}
