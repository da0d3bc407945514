/* SPDX-License-Identifier: ISC */
/* surfacectl doctor: the workers behind their sockets, and the state of the search index. */
#include "config.h"

#include "cli/doctor/clickhouse.h"
#include "cli/nginx.h"
#include "daemon/conf.h"
#include "daemon/host.h"
#include "search/index/format/index.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

/* ---- workers ---- */

static struct program *
program_of(struct doctor *d, const char *unit)
{
	for (size_t i = 0; i < PROGRAMS; i++)
		if (strcmp(d->programs[i].name, unit) == 0)
			return &d->programs[i];
	panic("no program %s", unit);
}

/* The master behind a socket describes all of its pools (daemon_view). Four states differ for the
   administrator:

     no answer              the daemon does not run, or its state may be read by root alone
     pool unknown, or       the upstream file was edited after the master read it: a reload is due
      another number
     fewer workers run      workers die or do not start: the log has the reason
     all run                good, with the number of busy ones

   The process that answered is noted, so that the check of daemons need not search /proc for it. */
static void
check_workers(struct doctor *d, const struct pool *p, struct daemon_view *v)
{
	const struct pool_view *seen = NULL;
	const char *unit = nginx_unit(p->name);
	struct program *program = program_of(d, unit);
	char err[256] = "";
	bool barred;

	if (!daemon_view(p->path, v, err, sizeof(err))) {
		if (!program->wanted)
			return;
		barred = v->master != 0 && geteuid() != 0;
		doctor_report(d, barred ? HEALTH_WARNING : HEALTH_FAILED, "workers",
		    barred ? DO(AS_ROOT) : DO_WITH(RESTART, unit), "%s: %s", p->name, err);
		doctor_cause(d, "daemon", unit);
		return;
	}
	program->pid = v->master;
	for (size_t i = 0; i < v->pool_count; i++)
		if (strcmp(v->pools[i].path, p->path) == 0 && v->pools[i].workers == p->workers)
			seen = &v->views[i];
	if (seen == NULL)
		doctor_report(d, HEALTH_WARNING, "workers", DO(RELOAD_POOLS),
		    "%s: the upstream file has changed since %s read it", p->name, unit);
	else if (seen->running < p->workers)
		doctor_report(d, HEALTH_FAILED, "workers", DO_WITH(READ_LOG, unit),
		    "%s: %u of %u workers run", p->name, seen->running, p->workers);
	else
		doctor_report(d, HEALTH_OK, "workers", NO_ADVICE, "%s: %u workers, %u busy",
		    p->name, seen->running, seen->busy);
}

void
doctor_sockets(struct doctor *d)
{
	struct daemon_view *v = ARENA_NEW(d->c->arena, struct daemon_view);

	for (size_t i = 0; i < d->npools; i++)
		check_workers(d, &d->pools[i], v);
}

/* ---- the index ---- */

struct lag {
	int64_t pending;
	struct str fault;
};

static const struct field lag_out[] = {
	FIELD(struct lag, pending, 0),
	FIELD(struct lag, fault, NULLABLE),
	FIELD_END,
};

/* Counts the records that were committed and are not in the index of their dataset. The index
   records the snapshot of the database that it contains; a row is missing there when its
   transaction (`changed`) was not visible in that snapshot. The first condition repeats a part of
   the second in a form that the index on `changed` can use: every transaction below xmin was
   visible. LIMIT bounds the work on a host whose indexer has not run for weeks. The fault is the
   reason why the last pass of surfaced-index failed. */
STMT(read_lag_of, lag_out,
    "SELECT count(*) AS pending, (SELECT fault FROM search_feed WHERE engine = $3"
    "  AND dataset = $2::smallint) AS fault FROM (SELECT FROM record WHERE dataset = $2::smallint"
    " AND changed >= pg_snapshot_xmin($1::text::pg_snapshot)"
    " AND NOT pg_visible_in_snapshot(changed, $1::text::pg_snapshot) LIMIT 100000) AS h");

enum { PATIENCE_US = 5000000, LOOK_US = 200000, LAG_MAX = 1000000, DAMAGE_DAYS = 30 };

#define INDEXER "surfaced-index"

/* The process that writes the index holds the lock, so trying to take it is the test:

     EWOULDBLOCK     another process holds it: the index has a writer
     EACCES          this user may not open the file, which proves nothing about a writer
     taken, or gone  no process writes

   A lock that was taken is released at once. */
