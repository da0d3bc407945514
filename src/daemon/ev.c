/* SPDX-License-Identifier: ISC */
/* The event loop of a worker that serves many things at once, such as streams: libevent, a
 * signalfd for SIGTERM (which is blocked outside daemon_wait), and a timer that refreshes
 * busy_since.
 *
 * A worker of the API is stuck when a request takes too long. A loop has no such request, so the
 * timer takes its place: a loop that hangs no longer refreshes busy_since, and so looks to the
 * watchdog of the master (kill_stuck) like a request that takes too long. */
#include "config.h"

#include "daemon/conf.h"
#include "daemon/daemon.h"
#include "daemon/ev.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* The longest interval; a quarter of worker_stuck if that is shorter. */
enum { BEAT_MS = 500 };

static struct {
	void (*stop)(void *arg);
	void *arg;
	int fd;
	struct event *signal, *beat;
} loop = { .fd = -1 };

static void
on_stop_requested(int fd, short what, void *arg)
{
	struct signalfd_siginfo info;

	(void)what;
	(void)arg;
	if (read(fd, &info, sizeof(info)) != sizeof(info))
		return;
	/* The master sends SIGTERM repeatedly; stop is called once. */
	event_del(loop.signal);
	loop.stop(loop.arg);
}

static void
refresh_busy_since(int fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	(void)arg;
	atomic_store(&daemon_slot()->busy_since, mono_us());
}

struct timeval
ev_ms(int64_t ms)
{
	return (struct timeval){ ms / 1000, ms % 1000 * 1000 };
}

struct event *
ev_fd(struct event_base *base, int fd, short what, void (*fn)(int, short, void *), void *arg)
{
	struct event *e = event_new(base, fd, what, fn, arg);

	if (e == NULL || event_add(e, NULL) != 0)
		panic("event_add failed for descriptor %d", fd);
	return e;
}

struct event *
ev_every(struct event_base *base, int64_t ms, void (*fn)(int, short, void *), void *arg)
{
	const struct timeval every = ev_ms(ms);
	struct event *e = event_new(base, -1, EV_PERSIST, fn, arg);

	if (e == NULL || event_add(e, &every) != 0)
		panic("event_add failed for a timer of %lld ms", (long long)ms);
	return e;
}

struct event_base *
ev_open(void (*stop)(void *arg), void *arg)
{
	struct event_base *base = event_base_new();
	sigset_t term;

	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	loop.stop = stop;
	loop.arg = arg;
	loop.fd = signalfd(-1, &term, SFD_CLOEXEC | SFD_NONBLOCK);
	if (base == NULL || loop.fd < 0)
		panic("event loop: %s", strerror(errno));
	loop.signal = ev_fd(base, loop.fd, EV_READ | EV_PERSIST, on_stop_requested, NULL);
	loop.beat =
	    ev_every(base, conf.worker_stuck / 4 < BEAT_MS ? conf.worker_stuck / 4 : BEAT_MS,
		refresh_busy_since, NULL);
	return base;
}

void
ev_close(struct event_base *base)
{
	event_free(loop.signal);
	event_free(loop.beat);
	close(loop.fd);
	event_base_free(base);
}
