/* SPDX-License-Identifier: ISC */
/* Bytes both ways. What one side sends is read only when the other has taken what came before: what is kept of
   a direction never exceeds one read. An end of one direction is passed on and the other one goes on. */
#include "config.h"

#include "browser/egress/egress.h"
#include "daemon/conf.h"

#include <errno.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
	CHUNK = 65536,
	TURNS = 4,    /* chunks of one side before others have their turn */
	LAST_MS = 20, /* between two looks at what is still under way */
};

struct flow {
	struct relay *r;
	int from, to;
	struct event *readable, *writable;
	unsigned char *kept; /* what to did not take; NULL: nothing */
	size_t kept_n, kept_at;
	bool ended;  /* from has said its last */
	bool closed; /* and to has heard so */
};

struct relay {
	struct flow flows[2];
	relay_fn *fn;
	void *arg;
	struct event *idle;
	int64_t moved_at;
	int queued; /* in the kernel, when it was last looked at */
	struct flow
	    *last; /* the other side is broken: what is under way here still arrives */
};

static void
give(struct event *e)
{
	if (event_add(e, NULL) != 0)
		panic("relay: no event");
}

static void
flow_free(struct flow *f)
{
	event_free(f->readable);
	event_free(f->writable);
	free(f->kept);
}

void
relay_cancel(struct relay *r)
{
	int fds[] = { r->flows[0].from, r->flows[1].from };

	flow_free(&r->flows[0]);
	flow_free(&r->flows[1]);
	event_free(r->idle);
	close(fds[0]);
	close(fds[1]);
	free(r);
}

static void
finish(struct relay *r)
{
	relay_fn *fn = r->fn;
	void *arg = r->arg;

	relay_cancel(r);
	fn(arg);
}

/* What broke on one side must not look like an end on the other. */
static void
break_off(struct relay *r)
{
	const struct linger now = { .l_onoff = 1, .l_linger = 0 };

	for (int i = 0; i < 2; i++)
		(void)setsockopt(
		    r->flows[i].from, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	finish(r);
}

/* What a side has not taken yet. */
static int
queued(int fd)
{
	int n = 0;

	return ioctl(fd, SIOCOUTQ, &n) == 0 ? n : 0;
}

static bool
arrived(const struct flow *f)
{
	return f->kept == NULL && queued(f->to) == 0;
}

static void
look_again(struct relay *r, int64_t ms)
{
	const struct timeval in = { ms / 1000, ms % 1000 * 1000 };

	event_add(r->idle, &in);
}

/* last: the flow to the side that stands; where there is one already, that side has broken, too. */
static void
broken(struct relay *r, struct flow *last)
{
	if (r->last != NULL || arrived(last)) {
		break_off(r);
		return;
	}
	r->last = last;
	for (int i = 0; i < 2; i++) {
		event_del(r->flows[i].readable);
		if (&r->flows[i] != last)
			event_del(r->flows[i].writable);
	}
	look_again(r, LAST_MS);
}

static struct flow *
other(struct flow *f)
{
	return &f->r->flows[f == &f->r->flows[0]];
}

static bool
transient(void)
{
	return errno == EAGAIN || errno == EINTR;
}

static void
keep(struct flow *f, const unsigned char *p, size_t n)
{
	f->kept = mem_alloc(n);
	memcpy(f->kept, p, n);
	f->kept_n = n;
	f->kept_at = 0;
	event_del(f->readable);
	give(f->writable);
}

/* Sends what it can and keeps the rest; false: to is broken. */
static bool
pass(struct flow *f, const unsigned char *p, size_t n)
{
	ssize_t sent = send(f->to, p, n, MSG_NOSIGNAL | MSG_DONTWAIT);

	if (sent < 0 && !transient())
		return false;
	sent = sent < 0 ? 0 : sent;
	if ((size_t)sent < n)
		keep(f, p + sent, n - (size_t)sent);
	return true;
}

/* from has ended: to hears of it when it has everything. True: both directions are over. */
static bool
end(struct flow *f)
{
	f->ended = true;
	event_del(f->readable);
	if (f->kept == NULL && !f->closed) {
		shutdown(f->to, SHUT_WR);
		f->closed = true;
	}
	return f->r->flows[0].closed && f->r->flows[1].closed;
}

static void
on_readable(int fd, short what, void *arg)
{
	static unsigned char room[CHUNK];
	struct flow *f = arg;
	ssize_t n = 0;

	(void)what;
	f->r->moved_at = mono_us();
	for (int i = 0; i < TURNS && f->kept == NULL; i++) {
		n = recv(fd, room, sizeof(room), MSG_DONTWAIT);
		if (n <= 0)
			break;
		if (!pass(f, room, (size_t)n)) {
			broken(f->r, other(f));
			return;
		}
		if ((size_t)n < sizeof(room))
			return;
	}
	if (n < 0 && !transient())
		broken(f->r, f);
	else if (n == 0 && end(f))
		finish(f->r);
}

static void
on_writable(int fd, short what, void *arg)
{
	struct flow *f = arg;
	ssize_t n = send(fd, f->kept + f->kept_at, f->kept_n - f->kept_at,
	    MSG_NOSIGNAL | MSG_DONTWAIT);

	(void)what;
	if (n < 0 && transient())
		return;
	if (n < 0) {
		broken(f->r, other(f));
		return;
	}
	f->r->moved_at = mono_us();
	f->kept_at += (size_t)n;
	if (f->kept_at < f->kept_n)
		return;
	free(f->kept);
	f->kept = NULL;
	event_del(f->writable);
	if (f->r->last != NULL)
		return;
	if (!f->ended)
		give(f->readable);
	else if (end(f))
		finish(f->r);
}

/* What the kernel has may move although there is nothing for us to do. */
static void
on_idle(int fd, short what, void *arg)
{
	struct relay *r = arg;
	int64_t left = r->moved_at / 1000 + conf.egress_idle * 1000 - mono_us() / 1000;
	int n = queued(r->flows[0].to) + queued(r->flows[1].to);

	(void)fd;
	(void)what;
	if (n != r->queued) {
		r->moved_at = mono_us();
		left = conf.egress_idle * 1000;
	}
	r->queued = n;
	if (left <= 0 || (r->last != NULL && arrived(r->last)))
		break_off(r);
	else
		look_again(r, r->last != NULL ? LAST_MS : left);
}

static void
flow_begin(struct event_base *base, struct relay *r, struct flow *f, int from, int to)
{
	f->r = r;
	f->from = from;
	f->to = to;
	f->readable = event_new(base, from, EV_READ | EV_PERSIST, on_readable, f);
	f->writable = event_new(base, to, EV_WRITE | EV_PERSIST, on_writable, f);
	if (f->readable == NULL || f->writable == NULL)
		panic("relay: no event");
	give(f->readable);
}

struct relay *
relay_start(struct event_base *base, int near, int far, relay_fn *fn, void *arg)
{
	struct relay *r = mem_zero(sizeof(*r));

	r->fn = fn;
	r->arg = arg;
	r->moved_at = mono_us();
	flow_begin(base, r, &r->flows[0], near, far);
	flow_begin(base, r, &r->flows[1], far, near);
	r->idle = event_new(base, -1, 0, on_idle, r);
	if (r->idle == NULL)
		panic("relay: no event");
	look_again(r, conf.egress_idle * 1000);
	return r;
}

void
relay_early(struct relay *r, const unsigned char *early, size_t n)
{
	if (n > 0)
		keep(&r->flows[1], early, n);
}
