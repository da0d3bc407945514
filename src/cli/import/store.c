/* SPDX-License-Identifier: ISC */
/* Stores batches of records in the table record (store.h has the picture). The merge is made in C
   and not in SQL, because tbl/merges.h has rules for single members; so the stored documents of a
   batch are read first, and an advisory lock for each lane keeps a second import of the dataset,
   and every other program that calls import_lock, from changing them before they are written. A row
   lock for each key would do the same, but would write every unchanged row.

   The stored documents of a batch may be gigabytes, as a thin scan of ten thousand large hosts is
   small. They are read, merged and written in rounds, in one transaction:

     stored bytes    9 M  6 M  2 M  -  -  15 M  16 M      -: not stored
     round           1    1    2    2  2  3     4         at most ROUND_BYTES, and the first document in any case

   A tree is many times as large as its text. A round therefore holds texts, and trees live in an
   arena that is reset for each item. */
#include "config.h"

#include "cli/import/lanes.h"

#include "base/limits.h"
#include "db/copy.h"

enum {
	ROUND_BUDGET_US = 600 * SECOND_US,
	ROUND_BYTES = 16 * 1024 * 1024, /* of stored documents */
};

struct stored {
	int64_t n; /* the number of the item, from 1 */
	int64_t bytes;
	struct str key, doc; /* doc.p NULL: only its size was asked for */
};

static const struct field stored_out[] = {
	FIELD(struct stored, n, 0),
	FIELD(struct stored, bytes, 0),
	FIELD(struct stored, key, 0),
	FIELD(struct stored, doc, NULLABLE),
	FIELD_END,
};

/* The settings prevent a plan that was made while the table was empty from scanning all of it
   later. The temporary table belongs to the connection, which may be new. */
static const char stage[] = "SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off;"
			    " SET LOCAL enable_mergejoin = off; SET LOCAL jit = off;"
			    " CREATE TEMPORARY TABLE IF NOT EXISTS record_stage (dataset smallint,"
			    " key bytea, doc text, blob bytea) ON COMMIT DELETE ROWS";

/* Two imports of a dataset store their batches of a lane one after the other; otherwise both could
   treat the same key as new. $2 and $3: the first and the last lane. */
STMT(lock_lanes, NULL,
    "SELECT pg_advisory_xact_lock(hashtext('record'), 16 * $1::integer + lane)"
    " FROM generate_series($2::integer, $3::integer) AS lane ORDER BY lane");

/* $3: whether the documents are returned, or only their sizes. */
STMT_LIST(read_stored, struct stored, stored_out,
    "SELECT k.n, r.bytes, r.key, CASE WHEN $3::boolean THEN r.doc END AS doc FROM "
    "unnest($2::text[]::bytea[]) WITH ORDINALITY AS k (key, n)"
    " JOIN record AS r ON r.dataset = $1::smallint AND r.key = k.key");

#define COPY_FORMAT " WITH (FORMAT csv, DELIMITER E'\\x02', QUOTE E'\\x01', ESCAPE E'\\x01')"
static const char copy_new[] = "COPY record (dataset, key, doc) FROM STDIN" COPY_FORMAT;
static const char copy_stage[] =
    "COPY record_stage (dataset, key, doc, blob) FROM STDIN" COPY_FORMAT;

/* A row that was read may be gone: surfaced-index purges marks of deletions meanwhile. So this
   inserts or updates. */
STMT(store_staged, NULL,
    "INSERT INTO record (dataset, key, doc) SELECT dataset, key, doc FROM record_stage"
    " WHERE doc IS NOT NULL ORDER BY key ON CONFLICT (dataset, key) DO UPDATE SET doc = "
    "excluded.doc, gone = false");

STMT(register_tags, NULL,
    "INSERT INTO tag (slug, name) SELECT slug, slug FROM unnest($1::text[]) AS slug"
    " ORDER BY slug ON CONFLICT DO NOTHING");

STMT(insert_blobs, NULL,
    "INSERT INTO record_blob (dataset, key, blob)"
    " SELECT dataset, key, blob FROM record_stage WHERE blob IS NOT NULL"
    " ON CONFLICT DO NOTHING");

/* An item of the batch beside its stored document. */
struct pair {
	struct str doc;  /* as it is stored. p NULL: it is not; empty: it was deleted */
	struct str text; /* to be written. p NULL: nothing is written */
};

static enum db_rc
read_stored_rows(const struct lane *l, bool docs, struct list *rows)
{
	struct str *keys = ARENA_ARRAY(l->a, l->n, struct str);

	for (size_t i = 0; i < l->n; i++)
		keys[i] = db_bytea(l->a, l->items[i].key);
	return db_list(l->db, &read_stored, rows, P(record_dataset_number(l->dataset)),
	    P(((struct strs){ keys, l->n })), P(docs));
}

