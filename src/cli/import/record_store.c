/* SPDX-License-Identifier: ISC */
/* Stores batches of records in the table record (record_store.h has the picture). The merge is made
   in C and not in SQL, because tbl/merges.h has rules for single members; so the stored documents
   of a batch are read first, and an advisory lock keeps a second import of the dataset from
   changing them before they are written.

   Memory: a tree is many times as large as its text. A batch therefore holds texts only, and trees
   live in an arena that is reset for each item. */
#include "config.h"

#include "cli/import/record_store.h"

#include "base/limits.h"
#include "cli/import/names.h"
#include "db/copy.h"

enum { STORE_BUDGET_US = 600 * SECOND_US };

struct stored {
	int64_t n; /* the number of the item, from 1 */
	struct str key, doc;
};

static const struct field stored_out[] = {
	FIELD(struct stored, n, 0),
	FIELD(struct stored, key, 0),
	FIELD(struct stored, doc, 0),
	FIELD_END,
};

/* An import of a dataset waits for another one's batch, so that neither takes a key of the other for a new one. The
   settings prevent a plan that was made while the table was empty from scanning all of it later. The temporary table
   belongs to the connection, which may be new. */
static const char stage[] = "SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off;"
			    " SET LOCAL enable_mergejoin = off; SET LOCAL jit = off;"
			    " CREATE TEMPORARY TABLE IF NOT EXISTS record_stage (dataset smallint,"
			    " key bytea, doc text, blob bytea) ON COMMIT DELETE ROWS";

STMT(lock_dataset, NULL, "SELECT pg_advisory_xact_lock(hashtext('record'), $1::integer)");

STMT_LIST(read_stored, struct stored, stored_out,
    "SELECT k.n, r.key, r.doc FROM unnest($2::text[]::bytea[]) WITH ORDINALITY AS k (key, n)"
    " JOIN record AS r ON r.dataset = $1::smallint AND r.key = k.key");

/* $2: the identities of reports, which may be stored under other keys (record_key_identity). */
STMT_LIST(read_reports, struct stored, stored_out,
    "SELECT k.n, r.key, r.doc FROM unnest($2::text[]::bytea[]) WITH ORDINALITY AS k (uuid, n)"
    " JOIN record AS r ON r.dataset = $1::smallint AND substr(r.key, 9) = k.uuid"
    " AND NOT r.gone");

#define COPY_FORMAT " WITH (FORMAT csv, DELIMITER E'\\x02', QUOTE E'\\x01', ESCAPE E'\\x01')"
static const char copy_new[] = "COPY record (dataset, key, doc) FROM STDIN" COPY_FORMAT;
static const char copy_stage[] =
    "COPY record_stage (dataset, key, doc, blob) FROM STDIN" COPY_FORMAT;

STMT(update_changed, NULL,
    "UPDATE record AS r SET doc = s.doc, gone = false FROM record_stage AS s"
    " WHERE r.dataset = $1::smallint AND s.dataset = r.dataset AND s.key = r.key"
    " AND s.doc IS NOT NULL");

/* The keys that reports have left. */
STMT(remove_moved, NULL,
    "UPDATE record SET doc = '', gone = true"
    " WHERE dataset = $1::smallint AND key = ANY($2::text[]::bytea[])");

/* A report may come back to a key that it has left, whose row is then a mark. */
STMT(store_staged, NULL,
    "INSERT INTO record (dataset, key, doc) SELECT dataset, key, doc FROM record_stage"
    " ORDER BY key ON CONFLICT (dataset, key) DO UPDATE SET doc = excluded.doc, gone = false");

STMT(insert_blobs, NULL,
    "INSERT INTO record_blob (dataset, key, blob)"
    " SELECT dataset, key, blob FROM record_stage WHERE blob IS NOT NULL"
    " ON CONFLICT DO NOTHING");

/* ---- the batch ---- */

void
record_batch_open(struct record_batch *b, enum dataset d)
{
	*b = (struct record_batch){ .dataset = d, .a = arena_new((size_t)1 << 30) };
	b->items = mem_array(RECORD_BATCH, sizeof(b->items[0]));
	b->keys = names_new(RECORD_BATCH);
}

