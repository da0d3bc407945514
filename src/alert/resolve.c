/* SPDX-License-Identifier: ISC */
/* One name's addresses: each must be public, so that no mixture of answers leads elsewhere. A channel a
   lookup: what resolv.conf and hosts say now, and nothing to keep apart. */
#include "config.h"

#include <ares.h>

#include "alert/alert.h"
#include "core/core.h"

#include <arpa/inet.h>

enum { SOCKETS = 16, TICK_MS = 100 };

struct watched {
	struct lookup *l;
	ares_socket_t fd;
	struct event *event;
};

struct lookup {
	struct event_base *base;
	ares_channel channel;
	struct watched sockets[SOCKETS];
	struct event *tick; /* c-ares' own timeouts, and ours */
	int64_t deadline;
	bool over;
	struct resolved result;
	void (*done)(void *arg, const struct resolved *r);
	void *arg;
};

static void
lookup_free(struct lookup *l)
{
	ares_destroy(l->channel); /* which gives its sockets back first */
	event_free(l->tick);
	free(l);
}

/* After every call of c-ares from the loop: it must not be destroyed while it runs. */
static void
end_if_over(struct lookup *l)
{
	void (*done)(void *arg, const struct resolved *r) = l->done;
	struct resolved result = l->result;
	void *arg = l->arg;

	if (!l->over)
		return;
	lookup_free(l);
	done(arg, &result);
}

static void
on_socket(int fd, short what, void *arg)
{
	struct watched *w = arg;
	struct lookup *l = w->l;

	ares_process_fd(l->channel, what & EV_READ ? fd : ARES_SOCKET_BAD,
	    what & EV_WRITE ? fd : ARES_SOCKET_BAD);
	end_if_over(l);
}

static void
on_tick(int fd, short what, void *arg)
{
	struct lookup *l = arg;

	(void)fd;
	(void)what;
	if (!l->over && mono_us() >= l->deadline)
		ares_cancel(l->channel);
	else if (!l->over)
		ares_process_fd(l->channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
	end_if_over(l);
}

/* c-ares wants to read or write this descriptor, or no longer. */
static void
on_state(void *arg, ares_socket_t fd, int readable, int writable)
{
	struct lookup *l = arg;
	struct watched *w = NULL;
	short what =
	    (short)((readable ? EV_READ : 0) | (writable ? EV_WRITE : 0) | EV_PERSIST);

	for (size_t i = 0; i < SOCKETS; i++)
		if (l->sockets[i].event != NULL ? l->sockets[i].fd == fd : w == NULL)
			w = &l->sockets[i];
	if (w == NULL)
		return; /* more servers than anybody has: that query times out */
	if (w->event != NULL)
		event_free(w->event);
	*w = (struct watched){ .l = l, .fd = fd };
	if (!readable && !writable)
		return;
	w->event = event_new(l->base, fd, what, on_socket, w);
	if (w->event == NULL || event_add(w->event, NULL) != 0)
		panic("event loop: a resolver's socket");
}

static bool
add_address(struct resolved *r, const struct sockaddr *sa)
{
	const struct sockaddr_in *v4 = (const void *)sa;
	const struct sockaddr_in6 *v6 = (const void *)sa;
	const void *bytes = sa->sa_family == AF_INET ? (const void *)&v4->sin_addr
						     : (const void *)&v6->sin6_addr;

	if (sa->sa_family != AF_INET && sa->sa_family != AF_INET6)
		return false;
	if (!(sa->sa_family == AF_INET ? netaddr_public4(bytes) : netaddr_public6(bytes)))
		return false;
	if (r->n < RESOLVED_MAX)
		inet_ntop(
		    sa->sa_family, bytes, r->address[r->n++], sizeof(r->address[0]));
	return true;
}

static void
on_answer(void *arg, int status, int timeouts, struct ares_addrinfo *found)
{
	struct lookup *l = arg;

	(void)timeouts;
	l->over = true;
	if (status == ARES_ECANCELLED || status == ARES_ETIMEOUT)
		l->result.fault = "the name could not be resolved in time";
	else if (status != ARES_SUCCESS)
		l->result.fault = "the name could not be resolved";
	for (struct ares_addrinfo_node *n = found == NULL ? NULL : found->nodes;
	     n != NULL; n = n->ai_next)
		if (!add_address(&l->result, n->ai_addr))
			l->result.fault = "the name has an address that is not public";
	if (found != NULL)
		ares_freeaddrinfo(found);
	if (l->result.fault == NULL && l->result.n == 0)
		l->result.fault = "the name has no address";
	event_active(l->tick, EV_TIMEOUT, 0);
}

void
lookup_begin(struct event_base *base, const char *host, int64_t deadline,
    void (*done)(void *arg, const struct resolved *r), void *arg)
{
	const struct ares_addrinfo_hints hints = { .ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
		.ai_flags = ARES_AI_NOSORT };
	struct lookup *l = mem_zero(sizeof(*l));
	struct ares_options options = { .flags = ARES_FLAG_NOSEARCH,
		.sock_state_cb = on_state,
		.sock_state_cb_data = l };

	if (ares_init_options(&l->channel, &options,
		ARES_OPT_FLAGS | ARES_OPT_SOCK_STATE_CB) != ARES_SUCCESS)
		panic("no resolver");
	l->base = base;
	l->deadline = deadline;
	l->done = done;
	l->arg = arg;
	l->tick = ev_every(base, TICK_MS, on_tick, l);
	ares_getaddrinfo(l->channel, host, NULL, &hints, on_answer, l);
}