/* Sets the size of the stored document of each item; 0: it is not stored. */
static enum db_rc
read_sizes(const struct lane *l, int64_t *sizes)
{
	struct list rows = { 0 };
	enum db_rc rc = read_stored_rows(l, false, &rows);
	const struct stored *row = rows.items;

	for (size_t i = 0; rc == DB_OK && i < rows.n; i++, row++)
		sizes[row->n - 1] = row->bytes;
	return rc;
}

static enum db_rc
read_pairs(const struct lane *l, struct pair *pairs)
{
	struct list rows = { 0 };
	enum db_rc rc = read_stored_rows(l, true, &rows);
	const struct stored *row = rows.items;

	for (size_t i = 0; rc == DB_OK && i < rows.n; i++, row++) {
		pairs[row->n - 1].doc = row->doc;
	}
	return rc;
}

/* The event of a new record needs the record's tree only where it shows members. */
static void
add_new(struct lane *l, struct arena *a, const struct import_item *item, bool row)
{
	enum dataset d = l->dataset;
	struct record r;

	if (!record_has_events(d))
		return;
	r = record_event_shows_new(d) ? import_own_text(a, d, item->text) : record_new(a, d);
	event_batch_add(row ? &l->events : &l->added, a, item->key,
	    &(struct record_change){ NULL, &r, item->seen });
}

struct merging {
	const struct record_scan *scan;
	struct record old, new; /* new: at first that of the item, then the merged one */
};

/* Merges the item with the stored document. False: the document cannot be read; m->old is then not
   set. */
static bool
merge_stored(struct lane *l, struct arena *a, struct str doc, struct merging *m)
{
	struct record rest;
	struct str what;

	if (!import_read_text(a, l->dataset, doc, &m->old, &what)) {
		/* a document of another release may be unreadable */
		import_report_kept(&l->sum.messages, a, l->dataset, record_key(a, &m->new), what);
		return false;
	}
	rest = record_copy(a, &m->old);
	if (m->scan->ports != NULL)
		record_drop_ports(a, &rest, &m->new, m->scan);
	m->new = record_merge(a, &rest, &m->new);
	return true;
}

/* Decides what is written for an item, and counts it:

     stored document     item               written                        counted
     none, or deleted    for known ones     nothing                        unchanged
     none, or deleted    has a time         its text                       fresh
     none, or deleted    has no time        its text with now as its time  fresh
     there               merge is equal     nothing, not even its DER      unchanged
     there               merge differs      the merged text                changed
     any, merged         too large          nothing                        large
     cannot be read      any                nothing                        unreadable

   A deleted record keeps its row with an empty document, so that the indexer learns of the
   deletion; an import of its key fills the row again. Each written document has its events. */
static void
judge_pair(struct lane *l, struct arena *a, const struct import_item *item, struct pair *p)
{
	bool fresh = p->doc.p == NULL || p->doc.n == 0, timeless = ts_is_null(item->seen);
	struct merging m = { .scan = &item->scan };

	p->text = item->text;
	if (fresh && item->scan.known_only) {
		p->text = STR_NULL;
		l->sum.unchanged++;
		return;
	}
	if (fresh && !timeless) {
		l->sum.fresh++;
		add_new(l, a, item, p->doc.p != NULL);
		return;
	}
	if (!fresh && !timeless && str_eq(item->text, p->doc)) {
		p->text = STR_NULL; /* merge(x, x) is x */
		l->sum.unchanged++;
		return;
	}
	m.new = import_own_text(a, l->dataset, item->text);
	if (fresh) {
		record_seen(&m.new, l->now);
	} else if (!merge_stored(l, a, p->doc, &m)) {
		p->text = STR_NULL;
		l->sum.unreadable++;
		return;
	}
	p->text = import_write_text(a, &m.new);
	if (p->text.p == NULL) {
		l->sum.large++;
		return;
	}
	if (!fresh && str_eq(p->text, p->doc)) {
		p->text = STR_NULL;
		l->sum.unchanged++;
		return;
	}
	*(fresh ? &l->sum.fresh : &l->sum.changed) += 1;
	event_batch_add(&l->events, a, item->key,
	    &(struct record_change){
		fresh ? NULL : &m.old, &m.new, timeless ? l->now : item->seen });
}

static void
add_copy_column(struct buf *rows, struct str s, char end)
{
	buf_str(
	    rows, s); /* the separator and the quote are control characters, which JSON escapes */
	buf_char(rows, end);
}

static enum db_rc
copy_rows(struct db *db, const char *sql, const struct buf *rows)
{
	enum db_rc rc;
	int64_t n;

	if (rows->n == 0)
		return DB_OK;
	rc = db_copy_in_begin(db, sql);
	if (rc == DB_OK)
		rc = db_copy_in(db, buf_done(rows));
	return rc == DB_OK ? db_copy_in_end(db, &n) : rc;
}

/* Writes the documents with as few statements as the rows allow:

     fresh    keys without a row       COPY straight into record
     staged   rows that change, DER    COPY into record_stage, then one statement for the documents and one for the DER

   A fresh certificate appears in both: its document goes into record, and its DER goes through
   record_stage, with the document NULL, so store_staged leaves it out. DER is inserted after
   record, whose row it belongs to. */
