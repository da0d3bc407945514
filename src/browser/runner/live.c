/* SPDX-License-Identifier: ISC */
/* One viewer at a time on a Unix socket, and what it must know when it comes. */
#include "config.h"

#include "browser/runner/live_priv.h"
#include "daemon/daemon.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <linux/sockios.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	ARENA = 16 * 1024 * 1024,
	QUEUE_MAX =
	    16 * 1024 * 1024, /* bytes that may wait for a proxy that does not read */
	BEAT_MS = 15000,
	SILENT_US = 45000000, /* without a byte, pongs included: the viewer is gone */
	LINGER_S = 2,
	SCOLD_US = 1000000, /* one error for too many messages in this time */
	BACKLOG = 8,
};

/* ---- writing ---- */

bool
live_watched(const struct live *l)
{
	return l->viewer != NULL && !l->viewer->closing;
}

size_t
live_unsent(const struct live *l)
{
	int kernel = 0;

	if (ioctl(bufferevent_getfd(l->viewer->bev), SIOCOUTQ, &kernel) != 0)
		kernel = 0;
	return evbuffer_get_length(bufferevent_get_output(l->viewer->bev)) +
	       (size_t)kernel;
}

static void
write_bytes(struct live_viewer *v, const void *bytes, size_t n)
{
	if (bufferevent_write(v->bev, bytes, n) != 0)
		panic("live: memory");
}

void
live_put(struct live *l, unsigned opcode, struct str payload)
{
	struct live_viewer *v = l->viewer;
	unsigned char head[WS_HEAD_MAX];

	if (!live_watched(l) || v->doomed)
		return;
	write_bytes(v, head, ws_head(head, WS_FIN | opcode, payload.n, NULL));
	write_bytes(v, payload.p, payload.n);
	if (evbuffer_get_length(bufferevent_get_output(v->bev)) <= QUEUE_MAX)
		return;
	v->doomed = true; /* not from here: the caller does not expect it */
	event_active(l->beat, EV_TIMEOUT, 0);
}

static void
put_control(struct live_viewer *v, unsigned opcode, struct str payload)
{
	unsigned char frame[WS_CONTROL_FRAME];

	write_bytes(v, frame, ws_control(frame, WS_FIN | opcode, payload, NULL));
}

static void
put_close(struct live *l, unsigned code, const char *why)
{
	const struct timeval linger = { LINGER_S, 0 };
	unsigned char frame[WS_CONTROL_FRAME];

	if (l->viewer->closing)
		return;
	l->viewer->closing = true;
	write_bytes(l->viewer, frame, ws_close(frame, code, str_of(why), NULL));
	event_add(l->linger, &linger);
}

/* ---- messages ---- */

/* The page chooses its texts, and so their lengths: what is above its row's bound is cut off. */
static void
clip(struct arena *a, const struct field *fields, void *out)
{
	for (const struct field *f = fields; f->type != FIELD_NONE; f++) {
		void *at = (char *)out + f->offset;
		struct list *list = at;

		if (f->type == FIELD_STR && f->hi > 0)
			*(struct str *)at = str_cut(*(struct str *)at, (size_t)f->hi);
		if (f->type != FIELD_LIST || f->sub == NULL || list->n == 0)
			continue;
		list->items = memcpy(
		    arena_array(a, list->n, f->size), list->items, list->n * f->size);
		for (size_t i = 0; i < list->n; i++)
			clip(a, f->sub, (char *)list->items + i * f->size);
	}
}

static struct str
text_of(struct live *l, enum stream_message_id id, const void *message)
{
	const struct stream_message *m = &stream_messages[id];
	struct buf b = { .a = l->arena };
	char *copy = memcpy(arena_alloc(l->arena, m->size), message, m->size);

	*(struct str *)(void *)copy =
	    str_of(m->name); /* every struct begins with its type */
	clip(l->arena, m->fields, copy);
	json_write(&b, m->fields, copy);
	return buf_done(&b);
}

/* The messages that a viewer who comes later must know, in the order it hears them. */
static const enum stream_message_id kept[] = { STREAM_STATE, STREAM_TABS, STREAM_URL,
	STREAM_DIALOG_OPEN };

static void
keep(struct live *l, enum stream_message_id id, struct str text)
{
	for (size_t i = 0; i < COUNT(kept); i++)
		if (kept[i] == id) {
			buf_clear(&l->kept[id]);
			buf_str(&l->kept[id], text);
		}
}