static void
check_writer(struct doctor *d, const char *directory)
{
	const char *path = PRINTED(d, "%s/lock", directory);
	int fd = fd_lock(path, O_RDWR);

	if (fd < 0 && errno == EACCES) {
		doctor_report(
		    d, HEALTH_FAILED, "index", DO(AS_ROOT), "%s: %s", path, strerror(errno));
	} else if (fd >= 0 || errno != EWOULDBLOCK) {
		doctor_report(d, HEALTH_FAILED, "index", DO_WITH(RESTART, INDEXER),
		    "no surfaced-index writes %s", directory);
		doctor_cause(d, "daemon", INDEXER);
	}
	fd_close(fd);
}

/* The index of one dataset. */
struct dataset_index {
	enum dataset dataset;
	const char *directory;
	int64_t patience; /* mono_us until which the check waits for the index */
	struct index_state state;
};

/* The name under which surfaced-index reports about this index: host_index() with its parameters. */
static struct str
index_of(struct doctor *d)
{
	struct conf own = conf;
	struct str name;

	conf = *doctor_conf(d, PROGRAM_INDEX);
	name = arena_str(d->c->arena, host_index());
	conf = own;
	return name;
}

/* Waits for a while until the index contains everything that is committed now. While the index is
   built again, its manifest has no snapshot, and nothing can be compared. */
static enum db_rc
index_catches_up(struct doctor *d, struct dataset_index *x, struct lag *lag)
{
	struct str name = index_of(d);
	char err[INDEX_FAULT];

	for (;;) {
		bool known = x->state.snapshot != NULL && x->state.snapshot[0] != '\0';
		enum db_rc rc =
		    known ? db_one(d->c->db, &read_lag_of, lag, P(str_of(x->state.snapshot)),
				P(record_dataset_number(x->dataset)), P(name))
			  : DB_NONE;

		if ((rc != DB_OK && rc != DB_NONE) || (rc == DB_OK && lag->pending == 0) ||
		    mono_us() > x->patience)
			return rc;
		usleep(LOOK_US);
		index_state_free(&x->state);
		if (!index_state_load(x->directory, x->dataset, &x->state, err))
			return DB_NONE;
	}
}

static void
report_lag(struct doctor *d, const char *name, const struct lag *lag)
{
	const char *fault = lag->fault.p == NULL ? "" : arena_str(d->c->arena, lag->fault).p;
	bool full =
	    strstr(fault, strerror(ENOSPC)) != NULL || strstr(fault, strerror(EDQUOT)) != NULL;

	doctor_report(d, HEALTH_FAILED, "index",
	    full ? DO_WITH(MAKE_ROOM, doctor_conf(d, PROGRAM_INDEX)->index_directory)
		 : DO_WITH(RESTART, INDEXER),
	    "%s: %" PRId64 "%s changed documents are not in the index after %d seconds%s%s", name,
	    lag->pending, lag->pending >= 100000 ? " or more" : "", PATIENCE_US / 1000000,
	    fault[0] == '\0' ? "" : ": ", fault);
	doctor_cause(d, "daemon", INDEXER);
	doctor_cause(d, "disk", doctor_conf(d, PROGRAM_INDEX)->index_directory);
}

static void
check_programs_state(struct doctor *d, struct dataset_index *x)
{
	const char *name = record_dataset_name(x->dataset);
	const struct index_state *s = &x->state;
	struct lag lag = { .pending = 0 };
	uint64_t documents = 0;
	enum db_rc rc;

	for (size_t i = 0; i < s->nsegments; i++)
		documents += s->segments[i].documents - s->segments[i].ndead;
	if (!d->database) {
		doctor_report(d, HEALTH_WARNING, "index", DO_WITH(START_DATABASE, SETUP),
		    "%s: generation %" PRIu64 ", %" PRIu64
		    " documents; its lag is unknown without the database",
		    name, s->generation, documents);
		doctor_cause(d, "database", NULL);
		return;
	}
	rc = index_catches_up(d, x, &lag);
	if (rc == DB_NONE) {
		doctor_report(d, HEALTH_WARNING, "index",
		    DO_WITH(AS_SAID,
			"wait until it is built; journalctl -u surfaced-index shows how far it is"),
		    "%s: surfaced-index builds the index again", name);
		doctor_cause(d, "daemon", INDEXER);
		doctor_cause(d, "disk", doctor_conf(d, PROGRAM_INDEX)->index_directory);
	} else if (rc != DB_OK) {
		doctor_report(d, HEALTH_WARNING, "index", DO_WITH(MIGRATE, SETUP),
		    "%s: generation %" PRIu64 ": its lag is unknown: %s", name, s->generation,
		    db_message(d->c->db));
		doctor_cause(d, "schema", NULL);
	} else if (lag.pending > 0) {
		report_lag(d, name, &lag);
	} else {
		doctor_report(d, HEALTH_OK, "index", NO_ADVICE,
		    "%s: generation %" PRIu64 ", %" PRIu64 " documents, up to date", name,
		    s->generation, documents);
	}
}

