/* SPDX-License-Identifier: ISC */
/* Sessions of surfaced-egress: accepting a browser's connections, and their limits. The
 * listening socket was made in the browser's network namespace and is shared with the runner's
 * side, which is not trusted: it may clear O_NONBLOCK at any time, between any two calls.
 * accept4 would then block this process, and with it every other session. So each accept runs
 * under a timer (accept_now), and a listener that blocks is closed. */
#include "config.h"

#include "browser/egress/egress.h"
#include "daemon/conf.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum {
	ACCEPTS = 32,         /* connections of one listener before other events are handled */
	ACCEPT_NS = 50000000, /* after this an accept is interrupted */
};

static void
pause_accepting(struct session *s)
{
	s->paused = true;
	event_del(s->acceptable);
}

static void
resume_accepting(struct session *s)
{
	if (!s->paused || s->listener < 0 || (int64_t)s->n >= conf.egress_connections)
		return;
	s->paused = false;
	event_add(s->acceptable, NULL);
}

/* Accepts without blocking, even if the runner's side has made the socket blocking: then the
   timer's signal interrupts the call. EINTR therefore means a blocking socket; a nonblocking accept
   never returns it. */
static int
accept_now(timer_t timer, int fd)
{
	static const struct itimerspec some = { { 0, ACCEPT_NS }, { 0, ACCEPT_NS } },
				       none = { { 0, 0 }, { 0, 0 } };
	int got, why;

	timer_settime(timer, 0, &some, NULL);
	got = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	why = errno;
	timer_settime(timer, 0, &none, NULL);
	errno = why;
	return got;
}

static void stop_listening(struct session *s);

static void
drop_blocking_listener(struct session *s)
{
	log_event(LOGP_ERR, "listener", "session=%s why=\"it blocks\"", uuid_text(&s->id).z);
	stop_listening(s);
}

/* Above egress_connections, or without descriptors, connections wait in the listener's queue. */
static void
on_browser_connection(int fd, short what, void *arg)
{
	struct session *s = arg;

	(void)what;
	for (int i = 0; i < ACCEPTS; i++) {
		int got;

		if ((int64_t)s->n >= conf.egress_connections) {
			pause_accepting(s);
			return;
		}
		got = accept_now(s->e->accept_timer, fd);
		if (got >= 0) {
			client_new(s, got);
			continue;
		}
		if (errno == ECONNABORTED)
			continue;
		if (errno == EINTR) {
			drop_blocking_listener(s);
		} else if (errno != EAGAIN) {
			log_event(LOGP_ERR, "accept", "why=\"%s\"", strerror(errno));
			pause_accepting(s);
		}
		return;
	}
}

void
session_left(struct session *s)
{
	resume_accepting(s);
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

/* Whether fd is a listening stream socket, of any namespace; makes it nonblocking. */
static bool
is_listening_stream(int fd)
{
	int yes = 0, type = 0;
	socklen_t n = sizeof(yes), m = sizeof(type);

	return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &yes, &n) == 0 && yes != 0 &&
	       getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &m) == 0 && type == SOCK_STREAM &&
	       fcntl(fd, F_SETFL, O_NONBLOCK) == 0;
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
stop_listening(struct session *s)
{
	if (s->listener < 0)
		return;
	event_free(s->acceptable);
	close(s->listener);
	s->listener = -1;
}

static void
listen_on(struct session *s, int fd)
{
	stop_listening(s);
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

	if (fd < 0 || !is_listening_stream(fd))
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
	control_more(s);
	stop_listening(s);
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
	stop_listening(s);
	s->draining = true;
	s->ends_at = mono_us() + conf.egress_drain * SECOND_US;
}

void
session_tick(struct session *s)
{
	control_more(s);
	resume_accepting(s);
	if (s->draining && s->n == 0) {
		session_free(s);
	} else if (s->owner == NULL && mono_us() >= s->ends_at) {
		log_event(LOGP_WARNING, "abandoned", "session=%s connections=%u",
		    uuid_text(&s->id).z, s->n);
		session_free(s);
	}
}
