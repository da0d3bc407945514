/* SPDX-License-Identifier: ISC */
/* Runs a channel of c-ares in the event loop: an event for each of its descriptors, and a timer for
   its time-outs. */
#include "config.h"

#include "address/resolver.h"

#include <ares.h>
#include <netdb.h>
#include <sys/queue.h>

enum { TRY_MS = 2000, TRIES = 3 };

/* A descriptor of c-ares and its event. */
struct watch {
	LIST_ENTRY(watch) next;
	struct resolver *r;
	ares_socket_t fd;
	struct event *event;
};

struct resolver {
	struct event_base *base;
	ares_channel ares;
	struct event *timer;
	LIST_HEAD(, watch) watches;
};

struct lookup {
	lookup_fn *fn; /* NULL: cancelled */
	void *arg;
	struct event *deliver; /* made active by on_ares_answer */
	bool answered;
	int status;
	struct ares_addrinfo *found;
};

/* ---- the loop ---- */

static void
set_ares_timer(struct resolver *r)
{
	struct timeval room, *when = ares_timeout(r->ares, NULL, &room);

	if (when != NULL)
		event_add(r->timer, when);
	else
		event_del(r->timer);
}

static void
on_ares_timer(int fd, short what, void *arg)
{
	struct resolver *r = arg;

	(void)fd;
	(void)what;
	ares_process_fd(r->ares, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
	set_ares_timer(r);
}

static void
on_ares_ready(int fd, short what, void *arg)
{
	struct resolver *r =
	    ((const struct watch *)arg)->r; /* ares_process_fd may free the watch */

	ares_process_fd(r->ares, (what & EV_READ) != 0 ? fd : ARES_SOCKET_BAD,
	    (what & EV_WRITE) != 0 ? fd : ARES_SOCKET_BAD);
	set_ares_timer(r);
}

/* c-ares calls this when the events that it needs of a descriptor change; neither: it is about to
   close it. */
static void
on_ares_socket(void *arg, ares_socket_t fd, int readable, int writable)
{
	struct resolver *r = arg;
	struct watch *w;

	LIST_FOREACH(w, &r->watches, next)
	if (w->fd == fd)
		break;
	if (w != NULL) {
		LIST_REMOVE(w, next);
		event_free(w->event);
		free(w);
	}
	if (!readable && !writable)
		return;
	w = mem_zero(sizeof(*w));
	w->r = r;
	w->fd = fd;
	w->event = ev_fd(r->base, fd,
	    (short)(EV_PERSIST | (readable ? EV_READ : 0) | (writable ? EV_WRITE : 0)),
	    on_ares_ready, w);
	LIST_INSERT_HEAD(&r->watches, w, next);
}

/* ---- the channel ---- */

/* r: NULL for a channel that is only opened to check the servers. */
static int
channel_open(ares_channel *out, enum resolver_how how, const char *servers, struct resolver *r)
{
	char dns[] = "b";
	struct ares_options o = { .timeout = TRY_MS,
		.tries = TRIES,
		.sock_state_cb = on_ares_socket,
		.sock_state_cb_data = r,
		.lookups = dns,
		.flags = ARES_FLAG_NOSEARCH };
	int mask = ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES;
	int rc;

	if (r != NULL)
		mask |= ARES_OPT_SOCK_STATE_CB;
	if (how != RESOLVER_HOST)
		mask |= ARES_OPT_FLAGS;
	if (how == RESOLVER_DNS) {
		o.flags |= ARES_FLAG_NOALIASES;
		mask |= ARES_OPT_LOOKUPS | ARES_OPT_DOMAINS;
	}
	rc = ares_init_options(out, &o, mask);
	if (rc == ARES_SUCCESS && servers[0] != '\0') {
		rc = ares_set_servers_ports_csv(*out, servers);
		if (rc != ARES_SUCCESS)
			ares_destroy(*out);
	}
	return rc;
}

const char *
resolver_fault(const char *servers)
{
	ares_channel ares;
	int rc = ares_library_init(ARES_LIB_INIT_ALL);

	if (rc == ARES_SUCCESS)
		rc = channel_open(&ares, RESOLVER_DNS, servers, NULL);
	if (rc != ARES_SUCCESS)
		return ares_strerror(rc);
	ares_destroy(ares);
	return NULL;
}

struct resolver *
resolver_new(struct event_base *base, enum resolver_how how, const char *servers)
{
	struct resolver *r = mem_zero(sizeof(*r));
	int rc = ares_library_init(ARES_LIB_INIT_ALL);

	r->base = base;
	LIST_INIT(&r->watches);
	r->timer = event_new(base, -1, 0, on_ares_timer, r);
	if (rc == ARES_SUCCESS)
		rc = channel_open(&r->ares, how, servers, r);
	if (r->timer == NULL || rc != ARES_SUCCESS)
		panic("resolver: %s", ares_strerror(rc));
	return r;
}

void
resolver_free(struct resolver *r)
{
	ares_destroy(r->ares); /* ends all look-ups, and frees the watches by on_ares_socket */
	event_free(r->timer);
	ares_library_cleanup();
	free(r);
}

/* ---- look-ups ---- */

static void
lookup_free(struct lookup *l)
{
	event_free(l->deliver);
	if (l->found != NULL)
		ares_freeaddrinfo(l->found);
	free(l);
}

static void
on_deliver(int fd, short what, void *arg)
{
	struct lookup *l = arg;

	(void)fd;
	(void)what;
	l->fn(l->arg, l->status, l->found);
	lookup_free(l);
}

static void
on_ares_answer(void *arg, int status, int timeouts, struct ares_addrinfo *found)
{
	struct lookup *l = arg;

	(void)timeouts;
	l->answered = true;
	l->status = status;
	l->found = found;
	if (l->fn == NULL || status == ARES_EDESTRUCTION)
		lookup_free(l);
	else
		event_active(l->deliver, EV_TIMEOUT, 0);
}

struct lookup *
lookup_start(struct resolver *r, const char *name, lookup_fn *fn, void *arg)
{
	const struct ares_addrinfo_hints hints = {
		.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = ARES_AI_NOSORT
	};
	struct lookup *l = mem_zero(sizeof(*l));

	l->fn = fn;
	l->arg = arg;
	l->deliver = event_new(r->base, -1, 0, on_deliver, l);
	if (l->deliver == NULL)
		panic("event_new failed for a look-up");
	ares_getaddrinfo(r->ares, name, NULL, &hints, on_ares_answer, l);
	set_ares_timer(r);
	return l;
}

void
lookup_cancel(struct lookup *l)
{
	l->fn = NULL;
	if (l->answered)
		lookup_free(l);
}
