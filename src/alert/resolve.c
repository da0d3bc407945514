/* SPDX-License-Identifier: ISC */
/* Resolves the name of a receiver. Every address must be public: a name with one private address is
   refused whole, because libcurl chooses which address it tries first. Each look-up has a resolver
   of its own, so it uses resolv.conf and hosts as they are at that moment, and can be freed without
   regard to other look-ups. */
#include "config.h"

#include "address/netaddr.h"
#include "address/resolver.h"
#include "alert/alert.h"

#include <ares.h>
#include <arpa/inet.h>

#define TOO_LATE "the name could not be resolved in time"

enum { TICK_MS = 100 };

struct pending_lookup {
	struct resolver *resolver;
	struct lookup *lookup;
	struct event *tick;
	int64_t deadline;
	void (*done)(void *arg, const struct addresses *r);
	void *arg;
};

/* Returns false when the address is not public. Addresses beyond RESOLVED_MAX are checked but not
   stored. */
static bool
add_public_address(struct addresses *r, const struct sockaddr *sa)
{
	const struct sockaddr_in *v4 = (const void *)sa;
	const struct sockaddr_in6 *v6 = (const void *)sa;
	const void *bytes =
	    sa->sa_family == AF_INET ? (const void *)&v4->sin_addr : (const void *)&v6->sin6_addr;

	if (sa->sa_family != AF_INET && sa->sa_family != AF_INET6)
		return false;
	if (!(sa->sa_family == AF_INET ? netaddr_public4(bytes) : netaddr_public6(bytes)))
		return false;
	if (r->n < RESOLVED_MAX)
		inet_ntop(sa->sa_family, bytes, r->address[r->n++], sizeof(r->address[0]));
	return true;
}

static void
finish_lookup(struct pending_lookup *q, const struct addresses *r)
{
	resolver_free(q->resolver);
	event_free(q->tick);
	q->done(q->arg, r);
	free(q);
}

static void
on_lookup_tick(int fd, short what, void *arg)
{
	struct pending_lookup *q = arg;

	(void)fd;
	(void)what;
	if (mono_us() < q->deadline)
		return;
	lookup_cancel(q->lookup);
	finish_lookup(q, &(struct addresses){ .fault = TOO_LATE });
}

static void
on_addresses(void *arg, int status, const struct ares_addrinfo *found)
{
	struct addresses r = { 0 };

	if (status != ARES_SUCCESS)
		r.fault = status == ARES_ETIMEOUT ? TOO_LATE : "the name could not be resolved";
	for (const struct ares_addrinfo_node *n = found == NULL ? NULL : found->nodes; n != NULL;
	     n = n->ai_next)
		if (!add_public_address(&r, n->ai_addr))
			r.fault = "the name has an address that is not public";
	if (r.fault == NULL && r.n == 0)
		r.fault = "the name has no address";
	finish_lookup(arg, &r);
}

void
resolve_public(struct event_base *base, const char *host, int64_t deadline,
    void (*done)(void *arg, const struct addresses *r), void *arg)
{
	struct pending_lookup *q = mem_zero(sizeof(*q));

	q->resolver = resolver_new(base, RESOLVER_WHOLE, "");
	q->deadline = deadline;
	q->done = done;
	q->arg = arg;
	q->tick = ev_every(base, TICK_MS, on_lookup_tick, q);
	q->lookup = lookup_start(q->resolver, host, on_addresses, q);
}
