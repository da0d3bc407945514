/* SPDX-License-Identifier: ISC */
/* Builds and compares the indexes of indexes.sql; migrate_indexes.h draws it.

   CREATE INDEX CONCURRENTLY waits for every older snapshot of the database. A second migration that
   waits in pg_advisory_lock has one, so both would wait for each other. Therefore the lock of the
   migration is free again when the first index is begun, and the lock of the indexes is only tried,
   by statements that end at once. */
#include "config.h"

#include "base/fd.h"
#include "cli/migrate_indexes.h"

#include <errno.h>
#include <poll.h>

enum { INDEXES_MAX = 64, FILE_MAX = 1024 * 1024, TRY_AGAIN_MS = 200 };

#define BEGIN_INDEX "CREATE INDEX CONCURRENTLY "
#define OWNER "SET ROLE surfaced_owner; SET search_path = public; SET lock_timeout = 0"
#define OWNER_NO_MORE "RESET ROLE; RESET search_path; RESET lock_timeout"

struct index {
	struct str name;
	const char *text;
};

struct index_name {
	struct str name;
};

static const struct field index_name_out[] = { FIELD(struct index_name, name, 0), FIELD_END };

STMT_LIST(missing_indexes, struct index_name, index_name_out,
    "SELECT name FROM unnest($1::text[]) WITH ORDINALITY AS w(name, place)"
    " WHERE NOT EXISTS (SELECT FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
    "  WHERE c.relname = name AND c.relnamespace = 'public'::regnamespace AND i.indisvalid)"
    " ORDER BY place");

struct locked {
	bool now;
};

static const struct field locked_out[] = { FIELD(struct locked, now, 0), FIELD_END };

STMT(try_lock, locked_out, "SELECT pg_try_advisory_lock(7235082392) AS now");
STMT(unlock, locked_out, "SELECT pg_advisory_unlock(7235082392) AS now");

/* Finds the statements of the file: each begins a line, and ends with the next semicolon. */
static size_t
find_indexes(struct arena *a, const char *text, struct index *out)
{
	size_t n = 0;

	for (const char *at = text;
	     (at = strstr(at, "\n" BEGIN_INDEX)) != NULL && n < INDEXES_MAX;) {
		const char *name = ++at + sizeof(BEGIN_INDEX) - 1;
		const char *end = strchr(at, ';');

		if (end == NULL)
			break;
		out[n].name = arena_str(a, (struct str){ name, strcspn(name, " ") });
		out[n++].text = arena_str(a, (struct str){ at, (size_t)(end - at) }).p;
		at = end;
	}
	return n;
}

/* Reads the file and finds which of its indexes are missing or invalid: the first *n of index. */
static int
read_indexes(struct cli *c, const char *dir, struct index *index, size_t *n)
{
	const char *path = arena_printf(c->arena, "%s/indexes.sql", dir).p;
	struct buf b = { .a = c->arena };
	struct str *names;
	struct list missing;
	size_t all, kept = 0;
	enum db_rc rc;

	*n = 0;
	if (!file_read(path, FILE_MAX, &b))
		return errno == ENOENT ? EXIT_OK : cli_fail(EXIT_FAILED, "cannot read %s", path);
	all = find_indexes(c->arena, arena_str(c->arena, buf_done(&b)).p, index);
	names = ARENA_ARRAY(c->arena, all + 1, struct str);
	for (size_t i = 0; i < all; i++)
		names[i] = index[i].name;
	rc = db_list(c->db, &missing_indexes, &missing, P(((struct strs){ names, all })));
	if (rc != DB_OK)
		return cli_fail_db(c, rc, "pg_index");
	for (size_t i = 0; i < all && kept < missing.n; i++)
		if (str_eq(index[i].name, ((const struct index_name *)missing.items)[kept].name))
			index[kept++] = index[i];
	*n = kept;
	return EXIT_OK;
}

static enum db_rc
build_index(struct cli *c, const struct index *x)
{
	/* DROP and CREATE are two messages: one message would make a transaction of both. */
	enum db_rc rc =
	    db_script(c->db, arena_printf(c->arena, "DROP INDEX CONCURRENTLY IF EXISTS %.*s",
				 (int)x->name.n, x->name.p)
				 .p);

	return rc == DB_OK ? db_script(c->db, x->text) : rc;
}

static int
build_missing(struct cli *c, const char *dir)
{
	struct index *index = ARENA_ARRAY(c->arena, INDEXES_MAX, struct index);
	enum db_rc rc;
	size_t n;
	int status = read_indexes(c, dir, index, &n);

	if (status != EXIT_OK || n == 0)
		return status;
	rc = db_script(c->db, "SET client_min_messages = warning; " OWNER);
	if (rc != DB_OK)
		status = cli_fail_db(c, rc, "the indexes");
	for (size_t i = 0; i < n && rc == DB_OK; i++) {
		rc = build_index(c, &index[i]);
		if (rc != DB_OK)
			status = cli_fail(
			    rc == DB_DOWN && db_socket(c->db) < 0 ? EXIT_NO_DATABASE : EXIT_FAILED,
			    "the index %.*s could not be built: %s; repeat surfacectl migrate",
			    (int)index[i].name.n, index[i].name.p, db_message(c->db));
	}
	if (db_script(c->db, OWNER_NO_MORE "; RESET client_min_messages") != DB_OK &&
	    status == EXIT_OK)
		return cli_fail(EXIT_NO_DATABASE, "the connection was lost after the indexes");
	return status;
}

int
migrate_indexes(struct cli *c, const char *dir)
{
	struct locked locked = { false };
	int status;
	enum db_rc rc;

	while ((rc = db_one_row(c->db, &try_lock, &locked, DB_NO_ARGS)) == DB_OK && !locked.now)
		(void)poll(NULL, 0, TRY_AGAIN_MS);
	if (rc != DB_OK)
		return cli_fail_db(c, rc, "waiting for another migration");
	status = build_missing(c, dir);
	rc = db_one_row(c->db, &unlock, &locked, DB_NO_ARGS);
	return rc == DB_OK || status != EXIT_OK ? status : cli_fail_db(c, rc, "the indexes");
}

int
migrate_indexes_missing(struct cli *c, const char *dir, struct str *names)
{
	struct index *index = ARENA_ARRAY(c->arena, INDEXES_MAX, struct index);
	struct buf b = { .a = c->arena };
	size_t n;
	int status = read_indexes(c, dir, index, &n);

	for (size_t i = 0; i < n; i++) {
		buf_z(&b, i > 0 ? ", " : "");
		buf_str(&b, index[i].name);
	}
	*names = n > 0 ? buf_done(&b) : STR_NULL;
	return status;
}
