/* SPDX-License-Identifier: ISC */
/* One pass of surfaced-index over one dataset that ClickHouse answers. The rule of snapshots is that of the index
 * (indexer.h); what differs is where the state is. Nothing of it is on this machine:
 *
 *   PostgreSQL   advisory lock of the dataset   who feeds; ends with the connection
 *                search_feed.epoch              grows with each owner of the lock; upper half of `ver`
 *   ClickHouse   feeds                          each layout's snapshot, tags and last `ver`
 *                layouts                        which layout is asked
 *
 *   take_feed: have I the lock? -- no, another has it --> nothing to do
 *      |  yes, since the last pass             yes, from now on: a new epoch; read feeds, layouts and the dictionary
 *      v
 *   source_begin with the snapshot of the newest layout that is full and has this release's schema
 *      |
 *      +-- there is none, or its snapshot does not continue (a restore), or the number of shards has changed, or an
 *      |   operator asks --> a child fills a new layout, from a snapshot and a connection of its own
 *      |
 *      +-- it continues: rows changed since, deletions, documents of changed tags -> sink -> feeds
 *      v
 *   the layout is not the one that is asked --> it is from now on; tables before the former one are dropped
 *
 * When the child has ended, its layout is the newest, and the next pass adds what changed since the child's snapshot.
 * Two processes must not give numbers in one dictionary. The lock ends with the connection, so it is looked at when a pass
 * begins and before its last rows are sent, and while documents are read (COPY leaves no room for a question) the socket is
 * looked at before each batch: a server that ended or closed the connection shows there at once. A
 * connection may still die between a look and the statement that follows it: the next owner waits until no INSERT of the
 * former one runs at any server (sink.c) before it reads the dictionary. */
#include "config.h"

#include "daemon/conf.h"
#include "indexer/beside.h"
#include "indexer/clickhouse.h"
#include "indexer/sink.h"
#include "indexer/tags.h"
#include "search/clickhouse/dict.h"

#include <inttypes.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOCK_FEED = 7301, LOCK_FILL = 7302, EPOCH_BITS = 32 };
enum { FILL_VER = 1 };
#define BEAT_US INT64_C(2000000)
#define CH_PURGE_US INT64_C(3600000000)
#define CH_FEED_MEMORY ((size_t)1 << 30)

struct ch_follower {
	enum dataset dataset;
	const char *name;
	char engine[101];
	struct db *db;
	struct source source;
	struct buf room;
	struct ch_cluster *cluster;
	struct sink *sink;     /* the writer of the layout `at`; NULL: not opened */
	struct ch_feed_row at; /* layout 0: there is none to follow */
	unsigned asked, shards;
	uint64_t epoch, passes;
	bool ready; /* the state in ClickHouse was read */
	bool refill, no_child, idle;
	bool fed; /* this pass has written a row of `feeds` */
	struct child child;
	int64_t next_beat, next_purge;
};

/* ---- statements ---- */

struct lock_row {
	bool held, taken, refill;
};

static const struct field lock_out[] = {
	FIELD(struct lock_row, held, 0),
	FIELD(struct lock_row, taken, 0),
	FIELD(struct lock_row, refill, 0),
	FIELD_END,
};

STMT(take_lock, lock_out,
    "SELECT held, NOT held AND pg_try_advisory_lock($1::bigint::int, $2::bigint::int) AS taken,"
    " coalesce((SELECT refill FROM search_feed WHERE engine = $3 AND dataset = $2), false) AS "
    "refill"
    " FROM (SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND pid = "
    "pg_backend_pid()"
    " AND classid = $1 AND objid = $2) AS held OFFSET 0) AS h");

struct held_row {
	bool held;
};

static const struct field held_out[] = {
	FIELD(struct held_row, held, 0),
	FIELD_END,
};

STMT(still_locked, held_out,
    "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND pid = "
    "pg_backend_pid()"
    " AND classid = $1 AND objid = $2) AS held");

STMT(lock_fill, held_out,
    "SELECT pg_try_advisory_xact_lock($1::bigint::int, $2::bigint::int) AS held");

struct epoch_row {
	int64_t epoch;
};

static const struct field epoch_out[] = {
	FIELD(struct epoch_row, epoch, 0),
	FIELD_END,
};

STMT(begin_epoch, epoch_out,
    "INSERT INTO search_feed AS f (engine, dataset, snapshot, epoch) VALUES ($1, $2, "
    "pg_current_snapshot(), 1)"
    " ON CONFLICT (engine, dataset) DO UPDATE SET epoch = f.epoch + 1 RETURNING f.epoch");