void
record_batch_close(struct record_batch *b)
{
	arena_free(b->a);
	free(b->items);
	names_free(b->keys);
}

void
record_batch_clear(struct record_batch *b)
{
	arena_reset(b->a);
	names_clear(b->keys);
	b->n = b->bytes = 0;
}

bool
record_batch_full(const struct record_batch *b)
{
	return b->n == RECORD_BATCH || b->bytes >= RECORD_BATCH_BYTES;
}

/* Parses a text that record_print wrote, perhaps in an older release, whose members may have gone since. */
static bool
read_text(struct arena *a, enum dataset d, struct str text, struct record *r, struct str *what)
{
	return record_parse(a, d, text, RECORD_LENIENT, r, what) &&
	       record_finish(a, r, RECORD_LENIENT, what);
}

/* Parses a text that this process has printed. */
static struct record
read_own_text(struct arena *a, enum dataset d, struct str text)
{
	struct record r;
	struct str what;

	if (!read_text(a, d, text, &r, &what))
		panic("a document of %s that was just printed: %.*s", record_dataset_name(d),
		    (int)what.n, what.p);
	return r;
}

/* The text in the arena; STR_NULL when it is too large to be stored. */
static struct str
write_text(struct arena *a, const struct record *r)
{
	struct buf b = { .a = a };

	record_print(&b, r, NULL);
	return b.n <= LIM_HOST_BYTES ? buf_done(&b) : STR_NULL;
}

static bool
is_timeless(const struct record *r)
{
	int64_t seen;

	return !record_int(r->root, "last_seen", &seen);
}

bool
record_batch_add(
    struct record_batch *b, struct arena *scratch, const struct record *r, struct str der)
{
	struct str key = record_key(scratch, r), text;
	uint32_t *at = names_at(b->keys, record_key_identity(b->dataset, key));
	struct record_item *item = &b->items[*at == 0 ? b->n : *at - 1];
	struct record merged = *r;

	if (*at != 0) {
		struct record before = read_own_text(scratch, b->dataset, item->text);

		merged = record_merge(scratch, &before, r);
		key = record_key(scratch, &merged);
	}
	text = write_text(scratch, &merged);
	if (text.p == NULL)
		return false;
	if (*at == 0) {
		*at = (uint32_t)++b->n;
		*item = (struct record_item){ .key = arena_str(b->a, key) };
	} else if (!str_eq(item->key, key)) {
		item->key = arena_str(b->a, key); /* a report that moves */
	}
	item->timeless = is_timeless(&merged);
	item->text = arena_str(b->a, text);
	if (item->der.p == NULL && der.p != NULL)
		item->der = arena_str(b->a, der);
	b->bytes += text.n + (der.p == NULL ? 0 : der.n);
	return true;
}

/* ---- storing ---- */

static struct str
hex_bytes(struct arena *a, struct str s)
{
	char *p = arena_alloc(a, 2 * s.n + 3);

	p[0] = '\\';
	p[1] = 'x';
	hex_print(p + 2, (const unsigned char *)s.p, s.n);
	return (struct str){ p, 2 * s.n + 2 };
}

static int
by_key(const void *a, const void *b)
{
	return str_cmp(((const struct record_item *)a)->key, ((const struct record_item *)b)->key);
}

/* An item of the batch beside its stored document. */
struct pair {
	/* As it is stored. p NULL: it is not; an empty document: it was deleted. */
	struct str at, doc;
	/* To be written. text.p NULL: nothing is. */
	struct str key, text;
};

static enum db_rc
read_pairs(struct db *db, struct arena *a, const struct record_batch *b, struct pair *pairs)
{
	struct str *keys = ARENA_ARRAY(a, b->n, struct str);
	struct list rows = { 0 };
	const struct stored *row;
	enum db_rc rc;

	for (size_t i = 0; i < b->n; i++)
		keys[i] = hex_bytes(a, record_key_identity(b->dataset, b->items[i].key));
	rc = db_list(db, b->dataset == DATASET_REPORTS ? &read_reports : &read_stored, &rows,
	    P((int64_t)record_dataset_number(b->dataset)), P(((struct strs){ keys, b->n })));
	row = rows.items;
	for (size_t i = 0; rc == DB_OK && i < rows.n; i++, row++) {
		pairs[row->n - 1].at = row->key;
		pairs[row->n - 1].doc = row->doc;
	}
	return rc;
}

