/* SPDX-License-Identifier: ISC */
/* Statements: prepared when first used on a connection, executed, and decoded into structs
 * (db.h).
 *
 * Each function leaves the connection idle, or closed: a result that is left unread would be
 * taken for the answer to the next statement. So read_only_result drains everything that the
 * server has sent, even after an error. Texts of a row are not copied. They point into libpq's
 * result, which the arena frees with the request (arena_defer). */
#include "config.h"

#include "db/db_priv.h"

struct db *
db_open(const char *conninfo, const char *application)
{
	struct db *db = mem_zero(sizeof(*db));

	db->conninfo = mem_text(conninfo);
	db->application = mem_text(application);
	return db;
}

void
db_close(struct db *db)
{
	if (db == NULL)
		return;
	(void)db_lose(db, NULL);
	free(db->conninfo);
	free(db->application);
	free(db);
}

void
db_setting(struct db *db, const char *name, struct str value)
{
	db->setting = name;
	db->setting_value = value;
}

void
db_use(struct db *db, struct arena *a, int64_t deadline)
{
	db->arena = a;
	db->deadline = deadline;
}

int64_t
db_hurry(struct db *db, int64_t until)
{
	int64_t former = db->deadline;

	if (former == 0 || until < former)
		db->deadline = until;
	return former;
}

void
db_relax(struct db *db, int64_t former)
{
	db->deadline = former;
}

bool
db_misfits(const struct db *db)
{
	return strncmp(db->sqlstate, "42", 2) == 0 || strncmp(db->sqlstate, "3", 1) == 0;
}

void
db_quiet(struct db *db)
{
	db->quiet = true;
}

const char *
db_message(const struct db *db)
{
	return db->message;
}

enum db_rc
db_script(struct db *db, const char *sql)
{
	enum db_rc rc = db_ensure(db);

	if (rc != DB_OK)
		return rc;
	if (!PQsendQuery(db->conn, sql))
		return db_lose(db, PQerrorMessage(db->conn));
	return db_drain(db);
}

/* ---- transactions ---- */

enum db_rc
db_begin(struct db *db)
{
	enum db_rc rc;

	if (db->in_transaction)
		panic("a transaction within a transaction");
	rc = db_script(db, "BEGIN");
	db->in_transaction = rc == DB_OK;
	return rc;
}

enum db_rc
db_commit(struct db *db)
{
	enum db_rc rc = db_ensure(db);

	if (!db->in_transaction)
		panic("a commit without a transaction");
	/* The server answers COMMIT after a failed statement with success, and rolls back. */
	if (rc == DB_OK && PQtransactionStatus(db->conn) == PQTRANS_INERROR) {
		db_rollback(db);
		return DB_CONFLICT;
	}
	if (rc == DB_OK)
		rc = db_script(db, "COMMIT");
	db->in_transaction = false;
	return rc;
}

void
db_rollback(struct db *db)
{
	if (!db->in_transaction)
		return;
	if (db->conn != NULL && db_script(db, "ROLLBACK") != DB_OK && db->conn != NULL)
		(void)db_lose(db, NULL);
	db->in_transaction = false;
}

/* ---- statements ---- */

bool
db_label(const struct db *db, const struct stmt *st, char label[DB_LABEL_ROOM])
{
	size_t i = 0;

	while (i < db->nprepared && db->prepared[i] != st)
		i++;
	/* The number makes the label unique: statements of two files may share a name. */
	snprintf(label, DB_LABEL_ROOM, "%.50s.%zu", st->name, i);
	return i < db->nprepared;
}

void
db_prepared(struct db *db, const struct stmt *st)
{
	if (db->nprepared == DB_STMTS_MAX)
		panic("more than %d statements", DB_STMTS_MAX);
	db->prepared[db->nprepared++] = st;
}

static enum db_rc
prepare_once(struct db *db, const struct stmt *st, char label[DB_LABEL_ROOM])
{
	enum db_rc rc;

	if (db_label(db, st, label))
		return DB_OK;
	if (!PQsendPrepare(db->conn, label, st->sql, 0, NULL))
		return db_lose(db, PQerrorMessage(db->conn));
	rc = db_drain(db);
	if (rc == DB_OK)
		db_prepared(db, st);
	return rc;
}

