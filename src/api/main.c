/* SPDX-License-Identifier: ISC */
/* The program surfaced: its description for the master (daemon/daemon.h), and the life of a
   worker. */
#include "config.h"

#include "api/api.h"
#include "api/search/share.h"
#include "api/people/usage_stored.h"
#include "daemon/conf.h"
#include "daemon/daemon.h"
#include "search/clickhouse/engine.h"

/* Pools and their numbers of workers come from nginx's upstream file, so that an admin tunes both
   in one place. The pool of streams belongs to surfaced-stream. */
static bool
speaks_fastcgi(const struct pool *p)
{
	return strcmp(p->name, POOL_STREAM) != 0;
}

static bool
read_pools(struct pool out[POOLS_MAX], size_t *n, char *err, size_t room)
{
	return pools_read(conf.upstreams, speaks_fastcgi, out, n, err, room);
}

static bool
check_tables_and_secret(char *err, size_t room)
{
	struct cursor_secret secret;

	share_open();
	return routes_check(route_tables(), err, room) &&
	       cursor_secret_read(conf.secret_file, &secret, err, room);
}

static void
refresh_engine(struct worker *w)
{
	engine_refresh(w->engine);
}

/* The memory for hashes and the list of passwords; without them, people sign in by other means. */
static struct passwords *
open_passwords(void)
{
	const struct password_rules rules = { .memory = conf.password_memory,
		.passes = conf.password_passes,
		.shortest = conf.password_min,
		.list = conf.password_list };
	char err[256];
	struct passwords *p = passwords_open(&rules, err, sizeof(err));

	if (p == NULL)
		log_event(LOGP_ERR, "passwords", "why=\"%s\"", err);
	return p;
}

/* The life of a worker. Everything that processes must not share is opened here, after the fork:
   the connection to the database, the mapping of the index, the caches of keys, tickets and usage.
   The table of share.h is shared on purpose and was made by the master before. share_serve sets the
   priority of this process, so it comes before the first request. http_serve returns when the
   worker is to end; the database and the arena are freed last, because the others use them. */
static void
run_worker(const struct pool *pool, int listener)
{
	struct worker w = {
		.arena = arena_new((size_t)conf.request_memory),
		.db = db_open(conf.database, pool->name),
		.engine = engine_open_index(conf.index_directory),
		.tickets = signing_ring_new(TICKET_FILE(conf.stream_keys)),
		.sign_in_keys = signing_ring_new(SIGN_IN_FILE(conf.sign_in_keys)),
		.passwords = open_passwords(),
		.usage = usage_cache_new(),
		.tables = route_tables(),
		.refresh = refresh_engine,
		.hand_over = share_long,
		.accepted = share_accepted,
		.answered = share_answered,
	};
	char err[256];

	if (!cursor_secret_read(conf.secret_file, &w.secret, err, sizeof(err)))
		panic("%s", err);
	ch_engine_join(w.engine);
	w.keys = key_cache_new(w.db);
	w.meter = meter_new();
	http_metrics(&w);
	share_serve(pool->name);
	http_serve(&w, listener);
	meter_free(w.meter);
	metrics_close(w.metrics);
	key_cache_free(w.keys);
	usage_cache_free(w.usage);
	engine_close(w.engine);
	if (w.passwords != NULL)
		passwords_close(w.passwords);
	signing_ring_free(w.sign_in_keys);
	signing_ring_free(w.tickets);
	db_close(w.db);
	arena_free(w.arena);
}

int
main(int argc, char **argv)
{
	static const struct daemon surfaced = {
		.name = "surfaced",
		.pools = read_pools,
		.dump = dump,
		.check = check_tables_and_secret,
		.work = run_worker,
	};

	return daemon_main(argc, argv, &surfaced);
}
