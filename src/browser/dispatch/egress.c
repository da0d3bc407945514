/* SPDX-License-Identifier: ISC */
/* The way out: every session's SOCKS5 socket goes to surfaced-egress with its route, again whenever that
   program begins anew. */
#include "config.h"

#include "browser/dispatch/dispatch.h"
#include "browser/egress_link.h"
#include "daemon/conf.h"

#include <poll.h>
#include <unistd.h>

enum {
	RETRY_US = 500000,
	WAIT_US = 1000000,
	REFUSED_AT_ONCE = 64,
	PROBE_LOOK_US = 1000000,
	PROBE_PATIENCE_US = 30000000
};

static void
forward(struct held *h, const struct egress_traffic *t)
{
	const struct runner_egress word = { .event = t->event,
		.host = t->host.p == NULL ? STR("") : t->host,
		.address = t->address.p == NULL ? STR("") : t->address,
		.reason = t->reason.p == NULL ? STR("") : t->reason,
		.port = t->port };

	if (h->link != NULL)
		link_send(h->link, "egress", runner_egress_fields, &word, -1);
}

static void
count(struct dispatcher *d, const struct egress_traffic *t)
{
	enum total which = str_is(t->event, "connected") ? TOTAL_EGRESS_CONNECTED
			   : str_is(t->event, "denied")  ? TOTAL_EGRESS_DENIED
							 : TOTAL_EGRESS_FAILED;

	if (t->count > 0)
		totals_add(&d->totals, which, (uint64_t)t->count);
}

static void
take_traffic(void *arg, struct link *l, const void *in, int fd)
{
	const struct egress_traffic *t = in;
	struct dispatcher *d = arg;
	struct held *h;

	(void)l;
	(void)fd;
	count(d, t);
	for (h = LIST_FIRST(&d->helds); h != NULL; h = LIST_NEXT(h, next))
		if (uuid_cmp(&h->row.uuid, &t->session) == 0)
			forward(h, t);
}

static void
take_probed(void *arg, struct link *l, const void *in, int fd)
{
	const struct egress_probed *p = in;
	struct dispatcher *d = arg;
	struct uuid route;

	(void)l;
	(void)fd;
	if (uuid_parse(p->id, &route))
		store_probed(d, route, p->answered, p->ms, p->why);
	if (d->probing > 0 && --d->probing == 0)
		d->probe_at = 0;
}

static void
lost(void *arg, struct link *l)
{
	struct dispatcher *d = arg;

	log_event(LOGP_WARNING, "egress", "why=\"the connection has ended\"");
	link_free(l);
	d->egress = NULL;
	d->egress_lost = mono_us();
}

static const struct link_side side = {
	.messages =
	    (const struct link_message[]){
		{ "traffic", egress_traffic_fields, sizeof(struct egress_traffic),
		    take_traffic },
		{ "probed", egress_probed_fields, sizeof(struct egress_probed),
		    take_probed },
		{ NULL },
	    },
	.closed = lost,
};

void
egress_open(struct held *h)
{
	const struct egress_open word = { .session = h->row.uuid,
		.kind = h->row.kind,
		.host = h->row.host,
		.port = h->row.port,
		.credential = h->row.credential };

	if (h->d->egress != NULL && h->socks >= 0)
		link_send(h->d->egress, "open", egress_open_fields, &word, h->socks);
}

void
egress_shut(struct held *h)
{
	const struct egress_shut word = { h->row.uuid };

	if (h->d->egress != NULL && h->socks >= 0)
		link_send(h->d->egress, "shut", egress_shut_fields, &word, -1);
	if (h->socks >= 0)
		close(h->socks);
	h->socks = -1;
}

static void
connect_again(struct dispatcher *d)
{
	struct held *h;
	char path[128];
	int fd;

	if ((size_t)snprintf(path, sizeof(path), "%s/egress.sock", conf.run_directory) >=
	    sizeof(path))
		panic("the name of run_directory is too long for a socket");
	fd = link_connect(path);
	if (fd < 0)
		return;
	d->egress = link_new(d->base, fd, &side, d);
	log_event(LOGP_INFO, "egress", "connected=yes");
	for (h = LIST_FIRST(&d->helds); h != NULL; h = LIST_NEXT(h, next))
		egress_open(h);
}

/* ---- routes ---- */

static void
probe(struct dispatcher *d, const struct route_due *r)
{
	const char *colon = memrchr(r->target.p, ':', r->target.n);
	struct egress_probe word = { .kind = r->kind,
		.host = r->host,
		.port = r->port,
		.credential = r->credential,
		.id = arena_uuid(d->arena, &r->uuid) };
	struct str port;

	if (colon == NULL)
		return;
	word.target_host = (struct str){ r->target.p, (size_t)(colon - r->target.p) };
	port = (struct str){ colon + 1, r->target.n - word.target_host.n - 1 };
	if (!str_int64(port, &word.target_port) || word.target_port < 1 ||
	    word.target_port > 65535)
		store_probed(d, r->uuid, false, 0, STR("target"));
	else {
		link_send(d->egress, "probe", egress_probe_fields, &word, -1);
		d->probing++;
	}
}

/* A round at a time; what was not answered by then is asked again. */
static void
probe_routes(struct dispatcher *d)
{
	struct list due;
	const struct route_due *r;

	d->probe_at = mono_us() + PROBE_LOOK_US;
	d->probing = 0;
	if (!store_routes(d, &due) || due.n == 0)
		return;
	r = due.items;
	for (size_t i = 0; i < due.n; i++)
		probe(d, &r[i]);
	if (d->probing > 0)
		d->probe_at = mono_us() + PROBE_PATIENCE_US;
}

/* Without a way out a page fails; it does not wait for a queue that nobody serves. */
static void
refuse(const struct held *h)
{
	struct pollfd p = { .fd = h->socks, .events = POLLIN };

	for (int i = 0; i < REFUSED_AT_ONCE && h->socks >= 0 && poll(&p, 1, 0) == 1;
	     i++) {
		int fd = accept4(h->socks, NULL, NULL, SOCK_CLOEXEC);

		if (fd < 0)
			return;
		close(fd);
	}
}

void
egress_tend(struct dispatcher *d)
{
	int64_t now = mono_us();
	const struct held *h;

	if (d->egress == NULL && now >= d->egress_at) {
		d->egress_at = now + RETRY_US;
		connect_again(d);
	}
	if (d->egress != NULL && now >= d->probe_at)
		probe_routes(d);
	if (d->egress == NULL && now - d->egress_lost > WAIT_US)
		for (h = LIST_FIRST(&d->helds); h != NULL; h = LIST_NEXT(h, next))
			refuse(h);
}

void
egress_close(struct dispatcher *d)
{
	if (d->egress != NULL)
		link_free(d->egress);
}
