/* SPDX-License-Identifier: ISC */
/* From a checked target to a connection. Names are looked up here for every kind of route: a proxy
   is asked for the address that was checked, never for the name.

     direct   look-up of the target -> dial the target
     proxy    look-up of the target -> look-up of the proxy -> dial the proxy -> talk
                                                                  ^               | refused
                         next address of the target, 3 at most ---+---------------+

   One deadline (egress_connect) covers all of it; the stage it hits decides the reason. */
#include "config.h"

#include "browser/egress/egress.h"
#include "daemon/conf.h"

#include <errno.h>
#include <unistd.h>

enum {
	PROXY_TRIES = 3, /* addresses of a target that a proxy is asked for */
	TALK_BYTES = 4096,
};

enum stage { STAGE_LOOKUP, STAGE_DIAL, STAGE_PROXY_LOOKUP, STAGE_PROXY_DIAL, STAGE_TALK };

struct reach {
	struct egress *e;
	struct route route;
	struct target target;
	reach_fn *fn;
	void *arg;
	enum stage stage;
	struct event *start, *deadline;
	struct lookup *lookup;
	struct dial *dial;
	struct addresses to, proxies;
	size_t asked; /* the index in to of the address that the proxy is asked for */
	int fd;       /* the connection to the proxy; -1: none */
	struct event *readable;
	struct proxy proxy;
	struct credential credential;
};

static void
close_proxy(struct reach *r)
{
	if (r->fd < 0)
		return;
	event_free(r->readable);
	close(r->fd);
	r->fd = -1;
}

void
reach_cancel(struct reach *r)
{
	if (r->lookup != NULL)
		lookup_cancel(r->lookup);
	if (r->dial != NULL)
		dial_cancel(r->dial);
	close_proxy(r);
	event_free(r->start);
	event_free(r->deadline);
	explicit_bzero(&r->credential, sizeof(r->credential));
	explicit_bzero(&r->proxy, sizeof(r->proxy));
	free(r);
}

static void
finish_reach(struct reach *r, const struct reached *result)
{
	reach_fn *fn = r->fn;
	void *arg = r->arg;
	struct reached copy = *result;

	reach_cancel(r);
	fn(arg, &copy);
}

static void
fail_reach(struct reach *r, enum reason why)
{
	finish_reach(r, &(struct reached){ .why = why, .fd = -1, .at = r->target.ip });
}

static void
on_deadline(int fd, short what, void *arg)
{
	static const enum reason why[] = {
		[STAGE_LOOKUP] = REASON_RESOLVER,
		[STAGE_DIAL] = REASON_TIMEOUT,
		[STAGE_PROXY_LOOKUP] = REASON_ROUTE,
		[STAGE_PROXY_DIAL] = REASON_ROUTE,
		[STAGE_TALK] = REASON_TIMEOUT,
	};
	struct reach *r = arg;

	(void)fd;
	(void)what;
	fail_reach(r, why[r->stage]);
}

/* ---- the proxy of a route ---- */

static void dial_proxy(struct reach *r);

static bool
send_to_proxy(struct reach *r)
{
	ssize_t n = send(r->fd, r->proxy.out, r->proxy.out_n, MSG_NOSIGNAL);
	bool sent = n == (ssize_t)r->proxy.out_n; /* a few bytes on a new connection */

	proxy_sent(&r->proxy);
	return sent;
}

/* Asks for the target's next address, on a new connection to the proxy. */
static void
try_next_address(struct reach *r)
{
	close_proxy(r);
	if (++r->asked < r->to.n && r->asked < PROXY_TRIES)
		dial_proxy(r);
	else
		fail_reach(r, REASON_ROUTE_REFUSED);
}

static void
finish_through_proxy(struct reach *r, const unsigned char *early, size_t n)
{
	struct reached result = {
		.fd = r->fd, .at = r->to.ips[r->asked], .early = early, .early_n = n
	};

	event_free(r->readable);
	r->fd = -1;
	finish_reach(r, &result);
}

static void
handle_proxy_bytes(struct reach *r, const unsigned char *bytes, size_t n)
{
	size_t used;
	enum proxy_step step;

	do {
		step = proxy_take(&r->proxy, bytes, n, &used);
		bytes += used;
		n -= used;
	} while (step == PROXY_SEND && send_to_proxy(r));
	switch (step) {
	case PROXY_MORE:
		return;
	case PROXY_SEND:
		fail_reach(r, REASON_ROUTE);
		return;
	case PROXY_DONE:
		finish_through_proxy(r, bytes, n);
		return;
	case PROXY_ACCESS:
		fail_reach(r, REASON_ROUTE_ACCESS);
		return;
	case PROXY_REFUSED:
		try_next_address(r);
		return;
	case PROXY_BAD:
		fail_reach(r, REASON_ROUTE_PROTOCOL);
		return;
	}
	panic("unknown proxy_step %d", step);
}

