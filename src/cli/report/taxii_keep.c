/* SPDX-License-Identifier: ISC */
/* Objects of TAXII collections in the database (taxii_priv.h). */
#include "config.h"

#include "cli/report/taxii_priv.h"

#define KEEP_TIME (600 * SECOND_US)
#define KEEP_MEMORY ((size_t)4 << 30)

static const struct field cursor_out[] = {
	FIELD(struct taxii_cursor, id, 0),
	FIELD(struct taxii_cursor, added_after, NULLABLE),
	FIELD(struct taxii_cursor, more, 0),
	FIELD(struct taxii_cursor, changes, 0),
	FIELD(struct taxii_cursor, reported, 0),
	FIELD_END,
};

/* The update returns the row where it is there already. */
STMT(taxii_cursor_find, cursor_out,
    "INSERT INTO taxii_cursor (account_uuid, url, filters) VALUES ($1, $2, $3)"
    " ON CONFLICT ON CONSTRAINT taxii_cursor_collection DO UPDATE SET url = excluded.url"
    " RETURNING id, added_after, more, changes, reported");

STMT(taxii_cursor_move, NULL,
    "UPDATE taxii_cursor SET added_after = $2, more = $3, changes = changes + $4, updated_at = "
    "now()"
    " WHERE id = $1");

/* The later one of equal times counts, as in a bundle. */
STMT(taxii_object_put, NULL,
    "INSERT INTO taxii_object (cursor_id, id, type, month, modified, object)"
    " SELECT DISTINCT ON (i) $1, i, t, m, v, o"
    "   FROM (SELECT i, t, m, v::timestamptz AS v, o, n FROM unnest($2::text[], $3::text[], "
    "$4::text[],"
    "           $5::text[], $6::text[]) WITH ORDINALITY AS x (i, t, m, v, o, n)) AS x"
    "  ORDER BY i, v DESC, n DESC"
    " ON CONFLICT (cursor_id, id) DO UPDATE SET type = excluded.type, month = excluded.month,"
    "   modified = excluded.modified, object = excluded.object"
    " WHERE excluded.modified >= taxii_object.modified AND excluded.object <> taxii_object.object");

struct text {
	struct str text;
};

static const struct field text_out[] = { FIELD(struct text, text, 0), FIELD_END };

/* Without a report or a grouping each month of indicators is a report. */
STMT_LIST(taxii_part_list, struct text, text_out,
    "SELECT DISTINCT CASE WHEN EXISTS (SELECT FROM taxii_object WHERE cursor_id = $1"
    "   AND type IN ('report', 'grouping')) THEN '' ELSE month END AS text"
    " FROM taxii_object WHERE cursor_id = $1 AND type NOT IN ('identity', 'marking-definition')"
    " ORDER BY 1");

struct size {
	int64_t bytes;
};

static const struct field size_out[] = { FIELD(struct size, bytes, 0), FIELD_END };

/* Identities and markings belong to objects of every month. */
#define OF_PART                                                                                    \
	" FROM taxii_object WHERE cursor_id = $1"                                                  \
	" AND ($2 = '' OR month = $2 OR type IN ('identity', 'marking-definition'))"

STMT(taxii_part_size, size_out,
    "SELECT coalesce(sum(octet_length(object)), 0)::bigint AS bytes" OF_PART);

STMT_LIST(taxii_object_list, struct text, text_out, "SELECT object AS text" OF_PART " ORDER BY id");

STMT(taxii_cursor_reported, NULL,
    "UPDATE taxii_cursor SET reported = greatest(reported, $2) WHERE id = $1");

enum db_rc
taxii_cursor_get(struct db *db, const struct uuid *account, struct str url, struct str filters,
    struct taxii_cursor *out)
{
	return db_one(db, &taxii_cursor_find, out, account != NULL ? P(*account) : P(STR_NULL),
	    P(url), P(filters));
}

static enum db_rc
put_objects(
    struct db *db, struct arena *a, int64_t cursor, const struct taxii_page *page, int64_t *changed)
{
	struct str *columns[5];
	char time[TS_LEN + 1];

	for (size_t i = 0; i < COUNT(columns); i++)
		columns[i] = ARENA_ARRAY(a, page->n, struct str);
	for (size_t i = 0; i < page->n; i++) {
		const struct taxii_object *o = &page->p[i];

		columns[0][i] = o->id;
		columns[1][i] = o->type;
		columns[2][i] = o->month;
		columns[3][i] = STR("-infinity");
		if (!ts_is_null(o->modified)) {
			ts_print(o->modified, time);
			columns[3][i] = arena_str(a, str_of(time));
		}
		columns[4][i] = o->text;
	}
#define COLUMN(i) P(((struct strs){ columns[i], page->n }))
	return db_do(db, &taxii_object_put, changed, P(cursor), COLUMN(0), COLUMN(1), COLUMN(2),
	    COLUMN(3), COLUMN(4));
#undef COLUMN
}

enum db_rc
taxii_keep(struct db *db, const struct taxii_cursor *cursor, const struct taxii_page *page,
    int64_t *changed)
{
	struct arena *a = arena_new(KEEP_MEMORY);
	enum db_rc rc;

	*changed = 0;
	db_use(db, a, mono_us() + KEEP_TIME);
	rc = db_begin(db);
	if (rc == DB_OK && page->n > 0)
		rc = put_objects(db, a, cursor->id, page, changed);
	if (rc == DB_OK)
		rc = db_do(db, &taxii_cursor_move, NULL, P(cursor->id), P(cursor->added_after),
		    P(cursor->more), P(*changed));
	if (rc == DB_OK)
		rc = db_commit(db);
	if (rc != DB_OK)
		db_rollback(db);
	arena_free(a);
	return rc;
}

/* Makes a list of texts of rows. */
static struct strs
object_texts_of(struct arena *a, struct list rows)
{
	const struct text *row = rows.items;
	struct str *p = ARENA_ARRAY(a, rows.n, struct str);

	for (size_t i = 0; i < rows.n; i++)
		p[i] = row[i].text;
	return (struct strs){ p, rows.n };
}

enum db_rc
taxii_parts(struct db *db, struct arena *a, int64_t cursor, struct strs *out)
{
	struct list rows = { NULL, 0 };
	enum db_rc rc;

	db_use(db, a, mono_us() + KEEP_TIME);
	rc = db_list(db, &taxii_part_list, &rows, P(cursor));
	*out = object_texts_of(a, rows);
	return rc;
}

enum db_rc
taxii_objects(struct db *db, struct arena *a, const struct taxii_part *part, struct strs *out)
{
	struct list rows = { NULL, 0 };
	struct size size;
	enum db_rc rc;

	*out = (struct strs){ NULL, 0 };
	db_use(db, a, mono_us() + KEEP_TIME);
	rc = db_one(db, &taxii_part_size, &size, P(part->cursor), P(part->name));
	if (rc != DB_OK || size.bytes > (int64_t)part->most)
		return rc;
	rc = db_list(db, &taxii_object_list, &rows, P(part->cursor), P(part->name));
	*out = object_texts_of(a, rows);
	return rc;
}

enum db_rc
taxii_reported(struct db *db, const struct taxii_cursor *cursor)
{
	return db_do(db, &taxii_cursor_reported, NULL, P(cursor->id), P(cursor->changes));
}
