/* SPDX-License-Identifier: ISC */
/* The link of surfaced-dispatch to surfaced-egress: passes each session's SOCKS5 socket with its
 * route, forwards reports of traffic to runners, and probes routes.
 *
 * Both processes may be restarted at any time, and neither stores anything. So after every
 * reconnect all sockets are sent again; "open" replaces what egress had of that session. While
 * egress is away, a browser could still connect to its listening socket, where no program accepts,
 * and its pages would hang. This file therefore closes such connections after WAIT_US, and the
 * pages fail at once. */
#include "config.h"

#include "browser/dispatch/dispatch.h"
#include "browser/egress_link.h"
#include "daemon/conf.h"

#include <poll.h>
#include <unistd.h>

enum {
	RETRY_US = 500000,
	WAIT_US = 1000000,    /* without egress; then waiting connections are closed */
	REFUSED_AT_ONCE = 64, /* connections of one session in a turn */
	PROBE_LOOK_US = 1000000,
	PROBE_PATIENCE_US = 30000000
};

static void
forward_traffic(struct session *s, const struct egress_traffic *t)
{
	const struct runner_egress message = { .event = t->event,
		.host = t->host.p == NULL ? STR("") : t->host,
		.address = t->address.p == NULL ? STR("") : t->address,
		.reason = t->reason.p == NULL ? STR("") : t->reason,
		.port = t->port };

	if (s->link != NULL)
		link_send(s->link, "egress", runner_egress_fields, &message, -1);
}

static void
count_traffic(struct dispatcher *d, const struct egress_traffic *t)
{
	enum total which = str_is(t->event, "connected") ? TOTAL_EGRESS_CONNECTED
			   : str_is(t->event, "denied")  ? TOTAL_EGRESS_DENIED
							 : TOTAL_EGRESS_FAILED;

	if (t->count > 0)
		totals_add(&d->totals, which, (uint64_t)t->count);
}

static void
on_traffic(void *arg, const struct link_received *got)
{
	const struct egress_traffic *t = got->in;
	struct dispatcher *d = arg;
	struct session *s;

	count_traffic(d, t);
	for (s = LIST_FIRST(&d->sessions); s != NULL; s = LIST_NEXT(s, next))
		if (uuid_cmp(&s->row.uuid, &t->session) == 0)
			forward_traffic(s, t);
}

static void
on_egress_probed(void *arg, const struct link_received *got)
{
	const struct egress_probed *p = got->in;
	struct dispatcher *d = arg;
	struct uuid route;

	if (uuid_parse(p->id, &route))
		store_probed(d, route, p->answered, p->ms, p->why);
	if (d->probing > 0 && --d->probing == 0)
		d->probe_at = 0;
}

static void
on_egress_lost(void *arg, struct link *l)
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
		{ "traffic", egress_traffic_fields, sizeof(struct egress_traffic), on_traffic },
		{ "probed", egress_probed_fields, sizeof(struct egress_probed), on_egress_probed },
		{ NULL },
	    },
	.closed = on_egress_lost,
};

void
egress_open(struct session *s)
{
	const struct egress_open message = { .session = s->row.uuid,
		.kind = s->row.kind,
		.host = s->row.host,
		.port = s->row.port,
		.credential = s->row.credential };

	if (s->d->egress != NULL && s->socks >= 0)
		link_send(s->d->egress, "open", egress_open_fields, &message, s->socks);
}

void
egress_shut(struct session *s)
{
	const struct egress_shut message = { s->row.uuid };

	if (s->d->egress != NULL && s->socks >= 0)
		link_send(s->d->egress, "shut", egress_shut_fields, &message, -1);
	if (s->socks >= 0)
		close(s->socks);
	s->socks = -1;
}

static void
connect_to_egress(struct dispatcher *d)
{
	struct session *s;
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
	for (s = LIST_FIRST(&d->sessions); s != NULL; s = LIST_NEXT(s, next))
		egress_open(s);
}

/* ---- routes ---- */

static void
send_probe(struct dispatcher *d, const struct route_due *r)
{
	const char *colon = memrchr(r->target.p, ':', r->target.n);
	struct egress_probe message = { .kind = r->kind,
		.host = r->host,
		.port = r->port,
		.credential = r->credential,
		.id = arena_uuid(d->arena, &r->uuid) };
	struct str port;

	if (colon == NULL)
		return;
	message.target_host = (struct str){ r->target.p, (size_t)(colon - r->target.p) };
	port = (struct str){ colon + 1, r->target.n - message.target_host.n - 1 };
	if (!str_int64(port, &message.target_port) || message.target_port < 1 ||
	    message.target_port > 65535)
		store_probed(d, r->uuid, false, 0, STR("target"));
	else {
		link_send(d->egress, "probe", egress_probe_fields, &message, -1);
		d->probing++;
	}
}

/* Probes the due routes, one round at a time; probes without an answer are repeated in a later
   round. */
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
		send_probe(d, &r[i]);
	if (d->probing > 0)
		d->probe_at = mono_us() + PROBE_PATIENCE_US;
}

/* Closes the connections in a session's listening queue, so that pages fail instead of waiting. */
static void
close_waiting_connections(const struct session *s)
{
	struct pollfd p = { .fd = s->socks, .events = POLLIN };

	for (int i = 0; i < REFUSED_AT_ONCE && s->socks >= 0 && poll(&p, 1, 0) == 1; i++) {
		int fd = accept4(s->socks, NULL, NULL, SOCK_CLOEXEC);

		if (fd < 0)
			return;
		close(fd);
	}
}

void
egress_tend(struct dispatcher *d)
{
	int64_t now = mono_us();
	const struct session *s;

	if (d->egress == NULL && now >= d->egress_at) {
		d->egress_at = now + RETRY_US;
		connect_to_egress(d);
	}
	if (d->egress != NULL && now >= d->probe_at)
		probe_routes(d);
	if (d->egress == NULL && now - d->egress_lost > WAIT_US)
		for (s = LIST_FIRST(&d->sessions); s != NULL; s = LIST_NEXT(s, next))
			close_waiting_connections(s);
}

void
egress_close(struct dispatcher *d)
{
	if (d->egress != NULL)
		link_free(d->egress);
}
