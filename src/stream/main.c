/* SPDX-License-Identifier: ISC */
/* The worker process of surfaced-stream: its event loop, and draining. After a reload the old
   process stops accepting and serves its streams for at most stream_drain seconds; at the end of
   the service, streams are closed with 1001, and EXIT_US remain to release the last slots. */
#include "config.h"

#include "daemon/conf.h"
#include "daemon/daemon.h"
#include "stream/stream.h"

#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
	TICK_MS = 250,
	ARENA_CAP = 16 * 1024 * 1024,
	EXIT_US = 5000000, /* at the end, for close frames and the last releases */
	DESCRIPTORS_A_STREAM = 2,
	DESCRIPTORS_OTHER = 64,
};

static void
on_listener(int fd, short what, void *arg)
{
	(void)what;
	conn_accept(arg, fd);
}

static void
end_all_streams(struct proxy *p)
{
	struct conn *c, *after;

	if (p->exit_by == 0)
		p->exit_by = mono_us() + EXIT_US;
	for (c = TAILQ_FIRST(&p->lists[CONN_OPEN]); c != NULL; c = after) {
		after = TAILQ_NEXT(c, next);
		pump_end(c, WHY_SHUTDOWN, WS_GOING_AWAY);
	}
}

/* Starts draining. After a reload new processes accept; streams here continue until drain_until. */
static void
start_draining(void *arg)
{
	struct proxy *p = arg;

	event_free(p->listener);
	p->listener = NULL;
	p->drain_until = mono_us() + conf.stream_drain * SECOND_US;
	log_event(LOGP_NOTICE, "draining", "connections=%zu", p->conns);
	if (daemon_ending())
		end_all_streams(p);
}

/* The clock of the process: every deadline of a connection is checked here, so its precision is
 * TICK_MS and no connection needs a timer of its own. A stream may move to a list that this loop
 * visits later and is then looked at twice in a tick, which does no harm. `after` is read first,
 * because conn_tick may free the connection.
 *
 * A draining process ends when nothing is left: no connection, and no slot whose release is not
 * confirmed. exit_by limits the wait for a database that does not answer. */
static void
tick_proxy(int fd, short what, void *arg)
{
	struct proxy *p = arg;
	struct conn *c, *after;
	int64_t now = mono_us();

	(void)fd;
	(void)what;
	gate_tick(p->gate, now);
	recheck_tick(p->recheck, now);
	for (int state = 0; state < CONN_STATES; state++)
		for (c = TAILQ_FIRST(&p->lists[state]); c != NULL; c = after) {
			after = TAILQ_NEXT(c, next);
			conn_tick(c, now);
		}
	if (p->drain_until == 0) {
		event_add(p->listener, NULL); /* conn_accept removes it on errors */
		return;
	}
	if (daemon_ending() || now > p->drain_until)
		end_all_streams(p);
	if ((p->conns == 0 && gate_idle(p->gate)) || (p->exit_by != 0 && now > p->exit_by))
		event_base_loopbreak(p->base);
}

/* Raises the limit of open files to what stream_connections needs. */
static void
raise_limit_for_streams(void)
{
	rlim_t want = (rlim_t)conf.stream_connections * DESCRIPTORS_A_STREAM + DESCRIPTORS_OTHER;
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) != 0 || r.rlim_cur >= want)
		return;
	r.rlim_cur = r.rlim_max < want ? r.rlim_max : want;
	if (setrlimit(RLIMIT_NOFILE, &r) != 0 || r.rlim_cur < want)
		log_event(LOGP_WARNING, "descriptors", "limit=%llu: fewer than stream_connections",
		    (unsigned long long)r.rlim_cur);
}

static void
run_proxy_loop(struct proxy *p, int listener)
{
	struct event *tick = ev_every(p->base, TICK_MS, tick_proxy, p);
	struct conn *c;

	p->listener = event_new(p->base, listener, EV_READ | EV_PERSIST, on_listener, p);
	if (p->listener == NULL || event_add(p->listener, NULL) != 0)
		panic("event loop: %s", strerror(errno));
	if (event_base_dispatch(p->base) < 0)
		panic("event loop: %s", strerror(errno));
	event_free(tick);
	for (int state = 0; state < CONN_STATES; state++)
		while ((c = TAILQ_FIRST(&p->lists[state])) != NULL)
			conn_free(c);
}

static void
run_proxy(const struct pool *pool, int listener)
{
	static struct proxy p;

	raise_limit_for_streams();
	for (int state = 0; state < CONN_STATES; state++)
		TAILQ_INIT(&p.lists[state]);
	p.base = ev_open(start_draining, &p);
	p.arena = arena_new(ARENA_CAP);
	p.scratch = mem_alloc(SCRATCH);
	p.keys = signing_ring_new(TICKET_FILE(conf.stream_keys));
	p.db = db_async_open(p.base, conf.database, pool->name);
	p.gate = gate_new(&p);
	p.recheck = recheck_new(&p);
	run_proxy_loop(&p, listener);
	db_async_close(p.db);
	recheck_free(p.recheck);
	gate_free(p.gate);
	signing_ring_free(p.keys);
	free(p.scratch);
	arena_free(p.arena);
	ev_close(p.base);
}

/* ---- start ---- */

static bool
is_stream(const struct pool *p)
{
	return strcmp(p->name, POOL_STREAM) == 0;
}

static bool
read_stream_pool(struct pool out[POOLS_MAX], size_t *n, char *err, size_t room)
{
	if (!pools_read(conf.upstreams, is_stream, out, n, err, room))
		return false;
	if (*n == 1)
		return true;
	snprintf(
	    err, room, "%s: upstream %s must have one unix: socket", conf.upstreams, POOL_STREAM);
	return false;
}

static bool
check_stream_keys(char *err, size_t room)
{
	struct signing_keys keys;

	return signing_keys_read(TICKET_FILE(conf.stream_keys), &keys, err, room);
}

int
main(int argc, char **argv)
{
	static const struct daemon stream = { .name = "surfaced-stream",
		.pools = read_stream_pool,
		.dump = stmts_dump,
		.check = check_stream_keys,
		.work = run_proxy };

	return daemon_main(argc, argv, &stream);
}
