/* SPDX-License-Identifier: ISC */
/* Fills a new layout, usually in a child process (clickhouse_priv.h). */
#include "config.h"

#include "daemon/conf.h"
#include "indexer/clickhouse_priv.h"

#include <inttypes.h>
#include <unistd.h>

enum { FILL_VER = 1 };

STMT(end_refill, NULL,
    "UPDATE search_feed SET refill = false WHERE engine = $1 AND dataset = $2 AND refill");

/* Fills a new layout with all documents. f is a follower of its own, with its own connections. */
static bool
fill_layout(struct ch_follower *f, char err[INDEX_FAULT])
{
	struct ch_feed_row row = {
		.snapshot = "", .tags = "", .schema = ch_schema_number(f->dataset)
	};
	struct ch_layouts l;
	struct buf tags = { 0 };
	bool ok, mine;

	if (!ch_take_fill(f, &mine, err))
		return false;
	ok = mine && ch_cluster_shards(f->cluster, &f->shards) && ch_cluster_prepare(f->cluster) &&
	     ch_layouts_read(f->cluster, f->dataset, &l);
	if (ok) {
		row.layout = (l.last > l.asked ? l.last : l.asked) + 1;
		row.shards = f->shards;
		row.at = ts_now().us;
		ch_layouts_free(&l);
		/* Tables with this number exist only if the first server, and `feeds` with it, was
		   lost. */
		ok = ch_layout_drop(f->cluster, f->dataset, row.layout) &&
		     ch_layout_create(f->cluster, f->dataset, row.layout) &&
		     ch_feed_write(f->cluster, f->dataset, &row) &&
		     (f->sink = sink_open(f->cluster, f->dataset, row.layout)) != NULL;
	}
	if (!ok) {
		snprintf(err, INDEX_FAULT, "%.250s",
		    mine ? f->cluster->message : "another surfaced-index fills a layout");
		return false;
	}
	sink_begin(f->sink, FILL_VER, &f->source);
	tags_print(&tags, f->source.tags, f->source.ntags);
	ok = ch_send_documents(f, f->sink, SOURCE_ALL, STR_NULL, err) &&
	     ch_write_tags(f, STR(""), buf_done(&tags), err) &&
	     ch_commit_row(f, f->sink, FILL_VER, &tags, err);
	buf_free(&tags);
	return ok;
}

/* Removes the request of an operator that this fill has answered; a request that comes during the
   merge is answered by another fill. */
static void
end_request(struct ch_follower *f)
{
	db_use(f->db, f->source.a, mono_us() + conf.index_patience * 1000);
	if (db_do(f->db, &end_refill, NULL, P(str_of(f->engine)), P(ch_dataset_number(f))) != DB_OK)
		log_event(
		    LOGP_WARNING, "index", "dataset=%s refill=\"%s\"", f->name, db_message(f->db));
}

/* Merges the rows of the new layout, so that each server has one large part that has each document
   once. Release 18 reads rows with FINAL in one thread; searches read such a part without FINAL
   (src/search/clickhouse).

   The row in `feeds` is written before the merge. If this process is killed during the merge, the
   layout is followed and searched as it is, and each server completes the merge that it has begun.
   If searches ask another full layout meanwhile, those of the new one begin after the merge, when
   the parent collects this process; otherwise the parent finds the row in its next pass, and
   searches of the new layout begin during the merge.
   Neither the snapshot of the transaction nor the memory of the sink is kept for so long. */
static void
merge_layout(struct ch_follower *f)
{
	ch_follow_drop_sink(f);
	ch_merge_layout(f);
}

bool
ch_fill(enum dataset d)
{
	struct db *db = db_open(conf.database, "surfaced-index");
	struct ch_follower *f = ch_follow_open(d, db);
	char err[INDEX_FAULT] = "";
	int64_t start = mono_us();
	bool ok = source_begin(&f->source, "") == DB_OK;

	if (!ok)
		(void)ch_database_fault(&f->source, err);
	ok = ok && fill_layout(f, err);
	if (ok)
		log_event(LOGP_INFO, "index",
		    "dataset=%s clickhouse=filled layout=%u documents=%" PRIu64 " ms=%" PRId64,
		    f->name, f->at.layout, sink_written(f->sink), (mono_us() - start) / 1000);
	else
		log_event(
		    LOGP_ERR, "index", "dataset=%s clickhouse=filling failed=\"%s\"", f->name, err);
	source_end(&f->source);
	if (ok) {
		end_request(f);
		merge_layout(f);
	}
	ch_follow_close(f);
	db_close(db);
	return ok;
}

void
ch_fill_start(struct ch_follower *f)
{
	if (f->child.pid != 0 || mono_us() < f->child.next)
		return;
	if (child_fork(&f->child))
		_exit(ch_fill(f->dataset) ? 0 : 1);
	if (f->child.pid != 0)
		log_event(LOGP_INFO, "index", "dataset=%s clickhouse=filling pid=%d", f->name,
		    (int)f->child.pid);
}

/* A layout that the child has filled is now the newest, so the state is read again. */
void
ch_fill_collect(struct ch_follower *f)
{
	if (child_ended(&f->child) != CHILD_DONE)
		return;
	f->ready = f->refill = false;
}
