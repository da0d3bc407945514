/* SPDX-License-Identifier: ISC */
/* A TCP connection to the first of some addresses that answers: the next one is tried as soon as one has
   failed, or has not answered for a while (RFC 8305). */
#include "config.h"

#include "browser/egress/egress.h"

#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

enum { ATTEMPTS_MAX = 8, STAGGER_MS = 250 };

struct attempt {
	struct dial *d;
	struct ip ip;
	int fd; /* -1: not begun, or failed */
	struct event *writable;
};

struct dial {
	struct event_base *base;
	dial_fn *fn;
	void *arg;
	unsigned port;
	bool open;
	struct event *step; /* the next attempt, or the end */
	size_t n, next, live;
	enum reason why;
	struct attempt attempts[ATTEMPTS_MAX];
};

union address {
	struct sockaddr any;
	struct sockaddr_in four;
	struct sockaddr_in6 six;
};

static socklen_t
address_of(const struct ip *ip, unsigned port, union address *out)
{
	memset(out, 0, sizeof(*out));
	if (ip->family == AF_INET) {
		out->four.sin_family = AF_INET;
		out->four.sin_port = htons((uint16_t)port);
		memcpy(&out->four.sin_addr, ip->b, 4);
		return sizeof(out->four);
	}
	out->six.sin6_family = AF_INET6;
	out->six.sin6_port = htons((uint16_t)port);
	memcpy(&out->six.sin6_addr, ip->b, 16);
	return sizeof(out->six);
}

/* The other end is who was asked for. */
static bool
is_peer(int fd, const struct ip *ip, unsigned port)
{
	union address is = { .six = { 0 } }, wanted;
	socklen_t n = sizeof(is);

	address_of(ip, port, &wanted);
	if (getpeername(fd, &is.any, &n) != 0 || is.any.sa_family != ip->family)
		return false;
	if (ip->family == AF_INET)
		return is.four.sin_port == wanted.four.sin_port &&
		       memcmp(&is.four.sin_addr, ip->b, 4) == 0;
	return is.six.sin6_port == wanted.six.sin6_port &&
	       memcmp(&is.six.sin6_addr, ip->b, 16) == 0;
}

static enum reason
reason_of(int error)
{
	switch (error) {
	case 0:
		return REASON_CONNECTED;
	case ECONNREFUSED:
	case ECONNRESET:
		return REASON_REFUSED;
	case ETIMEDOUT:
		return REASON_TIMEOUT;
	case EMFILE:
	case ENFILE:
	case ENOBUFS:
	case ENOMEM:
		return REASON_BUSY;
	default:
		return REASON_UNREACHABLE;
	}
}

static void
attempt_end(struct attempt *a)
{
	if (a->fd < 0)
		return;
	event_free(a->writable);
	close(a->fd);
	a->fd = -1;
	a->d->live--;
}

void
dial_cancel(struct dial *d)
{
	for (size_t i = 0; i < d->n; i++)
		attempt_end(&d->attempts[i]);
	event_free(d->step);
	free(d);
}

static void
finish(struct dial *d, enum reason why, int fd, const struct ip *at)
{
	dial_fn *fn = d->fn;
	void *arg = d->arg;
	struct ip copy = *at;

	dial_cancel(d);
	fn(arg, why, fd, &copy);
}

static void
soon(struct dial *d, int64_t ms)
{
	const struct timeval in = ev_ms(ms);

	event_add(d->step, &in);
}

/* What a reader learns most from: not that there is no IPv6 here. */
static void
failed(struct dial *d, enum reason why)
{
	if (d->why == REASON_CONNECTED || d->why == REASON_UNREACHABLE)
		d->why = why;
	if (d->next < d->n || d->live == 0)
		soon(d, 0);
}

static void
on_writable(int fd, short what, void *arg)
{
	struct attempt *a = arg;
	struct dial *d = a->d;
	int error = 0;
	socklen_t n = sizeof(error);
	enum reason why;

	(void)what;
	why = getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &n) != 0 ? REASON_UNREACHABLE
								    : reason_of(error);
	if (why == REASON_CONNECTED && !is_peer(fd, &a->ip, d->port))
		why = REASON_PEER;
	if (why != REASON_CONNECTED) {
		attempt_end(a);
		failed(d, why);
		return;
	}
	event_free(a->writable);
	a->fd = -1;
	d->live--;
	finish(d, REASON_CONNECTED, fd, &a->ip);
}

static void
attempt_begin(struct attempt *a)
{
	struct dial *d = a->d;
	union address to;
	socklen_t n = address_of(&a->ip, d->port, &to);
	int one = 1;

	assert(d->open || ip_public(&a->ip));
	a->fd = socket(a->ip.family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (a->fd < 0) {
		failed(d, reason_of(errno));
		return;
	}
	d->live++;
	a->writable = event_new(d->base, a->fd, EV_WRITE, on_writable, a);
	if (a->writable == NULL || event_add(a->writable, NULL) != 0)
		panic("dial: no event");
	(void)setsockopt(a->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	(void)setsockopt(a->fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one));
	if (connect(a->fd, &to.any, n) != 0 && errno != EINPROGRESS) {
		enum reason why = reason_of(errno);

		attempt_end(a);
		failed(d, why);
	}
}

static void
on_step(int fd, short what, void *arg)
{
	struct dial *d = arg;

	(void)fd;
	(void)what;
	if (d->next < d->n) {
		struct attempt *a = &d->attempts[d->next++];

		if (d->next < d->n)
			soon(d, STAGGER_MS);
		attempt_begin(a);
	} else if (d->live == 0) {
		finish(d, d->why, -1, &d->attempts[0].ip);
	}
}

struct dial *
dial_start(struct event_base *base, const struct dial_to *to, dial_fn *fn, void *arg)
{
	struct dial *d = mem_zero(sizeof(*d));

	if (to->n == 0)
		panic("dial: no address");
	d->base = base;
	d->fn = fn;
	d->arg = arg;
	d->port = to->port;
	d->open = to->open;
	d->n = to->n < ATTEMPTS_MAX ? to->n : ATTEMPTS_MAX;
	for (size_t i = 0; i < d->n; i++)
		d->attempts[i] = (struct attempt){ d, to->ips[i], -1, NULL };
	d->step = event_new(base, -1, 0, on_step, d);
	if (d->step == NULL)
		panic("dial: no event");
	soon(d, 0);
	return d;
}
