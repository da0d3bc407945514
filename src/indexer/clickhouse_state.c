/* SPDX-License-Identifier: ISC */
/* The state of a follower: its opening, and the layout in ClickHouse that it follows
   (clickhouse_priv.h). */
#include "config.h"

#include "daemon/conf.h"
#include "indexer/clickhouse_priv.h"
#include "search/clickhouse/rights.h"

enum { CH_FEED_MEMORY = 1 << 30 };

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

void
ch_follow_forget(struct ch_follower *f)
{
	free(f->at.snapshot);
	free(f->at.tags);
	f->at = (struct ch_feed_row){ .layout = 0 };
}

void
ch_follow_drop_sink(struct ch_follower *f)
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
	ch_follow_drop_sink(f);
	ch_follow_forget(f);
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

bool
ch_database_fault(const struct source *s, char err[INDEX_FAULT])
{
	snprintf(err, INDEX_FAULT, "database: %.200s", db_message(s->db));
	return false;
}

int64_t
ch_dataset_number(const struct ch_follower *f)
{
	return record_dataset_number(f->dataset);
}

/* ---- the state in ClickHouse ---- */

bool
ch_cluster_fault(const struct ch_follower *f, char err[INDEX_FAULT])
{
	snprintf(err, INDEX_FAULT, "clickhouse: %.230s", f->cluster->message);
	return false;
}

/* Follows the newest layout that is full and has this release's columns. */
static void
choose_layout(struct ch_follower *f, const struct ch_layouts *l)
{
	ch_follow_forget(f);
	for (size_t i = 0; i < l->n && f->at.layout == 0; i++)
		if (l->row[i].filled && l->row[i].schema == l->own) {
			f->at = l->row[i];
			f->at.snapshot = mem_text(l->row[i].snapshot);
			f->at.tags = mem_text(l->row[i].tags);
		}
	f->asked = l->asked_own;
}

struct epoch_row {
	int64_t epoch;
};

static const struct field epoch_out[] = {
	FIELD(struct epoch_row, epoch, 0),
	FIELD_END,
};

STMT(begin_epoch, epoch_out,
    "INSERT INTO search_feed AS f (engine, dataset, snapshot, epoch) VALUES ($1, $2, "
    "pg_current_snapshot(), $3::bigint + 1)"
    " ON CONFLICT (engine, dataset) DO UPDATE SET epoch = greatest(f.epoch, $3) + 1 RETURNING "
    "f.epoch");

bool
ch_begin_epoch(struct ch_follower *f, uint64_t seen, char err[INDEX_FAULT])
{
	struct epoch_row row;

	if (db_one(f->db, &begin_epoch, &row, P(str_of(f->engine)), P(ch_dataset_number(f)),
		P((int64_t)seen)) != DB_OK)
		return ch_database_fault(&f->source, err);
	if ((uint64_t)row.epoch != f->epoch + 1)
		ch_follow_drop_sink(f);
	f->epoch = (uint64_t)row.epoch;
	f->passes = 0;
	f->ready = false;
	return true;
}

/* If search_feed of PostgreSQL was set back, a row in `feeds` may have an epoch that is not less
   than that of this owner. Then the versions of this owner could repeat those of a former one, and
   of two rows with one version ClickHouse may keep the older row for ever. The greater epoch is
   stored in PostgreSQL before any row has it, because this process may end before it writes a row
   in `feeds`. */
static bool
check_epoch(struct ch_follower *f, char err[INDEX_FAULT])
{
	if (f->at.ver <= (f->epoch << EPOCH_BITS | f->passes))
		return true;
	ch_follow_drop_sink(f);
	return ch_begin_epoch(f, f->at.ver >> EPOCH_BITS, err);
}

/* If the tables of a full layout are missing on a server (a disk was lost, or somebody
   dropped them), following it from its snapshot would start with empty tables, and counts would be
   too small. So its row in `feeds` is retracted, and a new layout is filled. If the server was
   added later, its tables are created before it becomes a shard, because searches ask all shards
   for the present layout. */
static bool
check_tables(struct ch_follower *f, char err[INDEX_FAULT])
{
	const char *server = NULL;

	if (f->at.layout == 0)
		return true;
	if (!ch_layout_lost(f->cluster, f->dataset, f->at.layout, f->at.shards, &server))
		return ch_cluster_fault(f, err);
	if (server == NULL)
		return ch_layout_create(f->cluster, f->dataset, f->at.layout) ||
		       ch_cluster_fault(f, err);
	log_event(LOGP_ERR, "index",
	    "dataset=%s clickhouse=lost layout=%u server=%s reason=\"its tables are gone\"",
	    f->name, f->at.layout, server);
	if (!ch_feed_retract(f->cluster, f->dataset, &f->at, false))
		return ch_cluster_fault(f, err);
	ch_follow_forget(f);
	return true;
}

bool
ch_read_state(struct ch_follower *f, char err[INDEX_FAULT])
{
	struct ch_layouts l;
	bool may;

	if (f->ready)
		return true;
	if (!ch_may_write(f->cluster, &may) || !may || !ch_cluster_shards(f->cluster, &f->shards) ||
	    !ch_cluster_prepare(f->cluster) || !ch_layouts_read(f->cluster, f->dataset, &l))
		return ch_cluster_fault(f, err);
	choose_layout(f, &l);
	ch_layouts_free(&l);
	if (!check_epoch(f, err) || !check_tables(f, err))
		return false;
	if (f->sink != NULL && sink_layout(f->sink) != f->at.layout)
		ch_follow_drop_sink(f);
	/* If no layout of this release is full, or the asked one was lost, searches answer 503 until
	   another one is asked. So the state is read again in each pass, and a new layout is followed
	   and asked as soon as its rows are stored, while the child still merges them. */
	f->ready = f->at.layout > 0 && f->at.layout == f->asked;
	return true;
}
