/* SPDX-License-Identifier: ISC */
/* Names to addresses: c-ares, its descriptors and its timer in our loop. Every answer is looked at before
   anybody hears of one. */
#include "config.h"

#include "browser/egress/egress.h"

#include <ares.h>
#include <netdb.h>
#include <netinet/in.h>

enum { TRY_MS = 2000, TRIES = 3 };

/* A descriptor of c-ares. */
struct watch {
	LIST_ENTRY(watch) next;
	struct channel *channel;
	ares_socket_t fd;
	struct event *event;
};

struct channel {
	ares_channel ares;
	struct resolver *r;
	struct event *timer;
	LIST_HEAD(, watch) watches;
};

struct resolver {
	struct event_base *base;
	struct channel channels[LOOKUP_KINDS];
};

struct lookup {
	struct resolver *r;
	enum lookup_kind kind;
	lookup_fn *fn; /* NULL: nobody waits any more */
	void *arg;
	struct event *deliver; /* active when c-ares has called */
	bool answered;
	enum reason why;
	size_t n;
	struct ip ips[LOOKUP_MAX];
};

/* ---- the loop ---- */

static void
arm(struct channel *c)
{
	struct timeval room, *when = ares_timeout(c->ares, NULL, &room);

	if (when != NULL)
		event_add(c->timer, when);
	else
		event_del(c->timer);
}

