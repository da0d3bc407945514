/* SPDX-License-Identifier: ISC */
/* The connection of struct db: made when needed, never waited for beyond the deadline, closed at
 * the first failure (db.h explains why).
 *
 * libpq's own calls would block, so every one is its non-blocking form and each wait is one
 * poll(2) with the rest of the deadline (wait_until). A statement that is given up leaves the
 * server working on it, and its answer would be read as that of the next statement. So a
 * time-out closes the connection, like any other failure: db_lose is the only way out, and the
 * next statement connects again. */
#include "config.h"

#include "db/db_priv.h"
#include "db/pooled.h"

#include <errno.h>
#include <poll.h>

enum {
	CONNECT_US = 5 * 1000 * 1000, /* time for a new connection, handshake included */
	ALIVE_US = 1000, /* a connection that was usable so recently is used without a look */
};

static void
keep_message(struct db *db, const char *text)
{
	size_t n = strcspn(text, "\n"); /* the lines after the first may contain data */

	snprintf(db->message, sizeof(db->message), "%.*s", (int)n, text);
	db->sqlstate[0] = '\0';
}

enum db_rc
db_lose(struct db *db, const char *why)
{
	if (why != NULL) /* before PQfinish, which may own the text */
		keep_message(db, why);
	if (db->conn != NULL)
		PQfinish(db->conn);
	if (db->copy_line != NULL)
		PQfreemem(db->copy_line);
	db->conn = NULL;
	db->copy_line = NULL;
	db->nprepared = 0;
	db->stale = false;
	db->lost = true;
	return DB_DOWN;
}

/* The timeout for poll(2) until the deadline, rounded up; -1: no deadline; 0: the deadline has
   passed. */
static int
left_ms(int64_t deadline)
{
	int64_t left;

	if (deadline == 0)
		return -1;
	left = deadline - mono_us();
	if (left <= 0)
		return 0;
	left = (left + 999) / 1000;
	return left > 3600000 ? 3600000 : (int)left;
}

static enum db_rc
wait_until(struct db *db, short events, int64_t deadline)
{
	struct pollfd pfd = { .fd = PQsocket(db->conn), .events = events };
	int n;

	do {
		n = poll(&pfd, 1, left_ms(deadline));
	} while ((n < 0 && errno == EINTR) || (n == 0 && left_ms(deadline) != 0));
	if (n > 0)
		return DB_OK;
	if (n < 0)
		return db_lose(db, strerror(errno));
	db_lose(db, "the deadline of the request has passed");
	return DB_TIMEOUT;
}

enum db_rc
db_wait_socket(struct db *db, short events)
{
	return wait_until(db, events, db->deadline);
}

/* Waits until the answer to a statement can be read without blocking. While bytes are unsent,
 * the socket is watched for reading, too: the server may stop reading until its own output is
 * taken, and two sides that only write would wait for each other for ever. PQflush is called
 * again after each wait, as libpq's manual demands. */
enum db_rc
db_wait_result(struct db *db)
{
	enum db_rc rc;
	int unsent;

	for (;;) {
		unsent = PQflush(db->conn);
		if (unsent < 0)
			return db_lose(db, PQerrorMessage(db->conn));
		if (unsent == 0 && !PQisBusy(db->conn))
			return DB_OK;
		rc = db_wait_socket(db, unsent > 0 ? POLLIN | POLLOUT : POLLIN);
		if (rc != DB_OK)
			return rc;
		if (!PQconsumeInput(db->conn))
			return db_lose(db, PQerrorMessage(db->conn));
	}
}

/* Maps classes of SQLSTATE to the reactions that a caller has:
 *
 *   DB_TIMEOUT    the same call may succeed later: a limit of time, a deadlock
 *   DB_CONFLICT   the values are at fault: out of range, a constraint, RAISE EXCEPTION
 *   DB_DOWN       anything else, a fault of the installation: logged, and answered with 503
 *
 * Two states mean that a prepared statement is out of date, as after an upgrade of the schema.
 * `stale` then has the connection closed, and the next call prepares everything again. */