static void
copy_text(char *out, size_t room, struct str *s)
{
	if (s->n >= room)
		s->n = room - 1;
	if (s->n > 0)
		memcpy(out, s->p, s->n);
	s->p = out;
}

static void
remember_hello(struct live *l, const struct stream_hello *h)
{
	l->hello = *h;
	copy_text(l->profile, sizeof(l->profile), &l->hello.profile);
	copy_text(l->country, sizeof(l->country), &l->hello.country);
	l->hello.version = STREAM_VERSION;
	l->hello.limits = (struct stream_limits){ LIM_STREAM_MESSAGE, LIM_STREAM_RATE,
		LIM_STREAM_TEXT, LIM_STREAM_FRAME, LIM_STREAM_FPS, LIM_STREAM_QUALITY };
	l->knows_hello = true;
}

static void
put_hello(struct live *l)
{
	l->hello.now = ts_now();
	if (l->knows_hello)
		live_put(l, WS_TEXT, text_of(l, STREAM_HELLO, &l->hello));
}

void
live_say(struct live *l, enum stream_message_id id, const void *message)
{
	struct str text;

	if (id == STREAM_HELLO) {
		remember_hello(l, message);
		put_hello(l);
	} else {
		text = text_of(l, id, message);
		keep(l, id, text);
		past_keep(&l->past, id, text);
		live_put(l, WS_TEXT, text);
	}
	if (!l->taking)
		arena_reset(l->arena);
}

void
live_scold(
    struct live *l, const char *code, struct str message, struct str to, struct str field)
{
	live_error(
	    l, &(struct stream_error){
		   .code = str_of(code), .message = message, .to = to, .field = field });
}

/* ---- the viewer's bytes ---- */

static void
free_viewer(struct live_viewer *v)
{
	bufferevent_free(v->bev);
	buf_free(&v->message);
	free(v);
}

/* The viewer is gone, whoever wished it. */
static void
drop(struct live *l, const char *why)
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

/* A bucket of as many messages as a second allows. */
static bool
has_credit(struct live_viewer *v)
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
too_many(struct live *l)
{
	struct live_viewer *v = l->viewer;
	int64_t now = mono_us();

	if (now - v->scolded_us < SCOLD_US)
		return;
	v->scolded_us = now;
	live_scold(l, "too_many_messages",
	    arena_printf(l->arena, "more than %d messages a second: some were dropped",
		(int)LIM_STREAM_RATE),
	    STR_NULL, STR_NULL);
}

static void
take_message(struct live *l, enum ws_opcode kind)
{
	struct live_viewer *v = l->viewer;

	l->taking = true;
	if (!has_credit(v))
		too_many(l);
	else if (kind != WS_TEXT)
		live_scold(l, "invalid_type", STR("a viewer sends text messages alone"),
		    STR_NULL, STR_NULL);
	else if (v->message_n > LIM_STREAM_MESSAGE)
		live_scold(l, "message_too_long",
		    arena_printf(l->arena, "a message must have at most %d bytes",
			(int)LIM_STREAM_MESSAGE),
		    STR_NULL, STR_NULL);
	else
		live_take(l, buf_done(&v->message));
	l->taking = false;
	arena_reset(l->arena);
	buf_clear(&v->message);
	v->message_n = 0;
}

static void
take_piece(struct live_viewer *v)
{
	const struct ws_reader *r = &v->reader;

	if (r->frame.opcode > WS_BINARY)
		return;
	v->message_n += r->piece_n;
	if (v->message_n <= LIM_STREAM_MESSAGE)
		buf_add(&v->message, r->piece, r->piece_n);
}

static void
take_frame(struct live *l)
{
	struct live_viewer *v = l->viewer;
	const struct ws_reader *r = &v->reader;

	if (r->frame.opcode == WS_CLOSE) {
		v->peer_closed = true;
		put_close(l, r->close_code, NULL);
	} else if (v->closing) {
		return;
	} else if (r->frame.opcode == WS_PING) {
		put_control(v, WS_PONG,
		    (struct str){ (const char *)r->control, (size_t)r->frame.length });
	} else if (r->frame.opcode <= WS_BINARY && r->frame.fin) {
		take_message(l, r->frame.message);
	}
}

static void
feed(struct live *l, unsigned char *bytes, size_t n)
{
	struct ws_reader *r = &l->viewer->reader;
	enum ws_event e;
	size_t used;

	do {
		e = ws_next(r, bytes, n, &used);
		bytes += used;
		n -= used;
		if (e == WS_PIECE)
			take_piece(l->viewer);
		else if (e == WS_END)
			take_frame(l);
	} while (e != WS_MORE && e != WS_BAD);
	if (e == WS_BAD)
		put_close(l, r->code, r->why);
}