STMT(end_refill, NULL,
    "UPDATE search_feed SET refill = false WHERE engine = $1 AND dataset = $2 AND refill");

STMT(mark_fed, NULL, "UPDATE search_feed SET at = now() WHERE engine = $1 AND dataset = $2");

/* ---- opening ---- */

struct ch_follower *
ch_follow_open(enum dataset d, struct db *db)
{
	struct ch_follower *f = mem_zero(sizeof(*f));

	f->dataset = f->source.dataset = d;
	f->name = schema_dataset_name(d);
	f->db = f->source.db = db;
	f->source.a = arena_new(CH_FEED_MEMORY);
	f->source.engine = f->engine;
	snprintf(f->engine, sizeof(f->engine), "clickhouse:%.64s", conf.clickhouse_database);
	f->cluster = ch_cluster_open(&conf);
	return f;
}

static void
forget_row(struct ch_follower *f)
{
	free(f->at.snapshot);
	free(f->at.tags);
	f->at = (struct ch_feed_row){ .layout = 0 };
}

static void
drop_sink(struct ch_follower *f)
{
	sink_close(f->sink);
	f->sink = NULL;
}

void
ch_follow_close(struct ch_follower *f)
{
	if (f == NULL)
		return;
	child_kill(&f->child);
	drop_sink(f);
	forget_row(f);
	ch_cluster_free(f->cluster);
	arena_free(f->source.a);
	buf_free(&f->room);
	free(f);
}

void
ch_follow_without_child(struct ch_follower *f)
{
	f->no_child = true;
}

/* ---- who feeds ---- */

static bool
database_fault(const struct source *s, char err[INDEX_FAULT])
{
	snprintf(err, INDEX_FAULT, "database: %.200s", db_message(s->db));
	return false;
}

static int64_t
dataset_number(const struct ch_follower *f)
{
	return record_dataset_number(f->dataset);
}

/* A new owner of the lock. Its epoch is greater than any that PostgreSQL or ClickHouse has seen. Numbers of values that
   this process gave and could not store stay in its sink, unless somebody else has fed meanwhile. */
static bool
new_epoch(struct ch_follower *f, char err[INDEX_FAULT])
{
	struct epoch_row row;

	if (db_one(f->db, &begin_epoch, &row, P(str_of(f->engine)), P(dataset_number(f))) != DB_OK)
		return database_fault(&f->source, err);
	if ((uint64_t)row.epoch != f->epoch + 1)
		drop_sink(f);
	f->epoch = (uint64_t)row.epoch;
	f->passes = 0;
	f->ready = false;
	return true;
}

enum taking { TAKING_FAILED, TAKING_IDLE, TAKING_MINE };

static enum taking
take_feed(struct ch_follower *f, char err[INDEX_FAULT])
{
	struct lock_row row;

	arena_reset(f->source.a);
	db_use(f->db, f->source.a, mono_us() + conf.index_patience * 1000);
	if (db_one(f->db, &take_lock, &row, P((int64_t)LOCK_FEED), P(dataset_number(f)),
		P(str_of(f->engine))) != DB_OK) {
		(void)database_fault(&f->source, err);
		return TAKING_FAILED;
	}
	f->refill |= row.refill;
	if (!row.held && !row.taken) {
		if (!f->idle)
			log_event(LOGP_INFO, "index",
			    "dataset=%s clickhouse=idle reason=\"another surfaced-index feeds it\"",
			    f->name);
		f->idle = true;
		f->ready = false;
		return TAKING_IDLE;
	}
	f->idle = false;
	return row.held || new_epoch(f, err) ? TAKING_MINE : TAKING_FAILED;
}

/* Whether this process has the lock still. The connection must not be in a COPY. */
static bool
still_mine(struct ch_follower *f, char err[INDEX_FAULT])
{
	struct held_row lock = { .held = false };

	if (db_one(f->db, &still_locked, &lock, P((int64_t)LOCK_FEED), P(dataset_number(f))) !=
	    DB_OK)
		return database_fault(&f->source, err);
	if (!lock.held)
		snprintf(err, INDEX_FAULT, "the connection to the database was lost");
	return lock.held;
}

/* ---- what ClickHouse has ---- */

static bool
clickhouse_fault(const struct ch_follower *f, char err[INDEX_FAULT])
{
	snprintf(err, INDEX_FAULT, "clickhouse: %.230s", f->cluster->message);
	return false;
}

