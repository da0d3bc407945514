/* SPDX-License-Identifier: ISC */
/* The metrics socket, which speaks just enough HTTP for Prometheus. A Unix socket, so only this
   host can reach it. Every request gets the same answer, and the connection is closed. The loop
   also leases quota, so a client that does not send or read within PATIENCE_MS is dropped. */
#include "config.h"

#include "daemon/conf.h"
#include "daemon/daemon.h"
#include "meter/meter.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 16, PATIENCE_MS = 50, SCRAPES_PER_TURN = 4 };

bool
scrape_open(struct meterd *m, char *err, size_t room)
{
	const char *path = arena_printf(m->arena, "%s/metrics.sock", conf.run_directory).p;

	m->scrape = daemon_bind(path, SOCK_STREAM, 0660);
	if (m->scrape >= 0 && listen(m->scrape, BACKLOG) == 0)
		return true;
	snprintf(err, room, "%s: %s", path, strerror(errno));
	return false;
}

static bool
wait_ready(int fd, short events)
{
	struct pollfd p = { .fd = fd, .events = events };

	return poll(&p, 1, PATIENCE_MS) > 0 && (p.revents & events) != 0;
}

static void
send_text(int fd, struct str s)
{
	while (s.n > 0 && wait_ready(fd, POLLOUT)) {
		ssize_t n = send(fd, s.p, s.n, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n <= 0)
			return;
		s.p += n;
		s.n -= (size_t)n;
	}
}

static void
answer_scrape(struct meterd *m, int fd)
{
	struct buf body = { .a = m->arena }, head = { .a = m->arena };
	char request[4096];

	if (!wait_ready(fd, POLLIN) || recv(fd, request, sizeof(request), MSG_DONTWAIT) <= 0)
		return;
	if (m->metrics != NULL)
		metrics_write(&body, m->metrics);
	shared_write(m, &body);
	buf_z(&body, "# HELP surfaced_build_info The version of surfaced-meter, with the value 1\n"
		     "# TYPE surfaced_build_info gauge\n"
		     "surfaced_build_info{version=\"" PACKAGE_VERSION "\"} 1\n");
	buf_z(&body, "# HELP surfaced_meter_slots Counters in use\n# TYPE "
		     "surfaced_meter_slots gauge\n");
	buf_printf(&body, "surfaced_meter_slots %zu\n", m->nactive);
	buf_z(&body, "# HELP surfaced_meter_slots_limit Counters that fit (meter_slots)\n# TYPE "
		     "surfaced_meter_slots_limit gauge\n");
	buf_printf(&body, "surfaced_meter_slots_limit %u\n", m->file.head->slots);
	buf_printf(&head,
	    "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\n"
	    "Content-Length: %zu\r\nConnection: close\r\n\r\n",
	    body.n);
	send_text(fd, buf_done(&head));
	send_text(fd, buf_done(&body));
}

void
scrape_serve(struct meterd *m)
{
	for (int i = 0; i < SCRAPES_PER_TURN; i++) {
		int fd = accept4(m->scrape, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd < 0)
			return;
		answer_scrape(m, fd);
		close(fd);
	}
}