static enum db_rc
judge_sqlstate(struct db *db, const char *state)
{
	static const struct {
		const char *prefix;
		enum db_rc rc;
	} classes[] = {
		{ "57014", DB_TIMEOUT }, /* statement_timeout */
		{ "55P03", DB_TIMEOUT }, /* lock_timeout */
		{ "40", DB_TIMEOUT },    /* deadlock, serialisation: try again */
		{ "22", DB_CONFLICT },   /* a value out of its type's range */
		{ "23", DB_CONFLICT },
		{ "P0001", DB_CONFLICT },
	};

	for (size_t i = 0; i < COUNT(classes); i++)
		if (strncmp(state, classes[i].prefix, strlen(classes[i].prefix)) == 0)
			return classes[i].rc;
	/* "cached plan must not change result type", "prepared statement does not exist" */
	db->stale = strcmp(state, "0A000") == 0 || strcmp(state, "26000") == 0;
	/* A name of a statement is used once on a connection: another client has prepared it in the
	   same session. */
	if (strcmp(state, "42P05") == 0) {
		snprintf(db->message, sizeof(db->message), "%s", DB_POOLED);
		db->stale = true;
	}
	if (!db->quiet)
		log_event(LOGP_ERR, "database", "sqlstate=%s message=\"%s\"", state, db->message);
	return DB_DOWN;
}

enum db_rc
db_judge(struct db *db, const PGresult *res)
{
	const char *state, *text;

	switch (PQresultStatus(res)) {
	case PGRES_COMMAND_OK:
	case PGRES_TUPLES_OK:
	case PGRES_EMPTY_QUERY:
	case PGRES_COPY_IN:
	case PGRES_COPY_OUT:
		return DB_OK;
	default: /* errors, and modes of libpq that this program does not use */
		break;
	}
	text = PQresultErrorField(res, PG_DIAG_MESSAGE_PRIMARY);
	state = PQresultErrorField(res, PG_DIAG_SQLSTATE);
	keep_message(db, text != NULL ? text : PQresultErrorMessage(res));
	snprintf(db->sqlstate, sizeof(db->sqlstate), "%s", state == NULL ? "" : state);
	return state != NULL ? judge_sqlstate(db, state) : DB_DOWN;
}

enum db_rc
db_drain(struct db *db)
{
	enum db_rc rc = DB_OK, waited;
	PGresult *res;

	for (;;) {
		waited = db_wait_result(db);
		if (waited != DB_OK)
			return rc != DB_OK ? rc : waited;
		res = PQgetResult(db->conn);
		if (res == NULL)
			break;
		if (rc == DB_OK)
			rc = db_judge(db, res);
		PQclear(res);
	}
	if (PQstatus(db->conn) != CONNECTION_OK)
		return db_lose(db, NULL);
	db->alive_at = mono_us();
	return rc;
}

static void
ignore_notice(void *arg, const PGresult *res)
{
	(void)arg;
	(void)res;
}

static enum db_rc
finish_handshake(struct db *db)
{
	int64_t deadline = mono_us() + CONNECT_US;
	PostgresPollingStatusType want = PGRES_POLLING_WRITING;
	enum db_rc rc;

	if (db->deadline != 0 && db->deadline < deadline)
		deadline = db->deadline;
	while (want != PGRES_POLLING_OK) {
		if (want == PGRES_POLLING_FAILED)
			return db_lose(db, PQerrorMessage(db->conn));
		rc = wait_until(db, want == PGRES_POLLING_READING ? POLLIN : POLLOUT, deadline);
		if (rc != DB_OK)
			return rc;
		want = PQconnectPoll(db->conn);
	}
	return DB_OK;
}

static enum db_rc
listen_all(struct db *db)
{
	enum db_rc rc = DB_OK;
	char text[80];

	for (size_t i = 0; i < db->nchannels && rc == DB_OK; i++) {
		snprintf(text, sizeof(text), "LISTEN %.60s", db->channels[i]);
		if (!PQsendQuery(db->conn, text))
			return db_lose(db, PQerrorMessage(db->conn));
		rc = db_drain(db);
	}
	return rc;
}