/* Follows the newest layout that is full and has this release's columns. */
static void
choose_layout(struct ch_follower *f, const struct ch_layouts *l)
{
	forget_row(f);
	for (size_t i = 0; i < l->n && f->at.layout == 0; i++)
		if (l->row[i].filled && l->row[i].schema == l->own) {
			f->at = l->row[i];
			f->at.snapshot = mem_text(l->row[i].snapshot);
			f->at.tags = mem_text(l->row[i].tags);
		}
	f->asked = l->asked_own;
	/* After a restore PostgreSQL may count from an older epoch. */
	if (f->at.ver >> EPOCH_BITS >= f->epoch)
		f->epoch = (f->at.ver >> EPOCH_BITS) + 1;
}

/* A full layout whose tables are gone on a server (a disk was lost, or an earlier release dropped them) would be followed
   from its snapshot with empty tables, and its counts would be too small. So its row is taken back, and a new layout is
   filled. On a server that was added later the tables are made, before it becomes a shard: searches ask all shards for
   the present layout. */
static bool
check_tables(struct ch_follower *f, char err[INDEX_FAULT])
{
	const char *server = NULL;

	if (f->at.layout == 0)
		return true;
	if (!ch_layout_lost(f->cluster, f->dataset, f->at.layout, f->at.shards, &server))
		return clickhouse_fault(f, err);
	if (server == NULL)
		return ch_layout_create(f->cluster, f->dataset, f->at.layout) ||
		       clickhouse_fault(f, err);
	log_event(LOGP_ERR, "index",
	    "dataset=%s clickhouse=lost layout=%u server=%s reason=\"its tables are gone\"",
	    f->name, f->at.layout, server);
	if (!ch_feed_retract(f->cluster, f->dataset, &f->at, false))
		return clickhouse_fault(f, err);
	forget_row(f);
	return true;
}

static bool
read_state(struct ch_follower *f, char err[INDEX_FAULT])
{
	struct ch_layouts l;

	if (f->ready)
		return true;
	if (!ch_cluster_shards(f->cluster, &f->shards) || !ch_cluster_prepare(f->cluster) ||
	    !ch_layouts_read(f->cluster, f->dataset, &l))
		return clickhouse_fault(f, err);
	choose_layout(f, &l);
	ch_layouts_free(&l);
	if (!check_tables(f, err))
		return false;
	if (f->sink != NULL && sink_layout(f->sink) != f->at.layout)
		drop_sink(f);
	f->ready = true;
	return true;
}

/* Whether the connection that has the lock is open. This asks the socket alone, because a COPY leaves no room for a
   question. */
static bool
is_connected(const void *arg)
{
	const struct ch_follower *f = arg;
	struct pollfd p = { .fd = db_socket(f->db), .events = POLLRDHUP };

	return p.fd >= 0 && poll(&p, 1, 0) == 0;
}

static bool
open_sink(struct ch_follower *f, char err[INDEX_FAULT])
{
	if (f->sink == NULL)
		f->sink = sink_open(f->cluster, f->dataset, f->at.layout);
	if (f->sink == NULL)
		snprintf(err, INDEX_FAULT, "clickhouse: %.230s", f->cluster->message);
	else
		sink_guard(f->sink, is_connected, f);
	return f->sink != NULL;
}

/* ---- writing ---- */

/* Sends what the source gives to the sink. */
static bool
send_documents(struct ch_follower *f, struct sink *to, enum source_what what, struct str keys,
    char err[INDEX_FAULT])
{
	struct source_row row;
	enum db_rc rc = source_documents(&f->source, what, keys);

	while (rc == DB_OK && (rc = source_next(&f->source, &f->room, &row)) == DB_OK)
		if (what == SOURCE_GONE ? !sink_gone(to, row.key, err)
					: !sink_document(to, &row, err))
			return false;
	return rc == DB_NONE || database_fault(&f->source, err);
}

static const struct tag *
tag_of(const struct source *s, struct str slug)
{
	for (size_t i = 0; i < s->ntags; i++)
		if (str_eq(s->tags[i].slug, slug))
			return &s->tags[i];
	return NULL;
}