static void
on_timer(int fd, short what, void *arg)
{
	struct channel *c = arg;

	(void)fd;
	(void)what;
	ares_process_fd(c->ares, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
	arm(c);
}

static void
on_ready(int fd, short what, void *arg)
{
	struct channel *c = ((const struct watch *)arg)->channel; /* which may go */

	ares_process_fd(c->ares, (what & EV_READ) != 0 ? fd : ARES_SOCKET_BAD,
	    (what & EV_WRITE) != 0 ? fd : ARES_SOCKET_BAD);
	arm(c);
}

static void
unwatch(struct watch *w)
{
	LIST_REMOVE(w, next);
	event_free(w->event);
	free(w);
}

/* c-ares wants to hear of a descriptor, or no more. */
static void
on_state(void *arg, ares_socket_t fd, int readable, int writable)
{
	struct channel *c = arg;
	struct watch *w;

	LIST_FOREACH(w, &c->watches, next)
	if (w->fd == fd)
		break;
	if (w != NULL)
		unwatch(w);
	if (!readable && !writable)
		return;
	w = mem_zero(sizeof(*w));
	w->channel = c;
	w->fd = fd;
	w->event = event_new(c->r->base, fd,
	    (short)(EV_PERSIST | (readable ? EV_READ : 0) | (writable ? EV_WRITE : 0)),
	    on_ready, w);
	if (w->event == NULL || event_add(w->event, NULL) != 0)
		panic("resolver: no event");
	LIST_INSERT_HEAD(&c->watches, w, next);
}

/* ---- channels ---- */

/* For browsers names are absolute, and this host's own file and aliases are none of their business. */
static int
channel_open(ares_channel *out, enum lookup_kind kind, struct channel *c)
{
	char dns[] = "b";
	struct ares_options o = { .timeout = TRY_MS,
		.tries = TRIES,
		.sock_state_cb = on_state,
		.sock_state_cb_data = c,
		.lookups = dns,
		.flags = ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES };
	int mask = ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES;
	int rc;

	if (c != NULL)
		mask |= ARES_OPT_SOCK_STATE_CB;
	if (kind == LOOKUP_PUBLIC)
		mask |= ARES_OPT_FLAGS | ARES_OPT_LOOKUPS | ARES_OPT_DOMAINS;
	rc = ares_init_options(out, &o, mask);
	if (rc == ARES_SUCCESS && conf.egress_dns[0] != '\0') {
		rc = ares_set_servers_ports_csv(*out, conf.egress_dns);
		if (rc != ARES_SUCCESS)
			ares_destroy(*out);
	}
	return rc;
}

const char *
resolver_fault(void)
{
	ares_channel ares;
	int rc;

	if (ares_library_init(ARES_LIB_INIT_ALL) != ARES_SUCCESS)
		return "c-ares does not start";
	rc = channel_open(&ares, LOOKUP_PUBLIC, NULL);
	if (rc != ARES_SUCCESS)
		return conf.egress_dns[0] != '\0'
			   ? "egress_dns wants addresses with commas between them"
			   : ares_strerror(rc);
	ares_destroy(ares);
	return NULL;
}

struct resolver *
resolver_new(struct event_base *base)
{
	struct resolver *r = mem_zero(sizeof(*r));

	if (ares_library_init(ARES_LIB_INIT_ALL) != ARES_SUCCESS)
		panic("resolver: memory");
	r->base = base;
	for (int i = 0; i < LOOKUP_KINDS; i++) {
		struct channel *c = &r->channels[i];
		int rc;

		c->r = r;
		LIST_INIT(&c->watches);
		c->timer = event_new(base, -1, 0, on_timer, c);
		rc = channel_open(&c->ares, (enum lookup_kind)i, c);
		if (c->timer == NULL || rc != ARES_SUCCESS)
			panic("resolver: %s", ares_strerror(rc));
	}
	return r;
}

void
resolver_free(struct resolver *r)
{
	for (int i = 0; i < LOOKUP_KINDS; i++) {
		struct channel *c = &r->channels[i];

		ares_destroy(c->ares);
		for (struct watch *w = LIST_FIRST(&c->watches), *next; w != NULL;
		     w = next) {
			next = LIST_NEXT(w, next);
			unwatch(w);
		}
		event_free(c->timer);
	}
	ares_library_cleanup();
	free(r);
}

/* ---- look-ups ---- */

static void
lookup_free(struct lookup *l)
{
	event_free(l->deliver);
	free(l);
}

static void
on_deliver(int fd, short what, void *arg)
{
	struct lookup *l = arg;

	(void)fd;
	(void)what;
	l->fn(l->arg, l->why, l->ips, l->n);
	lookup_free(l);
}

static bool
node_ip(const struct ares_addrinfo_node *node, struct ip *out)
{
	struct sockaddr_in four;
	struct sockaddr_in6 six;

	*out = (struct ip){ .family = node->ai_family };
	if (node->ai_family == AF_INET && node->ai_addrlen >= sizeof(four)) {
		memcpy(&four, node->ai_addr, sizeof(four));
		memcpy(out->b, &four.sin_addr, 4);
		return true;
	}
	if (node->ai_family == AF_INET6 && node->ai_addrlen >= sizeof(six)) {
		memcpy(&six, node->ai_addr, sizeof(six));
		memcpy(out->b, &six.sin6_addr, 16);
		return true;
	}
	return false;
}

/* The next of one family; NULL at the end. */
static const struct ares_addrinfo_node *
of_family(const struct ares_addrinfo_node *node, int family)
{
	while (node != NULL && node->ai_family != family)
		node = node->ai_next;
	return node;
}

/* IPv6 and IPv4 by turns, as RFC 8305 has it. */
static void
keep(struct lookup *l, const struct ares_addrinfo_node *nodes)
{
	const struct ares_addrinfo_node *six = of_family(nodes, AF_INET6),
					*four = of_family(nodes, AF_INET);

	while (l->n < LOOKUP_MAX && (six != NULL || four != NULL)) {
		const struct ares_addrinfo_node **from =
		    four == NULL || (six != NULL && l->n % 2 == 0) ? &six : &four;

		if (node_ip(*from, &l->ips[l->n]))
			l->n++;
		*from = of_family((*from)->ai_next, (*from)->ai_family);
	}
}

static enum reason
judge(enum lookup_kind kind, const struct ares_addrinfo_node *nodes)
{
	struct ip ip;

	if (nodes == NULL)
		return REASON_DNS;
	for (; nodes != NULL; nodes = nodes->ai_next)
		if (kind == LOOKUP_PUBLIC && (!node_ip(nodes, &ip) || !ip_public(&ip)))
			return REASON_ANSWER;
	return REASON_CONNECTED;
}

static enum reason
failure(int status)
{
	switch (status) {
	case ARES_ENODATA:
	case ARES_ENOTFOUND:
	case ARES_EBADNAME:
	case ARES_EBADRESP:
	case ARES_EFORMERR:
		return REASON_DNS;
	default:
		return REASON_RESOLVER;
	}
}

static void
on_answer(void *arg, int status, int timeouts, struct ares_addrinfo *found)
{
	struct lookup *l = arg;

	(void)timeouts;
	l->why = status == ARES_SUCCESS ? judge(l->kind, found->nodes) : failure(status);
	if (l->why == REASON_CONNECTED)
		keep(l, found->nodes);
	if (found != NULL)
		ares_freeaddrinfo(found);
	l->answered = true;
	if (l->fn == NULL || status == ARES_EDESTRUCTION)
		lookup_free(l);
	else
		event_active(l->deliver, EV_TIMEOUT, 0);
}

struct lookup *
lookup_start(
    struct resolver *r, enum lookup_kind kind, const char *name, lookup_fn *fn, void *arg)
{
	/* Not sorted: that would connect to what has not been judged. */
	const struct ares_addrinfo_hints hints = { .ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
		.ai_flags = ARES_AI_NOSORT };
	struct lookup *l = mem_zero(sizeof(*l));

	l->r = r;
	l->kind = kind;
	l->fn = fn;
	l->arg = arg;
	l->deliver = event_new(r->base, -1, 0, on_deliver, l);
	if (l->deliver == NULL)
		panic("resolver: no event");
	ares_getaddrinfo(r->channels[kind].ares, name, NULL, &hints, on_answer, l);
	arm(&r->channels[kind]);
	return l;
}

void
lookup_cancel(struct lookup *l)
{
	l->fn = NULL;
	if (l->answered)
		lookup_free(l);
}
