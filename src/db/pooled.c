/* SPDX-License-Identifier: ISC */
/* Questions about the other end of a connection: its host and process, and whether a pooler stands
 * between. PgBouncer can pool sessions, which changes nothing for a client. If it pools
 * transactions, each transaction of a connection may run in another session of the server:
 *
 *   this connection    SELECT pg_backend_pid()         4711     which is then free for others
 *   a second one       BEGIN; SELECT pg_backend_pid()  4711     it got the same session
 *
 * Named statements, LISTEN, advisory locks and settings then belong to nobody, so such a connection
 * is refused. The sessions of a busy pool may hide it here; then 42P05 shows it later (conn.c).
 * Without a pooler the process that the server announced is the one that answers, and no second
 * connection is made. */
#include "config.h"

#include "db/db_priv.h"
#include "db/pooled.h"

#include <sys/socket.h>

#define ASK "SELECT pg_backend_pid()"

static enum db_rc
read_pid(struct db *db, const char *sql, int64_t *pid)
{
	PGresult *res;
	enum db_rc rc;

	*pid = 0;
	if (!PQsendQuery(db->conn, sql))
		return db_lose(db, PQerrorMessage(db->conn));
	for (;;) {
		rc = db_wait_result(db);
		res = rc == DB_OK ? PQgetResult(db->conn) : NULL;
		if (res == NULL)
			return rc;
		rc = db_judge(db, res);
		if (rc == DB_OK && PQntuples(res) == 1 &&
		    !str_int64(str_of(PQgetvalue(res, 0, 0)), pid))
			*pid = 0;
		PQclear(res);
		if (rc != DB_OK)
			return db_lose(db, NULL);
	}
}

static bool
session_is_free(const struct db *db, int64_t pid)
{
	struct db *other = db_open(db->conninfo, db->application);
	int64_t theirs = 0;
	bool same;

	other->probes = true;
	other->deadline = db->deadline;
	same = db_ensure(other) == DB_OK && read_pid(other, "BEGIN; " ASK, &theirs) == DB_OK &&
	       theirs == pid;
	db_close(other);
	return same;
}

enum db_rc
db_check_session(struct db *db)
{
	int64_t pid;
	enum db_rc rc;

	if (db->probes)
		return DB_OK;
	rc = read_pid(db, ASK, &pid);
	if (rc != DB_OK || pid == PQbackendPID(db->conn) || !session_is_free(db, pid))
		return rc;
	if (!db->quiet)
		log_event(LOGP_ERR, "database", "message=\"%s\"", DB_POOLED);
	return db_lose(db, DB_POOLED);
}

int
db_server_pid(const struct db *db)
{
	struct ucred peer = { .pid = 0 };
	socklen_t n = sizeof(peer);

	if (db_socket(db) < 0 || getsockopt(db_socket(db), SOL_SOCKET, SO_PEERCRED, &peer, &n) != 0)
		return 0;
	return (int)peer.pid;
}

static bool
is_remote(const char *host)
{
	return host != NULL && host[0] != '\0' && host[0] != '/' && host[0] != '@' &&
	       strcmp(host, "localhost") != 0 && strncmp(host, "127.", 4) != 0 &&
	       strcmp(host, "::1") != 0;
}

const char *
db_remote_host(struct arena *a, const char *conninfo)
{
	PQconninfoOption *options = PQconninfoParse(conninfo, NULL);
	const char *found = NULL;

	for (PQconninfoOption *o = options; o != NULL && o->keyword != NULL; o++)
		if ((strcmp(o->keyword, "host") == 0 || strcmp(o->keyword, "hostaddr") == 0) &&
		    is_remote(o->val))
			found = arena_str(a, str_of(o->val)).p;
	PQconninfoFree(options);
	return found;
}
