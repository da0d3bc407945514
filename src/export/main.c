/* SPDX-License-Identifier: ISC */
/* The loop of surfaced-export: it removes files that no export needs, and writes exports as long as
   there are any. */
#include "config.h"

#include "daemon/conf.h"
#include "daemon/daemon.h"
#include "db/guard.h"
#include "export/export.h"
#include "search/clickhouse/engine.h"

#include <errno.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum {
	ARENA_CAP = 1 << 30,
	DB_US = 30000000,
	DOWN_US = 500000, /* pause after a failed call */
};

static int
open_poll(void)
{
	const struct timespec each = { conf.export_poll / 1000, conf.export_poll % 1000 * 1000000 };
	const struct itimerspec every = { each, each };
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);

	if (fd < 0 || timerfd_settime(fd, 0, &every, NULL) != 0)
		panic("timerfd: %s", strerror(errno));
	return fd;
}

static void
run_exports(const struct pool *pool, int listener)
{
	struct exporter x = { .arena = arena_new(ARENA_CAP),
		.db = db_open(conf.database, pool->name),
		.engine = engine_open_index(conf.index_directory) };
	int poll = open_poll();
	uint64_t ticks;

	(void)listener;
	ch_engine_join(x.engine);
	db_guard(x.db, x.arena, DB_US, DOWN_US);
	db_listen(x.db, "export_work");
	while (daemon_wait(-1, poll)) {
		(void)!read(poll, &ticks, sizeof(ticks));
		daemon_slot()->busy_since = mono_us();
		(void)keep_files(&x);
		while (!daemon_stopping() && write_next_export(&x))
			(void)keep_files(&x);
		arena_reset(x.arena);
		daemon_slot()->busy_since = 0;
	}
	close(poll);
	engine_close(x.engine);
	db_close(x.db);
	arena_free(x.arena);
}

/* One pool of workers without a listening socket. */
static bool
export_pools(struct pool out[POOLS_MAX], size_t *n, char *err, size_t room)
{
	(void)err;
	(void)room;
	out[0] =
	    (struct pool){ .name = "surfaced-export", .workers = (unsigned)conf.export_workers };
	*n = 1;
	return true;
}

static bool
check_directory(char *err, size_t room)
{
	if (access(conf.export_directory, W_OK | X_OK) == 0)
		return true;
	snprintf(err, room, "export_directory %s: %s", conf.export_directory, strerror(errno));
	return false;
}

int
main(int argc, char **argv)
{
	static const struct daemon export = {
		.name = "surfaced-export",
		.pools = export_pools,
		.check = check_directory,
		.dump = stmts_dump,
		.work = run_exports,
	};

	return daemon_main(argc, argv, &export);
}
