/* SPDX-License-Identifier: ISC */
/* The metrics socket: a Unix socket, so only this host can reach it. One answer a connection, whatever is
   asked; a client that does not read is left. */
#include "config.h"

#include "daemon/conf.h"
#include "daemon/daemon.h"
#include "meter/meter.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 16, PATIENCE_MS = 50, AT_ONCE = 4 };

bool
scrape_open(struct warden *w, char *err, size_t room)
{
	const char *path =
	    arena_printf(w->arena, "%s/metrics.sock", conf.run_directory).p;

	w->scrape = daemon_bind(path, SOCK_STREAM, 0660);
	if (w->scrape >= 0 && listen(w->scrape, BACKLOG) == 0)
		return true;
	snprintf(err, room, "%s: %s", path, strerror(errno));
	return false;
}

static bool
is_ready(int fd, short events)
{
	struct pollfd p = { .fd = fd, .events = events };

	return poll(&p, 1, PATIENCE_MS) > 0 && (p.revents & events) != 0;
}

static void
put(int fd, struct str s)
{
	while (s.n > 0 && is_ready(fd, POLLOUT)) {
		ssize_t n = send(fd, s.p, s.n, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n <= 0)
			return;
		s.p += n;
		s.n -= (size_t)n;
	}
}

static void
answer(struct warden *w, int fd)
{
	struct buf body = { .a = w->arena }, head = { .a = w->arena };
	char request[4096];

	if (!is_ready(fd, POLLIN) ||
	    recv(fd, request, sizeof(request), MSG_DONTWAIT) <= 0)
		return;
	if (w->metrics != NULL)
		metrics_write(&body, w->metrics);
	shared_write(w, &body);
	buf_z(&body,
	    "# HELP surfaced_build_info The version of surfaced-meter, with the value 1\n"
	    "# TYPE surfaced_build_info gauge\n"
	    "surfaced_build_info{version=\"" PACKAGE_VERSION "\"} 1\n");
	buf_z(&body, "# HELP surfaced_meter_slots Counters in use\n# TYPE "
		     "surfaced_meter_slots gauge\n");
	buf_printf(&body, "surfaced_meter_slots %zu\n", w->nactive);
	buf_printf(&head,
	    "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\n"
	    "Content-Length: %zu\r\nConnection: close\r\n\r\n",
	    body.n);
	put(fd, buf_done(&head));
	put(fd, buf_done(&body));
}

void
scrape_serve(struct warden *w)
{
	for (int i = 0; i < AT_ONCE; i++) {
		int fd = accept4(w->scrape, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd < 0)
			return;
		answer(w, fd);
		close(fd);
	}
}