static enum db_rc
write_pairs(const struct lane *l, const struct pair *pairs)
{
	int64_t number = record_dataset_number(l->dataset);
	struct buf fresh = { .a = l->a }, staged = { .a = l->a };
	enum db_rc rc;

	for (size_t i = 0; i < l->n; i++) {
		const struct import_item *item = &l->items[i];
		bool stored = pairs[i].doc.p != NULL;
		struct str key;

		if (pairs[i].text.p == NULL)
			continue;
		key = db_bytea(l->a, item->key);
		if (!stored) {
			buf_printf(&fresh, "%d\002", (int)number);
			add_copy_column(&fresh, key, '\002');
			add_copy_column(&fresh, pairs[i].text, '\n');
		}
		if (!stored && item->der.p == NULL)
			continue;
		buf_printf(&staged, "%d\002", (int)number);
		add_copy_column(&staged, key, '\002');
		add_copy_column(
		    &staged, stored ? pairs[i].text : STR(""), '\002'); /* empty is NULL */
		add_copy_column(
		    &staged, item->der.p == NULL ? STR("") : db_bytea(l->a, item->der), '\n');
	}
	rc = copy_rows(l->db, copy_new, &fresh);
	if (rc == DB_OK)
		rc = copy_rows(l->db, copy_stage, &staged);
	if (rc == DB_OK && staged.n > 0)
		rc = db_run(l->db, &store_staged, NULL, DB_NO_ARGS);
	if (rc == DB_OK && staged.n > 0)
		rc = db_run(l->db, &insert_blobs, NULL, DB_NO_ARGS);
	return rc;
}

/* Stores the items of the lane, which are those of a round. tree: memory for one item. */
static enum db_rc
store_round(struct lane *l, struct arena *tree)
{
	struct pair *pairs = ARENA_ARRAY(l->a, l->n, struct pair);
	enum db_rc rc = read_pairs(l, pairs);

	l->added = l->events = (struct event_batch){ .a = l->a };
	for (size_t i = 0; rc == DB_OK && i < l->n; i++) {
		judge_pair(l, tree, &l->items[i], &pairs[i]);
		if (pairs[i].text.p != NULL && pairs[i].text.p != l->items[i].text.p)
			pairs[i].text = arena_str(l->a, pairs[i].text);
		arena_reset(tree); /* trees are many times as large as their texts */
	}
	if (rc == DB_OK)
		rc = write_pairs(l, pairs);
	if (rc == DB_OK)
		rc = event_batch_store(l->db, l->dataset, true, &l->added);
	return rc == DB_OK ? event_batch_store(l->db, l->dataset, false, &l->events) : rc;
}

static void
begin_round(struct lane *l)
{
	arena_reset(l->a);
	db_use(l->db, l->a, mono_us() + ROUND_BUDGET_US);
}

static enum db_rc
store_rounds(struct lane *l, const int64_t *sizes)
{
	const struct import_item *items = l->items;
	struct arena *tree = arena_new((size_t)1 << 30);
	size_t n = l->n;
	enum db_rc rc = DB_OK;

	for (size_t from = 0, to; rc == DB_OK && from < n; from = to) {
		int64_t bytes = 0;

		for (to = from; to < n && (bytes == 0 || bytes + sizes[to] <= ROUND_BYTES); to++)
			bytes += sizes[to];
		begin_round(l);
		l->items = items + from;
		l->n = to - from;
		if (from > 0)
			rc = db_script(l->db, "TRUNCATE record_stage");
		if (rc == DB_OK)
			rc = store_round(l, tree);
	}
	arena_free(tree);
	return rc;
}

static enum db_rc
store_items(struct lane *l)
{
	int64_t *sizes;
	enum db_rc rc = db_script(l->db, stage);

	if (rc == DB_OK)
		rc = db_do(l->db, &lock_lanes, NULL, P(record_dataset_number(l->dataset)),
		    P((int64_t)l->first), P((int64_t)l->last));
	if (rc == DB_OK && l->tags.n > 0)
		rc = db_do(l->db, &register_tags, &l->sum.tags, P(l->tags));
	if (rc != DB_OK)
		return rc;
	sizes = mem_zero((l->n + 1) * sizeof(*sizes));
	rc = read_sizes(l, sizes);
	if (rc == DB_OK)
		rc = store_rounds(l, sizes);
	free(sizes);
	return rc;
}

void *
lane_store(void *arg)
{
	struct lane *l = arg;

	begin_round(l);
	l->rc = db_begin(l->db);
	if (l->rc == DB_OK)
		l->rc = store_items(l);
	if (l->rc == DB_OK)
		l->rc = db_commit(l->db);
	if (l->rc != DB_OK)
		db_rollback(l->db);
	return NULL;
}

enum db_rc
import_lock(struct db *db, enum dataset d)
{
	return db_do(db, &lock_lanes, NULL, P(record_dataset_number(d)), P((int64_t)0),
	    P((int64_t)LANES - 1));
}