/* ---- the connection ---- */

static void
on_drained(struct bufferevent *bev, void *arg)
{
	struct live *l = arg;

	if (l->viewer->peer_closed &&
	    evbuffer_get_length(bufferevent_get_output(bev)) == 0)
		drop(l, "closed");
}

static void
on_readable(struct bufferevent *bev, void *arg)
{
	static unsigned char room[16384];
	struct live *l = arg;
	size_t n;

	l->viewer->heard_us = mono_us();
	while ((n = bufferevent_read(bev, room, sizeof(room))) > 0)
		feed(l, room, n);
	on_drained(bev, l);
}

static void
on_event(struct bufferevent *bev, short what, void *arg)
{
	(void)bev;
	(void)what;
	drop(arg, "the connection ended");
}

static void
on_linger(int fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	drop(arg, "did not close in time");
}

static void
on_beat(int fd, short what, void *arg)
{
	struct live *l = arg;

	(void)fd;
	(void)what;
	if (l->viewer == NULL)
		return;
	if (l->viewer->doomed)
		drop(l, "too much is unsent");
	else if (mono_us() - l->viewer->heard_us > SILENT_US)
		drop(l, "silent");
	else if (!l->viewer->closing)
		put_control(l->viewer, WS_PING, STR_NULL);
}

/* A newer connection takes over: what the older one hears may be lost, it is dead anyway. */
static void
displace(struct live *l)
{
	struct evbuffer *out = bufferevent_get_output(l->viewer->bev);

	live_bye(l, &(struct stream_bye){ .reason = STR("displaced") });
	put_close(l, WS_TRY_LATER, "displaced");
	evbuffer_unfreeze(out, 1); /* it is written past the bufferevent */
	if (evbuffer_write(out, bufferevent_getfd(l->viewer->bev)) < 0)
		log_event(LOGP_INFO, "viewer", "unsent=\"%s\"", strerror(errno));
	drop(l, "displaced");
}

static void
welcome(struct live *l)
{
	put_hello(l);
	for (size_t i = 0; i < COUNT(kept); i++)
		if (l->kept[kept[i]].n > 0)
			live_put(l, WS_TEXT, buf_done(&l->kept[kept[i]]));
	past_send(l);
	arena_reset(l->arena);
	l->ops->watch(l->arg, true, l->picture.fps, l->picture.quality);
}

static void
on_connection(struct evconnlistener *listener, evutil_socket_t fd, struct sockaddr *from,
    int n, void *arg)
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
		displace(l);
	v->bev = bufferevent_socket_new(l->base, fd, BEV_OPT_CLOSE_ON_FREE);
	if (v->bev == NULL)
		panic("live: memory");
	ws_start(&v->reader, &rules);
	v->credit = LIM_STREAM_RATE;
	v->heard_us = v->credit_us = mono_us();
	v->scolded_us = -SCOLD_US;
	l->viewer = v;
	bufferevent_setcb(v->bev, on_readable, on_drained, on_event, l);
	if (bufferevent_enable(v->bev, EV_READ | EV_WRITE) != 0)
		panic("live: no event");
	log_event(LOGP_INFO, "viewer", "came=1");
	welcome(l);
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
	l->beat = ev_every(base, BEAT_MS, on_beat, l);
	l->linger = event_new(base, -1, 0, on_linger, l);
	l->listener = evconnlistener_new(base, on_connection, l,
	    LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC, BACKLOG, fd);
	if (l->linger == NULL || l->listener == NULL)
		panic("live: no event");
	past_open(&l->past);
	picture_open(l);
	return l;
}

static void
stop_listening(struct live *l)
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
	stop_listening(l);
	if (l->viewer != NULL) {
		live_bye(l, &(struct stream_bye){ .reason = str_of(reason) });
		put_close(l, code, reason);
	}
	l->ended = true;
	if (l->viewer == NULL)
		l->ops->ended(l->arg);
}

void
live_free(struct live *l)
{
	stop_listening(l);
	if (l->viewer != NULL)
		free_viewer(l->viewer);
	past_close(&l->past);
	picture_close(l);
	event_free(l->beat);
	event_free(l->linger);
	for (size_t i = 0; i < STREAM_MESSAGES; i++)
		buf_free(&l->kept[i]);
	arena_free(l->arena);
	free(l->path);
	free(l);
}