/* Writes the rows of the table tags that have changed. Several datasets write the same rows. */
static bool
write_tags(struct ch_follower *f, struct str was, struct str now, char err[INDEX_FAULT])
{
	static const char sql[] =
	    "INSERT INTO tags (slug, ver, gone, name, classification, categories) FORMAT RowBinary";
	struct buf rows = { 0 };
	struct str *slugs;
	size_t n = tags_changed(f->source.a, was, now, true, &slugs);
	bool ok;

	for (size_t i = 0; i < n; i++) {
		const struct tag *t = tag_of(&f->source, slugs[i]);

		ch_put_text(&rows, slugs[i]);
		ch_put_number(&rows, (uint64_t)ts_now().us, 8);
		buf_char(&rows, t == NULL);
		ch_put_text(&rows, t == NULL ? STR("") : t->name);
		ch_put_text(&rows, t == NULL ? STR("") : t->classification);
		ch_put_length(&rows, t == NULL ? 0 : t->ncategories);
		for (size_t k = 0; t != NULL && k < t->ncategories; k++)
			ch_put_text(&rows, t->categories[k]);
	}
	ok = n == 0 || ch_cluster_run(f->cluster, str_of(sql), buf_done(&rows), NULL);
	if (!ok)
		snprintf(err, INDEX_FAULT, "clickhouse: %.230s", f->cluster->message);
	buf_free(&rows);
	return ok;
}

static char *
text_of_buf(struct buf *b)
{
	buf_char(b, '\0');
	return b->p;
}

/* The row of `feeds` for the snapshot of the source. */
static bool
commit_row(
    struct ch_follower *f, struct sink *to, uint64_t ver, struct buf *tags, char err[INDEX_FAULT])
{
	char *snapshot = strndup(f->source.snapshot.p, f->source.snapshot.n);
	struct ch_feed_row row = { .layout = sink_layout(to),
		.shards = f->shards,
		.ver = ver,
		.schema = ch_schema_number(f->dataset),
		.filled = true,
		.at = ts_now().us,
		.snapshot = snapshot,
		.tags = text_of_buf(tags) };
	bool ok;

	if (snapshot == NULL)
		panic("out of memory");
	ok = sink_commit(to, &row, err);
	tags->n--;
	if (ok) {
		forget_row(f);
		f->at = row;
		f->at.tags = mem_text(row.tags);
	} else {
		free(snapshot);
	}
	return ok;
}

static void
note_snapshot(struct ch_follower *f)
{
	free(f->at.snapshot);
	f->at.snapshot = strndup(f->source.snapshot.p, f->source.snapshot.n);
	if (f->at.snapshot == NULL)
		panic("out of memory");
}

/* ---- a new layout ---- */

/* Fills a new layout with all documents. f is a follower of its own, with its own connections. */
static bool
fill_layout(struct ch_follower *f, char err[INDEX_FAULT])
{
	struct ch_feed_row row = {
		.snapshot = "", .tags = "", .schema = ch_schema_number(f->dataset)
	};
	struct held_row mine = { .held = false };
	struct ch_layouts l;
	struct buf tags = { 0 };
	bool ok;

	if (db_one(f->db, &lock_fill, &mine, P((int64_t)LOCK_FILL), P(dataset_number(f))) != DB_OK)
		return database_fault(&f->source, err);
	ok = mine.held && ch_cluster_shards(f->cluster, &f->shards) &&
	     ch_cluster_prepare(f->cluster) && ch_layouts_read(f->cluster, f->dataset, &l);
	if (ok) {
		row.layout = (l.last > l.asked ? l.last : l.asked) + 1;
		row.shards = f->shards;
		row.at = ts_now().us;
		ch_layouts_free(&l);
		/* Tables of this number are of a cluster whose first server was lost, with feeds. */
		ok = ch_layout_drop(f->cluster, f->dataset, row.layout) &&
		     ch_layout_create(f->cluster, f->dataset, row.layout) &&
		     ch_feed_write(f->cluster, f->dataset, &row) &&
		     (f->sink = sink_open(f->cluster, f->dataset, row.layout)) != NULL;
	}
	if (!ok) {
		snprintf(err, INDEX_FAULT, "%.250s",
		    mine.held ? f->cluster->message : "another surfaced-index fills a layout");
		return false;
	}
	sink_begin(f->sink, FILL_VER, &f->source);
	tags_print(&tags, f->source.tags, f->source.ntags);
	ok = send_documents(f, f->sink, SOURCE_ALL, STR_NULL, err) &&
	     write_tags(f, STR(""), buf_done(&tags), err) &&
	     commit_row(f, f->sink, FILL_VER, &tags, err);
	buf_free(&tags);
	return ok;
}

