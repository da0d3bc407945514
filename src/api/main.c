/* SPDX-License-Identifier: ISC */
/* surfaced: the API's master and its workers. */
#include "config.h"

#include "api/api.h"
#include "api/share.h"
#include "daemon/conf.h"
#include "daemon/daemon.h"

/* The one place where an admin tunes the workers is nginx's own upstream file. The streams' are another
   program's. */
static bool
speaks_fastcgi(const struct pool *p)
{
	return strcmp(p->name, POOL_STREAM) != 0;
}

static bool
pools(struct pool out[POOLS_MAX], size_t *n, char *err, size_t room)
{
	return pools_read(conf.upstreams, speaks_fastcgi, out, n, err, room);
}

static bool
check(char *err, size_t room)
{
	struct cursor_secret secret;

	share_open();
	return routes_check(areas, err, room) &&
	       cursor_secret_read(conf.secret_file, &secret, err, room);
}

static void
refresh(struct worker *w)
{
	engine_refresh(w->engine);
}

static void
work(const struct pool *pool, int listener)
{
	struct worker w = {
		.arena = arena_new((size_t)conf.request_memory),
		.db = db_open(conf.database, pool->name),
		.engine = engine_open_index(conf.index_directory),
		.tickets = ticket_ring_new(conf.stream_keys),
		.tables = areas,
		.refresh = refresh,
		.accepted = share_accepted,
		.answered = share_answered,
	};
	char err[256];

	if (!cursor_secret_read(conf.secret_file, &w.secret, err, sizeof(err)))
		panic("%s", err);
	w.keys = key_cache_new(w.db);
	w.meter = meter_new();
	http_metrics(&w);
	share_serve(pool->name);
	http_serve(&w, listener);
	meter_free(w.meter);
	metrics_close(w.metrics);
	key_cache_free(w.keys);
	engine_close(w.engine);
	ticket_ring_free(w.tickets);
	db_close(w.db);
	arena_free(w.arena);
}

int
main(int argc, char **argv)
{
	static const struct daemon surfaced = {
		.name = "surfaced",
		.pools = pools,
		.dump = dump,
		.check = check,
		.work = work,
	};

	return daemon_main(argc, argv, &surfaced);
}
