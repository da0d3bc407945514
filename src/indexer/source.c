/* SPDX-License-Identifier: ISC */
/* Reads documents, deletions and tags from PostgreSQL for surfaced-index, all of one snapshot
 * (indexer.h explains why snapshots and no times). Documents come by COPY, because a rebuild
 * reads all of them and COPY needs constant memory.
 *
 * COPY takes no parameters, and a snapshot or a list of addresses must not become text of a
 * statement. So both are passed as settings of the transaction (set_config with is_local), which
 * the statement of COPY reads with current_setting. */
#include "config.h"

#include "daemon/conf.h"
#include "indexer/indexer.h"
#include "db/copy.h"

struct snapshot_row {
	struct str snapshot;
	bool continues;
};

static const struct field snapshot_out[] = {
	FIELD(struct snapshot_row, snapshot, 0),
	FIELD(struct snapshot_row, continues, 0),
	FIELD_END,
};

/* Whether the older snapshot `s` can be continued. It cannot when it is from the future of this database: the database
   was restored from a backup, or is another one. It cannot, either, when deletions that it does not contain have been
   purged from host_gone. */
STMT(read_snapshot, snapshot_out,
    "SELECT pg_current_snapshot()::text AS snapshot,"
    " coalesce(pg_snapshot_xmax(s) <= pg_snapshot_xmax(pg_current_snapshot())"
    "  AND h.purged < pg_snapshot_xmin(s)"
    "  AND (pg_visible_in_snapshot(h.begun, s)"
    "   OR h.begun >= pg_snapshot_xmax(pg_current_snapshot())), false) AS continues"
    " FROM host_gone_horizon h, (SELECT nullif($1, '')::pg_snapshot AS s) since");

STMT(purge_gone, NULL, "SELECT FROM host_gone_purge($1::pg_snapshot)");

struct tag_row {
	struct str slug, name, classification;
	struct list categories;
};

static const struct field tag_out[] = {
	FIELD(struct tag_row, slug, 0),
	FIELD(struct tag_row, name, 0),
	FIELD(struct tag_row, classification, 0),
	LIST_OF(struct tag_row, categories, 0, struct str, 0, 0),
	FIELD_END,
};

STMT_LIST(
    read_tags, struct tag_row, tag_out, "SELECT slug, name, classification, categories FROM tag");

/* COPY has no parameters, so they are passed as settings of the transaction. */
STMT(set_parameters, NULL,
    "SELECT set_config('surfaced.since', $1, true), set_config('surfaced.ips', $2, "
    "true)");

STMT(set_ips, NULL, "SELECT set_config('surfaced.ips', $1, true)");

#define CHANGED                                                                                    \
	"changed >= pg_snapshot_xmin(current_setting('surfaced.since')::pg_snapshot)"              \
	" AND NOT pg_visible_in_snapshot(changed, "                                                \
	"current_setting('surfaced.since')::pg_snapshot)"
/* IN is hashed once; ANY would search the whole array for every row. */
#define LISTED "ip IN (SELECT unnest(current_setting('surfaced.ips')::inet[]))"

static const char *const copies[] = {
	[SOURCE_ALL] = "COPY (SELECT doc FROM host ORDER BY ip) TO STDOUT",
	[SOURCE_CHANGED] = "COPY (SELECT doc FROM host WHERE " CHANGED " ORDER BY ip) TO STDOUT",
	[SOURCE_BOTH] =
	    "COPY (SELECT doc FROM host WHERE (" CHANGED ") OR " LISTED " ORDER BY ip) TO STDOUT",
	[SOURCE_GONE] = "COPY (SELECT DISTINCT host(ip) FROM host_gone g WHERE " CHANGED
			" AND NOT EXISTS (SELECT FROM host h WHERE h.ip = g.ip)) TO STDOUT",
};

/* Extends the deadline before each step. A large result may take any time as long as the database sends something, but a
   database that hangs must not block the indexer forever. */
static void
extend_deadline(struct source *s)
{
	db_use(s->db, s->a, mono_us() + conf.index_patience * 1000);
}

static enum db_rc
load_tags(struct source *s)
{
	struct list rows = { 0 };
	enum db_rc rc = db_rows(s->db, &read_tags, &rows, DB_NO_ARGS);
	const struct tag_row *row = rows.items;

	if (rc != DB_OK)
		return rc;
	s->tags = ARENA_ARRAY(s->a, rows.n + 1, struct tag);
	s->ntags = rows.n;
	for (size_t i = 0; i < rows.n; i++, row++) {
		struct tag *t = &s->tags[i];
		const struct str *categories = row->categories.items;

		*t = (struct tag){
			.slug = row->slug, .name = row->name, .classification = row->classification
		};
		for (size_t k = 0; k < row->categories.n && k < COUNT(t->categories); k++)
			t->categories[t->ncategories++] = categories[k];
	}
	return DB_OK;
}

enum db_rc
source_begin(struct source *s, const char *since)
{
	struct snapshot_row row = { 0 };
	enum db_rc rc;

	arena_reset(s->a);
	extend_deadline(s);
	rc = db_begin(s->db);
	if (rc == DB_OK)
		rc = db_script(s->db, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY");
	if (rc == DB_OK)
		rc = db_one(s->db, &read_snapshot, &row, P(str_of(since)));
	if (rc == DB_OK)
		rc = load_tags(s);
	if (rc == DB_OK)
		rc = db_do(s->db, &set_parameters, NULL, P(str_of(since)), P(STR("{}")));
	s->snapshot = row.snapshot;
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
source_documents(struct source *s, enum source_what what, struct str ips)
{
	enum db_rc rc = DB_OK;

	extend_deadline(s);
	if (what == SOURCE_BOTH)
		rc = db_do(s->db, &set_ips, NULL, P(ips));
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

enum db_rc
source_next(struct source *s, struct buf *room, struct str *json)
{
	struct str line;
	enum db_rc rc;

	extend_deadline(s);
	rc = db_copy_out(s->db, &line);
	if (rc == DB_OK)
		*json = decode_copy_line(room, line);
	return rc;
}

enum db_rc
source_purge(struct source *s, const char *snapshot)
{
	arena_reset(s->a);
	extend_deadline(s);
	return db_do(s->db, &purge_gone, NULL, P(str_of(snapshot)));
}