static bool
fill(enum dataset d)
{
	struct db *db = db_open(conf.database, "surfaced-index");
	struct ch_follower *f = ch_follow_open(d, db);
	char err[INDEX_FAULT] = "";
	int64_t start = mono_us();
	bool ok = source_begin(&f->source, "") == DB_OK;

	if (!ok)
		(void)database_fault(&f->source, err);
	ok = ok && fill_layout(f, err);
	if (ok)
		log_event(LOGP_INFO, "index",
		    "dataset=%s clickhouse=filled layout=%u documents=%" PRIu64 " ms=%" PRId64,
		    f->name, f->at.layout, sink_written(f->sink), (mono_us() - start) / 1000);
	else
		log_event(
		    LOGP_ERR, "index", "dataset=%s clickhouse=filling failed=\"%s\"", f->name, err);
	source_end(&f->source);
	ch_follow_close(f);
	db_close(db);
	return ok;
}

static void
start_fill(struct ch_follower *f)
{
	if (f->child.pid != 0 || mono_us() < f->child.next)
		return;
	if (child_fork(&f->child))
		_exit(fill(f->dataset) ? 0 : 1);
	if (f->child.pid != 0)
		log_event(LOGP_INFO, "index", "dataset=%s clickhouse=filling pid=%d", f->name,
		    (int)f->child.pid);
}

/* The layout that a child has filled is the newest: the state is read again. */
static void
collect_fill(struct ch_follower *f)
{
	if (child_ended(&f->child) != CHILD_DONE)
		return;
	f->ready = f->refill = false;
	if (db_do(f->db, &end_refill, NULL, P(str_of(f->engine)), P(dataset_number(f))) != DB_OK)
		log_event(
		    LOGP_WARNING, "index", "dataset=%s refill=\"%s\"", f->name, db_message(f->db));
}

/* ---- a pass ---- */

/* Sends the changes since the snapshot of the layout. */
static bool
apply_to_layout(struct ch_follower *f, char err[INDEX_FAULT])
{
	struct buf tags = { 0 }, keys = { 0 };
	struct str *slugs, was = str_of(f->at.tags);
	uint64_t ver = f->epoch << EPOCH_BITS | ++f->passes;
	bool ok, renamed;
	size_t n;

	tags_print(&tags, f->source.tags, f->source.ntags);
	renamed = !str_eq(was, buf_done(&tags));
	n = tags_changed(f->source.a, was, buf_done(&tags), false, &slugs);
	sink_begin(f->sink, ver, &f->source);
	ok = n == 0 || sink_tagged(f->sink, slugs, n, &keys, err);
	if (ok && keys.n > 0)
		buf_char(&keys, '}');
	ok = ok &&
	     send_documents(
		 f, f->sink, keys.n > 0 ? SOURCE_BOTH : SOURCE_CHANGED, buf_done(&keys), err) &&
	     send_documents(f, f->sink, SOURCE_GONE, STR_NULL, err) &&
	     (!renamed || write_tags(f, was, buf_done(&tags), err));
	if (ok && (renamed || sink_pending(f->sink) || mono_us() >= f->next_beat)) {
		ok = still_mine(f, err) && commit_row(f, f->sink, ver, &tags, err);
		f->next_beat = mono_us() + BEAT_US;
		f->fed = ok;
	} else if (ok) {
		note_snapshot(f);
	}
	buf_free(&tags);
	buf_free(&keys);
	return ok;
}

/* Whether the tables of a layout stay: the one that is followed, the former one, which a search that began before may
   still read, all that are newer, which may be being filled, and of each other release the one that its searches ask
   and the newest that is full, from which it goes on when it comes back. */
static bool
is_kept(const struct ch_follower *f, const struct ch_layouts *l, size_t i, unsigned former)
{
	const struct ch_feed_row *r = &l->row[i];

	if (r->layout >= f->at.layout || r->layout == former)
		return true;
	if (!r->filled || r->schema == l->own)
		return false;
	for (size_t k = 0; k < i; k++) /* the newest is first */
		if (l->row[k].filled && l->row[k].schema == r->schema)
			return r->asked;
	return true;
}

/* The row is taken back before the tables go, so whatever is killed, no row promises documents that are gone. */
static bool
drop_layouts(struct ch_follower *f, unsigned former)
{
	struct ch_layouts l;
	bool ok = ch_layouts_read(f->cluster, f->dataset, &l);

	for (size_t i = 0; ok && i < l.n; i++)
		if (!is_kept(f, &l, i, former))
			ok = ch_feed_retract(f->cluster, f->dataset, &l.row[i], false) &&
			     ch_layout_drop(f->cluster, f->dataset, l.row[i].layout) &&
			     ch_feed_retract(f->cluster, f->dataset, &l.row[i], true);
	ch_layouts_free(&l);
	return ok;
}

