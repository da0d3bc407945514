/* SPDX-License-Identifier: ISC */
/* The link to the dispatcher: opens and shuts sessions, and probes routes. During the dispatcher's
 * restart two of them may be connected, so there may be several peers; a session belongs to the
 * peer that opened it last.
 *
 * A peer that is lost does not end its sessions, or a restart of the dispatcher would break
 * every page. They go on without an owner for egress_grace seconds (session_orphan); the next
 * dispatcher opens them again. Reports of traffic (traffic.c) are lost meanwhile. */
#include "config.h"

#include "browser/egress/egress.h"
#include "browser/egress_link.h"
#include "browser/link.h"
#include "daemon/conf.h"

#include <errno.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	PEERS_MAX = 8,
	PROBES_MAX = 64,
};

struct peer {
	LIST_ENTRY(peer) next;
	struct control *c;
	struct link *link;
};

struct probe {
	LIST_ENTRY(probe) next;
	struct control *c;
	struct link *link;
	struct reach *reach;
	int64_t since;
	char id[PROBE_ID_MAX + 1];
};

struct control {
	struct egress *e;
	int listener;
	struct event *acceptable;
	LIST_HEAD(, peer) peers;
	LIST_HEAD(, probe) probes;
	unsigned peer_n, probe_n;
};

/* ---- probes ---- */

static void
free_probe(struct probe *p)
{
	if (p->reach != NULL)
		reach_cancel(p->reach);
	LIST_REMOVE(p, next);
	p->c->probe_n--;
	free(p);
}

static void
send_probed(struct link *l, const char *id, enum reason why, int64_t us)
{
	const struct egress_probed out = { .id = str_of(id),
		.answered = why == REASON_CONNECTED,
		.ms = us / 1000,
		.why = why == REASON_CONNECTED ? STR_NULL : str_of(outcomes[why].name) };

	link_send(l, "probed", egress_probed_fields, &out, -1);
}

static void
on_reach_probed(void *arg, const struct reached *r)
{
	struct probe *p = arg;

	p->reach = NULL;
	if (r->fd >= 0)
		close(r->fd);
	send_probed(p->link, p->id, r->why, mono_us() - p->since);
	free_probe(p);
}

static enum reason
start_probe(struct control *c, struct link *l, const struct egress_probe *in, const char *id)
{
	struct egress *e = c->e;
	struct route route;
	struct target target;
	struct probe *p;
	enum reason why;

	if (route_set(&route, in->kind, in->host, in->port, in->credential) != NULL)
		return REASON_ROUTE;
	why = judge_host(e->scratch, in->target_host, (unsigned)in->target_port, &target);
	arena_reset(e->scratch);
	if (why != REASON_CONNECTED)
		return why;
	if (c->probe_n >= PROBES_MAX)
		return REASON_BUSY;
	p = mem_zero(sizeof(*p));
	p->c = c;
	p->link = l;
	p->since = mono_us();
	snprintf(p->id, sizeof(p->id), "%s", id);
	LIST_INSERT_HEAD(&c->probes, p, next);
	c->probe_n++;
	p->reach = reach_start(e, &route, &target, on_reach_probed, p);
	return REASON_CONNECTED;
}

/* ---- messages ---- */

static void
take_open(void *arg, const struct link_received *got)
{
	struct peer *p = arg;
	const struct egress_open *m = got->in;
	struct route route;
	const char *fault = route_set(&route, m->kind, m->host, m->port, m->credential);

	if (fault == NULL)
		fault = session_open(p->c->e, got->link, &m->session, &route, got->fd);
	else
		fd_close(got->fd);
	if (fault != NULL)
		log_event(LOGP_ERR, "not opened", "session=%s why=\"%s\"", uuid_text(&m->session).z,
		    fault);
}

static void
take_shut(void *arg, const struct link_received *got)
{
	struct peer *p = arg;
	const struct egress_shut *m = got->in;
	struct session *s = session_find(p->c->e, &m->session);

	if (s != NULL)
		session_free(s);
}

