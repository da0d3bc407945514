/* SPDX-License-Identifier: ISC */
/* COPY in both directions, in constant memory: each piece is sent before the next one is queued. */
#include "config.h"

#include "db/copy.h"
#include "db/db_priv.h"

#include <poll.h>

static enum db_rc
begin_copy(struct db *db, const char *sql, ExecStatusType want)
{
	enum db_rc rc = db_ensure(db);
	PGresult *res;
	bool begun;

	if (rc != DB_OK)
		return rc;
	if (!PQsendQuery(db->conn, sql))
		return db_lose(db, PQerrorMessage(db->conn));
	rc = db_wait_result(db);
	if (rc != DB_OK)
		return rc;
	res = PQgetResult(db->conn);
	rc = db_judge(db, res);
	begun = PQresultStatus(res) == want;
	PQclear(res);
	if (begun)
		return DB_OK;
	if (rc == DB_OK)
		panic("no COPY of the wanted direction: %.80s", sql);
	/* The failure is recorded; the remaining results are read to make the connection idle. */
	return db_drain(db) == DB_OK || db->conn != NULL ? rc : DB_DOWN;
}

/* Sends everything that is queued. Reads the server's messages meanwhile: a server whose messages
   are not read stops reading, and both would wait. */
static enum db_rc
send_queued_copy(struct db *db)
{
	enum db_rc rc;
	int unsent;

	while ((unsent = PQflush(db->conn)) > 0) {
		rc = db_wait_socket(db, POLLIN | POLLOUT);
		if (rc != DB_OK)
			return rc;
		if (!PQconsumeInput(db->conn))
			return db_lose(db, PQerrorMessage(db->conn));
	}
	return unsent == 0 ? DB_OK : db_lose(db, PQerrorMessage(db->conn));
}

enum db_rc
db_copy_in_begin(struct db *db, const char *sql)
{
	return begin_copy(db, sql, PGRES_COPY_IN);
}

enum db_rc
db_copy_in(struct db *db, struct str lines)
{
	enum { PIECE = 256 * 1024 };
	enum db_rc rc = DB_OK;
	size_t n;
	int put;

	if (db->conn == NULL)
		return DB_DOWN;
	while (lines.n > 0 && rc == DB_OK) {
		n = lines.n < PIECE ? lines.n : PIECE;
		put = PQputCopyData(db->conn, lines.p, (int)n);
		if (put < 0)
			return db_lose(db, PQerrorMessage(db->conn));
		if (put > 0) {
			lines.p += n;
			lines.n -= n;
		}
		rc = send_queued_copy(db);
	}
	return rc;
}

enum db_rc
db_copy_in_end(struct db *db, int64_t *rows)
{
	enum db_rc rc, rest;
	PGresult *res;
	int put;

	*rows = 0;
	if (db->conn == NULL)
		return DB_DOWN;
	while ((put = PQputCopyEnd(db->conn, NULL)) == 0) {
		rc = send_queued_copy(db);
		if (rc != DB_OK)
			return rc;
	}
	if (put < 0)
		return db_lose(db, PQerrorMessage(db->conn));
	rc = db_wait_result(db);
	if (rc != DB_OK)
		return rc;
	res = PQgetResult(db->conn);
	rc = db_judge(db, res);
	if (rc == DB_OK && !str_int64(str_of(PQcmdTuples(res)), rows))
		*rows = 0;
	PQclear(res);
	rest = db_drain(db);
	return rc != DB_OK ? rc : rest;
}

enum db_rc
db_copy_out_begin(struct db *db, const char *sql)
{
	return begin_copy(db, sql, PGRES_COPY_OUT);
}

enum db_rc
db_copy_out(struct db *db, struct str *line)
{
	enum db_rc rc;
	int n;

	*line = STR_NULL;
	if (db->copy_line != NULL)
		PQfreemem(db->copy_line);
	db->copy_line = NULL;
	if (db->conn == NULL)
		return DB_DOWN;
	while ((n = PQgetCopyData(db->conn, &db->copy_line, 1)) == 0) {
		rc = db_wait_socket(db, POLLIN);
		if (rc != DB_OK)
			return rc;
		if (!PQconsumeInput(db->conn))
			return db_lose(db, PQerrorMessage(db->conn));
	}
	if (n == -2)
		return db_lose(db, PQerrorMessage(db->conn));
	if (n == -1) {
		rc = db_drain(db);
		return rc == DB_OK ? DB_NONE : rc;
	}
	*line = (struct str){ db->copy_line, (size_t)n };
	if (n > 0 && line->p[n - 1] == '\n')
		line->n--;
	return DB_OK;
}