static enum db_rc
apply_setting(struct db *db)
{
	const char *values[] = { db->setting, db->setting_value.p };

	if (db->setting == NULL)
		return DB_OK;
	if (!PQsendQueryParams(
		db->conn, "SELECT set_config($1, $2, false)", 2, NULL, values, NULL, NULL, 0))
		return db_lose(db, PQerrorMessage(db->conn));
	return db_drain(db);
}

void
db_begin_connection(struct db *db)
{
	const char *const names[] = { "fallback_application_name", "client_encoding", "dbname",
		NULL };
	const char *const values[] = { db->application, "UTF8", db->conninfo, NULL };

	db->conn = PQconnectStartParams(names, values, 1);
	if (db->conn == NULL)
		panic("out of memory");
	PQsetNoticeReceiver(db->conn, ignore_notice, NULL);
}

static enum db_rc
connect_now(struct db *db)
{
	enum db_rc rc;

	db_begin_connection(db);
	if (PQstatus(db->conn) == CONNECTION_BAD)
		return db_lose(db, PQerrorMessage(db->conn));
	rc = finish_handshake(db);
	if (rc != DB_OK)
		return rc;
	if (PQsetnonblocking(db->conn, 1) != 0)
		return db_lose(db, PQerrorMessage(db->conn));
	rc = db_check_session(db);
	if (rc == DB_OK)
		rc = apply_setting(db);
	return rc == DB_OK ? listen_all(db) : rc;
}

/* Whether the connection is usable. Detects a connection that the server closed while it was idle,
   so that the next statement does not fail for it. */
static bool
connection_usable(struct db *db)
{
	struct pollfd pfd = { .events = POLLIN };

	if (db->conn == NULL)
		return false;
	pfd.fd = PQsocket(db->conn);
	/* Reads until the socket is empty: a server that shuts down sends a message before it
	   closes. */
	while (PQstatus(db->conn) == CONNECTION_OK && poll(&pfd, 1, 0) > 0) {
		if (!PQconsumeInput(db->conn) || PQstatus(db->conn) != CONNECTION_OK) {
			db_lose(db, PQerrorMessage(db->conn));
			return false;
		}
	}
	if (PQstatus(db->conn) == CONNECTION_OK) {
		db->alive_at = mono_us();
		return true;
	}
	db_lose(db, PQerrorMessage(db->conn));
	return false;
}

/* Whether the connection can be used without looking at its socket, which would be a system call
 * for each statement. Each answer of the server notes its time (alive_at), and so does each look
 * at the socket; only a connection that was idle for longer is looked at.
 *
 * A server that closes the connection within ALIVE_US is no different from one that does so
 * while it runs the statement: the answer is DB_DOWN in both cases. */
static bool
connection_was_usable(const struct db *db)
{
	return db->conn != NULL && PQstatus(db->conn) == CONNECTION_OK &&
	       mono_us() - db->alive_at < ALIVE_US;
}

enum db_rc
db_ensure(struct db *db)
{
	if (connection_was_usable(db) || connection_usable(db))
		return DB_OK;
	if (db->in_transaction) /* the server has rolled back: only the caller can begin again */
		return DB_DOWN;
	return connect_now(db);
}

void
db_listen(struct db *db, const char *channel)
{
	if (db->nchannels == DB_CHANNELS_MAX)
		panic("more than %d channels", DB_CHANNELS_MAX);
	db->channels[db->nchannels++] = channel;
	if (db->conn != NULL) /* the next statement reconnects and listens on every channel first */
		db_lose(db, NULL);
}

bool
db_notified(struct db *db)
{
	PGnotify *n;
	bool lost;

	if (connection_usable(db)) {
		while ((n = PQnotifies(db->conn)) != NULL) {
			db->lost = true; /* means the same to callers: caches may be stale */
			PQfreemem(n);
		}
	}
	lost = db->lost;
	db->lost = false;
	return lost;
}

int
db_socket(const struct db *db)
{
	return db->conn != NULL ? PQsocket(db->conn) : -1;
}
