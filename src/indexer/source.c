/* SPDX-License-Identifier: ISC */
/* Reads documents, deletions and tags from PostgreSQL for surfaced-index, all of one snapshot
 * (indexer.h explains why snapshots are used and not times). Documents are read by COPY, because a
 * rebuild reads all of them and COPY needs constant memory. A line of COPY is the key in
 * hexadecimal and the document.
 *
 * COPY takes no parameters, and a snapshot or a list of keys must not become text of a
 * statement. So these are passed as settings of the transaction (set_config with is_local), which
 * the statement of COPY reads with current_setting.
 */
#include "config.h"

#include "daemon/conf.h"
#include "daemon/host.h"
#include "indexer/indexer.h"
#include "db/copy.h"
#include "search/tags.h"

enum { SMALL_DOCUMENTS = 20000 };

struct snapshot_row {
	struct str snapshot;
	struct ts at;
	bool continues;
};

static const struct field snapshot_out[] = {
	FIELD(struct snapshot_row, snapshot, 0),
	FIELD(struct snapshot_row, at, 0),
	FIELD(struct snapshot_row, continues, 0),
	FIELD_END,
};

struct few_row {
	bool few;
};

static const struct field few_out[] = {
	FIELD(struct few_row, few, 0),
	FIELD_END,
};

/* ---- statements ---- */

/* The older snapshot can be continued when it was taken earlier in this database and the marks of
   all later deletions still exist. search_feed contains the snapshot since which this index needs
   the marks; record_purge keeps those. */
STMT(read_snapshot, snapshot_out,
    "SELECT pg_current_snapshot()::text AS snapshot, now() AS at,"
    " coalesce(pg_snapshot_xmax(s) <= pg_snapshot_xmax(pg_current_snapshot())"
    "  AND pg_snapshot_xmin(f.snapshot) <= pg_snapshot_xmin(s), false) AS continues"
    " FROM (SELECT nullif($1, '')::pg_snapshot AS s) AS since"
    " LEFT JOIN search_feed AS f ON f.engine = $2 AND f.dataset = $3");

/* After this statement record_purge keeps the marks of later deletions for this index. Its first
   generation is read with a later snapshot, so no deletion is missed. */
STMT(join_feed, NULL,
    "INSERT INTO search_feed (engine, dataset, snapshot) VALUES ($1, $2, pg_current_snapshot())"
    " ON CONFLICT DO NOTHING");

STMT(advance_feed, NULL,
    "UPDATE search_feed SET snapshot = $3::pg_snapshot WHERE engine = $1 AND dataset = $2"
    " AND pg_snapshot_xmin(snapshot) < pg_snapshot_xmin($3::pg_snapshot)");

STMT(few_documents, few_out,
    "SELECT count(*) <= $1::bigint AS few FROM"
    " (SELECT FROM record WHERE dataset = $2 AND NOT gone LIMIT $1::bigint + 1) AS first");

STMT(add_damages, NULL,
    "SELECT metric_add(ARRAY[format('surfaced_index_damages_total{dataset=\"%s\"}', $1::text)],"
    " ARRAY[$2::bigint]::float8[])");

STMT(purge_marks, NULL, "SELECT FROM record_purge($1::smallint)");

#define CHANGED                                                                                    \
	"changed >= pg_snapshot_xmin(current_setting('surfaced.since')::pg_snapshot)"              \
	" AND NOT pg_visible_in_snapshot(changed, "                                                \
	"current_setting('surfaced.since')::pg_snapshot)"
#define TO_STDOUT ") TO STDOUT"

#define OF_DATASET "dataset = current_setting('surfaced.dataset')::smallint"
/* IN is hashed once; ANY would search the whole array for every row. */
#define LISTED                                                                                     \
	"key IN (SELECT decode(k, 'hex') FROM"                                                     \
	" unnest(current_setting('surfaced.keys')::text[]) AS k)"
#define DOCUMENTS                                                                                  \
	"COPY (SELECT encode(key, 'hex'), " TAGGED_DOCUMENT " FROM record AS r WHERE " OF_DATASET  \
	" AND NOT gone"

static const char *const copies[] = {
	[SOURCE_ALL] = DOCUMENTS TO_STDOUT,
	[SOURCE_CHANGED] = DOCUMENTS " AND " CHANGED TO_STDOUT,
	[SOURCE_BOTH] = DOCUMENTS " AND ((" CHANGED ") OR " LISTED ")" TO_STDOUT,
	[SOURCE_GONE] = "COPY (SELECT encode(key, 'hex'), '' FROM record WHERE " OF_DATASET
			" AND gone AND " CHANGED TO_STDOUT,
};

/* ---- a transaction ---- */

/* The parameters of the COPY statements. */
STMT(set_parameters, NULL,
    "SELECT set_config('surfaced.since', $1, true), set_config('surfaced.dataset', $2::text, true),"
    " set_config('surfaced.keys', '{}', true)");

STMT(set_keys, NULL, "SELECT set_config('surfaced.keys', $1, true)");

/* Extends the deadline before each step. A large result may take any time as long as the database
   sends something, but a database that hangs must not block the indexer forever. */
static void
extend_deadline(struct source *s)
{
	db_use(s->db, s->a, mono_us() + conf.index_patience * 1000);
}

/* The name of this index in search_feed. Several machines may follow one database; a ClickHouse is
   fed by one machine only. */
static struct str
index_name(const struct source *s)
{
	return s->engine != NULL ? str_of(s->engine) : host_index();
}

