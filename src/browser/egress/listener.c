/* SPDX-License-Identifier: ISC */
/* The listening socket of a session. It was made in the browser's network namespace and is shared
 * with the runner's side, which is not trusted: it may clear O_NONBLOCK at any time, between any
 * two calls. accept4 would then block this process, and with it every other session. So each accept
 * runs under a timer, and session.c closes a listener that blocks. */
#include "config.h"

#include "browser/egress/egress.h"
#include "daemon/conf.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { ACCEPT_NS = 50000000 }; /* after this an accept is interrupted */

/* Whether fd is a listening stream socket, of any namespace; makes it nonblocking. */
bool
listener_is_good(int fd)
{
	int yes = 0, type = 0;
	socklen_t n = sizeof(yes), m = sizeof(type);

	return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &yes, &n) == 0 && yes != 0 &&
	       getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &m) == 0 && type == SOCK_STREAM &&
	       fcntl(fd, F_SETFL, O_NONBLOCK) == 0;
}

void
listener_pause(struct session *s)
{
	s->paused = true;
	event_del(s->acceptable);
}

void
listener_resume(struct session *s)
{
	if (!s->paused || s->listener < 0 || (int64_t)s->n >= conf.egress_connections)
		return;
	s->paused = false;
	event_add(s->acceptable, NULL);
}

/* Accepts without blocking, even if the runner's side has made the socket blocking: then the
   timer's signal interrupts the call. EINTR therefore means a blocking socket; a nonblocking accept
   never returns it. */
int
listener_accept(const struct session *s)
{
	static const struct itimerspec some = { { 0, ACCEPT_NS }, { 0, ACCEPT_NS } },
				       none = { { 0, 0 }, { 0, 0 } };
	int got, why;

	timer_settime(s->e->accept_timer, 0, &some, NULL);
	got = accept4(s->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	why = errno;
	timer_settime(s->e->accept_timer, 0, &none, NULL);
	errno = why;
	return got;
}

void
listener_close(struct session *s)
{
	if (s->listener < 0)
		return;
	event_free(s->acceptable);
	close(s->listener);
	s->listener = -1;
}