static void
read_proxy_answer(int fd, short what, void *arg)
{
	unsigned char room[TALK_BYTES];
	struct reach *r = arg;
	ssize_t n = recv(fd, room, sizeof(room), MSG_DONTWAIT);

	(void)what;
	if (n > 0)
		handle_proxy_bytes(r, room, (size_t)n);
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		fail_reach(r, REASON_ROUTE_PROTOCOL);
}

static void
on_proxy(void *arg, enum reason why, int fd, const struct ip *at)
{
	struct reach *r = arg;

	(void)at;
	r->dial = NULL;
	if (why != REASON_CONNECTED) {
		fail_reach(r, REASON_ROUTE);
		return;
	}
	r->stage = STAGE_TALK;
	r->fd = fd;
	r->readable = event_new(r->e->base, fd, EV_READ | EV_PERSIST, read_proxy_answer, r);
	if (r->readable == NULL || event_add(r->readable, NULL) != 0)
		panic("event_new or event_add failed for a proxy");
	r->proxy =
	    (struct proxy){ .kind = r->route.kind == ROUTE_CONNECT ? PROXY_CONNECT : PROXY_SOCKS5,
		    .credential = &r->credential,
		    .to = r->to.ips[r->asked],
		    .port = r->target.port };
	proxy_begin(&r->proxy);
	if (!send_to_proxy(r))
		fail_reach(r, REASON_ROUTE);
}

static void
dial_proxy(struct reach *r)
{
	const struct dial_to to = { r->proxies.ips, r->proxies.n, r->route.port, true };

	r->stage = STAGE_PROXY_DIAL;
	r->dial = dial_start(r->e->base, &to, on_proxy, r);
}

static void
on_proxy_found(void *arg, int status, const struct ares_addrinfo *found)
{
	struct reach *r = arg;

	r->lookup = NULL;
	if (answer_judge(LOOKUP_OURS, status, found, &r->proxies) == REASON_CONNECTED)
		dial_proxy(r);
	else
		fail_reach(r, REASON_ROUTE);
}

static void
find_proxy(struct reach *r)
{
	if (!route_credential(&r->route, &r->credential)) {
		fail_reach(r, REASON_CREDENTIAL);
		return;
	}
	r->proxies.n = 1;
	if (ip_parse(r->route.host, &r->proxies.ips[0])) {
		dial_proxy(r);
		return;
	}
	r->stage = STAGE_PROXY_LOOKUP;
	r->lookup = lookup_start(r->e->resolvers[LOOKUP_OURS], r->route.host, on_proxy_found, r);
}

/* ---- the target ---- */

static void
on_dialled(void *arg, enum reason why, int fd, const struct ip *at)
{
	struct reach *r = arg;

	r->dial = NULL;
	finish_reach(r, &(struct reached){ .why = why, .fd = fd, .at = *at });
}

static void
connect_to_target(struct reach *r)
{
	const struct dial_to to = { r->to.ips, r->to.n, r->target.port, false };

	if (r->route.kind != ROUTE_DIRECT) {
		find_proxy(r);
		return;
	}
	r->stage = STAGE_DIAL;
	r->dial = dial_start(r->e->base, &to, on_dialled, r);
}

static void
on_target_found(void *arg, int status, const struct ares_addrinfo *found)
{
	struct reach *r = arg;
	enum reason why = answer_judge(LOOKUP_PUBLIC, status, found, &r->to);

	r->lookup = NULL;
	if (why == REASON_CONNECTED)
		connect_to_target(r);
	else
		fail_reach(r, why);
}

static void
on_start(int fd, short what, void *arg)
{
	struct reach *r = arg;

	(void)fd;
	(void)what;
	if (r->target.name[0] == '\0') {
		r->to.n = 1;
		r->to.ips[0] = r->target.ip;
		connect_to_target(r);
		return;
	}
	r->lookup =
	    lookup_start(r->e->resolvers[LOOKUP_PUBLIC], r->target.name, on_target_found, r);
}

struct reach *
reach_start(
    struct egress *e, const struct route *route, const struct target *t, reach_fn *fn, void *arg)
{
	const struct timeval limit = { conf.egress_connect / 1000,
		conf.egress_connect % 1000 * 1000 };
	struct reach *r = mem_zero(sizeof(*r));

	r->e = e;
	r->route = *route;
	r->target = *t;
	r->fn = fn;
	r->arg = arg;
	r->fd = -1;
	r->start = event_new(e->base, -1, 0, on_start, r);
	r->deadline = event_new(e->base, -1, 0, on_deadline, r);
	if (r->start == NULL || r->deadline == NULL || event_add(r->deadline, &limit) != 0)
		panic("event_new or event_add failed for a reach");
	event_active(r->start, EV_TIMEOUT, 0);
	return r;
}