/* A stored document that this release cannot read stays as it is: another release may have written it. */
static void
report_unreadable(
    struct arena *a, struct buf *messages, enum dataset d, struct str key, struct str what)
{
	struct str name = record_key_text(a, d, key);

	buf_printf(messages,
	    "the stored document %.*s of %s cannot be read and stays as it is: %.*s\n", (int)name.n,
	    name.p, record_dataset_name(d), (int)what.n, what.p);
}

/* Decides what is written for an item, and counts it:

     stored document     item               written                        counted
     none, or deleted    has a time         its text                       fresh
     none, or deleted    has no time        its text with now as its time  fresh
     there               merge is equal     nothing, not even its DER      unchanged
     there               merge differs      the merged text                changed
     any, merged         too large          nothing                        large
     cannot be read      any                nothing                        unreadable

   A deleted record keeps its row with an empty document, so that the indexer learns of the
   deletion; an import of its key fills the row again. */
static void
judge_pair(struct arena *a, const struct record_batch *b, const struct record_item *item,
    struct pair *p, struct record_sum *sum)
{
	bool fresh = p->doc.p == NULL || p->doc.n == 0;
	struct record new, old;
	struct str what;

	p->key = item->key;
	p->text = item->text;
	if (fresh && !item->timeless) {
		sum->fresh++;
		return;
	}
	new = read_own_text(a, b->dataset, item->text);
	if (fresh) {
		record_seen(&new, ts_now());
	} else if (read_text(a, b->dataset, p->doc, &old, &what)) {
		new = record_merge(a, &old, &new);
		p->key = record_key(a, &new);
	} else {
		report_unreadable(a, &sum->messages, b->dataset, item->key, what);
		p->text = STR_NULL;
		sum->unreadable++;
		return;
	}
	p->text = write_text(a, &new);
	if (p->text.p == NULL) {
		sum->large++;
	} else if (fresh) {
		sum->fresh++;
	} else if (str_eq(p->text, p->doc)) {
		p->text = STR_NULL;
		sum->unchanged++;
	} else {
		sum->changed++;
	}
}

static void
add_column(struct buf *rows, struct str s, char end)
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
     staged   rows that change, DER    COPY into record_stage, then one UPDATE and one INSERT for all of them

   A fresh certificate appears in both: its document goes into record, and its DER goes through
   record_stage, where the empty document keeps the UPDATE away from it. DER is inserted after
   record, whose row it belongs to. */
static enum db_rc
write_pairs(struct db *db, struct arena *a, const struct record_batch *b, const struct pair *pairs)
{
	int64_t number = record_dataset_number(b->dataset);
	struct buf fresh = { .a = a }, staged = { .a = a };
	enum db_rc rc;

	for (size_t i = 0; i < b->n; i++) {
		const struct record_item *item = &b->items[i];
		struct str key = hex_bytes(a, item->key);
		bool stored = pairs[i].doc.p != NULL;

		if (pairs[i].text.p == NULL)
			continue;
		if (!stored) {
			buf_printf(&fresh, "%d\002", (int)number);
			add_column(&fresh, key, '\002');
			add_column(&fresh, pairs[i].text, '\n');
		}
		if (!stored && item->der.p == NULL)
			continue;
		buf_printf(&staged, "%d\002", (int)number);
		add_column(&staged, key, '\002');
		add_column(&staged, stored ? pairs[i].text : STR(""), '\002'); /* empty is NULL */
		add_column(&staged, item->der.p == NULL ? STR("") : hex_bytes(a, item->der), '\n');
	}
	rc = copy_rows(db, copy_new, &fresh);
	if (rc == DB_OK)
		rc = copy_rows(db, copy_stage, &staged);
	if (rc == DB_OK && staged.n > 0)
		rc = db_do(db, &update_changed, NULL, P(number));
	if (rc == DB_OK && staged.n > 0)
		rc = db_run(db, &insert_blobs, NULL, DB_NO_ARGS);
	return rc;
}

