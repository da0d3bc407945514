/* SPDX-License-Identifier: ISC */
/* The process of surfaced-egress: its event loop, draining after a reload, and the check of its
   parameters. */
#include "config.h"

#include "browser/egress/egress.h"
#include "daemon/conf.h"
#include "daemon/daemon.h"

#include <errno.h>
#include <pwd.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>

enum { SCRATCH = 1024 * 1024, TICK_MS = 1000 };

/* fn may free the session. */
static void
for_each_session(struct egress *e, void (*fn)(struct session *s))
{
	for (struct session *s = LIST_FIRST(&e->sessions), *next; s != NULL; s = next) {
		next = LIST_NEXT(s, next);
		fn(s);
	}
}

static void
tick_sessions(int fd, short what, void *arg)
{
	struct egress *e = arg;

	(void)fd;
	(void)what;
	for_each_session(e, session_tick);
	if (e->control != NULL)
		control_tick(e->control);
	if (e->control == NULL && (e->n == 0 || daemon_ending()))
		event_base_loopbreak(e->base);
}

/* Ends the loop, or starts draining: after a reload, a new process gets the listeners, and
   connections here continue for at most egress_drain. */
static void
drain_or_stop(void *arg)
{
	struct egress *e = arg;

	if (daemon_ending()) {
		event_base_loopbreak(e->base);
		return;
	}
	control_free(e->control);
	e->control = NULL;
	for_each_session(e, session_drain);
}

/* A connection needs two descriptors, and more while it is being made. */
static void
raise_limit_for_connections(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) != 0)
		panic("getrlimit: %s", strerror(errno));
	l.rlim_cur = l.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &l) != 0)
		panic("setrlimit: %s", strerror(errno));
}

static void
on_accept_timer(int sig)
{
	(void)sig;
}

/* A timer whose signal interrupts a blocking accept; without SA_RESTART, the call returns EINTR. */
static timer_t
accept_timer_new(void)
{
	const struct sigaction note = { .sa_handler = on_accept_timer };
	struct sigevent how = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2 };
	timer_t timer;

	if (sigaction(SIGUSR2, &note, NULL) != 0 ||
	    timer_create(CLOCK_MONOTONIC, &how, &timer) != 0)
		panic("timer_create: %s", strerror(errno));
	return timer;
}

static void
run_egress(const struct pool *pool, int listener)
{
	struct egress e = { .scratch = arena_new(SCRATCH) };

	(void)pool;
	(void)listener;
	raise_limit_for_connections();
	e.accept_timer = accept_timer_new();
	LIST_INIT(&e.sessions);
	e.base = ev_open(drain_or_stop, &e);
	e.resolvers[LOOKUP_PUBLIC] = resolver_new(e.base, RESOLVER_DNS, conf.egress_dns);
	e.resolvers[LOOKUP_OURS] = resolver_new(e.base, RESOLVER_HOST, conf.egress_dns);
	e.control = control_new(&e);
	e.tick = ev_every(e.base, TICK_MS, tick_sessions, &e);
	if (event_base_dispatch(e.base) < 0)
		panic("event_base_dispatch failed");
	for_each_session(&e, session_free);
	if (e.control != NULL)
		control_free(e.control);
	event_free(e.tick);
	resolver_free(e.resolvers[LOOKUP_PUBLIC]);
	resolver_free(e.resolvers[LOOKUP_OURS]);
	ev_close(e.base);
	timer_delete(e.accept_timer);
	arena_free(e.scratch);
}

static bool
check_egress_conf(char *err, size_t room)
{
	const char *fault = resolver_fault(conf.egress_dns);

	if (fault != NULL)
		snprintf(err, room, "egress_dns must be addresses separated by commas: %s", fault);
	else if (!nets_good(str_of(conf.egress_closed)))
		snprintf(err, room,
		    "egress_closed must be networks separated by commas, such as "
		    "192.0.2.0/24, 2001:db8::/32");
	else if (conf.dispatch_user[0] != '\0' && getpwnam(conf.dispatch_user) == NULL)
		snprintf(err, room, "dispatch_user %s is unknown", conf.dispatch_user);
	else
		return true;
	return false;
}

int
main(int argc, char **argv)
{
	static const struct daemon egress = {
		.name = "surfaced-egress", .check = check_egress_conf, .work = run_egress
	};

	return daemon_main(argc, argv, &egress);
}