/* The layout that is followed becomes the one that is asked. */
static bool
switch_layout(struct ch_follower *f, char err[INDEX_FAULT])
{
	unsigned former = f->asked;

	if (f->asked == f->at.layout)
		return true;
	if (!ch_layout_switch(f->cluster, f->dataset, f->at.layout))
		return clickhouse_fault(f, err);
	log_event(LOGP_INFO, "index", "dataset=%s clickhouse=switched layout=%u former=%u", f->name,
	    f->at.layout, former);
	f->asked = f->at.layout;
	return drop_layouts(f, former) || clickhouse_fault(f, err);
}

static bool
ch_pass(struct ch_follower *f, bool refill, char err[INDEX_FAULT])
{
	bool follow;
	uint64_t written = 0;
	int64_t start = mono_us();

	if (!still_mine(f, err))
		return false;
	if (!ch_cluster_shards(f->cluster, &f->shards)) {
		return clickhouse_fault(f, err);
	}
	/* With another number of shards a new version of a document could come to another shard than the former one, and
	   both would be counted. */
	follow = f->source.continues && f->at.layout > 0 && f->at.shards == f->shards;
	f->refill |= refill;
	if (!follow || f->refill) {
		if (!f->no_child)
			start_fill(f);
		else if (!fill(f->dataset)) {
			snprintf(err, INDEX_FAULT, "no layout could be filled");
			return false;
		} else {
			f->ready = f->refill = false;
			return true;
		}
	}
	if (!follow)
		return true;
	if (!open_sink(f, err) || !apply_to_layout(f, err) || !switch_layout(f, err))
		return false;
	written = sink_written(f->sink);
	if (written > 0)
		log_event(LOGP_INFO, "index",
		    "dataset=%s clickhouse=fed layout=%u written=%" PRIu64 " ms=%" PRId64, f->name,
		    f->at.layout, written, (mono_us() - start) / 1000);
	return true;
}

/* As purge_deletions of the index. Not while a child fills: its snapshot is older, and it has to find the marks. */
static void
purge_marks_of(struct ch_follower *f)
{
	if (f->at.layout == 0 || f->child.pid != 0 || mono_us() < f->next_purge)
		return;
	if (f->next_purge != 0 && source_purge(&f->source, f->at.snapshot) != DB_OK)
		log_event(
		    LOGP_WARNING, "index", "dataset=%s purge=\"%s\"", f->name, db_message(f->db));
	f->next_purge = mono_us() + CH_PURGE_US;
}

/* For the metric of freshness. */
static void
note_fed(struct ch_follower *f)
{
	if (f->fed &&
	    db_do(f->db, &mark_fed, NULL, P(str_of(f->engine)), P(dataset_number(f))) != DB_OK)
		log_event(LOGP_WARNING, "index", "dataset=%s search_feed=\"%s\"", f->name,
		    db_message(f->db));
	f->fed = false;
}

static bool
one_pass(struct ch_follower *f, bool refill, char err[INDEX_FAULT])
{
	bool ok;

	if (!read_state(f, err))
		return false;
	if (source_begin(&f->source, f->at.layout > 0 ? f->at.snapshot : "") != DB_OK)
		return database_fault(&f->source, err);
	ok = ch_pass(f, refill, err);
	source_end(&f->source);
	return ok;
}

enum follow_rc
ch_follow_once(struct ch_follower *f, bool refill)
{
	char err[INDEX_FAULT] = "";
	enum taking taking = take_feed(f, err);
	bool ok;

	if (taking == TAKING_IDLE)
		return FOLLOW_DONE;
	if (taking == TAKING_MINE)
		collect_fill(f);
	ok = taking == TAKING_MINE && one_pass(f, refill, err);
	if (ok && f->no_child && !f->ready) /* a layout was filled: follow it and switch to it */
		ok = one_pass(f, false, err);
	if (ok) {
		note_fed(f);
		purge_marks_of(f);
		return FOLLOW_DONE;
	}
	log_event(LOGP_ERR, "index", "dataset=%s clickhouse=failed failed=\"%s\"", f->name, err);
	f->ready = false;
	return FOLLOW_RETRY;
}