/* Writes reports. One whose published_at changed has another key: its former row becomes the mark of a deletion before
   the new one is written, in the same transaction, so each index drops the one and finds the other at once. */
static enum db_rc
write_reports(
    struct db *db, struct arena *a, const struct record_batch *b, const struct pair *pairs)
{
	int64_t number = record_dataset_number(b->dataset);
	struct str *moved = ARENA_ARRAY(a, b->n, struct str);
	struct buf staged = { .a = a };
	size_t nmoved = 0;
	enum db_rc rc = DB_OK;

	for (size_t i = 0; i < b->n; i++) {
		if (pairs[i].text.p == NULL)
			continue;
		if (pairs[i].at.p != NULL && !str_eq(pairs[i].at, pairs[i].key))
			moved[nmoved++] = hex_bytes(a, pairs[i].at);
		buf_printf(&staged, "%d\002", (int)number);
		add_column(&staged, hex_bytes(a, pairs[i].key), '\002');
		add_column(&staged, pairs[i].text, '\002');
		buf_char(&staged, '\n');
	}
	if (nmoved > 0)
		rc = db_do(db, &remove_moved, NULL, P(number), P(((struct strs){ moved, nmoved })));
	if (rc == DB_OK)
		rc = copy_rows(db, copy_stage, &staged);
	if (rc == DB_OK && staged.n > 0)
		rc = db_run(db, &store_staged, NULL, DB_NO_ARGS);
	return rc;
}

static enum db_rc
store_pairs(struct db *db, struct arena *a, struct record_batch *b, struct record_sum *sum)
{
	struct pair *pairs = ARENA_ARRAY(a, b->n, struct pair);
	struct arena *one = arena_new((size_t)1 << 30);
	enum db_rc rc = db_script(db, stage);

	if (rc == DB_OK)
		rc = db_do(db, &lock_dataset, NULL, P((int64_t)record_dataset_number(b->dataset)));
	if (rc == DB_OK)
		rc = read_pairs(db, a, b, pairs);
	for (size_t i = 0; rc == DB_OK && i < b->n; i++) {
		judge_pair(one, b, &b->items[i], &pairs[i], sum);
		if (pairs[i].text.p != NULL && pairs[i].text.p != b->items[i].text.p)
			pairs[i].text = arena_str(a, pairs[i].text);
		if (pairs[i].key.p != b->items[i].key.p)
			pairs[i].key = arena_str(a, pairs[i].key);
		arena_reset(one); /* trees are many times as large as their texts */
	}
	arena_free(one);
	if (rc != DB_OK)
		return rc;
	return b->dataset == DATASET_REPORTS ? write_reports(db, a, b, pairs)
					     : write_pairs(db, a, b, pairs);
}

enum db_rc
record_store(struct db *db, struct arena *scratch, struct record_batch *b, struct record_sum *sum)
{
	struct record_sum add = { .messages = sum->messages };
	enum db_rc rc;

	if (b->n == 0)
		return DB_OK;
	arena_reset(scratch);
	/* rows in the order of the index, so that its pages are written once */
	qsort(b->items, b->n, sizeof(b->items[0]), by_key);
	db_use(db, scratch, mono_us() + STORE_BUDGET_US);
	rc = db_begin(db);
	if (rc == DB_OK)
		rc = store_pairs(db, scratch, b, &add);
	if (rc == DB_OK)
		rc = db_commit(db);
	sum->messages = add.messages;
	if (rc != DB_OK) {
		db_rollback(db);
		return rc;
	}
	sum->fresh += add.fresh;
	sum->changed += add.changed;
	sum->unchanged += add.unchanged;
	sum->large += add.large;
	sum->unreadable += add.unreadable;
	return DB_OK;
}
