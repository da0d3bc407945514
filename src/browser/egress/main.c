/* SPDX-License-Identifier: ISC */
/* surfaced-egress: its loop. */
#include "config.h"

#include "base/daemon.h"
#include "browser/egress/egress.h"

#include <errno.h>
#include <sys/resource.h>

enum { SCRATCH = 1024 * 1024, TICK_MS = 1000 };

static void
on_tick(int fd, short what, void *arg)
{
	struct egress *e = arg;
	struct session *s = LIST_FIRST(&e->sessions), *next;

	(void)fd;
	(void)what;
	for (; s != NULL; s = next) {
		next = LIST_NEXT(s, next);
		session_tick(s);
	}
}

static void
stop(void *arg)
{
	struct egress *e = arg;

	event_base_loopbreak(e->base);
}

/* A connection takes two descriptors, more while it is made. */
static void
want_descriptors(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) != 0)
		panic("getrlimit: %s", strerror(errno));
	l.rlim_cur = l.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &l) != 0)
		panic("setrlimit: %s", strerror(errno));
}

static void
work(const struct pool *pool, int listener)
{
	struct egress e = { .scratch = arena_new(SCRATCH) };

	(void)pool;
	(void)listener;
	want_descriptors();
	LIST_INIT(&e.sessions);
	e.base = ev_open(stop, &e);
	e.resolver = resolver_new(e.base);
	e.control = control_new(&e);
	e.tick = ev_every(e.base, TICK_MS, on_tick, &e);
	if (event_base_dispatch(e.base) < 0)
		panic("event loop");
	while (!LIST_EMPTY(&e.sessions))
		session_free(LIST_FIRST(&e.sessions));
	control_free(e.control);
	event_free(e.tick);
	resolver_free(e.resolver);
	ev_close(e.base);
	arena_free(e.scratch);
}

static bool
check(char *err, size_t room)
{
	const char *fault = resolver_fault();

	if (fault != NULL)
		snprintf(err, room, "%s", fault);
	return fault == NULL;
}

int
main(int argc, char **argv)
{
	static const struct daemon egress = {
		.name = "surfaced-egress", .check = check, .work = work
	};

	return daemon_main(argc, argv, &egress);
}
