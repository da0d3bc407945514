/* SPDX-License-Identifier: ISC */
/* Sessions of surfaced-egress: their connections, their owner, and their end. */
#include "config.h"

#include "browser/egress/egress.h"
#include "daemon/conf.h"

#include <errno.h>
#include <unistd.h>

enum { ACCEPTS = 32 }; /* connections of one listener before other events are handled */

/* Above egress_connections, or without descriptors, connections wait in the listener's queue. */
static void
on_browser_connection(int fd, short what, void *arg)
{
	struct session *s = arg;

	(void)fd;
	(void)what;
	for (int i = 0; i < ACCEPTS; i++) {
		int got;

		if ((int64_t)s->n >= conf.egress_connections) {
			listener_pause(s);
			return;
		}
		got = listener_accept(s);
		if (got >= 0) {
			client_new(s, got);
			continue;
		}
		if (errno == ECONNABORTED)
			continue;
		if (errno == EINTR) {
			log_event(LOGP_ERR, "listener", "session=%s why=\"it blocks\"",
			    uuid_text(&s->id).z);
			listener_close(s);
		} else if (errno != EAGAIN) {
			log_event(LOGP_ERR, "accept", "why=\"%s\"", strerror(errno));
			listener_pause(s);
		}
		return;
	}
}

struct session *
session_find(struct egress *e, const struct uuid *id)
{
	struct session *s;

	LIST_FOREACH(s, &e->sessions, next)
	if (uuid_cmp(&s->id, id) == 0)
		return s;
	return NULL;
}

static struct session *
session_new(struct egress *e, const struct uuid *id)
{
	struct session *s = mem_zero(sizeof(*s));

	s->e = e;
	s->id = *id;
	s->listener = -1;
	LIST_INIT(&s->clients);
	LIST_INSERT_HEAD(&e->sessions, s, next);
	e->n++;
	return s;
}

static void
listen_on(struct session *s, int fd)
{
	listener_close(s);
	s->listener = fd;
	s->paused = false;
	s->acceptable = event_new(s->e->base, fd, EV_READ | EV_PERSIST, on_browser_connection, s);
	if (s->acceptable == NULL || event_add(s->acceptable, NULL) != 0)
		panic("event_new or event_add failed for a listener");
}

const char *
session_open(
    struct egress *e, struct link *owner, const struct uuid *id, const struct route *route, int fd)
{
	struct session *s = session_find(e, id);
	const char *fault = NULL;

	if (fd < 0 || !listener_is_good(fd))
		fault = "the message has no listening stream socket";
	else if (s == NULL && (int64_t)e->n >= conf.egress_sessions)
		fault = "as many sessions as egress_sessions are open already";
	if (fault != NULL) {
		if (fd >= 0)
			close(fd);
		return fault;
	}
	if (s == NULL)
		s = session_new(e, id);
	s->route = *route;
	s->owner = owner;
	listen_on(s, fd);
	return NULL;
}

void
session_free(struct session *s)
{
	while (!LIST_EMPTY(&s->clients))
		client_free(LIST_FIRST(&s->clients));
	traffic_report_rest(s);
	listener_close(s);
	LIST_REMOVE(s, next);
	s->e->n--;
	free(s);
}

void
session_orphan(struct egress *e, const struct link *gone)
{
	struct session *s;

	LIST_FOREACH(s, &e->sessions, next)
	if (s->owner == gone) {
		s->owner = NULL;
		s->ends_at = mono_us() + conf.egress_grace * SECOND_US;
	}
}

void
session_drain(struct session *s)
{
	listener_close(s);
	s->draining = true;
	s->ends_at = mono_us() + conf.egress_drain * SECOND_US;
}

void
session_tick(struct session *s)
{
	traffic_report_rest(s);
	listener_resume(s);
	if (s->draining && s->n == 0) {
		session_free(s);
	} else if (s->owner == NULL && mono_us() >= s->ends_at) {
		log_event(LOGP_WARNING, "abandoned", "session=%s connections=%u",
		    uuid_text(&s->id).z, s->n);
		session_free(s);
	}
}
