/* SPDX-License-Identifier: ISC */
/* A pass over one dataset that is searched in ClickHouse (clickhouse_priv.h). */
#include "config.h"

#include "indexer/clickhouse_priv.h"

#include <inttypes.h>

#define BEAT_US INT64_C(2000000)
#define CH_PURGE_US INT64_C(3600000000)

STMT(mark_fed, NULL, "UPDATE search_feed SET at = now() WHERE engine = $1 AND dataset = $2");

static bool
open_sink(struct ch_follower *f, char err[INDEX_FAULT])
{
	if (f->sink == NULL)
		f->sink = sink_open(f->cluster, f->dataset, f->at.layout);
	if (f->sink == NULL)
		snprintf(err, INDEX_FAULT, "clickhouse: %.230s", f->cluster->message);
	else
		sink_guard(f->sink, ch_is_connected, f);
	return f->sink != NULL;
}

static void
note_snapshot(struct ch_follower *f)
{
	free(f->at.snapshot);
	f->at.snapshot = strndup(f->source.snapshot.p, f->source.snapshot.n);
	if (f->at.snapshot == NULL)
		panic("out of memory");
}

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
	     ch_send_documents(
		 f, f->sink, keys.n > 0 ? SOURCE_BOTH : SOURCE_CHANGED, buf_done(&keys), err) &&
	     ch_send_documents(f, f->sink, SOURCE_GONE, STR_NULL, err) &&
	     (!renamed || ch_write_tags(f, was, buf_done(&tags), err));
	if (ok && (renamed || sink_pending(f->sink) || mono_us() >= f->next_beat)) {
		ok = ch_still_mine(f, err) && ch_commit_row(f, f->sink, ver, &tags, err);
		f->next_beat = mono_us() + BEAT_US;
		f->fed = ok;
	} else if (ok) {
		note_snapshot(f);
	}
	buf_free(&tags);
	buf_free(&keys);
	return ok;
}

/* Whether the tables of a layout are kept. These layouts are: the followed one; the former one,
   which a search that has begun may still read; all newer ones, which a child may be filling; and
   of each other release the one that its searches ask and its newest full one, which that release
   would follow if it were installed again. */
static bool
is_kept(const struct ch_follower *f, const struct ch_layouts *l, size_t i, unsigned former)
{
	const struct ch_feed_row *r = &l->row[i];

	if (r->layout >= f->at.layout || r->layout == former)
		return true;
	if (!r->filled || r->schema == l->own)
		return false;
	for (size_t k = 0; k < i; k++) /* rows are sorted, the newest first */
		if (l->row[k].filled && l->row[k].schema == r->schema)
			return r->asked;
	return true;
}

/* Drops the layouts that are not kept. The row in `feeds` is retracted before the tables are
   dropped, so a crash at any point leaves no row that promises missing documents. */
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

/* Makes searches ask the layout that is followed, and drops the layouts that are not kept. */
static bool
switch_layout(struct ch_follower *f, char err[INDEX_FAULT])
{
	unsigned former = f->asked;

	if (f->asked == f->at.layout)
		return true;
	if (!ch_layout_switch(f->cluster, f->dataset, f->at.layout))
		return ch_cluster_fault(f, err);
	log_event(LOGP_INFO, "index", "dataset=%s clickhouse=switched layout=%u former=%u", f->name,
	    f->at.layout, former);
	f->asked = f->at.layout;
	return drop_layouts(f, former) || ch_cluster_fault(f, err);
}

static bool
ch_pass(struct ch_follower *f, bool refill, char err[INDEX_FAULT])
{
	bool follow;
	uint64_t written = 0;
	int64_t start = mono_us();

	if (!ch_still_mine(f, err))
		return false;
	if (!ch_cluster_shards(f->cluster, &f->shards)) {
		return ch_cluster_fault(f, err);
	}
	/* If the number of shards has changed, a new version of a document may be stored on another
	   shard than the old version, and both would be counted. */
	follow = f->source.continues && f->at.layout > 0 && f->at.shards == f->shards;
	f->refill |= refill;
	if (!follow || f->refill) {
		if (!f->no_child)
			ch_fill_start(f);
		else if (!ch_fill(f->dataset)) {
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

/* Removes old marks of deletions once an hour, as purge_deletions does for the index. Nothing is
   removed while a child fills a layout: the passes that follow that layout need all marks since the
   snapshot of the child. */
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

/* Sets search_feed.at, from which the metric of freshness is computed. */
static void
note_fed(struct ch_follower *f)
{
	if (f->fed &&
	    db_do(f->db, &mark_fed, NULL, P(str_of(f->engine)), P(ch_dataset_number(f))) != DB_OK)
		log_event(LOGP_WARNING, "index", "dataset=%s search_feed=\"%s\"", f->name,
		    db_message(f->db));
	f->fed = false;
}

static bool
one_pass(struct ch_follower *f, bool refill, char err[INDEX_FAULT])
{
	bool ok;

	if (!ch_read_state(f, err))
		return false;
	if (source_begin(&f->source, f->at.layout > 0 ? f->at.snapshot : "") != DB_OK)
		return ch_database_fault(&f->source, err);
	ok = ch_pass(f, refill, err);
	source_end(&f->source);
	return ok;
}

enum follow_rc
ch_follow_once(struct ch_follower *f, bool refill)
{
	char err[INDEX_FAULT] = "";
	enum taking taking = ch_take_feed(f, err);
	bool ok;

	if (taking == TAKING_IDLE)
		return FOLLOW_DONE;
	if (taking == TAKING_MINE)
		ch_fill_collect(f);
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
