/* SPDX-License-Identifier: ISC */
/* The loop of surfaced-detect. A turn reads the rules when they may have changed, evaluates a batch
   of changed documents of each dataset, and does a slice of old work. */
#include "config.h"

#include "daemon/conf.h"
#include "daemon/daemon.h"
#include "db/guard.h"
#include "detect/detector.h"
#include "detect/keep.h"
#include "search/engine.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum {
	LOAD_US = 10000000, /* a new rule waits at most this long when its notification is lost */
	DB_US = 70000000,
	DOWN_US = 500000, /* the pause after a failed call */
};

struct mine {
	bool mine;
};

static const struct field mine_out[] = {
	FIELD(struct mine, mine, 0),
	FIELD_END,
};

STMT(take_lock, mine_out, "SELECT detect_mine() AS mine");

static int
open_ticks(void)
{
	const struct timespec each = { conf.detect_poll / 1000, conf.detect_poll % 1000 * 1000000 };
	const struct itimerspec every = { each, each };
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);

	if (fd < 0 || timerfd_settime(fd, 0, &every, NULL) != 0)
		panic("timerfd: %s", strerror(errno));
	return fd;
}

/* Whether this process holds the lock and so evaluates. Each turn asks again, because the lock ends
   with the connection. */
static bool
is_mine(struct detect *x)
{
	struct mine m = { .mine = false };

	return db_up(x->db) &&
	       db_ok(x->db, db_one_row(x->db, &take_lock, &m, DB_NO_ARGS), "lock") && m.mine;
}

/* True: there is more to do. */
static bool
run_detect_turn(struct detect *x)
{
	bool changed = db_notified(x->db), due, more;

	daemon_slot()->busy_since = mono_us();
	if (!is_mine(x)) {
		x->loaded = x->recovered = false;
		return false;
	}
	due = mono_due(&x->load_at, LOAD_US) || !x->loaded;
	if ((due || (changed && rules_changed(x))) && !rules_load(x))
		return false;
	if ((due || changed) && !detectors_load(x))
		return false;
	arena_reset(x->a);
	more = follow_changes(x);
	more = work_once(x) || more;
	more = detectors_once(x) || more;
	more |= keep_observations(x);
	more |= keep_tags(x);
	more |= keep_secrets(x);
	retry_failed_rules(x);
	return keep_dashboards(x) || more;
}

static void
run_detect(const struct pool *pool, int listener)
{
	struct detect x = { .a = arena_new(SIZE_MAX / 4),
		.scratch = arena_new(SIZE_MAX / 4),
		.rules_a = arena_new(SIZE_MAX / 4),
		.db = db_open(conf.database, pool->name),
		.engine = engine_open_index(conf.index_directory) };
	int poll = open_ticks();
	uint64_t ticks;

	(void)listener;
	db_guard(x.db, x.a, DB_US, DOWN_US);
	db_listen(x.db, "detect_work");
	db_listen(x.db, "tag_changed");
	do {
		(void)!read(poll, &ticks, sizeof(ticks));
		while (run_detect_turn(&x) && !daemon_stopping())
			arena_reset(x.a);
		arena_reset(x.a);
		daemon_slot()->busy_since = 0;
	} while (daemon_wait(-1, poll) && !daemon_stopping());
	close(poll);
	engine_close(x.engine);
	db_close(x.db);
	arena_free(x.rules_a);
	arena_free(x.scratch);
	arena_free(x.a);
}

/* One evaluation may take detect_budget of CPU time. With too long a budget the watchdog would end
   the worker before the rule fails, and the next worker would begin with the same document. */
static bool
check_budget(char *err, size_t room)
{
	if (conf.detect_budget <= conf.worker_stuck / 2)
		return true;
	snprintf(err, room,
	    "detect_budget (%" PRId64 " ms) must be at most half of worker_stuck (%" PRId64 " ms)",
	    conf.detect_budget, conf.worker_stuck);
	return false;
}

int
main(int argc, char **argv)
{
	static const struct daemon detect = {
		.name = "surfaced-detect",
		.dump = stmts_dump,
		.check = check_budget,
		.work = run_detect,
	};

	return daemon_main(argc, argv, &detect);
}