/* Whether a segment is as it was written. One that changed is verified by the indexer, and built
   again when it is damaged. */
static bool
check_files(struct doctor *d, const struct dataset_index *x)
{
	char path[4096];

	for (size_t i = 0; i < x->state.nsegments; i++) {
		if (!index_segment_changed(x->directory, &x->state.segments[i], path, sizeof(path)))
			continue;
		doctor_report(d, HEALTH_FAILED, "index", DO_WITH(RESTART, INDEXER),
		    "%s: changed after it was written: searches of %s may get 503 until it is "
		    "mended",
		    path, record_dataset_name(x->dataset));
		doctor_cause(d, "daemon", INDEXER);
		return false;
	}
	return true;
}

/* surfaced-index repairs damaged files and goes on, so this check is where the administrator learns
   that a disk fails. A copy is made with its file, so one that stays missing could not be made. */
static void
check_damage(struct doctor *d, const struct dataset_index *x)
{
	const struct index_damage *damage = &x->state.damage;
	const char *name = record_dataset_name(x->dataset);
	size_t missing = index_copies_missing(x->directory, &x->state);
	char last[TS_LEN + 1];

	if (strcmp(doctor_conf(d, PROGRAM_INDEX)->index_copies, "yes") == 0 && missing > 0)
		doctor_report(d, HEALTH_WARNING, "index",
		    DO_WITH(AS_SAID, "surfaced-index makes them within the hour, or logs copy="),
		    "%s: %zu files have no copy", name, missing);
	if (damage->n == 0 || ts_now().us - damage->last_us > DAMAGE_DAYS * DAY_US)
		return;
	ts_print((struct ts){ damage->last_us }, last);
	doctor_report(d, HEALTH_WARNING, "index",
	    DO_WITH(AS_SAID, "look for errors of the disk: journalctl -k; the log of "
			     "surfaced-index has the files"),
	    "%s: damaged files were found %" PRIu64 " times, at last %s, and are repaired", name,
	    damage->n, last);
}

static void
check_dataset(struct doctor *d, struct dataset_index *x)
{
	char err[INDEX_FAULT] = "";

	if (!index_state_load(x->directory, x->dataset, &x->state, err)) {
		doctor_report(d, HEALTH_FAILED, "index", DO_WITH(RESTART, INDEXER), "%s: %s",
		    x->directory, err);
		doctor_cause(d, "daemon", INDEXER);
		return;
	}
	if (x->state.generation == 0) {
		doctor_report(d, HEALTH_FAILED, "index", DO_WITH(RESTART, INDEXER),
		    "%s: no index of %s is published", x->directory,
		    record_dataset_name(x->dataset));
		doctor_cause(d, d->database ? "daemon" : "database", d->database ? INDEXER : NULL);
		doctor_cause(d, "disk", doctor_conf(d, PROGRAM_INDEX)->index_directory);
	} else if (check_files(d, x)) {
		check_programs_state(d, x);
		check_damage(d, x);
	}
	index_state_free(&x->state);
}

/* One deadline serves all datasets: an indexer that does not run is late with each of them. */
void
doctor_index(struct doctor *d)
{
	struct dataset_index x = { .directory = doctor_conf(d, PROGRAM_API)->index_directory };

	if (!d->programs[PROGRAM_API].good)
		return;
	check_writer(d, x.directory);
	x.patience = mono_us() + PATIENCE_US;
	db_use(d->c->db, d->c->arena, x.patience + PATIENCE_US);
	for (x.dataset = 0; x.dataset < DATASETS; x.dataset++)
		if (!doctor_clickhouse(d, x.dataset))
			check_dataset(d, &x);
}