/* Reads the only result of a statement. The connection is idle again when this returns DB_OK. */
static enum db_rc
read_only_result(struct db *db, PGresult **out)
{
	enum db_rc rc = db_wait_result(db), rest;

	if (rc != DB_OK)
		return rc;
	*out = PQgetResult(db->conn);
	if (*out == NULL)
		return db_lose(db, PQerrorMessage(db->conn));
	rc = db_judge(db, *out);
	rest = db_drain(db);
	if (rc == DB_OK)
		rc = rest;
	if (rc == DB_OK)
		return DB_OK;
	PQclear(*out);
	*out = NULL;
	return rc;
}

static enum db_rc
execute(struct db *db, const struct stmt *st, struct db_args args, PGresult **out)
{
	struct db_values v;
	char label[DB_LABEL_ROOM];
	enum db_rc rc;

	if (db->arena == NULL)
		panic("%s runs before db_use", st->name);
	if (!db_values(db->arena, args, &v)) {
		snprintf(db->message, sizeof(db->message), "a text holds a NUL byte");
		return DB_CONFLICT;
	}
	rc = db_ensure(db);
	if (rc == DB_OK)
		rc = prepare_once(db, st, label);
	if (rc != DB_OK)
		return rc;
	if (!PQsendQueryPrepared(db->conn, label, (int)args.n, v.values, v.lengths, v.formats, 1))
		return db_lose(db, PQerrorMessage(db->conn));
	rc = read_only_result(db, out);
	if (db->stale) /* the next call prepares on a new connection */
		(void)db_lose(db, NULL);
	return rc;
}

static void
clear_result(void *arg)
{
	PQclear(arg);
}

enum db_rc
db_one_row(struct db *db, const struct stmt *st, void *out, struct db_args args)
{
	PGresult *res = NULL;
	enum db_rc rc = execute(db, st, args, &res);

	if (rc != DB_OK)
		return rc;
	arena_defer(db->arena, clear_result, res); /* the row's texts point into the result */
	if (PQntuples(res) == 0)
		return DB_NONE;
	if (PQntuples(res) > 1)
		panic("%s gave %d rows instead of one", st->name, PQntuples(res));
	db_row(db->arena, res, 0, st, out);
	return DB_OK;
}

enum db_rc
db_rows(struct db *db, const struct stmt *st, struct list *out, struct db_args args)
{
	PGresult *res = NULL;
	enum db_rc rc = execute(db, st, args, &res);

	*out = (struct list){ NULL, 0 };
	if (rc != DB_OK)
		return rc;
	if (st->size == 0)
		panic("%s is no STMT_LIST", st->name);
	arena_defer(db->arena, clear_result, res);
	out->n = (size_t)PQntuples(res);
	out->items = arena_array(db->arena, out->n, st->size);
	for (size_t i = 0; i < out->n; i++)
		db_row(db->arena, res, (int)i, st, (char *)out->items + i * st->size);
	return DB_OK;
}

enum db_rc
db_run(struct db *db, const struct stmt *st, int64_t *changed, struct db_args args)
{
	PGresult *res = NULL;
	enum db_rc rc = execute(db, st, args, &res);

	if (changed != NULL)
		*changed = 0;
	if (rc != DB_OK)
		return rc;
	if (changed != NULL && !str_int64(str_of(PQcmdTuples(res)), changed))
		*changed = 0; /* the command does not count rows */
	PQclear(res);
	return DB_OK;
}

REGISTRY(const struct stmt, stmts);

void
stmts_print(void)
{
	size_t n = (size_t)(stmts_end - stmts_first);
	const struct stmt **sorted = mem_array(n, sizeof(const struct stmt *));

	registry_sort(stmts_first, n, sorted);
	for (size_t i = 0; i < n; i++)
		printf("%s\t%s\n", sorted[i]->name, sorted[i]->sql);
	free(sorted);
}

int
stmts_dump(const char *program, const char *what)
{
	if (strcmp(what, "sql") != 0) {
		fprintf(stderr, "%s: -D takes sql\n", program);
		return 2;
	}
	stmts_print();
	return fflush(stdout) == 0 ? 0 : 1;
}