static void
take_probe(void *arg, const struct link_received *got)
{
	struct peer *p = arg;
	const struct egress_probe *m = got->in;
	char id[PROBE_ID_MAX + 1];
	enum reason why;

	snprintf(id, sizeof(id), "%.*s", (int)m->id.n, m->id.p);
	why = start_probe(p->c, got->link, m, id);
	if (why != REASON_CONNECTED)
		send_probed(got->link, id, why, 0);
}

static void
on_peer_lost(void *arg, struct link *l)
{
	struct peer *p = arg;
	struct control *c = p->c;
	struct probe *x = LIST_FIRST(&c->probes), *next;

	for (; x != NULL; x = next) {
		next = LIST_NEXT(x, next);
		if (x->link == l)
			free_probe(x);
	}
	session_orphan(c->e, l);
	link_free(l);
	LIST_REMOVE(p, next);
	c->peer_n--;
	free(p);
	log_event(LOGP_NOTICE, "dispatcher gone", "sessions=%zu", c->e->n);
}

/* ---- who may connect ---- */

static bool
peer_allowed(uid_t uid)
{
	const struct passwd *pw;

	if (uid == 0 || uid == geteuid())
		return true;
	pw = conf.dispatch_user[0] == '\0' ? NULL : getpwnam(conf.dispatch_user);
	return pw != NULL && pw->pw_uid == uid;
}

static void
admit_peer(struct control *c, int fd)
{
	static const struct link_message messages[] = {
		{ "open", egress_open_fields, sizeof(struct egress_open), take_open, true },
		{ "shut", egress_shut_fields, sizeof(struct egress_shut), take_shut },
		{ "probe", egress_probe_fields, sizeof(struct egress_probe), take_probe },
		{ 0 },
	};
	static const struct link_side side = { messages, on_peer_lost };
	struct peer *p = mem_zero(sizeof(*p));
	uid_t uid;

	p->c = c;
	p->link = link_new(c->e->base, fd, &side, p);
	uid = link_peer(p->link).uid;
	if (!peer_allowed(uid) || c->peer_n >= PEERS_MAX) {
		log_event(LOGP_WARNING, "peer refused", "uid=%u", (unsigned)uid);
		link_free(p->link);
		free(p);
		return;
	}
	LIST_INSERT_HEAD(&c->peers, p, next);
	c->peer_n++;
	log_event(LOGP_NOTICE, "dispatcher", "uid=%u", (unsigned)uid);
}

static void
on_peer_connection(int fd, short what, void *arg)
{
	struct control *c = arg;
	int got = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	(void)what;
	if (got >= 0) {
		admit_peer(c, got);
		return;
	}
	if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED)
		return;
	log_event(LOGP_ERR, "accept", "why=\"%s\"", strerror(errno));
	event_del(c->acceptable); /* no descriptors are left; control_tick adds it again */
}

void
control_tick(struct control *c)
{
	event_add(c->acceptable, NULL);
}

struct control *
control_new(struct egress *e)
{
	struct control *c = mem_zero(sizeof(*c));
	char path[128];

	c->e = e;
	LIST_INIT(&c->peers);
	LIST_INIT(&c->probes);
	snprintf(path, sizeof(path), "%s/egress.sock", conf.run_directory);
	c->listener = link_listen(path, 0660);
	if (c->listener < 0)
		panic("%s: %s", path, strerror(errno));
	c->acceptable =
	    event_new(e->base, c->listener, EV_READ | EV_PERSIST, on_peer_connection, c);
	if (c->acceptable == NULL || event_add(c->acceptable, NULL) != 0)
		panic("event_new or event_add failed for %s", path);
	return c;
}

void
control_free(struct control *c)
{
	for (struct peer *p = LIST_FIRST(&c->peers), *next; p != NULL; p = next) {
		next = LIST_NEXT(p, next);
		on_peer_lost(p, p->link);
	}
	event_free(c->acceptable);
	close(c->listener);
	free(c);
}