static int64_t
number_of_source(const struct source *s)
{
	return record_dataset_number(s->dataset);
}

/* Registers this index, which has no generation that can be continued, so that record_purge keeps
   the marks of later deletions for it. */
static enum db_rc
keep_marks(struct source *s)
{
	return db_do(s->db, &join_feed, NULL, P(index_name(s)), P(number_of_source(s)));
}

static enum db_rc
begin_reading(struct source *s, const char *since, struct snapshot_row *row)
{
	enum db_rc rc = db_begin(s->db);

	if (rc == DB_OK)
		rc = db_script(s->db, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY");
	if (rc == DB_OK)
		rc = db_one(s->db, &read_snapshot, row, P(str_of(since)), P(index_name(s)),
		    P(number_of_source(s)));
	return rc;
}

/* When the older snapshot cannot be continued, the index first registers in search_feed and then
   takes a new snapshot. In the other order, the mark of a deletion between the two steps could be
   purged before the index has read it. */
enum db_rc
source_begin(struct source *s, const char *since)
{
	struct snapshot_row row = { .continues = false };
	enum db_rc rc = DB_OK;

	arena_reset(s->a);
	extend_deadline(s);
	if (since[0] != '\0')
		rc = begin_reading(s, since, &row);
	if (rc == DB_OK && !row.continues) {
		if (since[0] != '\0')
			db_rollback(s->db);
		rc = keep_marks(s);
		if (rc == DB_OK)
			rc = begin_reading(s, "", &row);
		row.continues = false;
	}
	if (rc == DB_OK)
		rc = tags_read(s->db, s->a, &s->tags, &s->ntags);
	if (rc == DB_OK)
		rc = db_do(s->db, &set_parameters, NULL, P(str_of(since)), P(number_of_source(s)));
	s->snapshot = row.snapshot;
	s->at = row.at;
	s->continues = row.continues;
	if (rc != DB_OK)
		db_rollback(s->db);
	return rc;
}

void
source_end(struct source *s)
{
	db_rollback(s->db); /* the transaction is read-only */
}

enum db_rc
source_is_small(struct source *s, bool *small)
{
	struct few_row row = { .few = false };
	enum db_rc rc;

	extend_deadline(s);
	rc = db_one(
	    s->db, &few_documents, &row, P((int64_t)SMALL_DOCUMENTS), P(number_of_source(s)));
	*small = row.few;
	return rc;
}

enum db_rc
source_documents(struct source *s, enum source_what what, struct str keys)
{
	enum db_rc rc = DB_OK;

	extend_deadline(s);
	if (what == SOURCE_BOTH)
		rc = db_do(s->db, &set_keys, NULL, P(keys));
	return rc == DB_OK ? db_copy_out_begin(s->db, copies[what]) : rc;
}

/* Decodes a line of the text format of COPY. */
static struct str
decode_copy_line(struct buf *room, struct str line)
{
	static const char from[] = "bfnrtv", to[] = "\b\f\n\r\t\v";

	buf_clear(room);
	while (line.n > 0 && (line.p[line.n - 1] == '\n' || line.p[line.n - 1] == '\r'))
		line.n--;
	while (line.n > 0) {
		const char *slash = memchr(line.p, '\\', line.n);
		size_t plain = slash == NULL ? line.n : (size_t)(slash - line.p);
		const char *k;

		buf_add(room, line.p, plain);
		line.p += plain;
		line.n -= plain;
		if (line.n < 2)
			break;
		k = memchr(from, line.p[1], sizeof(from) - 1);
		buf_char(room, k == NULL ? line.p[1] : to[k - from]);
		line.p += 2;
		line.n -= 2;
	}
	return buf_done(room);
}

/* Splits a line into its two columns. The key is still in hexadecimal digits here, because the text
   format of COPY would double a backslash in it. */
static bool
split_line(struct str line, struct buf *room, struct source_row *out)
{
	const char *tab = memchr(line.p, '\t', line.n);
	struct str hex = { line.p, tab == NULL ? 0 : (size_t)(tab - line.p) };

	out->key = (struct str){ (const char *)out->room, hex.n / 2 };
	if (hex.n == 0 || hex.n > 2 * sizeof(out->room) || !hex_parse(hex, out->room, hex.n / 2))
		return false;
	out->json = decode_copy_line(room, (struct str){ tab + 1, line.n - hex.n - 1 });
	return true;
}

enum db_rc
source_next(struct source *s, struct buf *room, struct source_row *out)
{
	struct str line;
	enum db_rc rc;

	extend_deadline(s);
	rc = db_copy_out(s->db, &line);
	if (rc == DB_OK && !split_line(line, room, out))
		panic("a row of %s has no key", schema_dataset_name(s->dataset));
	return rc;
}

enum db_rc
source_add_damages(struct source *s, uint64_t damages)
{
	arena_reset(s->a);
	extend_deadline(s);
	return db_do(s->db, &add_damages, NULL, P(str_of(schema_dataset_name(s->dataset))),
	    P((int64_t)damages));
}

enum db_rc
source_purge(struct source *s, const char *snapshot)
{
	enum db_rc rc;

	arena_reset(s->a);
	extend_deadline(s);
	rc = db_do(s->db, &advance_feed, NULL, P(index_name(s)), P(number_of_source(s)),
	    P(str_of(snapshot)));
	return rc == DB_OK ? db_do(s->db, &purge_marks, NULL, P(number_of_source(s))) : rc;
}
