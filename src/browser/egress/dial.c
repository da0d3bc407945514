/* SPDX-License-Identifier: ISC */
/* Connects to the first of several addresses that answers (RFC 8305): the next attempt starts when
   one has failed, or after STAGGER_MS without an answer; the first to connect wins and the others
   are closed. This is the last line of the address rule: no attempt starts unless the address is
   public, or the caller has allowed any address (open), and the peer's address is compared after
   connecting. */
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
	int fd; /* -1: not started, or closed */
	struct event *writable;
};

struct dial {
	struct event_base *base;
	dial_fn *fn;
	void *arg;
	unsigned port;
	bool open;
	struct event *step; /* starts the next attempt, or reports the failure of all */
	size_t n, next, live;
	enum reason why; /* the most informative failure so far */
	struct attempt attempts[ATTEMPTS_MAX];
};

union address {
	struct sockaddr any;
	struct sockaddr_in four;
	struct sockaddr_in6 six;
};

static socklen_t
fill_sockaddr(const struct ip *ip, unsigned port, union address *out)
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

/* Whether the connected peer has the address that was checked. */
static bool
is_peer(int fd, const struct ip *ip, unsigned port)
{
	union address is = { .six = { 0 } }, wanted;
	socklen_t n = sizeof(is);

	fill_sockaddr(ip, port, &wanted);
	if (getpeername(fd, &is.any, &n) != 0 || is.any.sa_family != ip->family)
		return false;
	if (ip->family == AF_INET)
		return is.four.sin_port == wanted.four.sin_port &&
		       memcmp(&is.four.sin_addr, ip->b, 4) == 0;
	return is.six.sin6_port == wanted.six.sin6_port &&
	       memcmp(&is.six.sin6_addr, ip->b, 16) == 0;
}

static enum reason
errno_reason(int error)
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
close_attempt(struct attempt *a)
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
		close_attempt(&d->attempts[i]);
	event_free(d->step);
	free(d);
}

static void
finish_dial(struct dial *d, enum reason why, int fd, const struct ip *at)
{
	dial_fn *fn = d->fn;
	void *arg = d->arg;
	struct ip copy = *at;

	dial_cancel(d);
	fn(arg, why, fd, &copy);
}

static void
schedule_step(struct dial *d, int64_t ms)
{
	const struct timeval in = ev_ms(ms);

	event_add(d->step, &in);
}

/* Notes a failure and starts the next attempt at once. One reason is reported for all attempts,
 * and it should be the one that explains the failure: UNREACHABLE is replaced by any other
 * reason, because it often only means that this host has no IPv6, while REFUSED came from the
 * target itself. The result is not reported from here but from the event `step`, so that
 * dial_start never calls back before it has returned. */
static void
note_failure(struct dial *d, enum reason why)
{
	if (d->why == REASON_CONNECTED || d->why == REASON_UNREACHABLE)
		d->why = why;
	if (d->next < d->n || d->live == 0)
		schedule_step(d, 0);
}

static void
on_connect_result(int fd, short what, void *arg)
{
	struct attempt *a = arg;
	struct dial *d = a->d;
	int error = 0;
	socklen_t n = sizeof(error);
	enum reason why;

	(void)what;
	why = getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &n) != 0 ? REASON_UNREACHABLE
								    : errno_reason(error);
	if (why == REASON_CONNECTED && !is_peer(fd, &a->ip, d->port))
		why = REASON_PEER;
	if (why != REASON_CONNECTED) {
		close_attempt(a);
		note_failure(d, why);
		return;
	}
	event_free(a->writable);
	a->fd = -1;
	d->live--;
	finish_dial(d, REASON_CONNECTED, fd, &a->ip);
}

static void
start_attempt(struct attempt *a)
{
	struct dial *d = a->d;
	union address to;
	socklen_t n = fill_sockaddr(&a->ip, d->port, &to);
	int one = 1;

	assert(d->open || ip_public(&a->ip));
	a->fd = socket(a->ip.family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (a->fd < 0) {
		note_failure(d, errno_reason(errno));
		return;
	}
	d->live++;
	a->writable = event_new(d->base, a->fd, EV_WRITE, on_connect_result, a);
	if (a->writable == NULL || event_add(a->writable, NULL) != 0)
		panic("event_new or event_add failed for an attempt to connect");
	(void)setsockopt(a->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	(void)setsockopt(a->fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one));
	if (connect(a->fd, &to.any, n) != 0 && errno != EINPROGRESS) {
		enum reason why = errno_reason(errno);

		close_attempt(a);
		note_failure(d, why);
	}
}

static void
on_next_attempt(int fd, short what, void *arg)
{
	struct dial *d = arg;

	(void)fd;
	(void)what;
	if (d->next < d->n) {
		struct attempt *a = &d->attempts[d->next++];

		if (d->next < d->n)
			schedule_step(d, STAGGER_MS);
		start_attempt(a);
	} else if (d->live == 0) {
		finish_dial(d, d->why, -1, &d->attempts[0].ip);
	}
}

struct dial *
dial_start(struct event_base *base, const struct dial_to *to, dial_fn *fn, void *arg)
{
	struct dial *d = mem_zero(sizeof(*d));

	if (to->n == 0)
		panic("dial_start was called without an address");
	d->base = base;
	d->fn = fn;
	d->arg = arg;
	d->port = to->port;
	d->open = to->open;
	d->n = to->n < ATTEMPTS_MAX ? to->n : ATTEMPTS_MAX;
	for (size_t i = 0; i < d->n; i++)
		d->attempts[i] = (struct attempt){ d, to->ips[i], -1, NULL };
	d->step = event_new(base, -1, 0, on_next_attempt, d);
	if (d->step == NULL)
		panic("event_new failed for a dial");
	schedule_step(d, 0);
	return d;
}
