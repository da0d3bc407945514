/* SPDX-License-Identifier: ISC */
/* src/db against a real PostgreSQL: types, failures, deadlines, lost connections, COPY, NOTIFY. */
#include "config.h"

#include "db/db.h"
#include "db/copy.h"
#include "db/guard.h"
#include "t/unit/pg.h"
#include "t/unit/tap.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct arena *arena;
static struct db *db;

struct all {
	struct str text, name, doc, ip, net, raw;
	struct json json;
	struct uuid uuid, none;
	struct ts at, never;
	int64_t small, medium, big;
	double num;
	bool yes;
	struct list texts, numbers, empty;
};

static const struct field all_out[] = {
	FIELD(struct all, text, 0),
	FIELD(struct all, name, 0),
	FIELD(struct all, doc, 0),
	FIELD(struct all, ip, 0),
	FIELD(struct all, net, 0),
	FIELD(struct all, raw, 0),
	FIELD(struct all, json, 0),
	FIELD(struct all, uuid, 0),
	FIELD(struct all, none, 0),
	FIELD(struct all, at, 0),
	FIELD(struct all, never, 0),
	FIELD(struct all, small, 0),
	FIELD(struct all, medium, 0),
	FIELD(struct all, big, 0),
	FIELD(struct all, num, 0),
	FIELD(struct all, yes, 0),
	LIST_OF(struct all, texts, 0, struct str, 0, 0),
	LIST_OF(struct all, numbers, 0, int64_t, 0, 0),
	LIST_OF(struct all, empty, 0, struct str, 0, 0),
	FIELD_END,
};

STMT(read_all, all_out,
    "SELECT 'té'::text AS text, 'n'::name AS name, '{\"a\": 1}'::jsonb AS doc, "
    "'2001:db8::1'::inet AS ip,"
    " '10.0.0.0/8'::inet AS net, '\\x00ff'::bytea AS raw, '[1]'::json AS json,"
    " '00112233-4455-6677-8899-AABBCCDDEEFF'::uuid AS uuid, NULL::uuid AS none,"
    " '2026-01-02 03:04:05.123456+02'::timestamptz AS at, NULL::timestamptz AS never,"
    " -7::int2 AS small, -70000::int4 AS medium, 9007199254740993::int8 AS big, "
    "0.1::float8 AS num,"
    " true AS yes, ARRAY['a,b', '\"', '']::text[] AS texts, ARRAY[1, -2]::int8[] AS "
    "numbers,"
    " '{}'::text[] AS empty");

struct pair {
	int64_t n;
	struct str s;
};

static const struct field pair_out[] = {
	FIELD(struct pair, n, 0),
	FIELD(struct pair, s, 0),
	FIELD_END,
};

STMT_LIST(list_pairs, struct pair, pair_out,
    "SELECT n, 'row ' || n AS s FROM generate_series(1, $1::bigint) AS n");
STMT(echo, pair_out,
    "SELECT $1::bigint AS n, concat_ws('|', $2::text, $3::uuid, $4::timestamptz AT TIME "
    "ZONE 'UTC',"
    " $5::boolean, $6::bytea, $7::float8, array_to_string($8::text[], ';')) AS s");
STMT(nap, NULL, "SELECT pg_sleep($1)");
STMT(one, pair_out, "SELECT 1::bigint AS n, 'x' AS s WHERE $1");
STMT(insert, NULL, "INSERT INTO t (n, s) VALUES ($1, $2)");
STMT(first, pair_out, "SELECT * FROM t ORDER BY n LIMIT 1");
STMT(backend, pair_out, "SELECT pg_backend_pid()::bigint AS n, '' AS s");
STMT(end_backend, pair_out, "SELECT pg_terminate_backend($1::int)::int::bigint AS n, '' AS s");

static bool
works(struct db *d)
{
	struct pair p;

	return db_one(d, &one, &p, P((bool)true)) == DB_OK && p.n == 1;
}

static void
rows_have_every_type(void)
{
	struct all a;
	char text[64];

	CU_ASSERT_EQUAL_FATAL(db_one_row(db, &read_all, &a, DB_NO_ARGS), DB_OK);
	CU_ASSERT_TRUE(str_is(a.text, "té") && str_is(a.name, "n") && str_is(a.doc, "{\"a\": 1}"));
	CU_ASSERT_TRUE(str_is(a.ip, "2001:db8::1") && str_is(a.net, "10.0.0.0/8"));
	CU_ASSERT_TRUE(a.raw.n == 2 && memcmp(a.raw.p, "\x00\xff", 2) == 0);
	CU_ASSERT_TRUE(str_is(a.json.text, "[1]"));
	uuid_print(&a.uuid, text);
	CU_ASSERT_STRING_EQUAL(text, "00112233-4455-6677-8899-aabbccddeeff"); /* C-020 */
	CU_ASSERT_EQUAL(a.none.b[0], 0);
	ts_print(a.at, text);
	CU_ASSERT_STRING_EQUAL(text, "2026-01-02T01:04:05.123456Z"); /* C-120 */
	CU_ASSERT_TRUE(ts_is_null(a.never));
	CU_ASSERT_TRUE(a.small == -7 && a.medium == -70000);
	CU_ASSERT_EQUAL(a.big, INT64_C(9007199254740993)); /* C-121 */
	CU_ASSERT_TRUE(a.num > 0.09 && a.num < 0.11 && a.yes);
	CU_ASSERT_EQUAL_FATAL(a.texts.n, 3);
	CU_ASSERT_TRUE(str_is(((struct str *)a.texts.items)[0], "a,b"));
	CU_ASSERT_TRUE(str_is(((struct str *)a.texts.items)[1], "\""));
	CU_ASSERT_TRUE(a.numbers.n == 2 && ((int64_t *)a.numbers.items)[1] == -2 && a.empty.n == 0);
}

static void
parameters_arrive_as_sent(void)
{
	static const struct str items[] = { STR_INIT("a\"b"), STR_INIT("c\\d"), STR_INIT("NULL"),
		STR_INIT("{") };
	struct uuid u = { { 0x12 } };
	struct ts t = { INT64_C(1767323045123456) };
	struct bytes raw = { (const unsigned char *)"\0x", 2 };
	struct strs list = { items, COUNT(items) };
	struct pair p;

	CU_ASSERT_EQUAL_FATAL(db_one(db, &echo, &p, P(INT64_MIN), P(STR("it's")), P(u), P(t),
				  P((bool)true), P(raw), P(0.5), P(list)),
	    DB_OK);
	CU_ASSERT_EQUAL(p.n, INT64_MIN);
	CU_ASSERT_TRUE(
	    str_is(p.s, "it's|12000000-0000-0000-0000-000000000000|2026-01-02 03:04:05.123456|t|"
			"\\x0078|0.5|a\"b;c\\d;NULL;{"));
	CU_ASSERT_EQUAL(db_one(db, &echo, &p, P(1), P(STR_NULL), P((struct uuid){ { 0 } }),
			    P(TS_NULL), P((bool)false), P(((struct bytes){ NULL, 0 })), P(0.5),
			    P(((struct strs){ NULL, 0 }))),
	    DB_OK);
	CU_ASSERT_TRUE(str_is(p.s, "f|0.5|"));
	CU_ASSERT_EQUAL(db_one(db, &echo, &p, P(1), P(STR("a\0b")), P(u), P(t), P((bool)true),
			    P(raw), P(0.5), P(list)),
	    DB_CONFLICT);
}

static void
lists_are_whole(void)
{
	struct list l;

	CU_ASSERT_EQUAL(db_list(db, &list_pairs, &l, P(1000)), DB_OK);
	CU_ASSERT_EQUAL_FATAL(l.n, 1000);
	CU_ASSERT_TRUE(str_is(((struct pair *)l.items)[999].s, "row 1000"));
	CU_ASSERT_EQUAL(db_list(db, &list_pairs, &l, P(0)), DB_OK);
	CU_ASSERT_EQUAL(l.n, 0);
}

static void
failures_are_told_apart(void)
{
	struct pair p;
	int64_t n = 0;
	int socket;

	CU_ASSERT_EQUAL(
	    db_script(db, "DROP TABLE IF EXISTS t; CREATE TABLE t (n bigint PRIMARY KEY, s text)"),
	    DB_OK);
	CU_ASSERT_EQUAL(db_one(db, &one, &p, P((bool)false)), DB_NONE);
	CU_ASSERT_EQUAL(db_do(db, &insert, &n, P(1), P(STR("a"))), DB_OK);
	CU_ASSERT_EQUAL(n, 1);
	CU_ASSERT_EQUAL(db_do(db, &insert, &n, P(1), P(STR("b"))), DB_CONFLICT);
	CU_ASSERT_PTR_NOT_NULL(strstr(db_message(db), "t_pkey"));
	CU_ASSERT_EQUAL(db_script(db, "DO $$ BEGIN RAISE EXCEPTION 'no'; END $$"), DB_CONFLICT);
	CU_ASSERT_STRING_EQUAL(db_message(db), "no");
	socket = db_socket(db);
	CU_ASSERT_EQUAL(db_script(db, "SELECT nothing FROM nowhere"), DB_DOWN);
	CU_ASSERT_EQUAL(db_script(db, "SET statement_timeout = '50ms'"), DB_OK);
	CU_ASSERT_EQUAL(db_do(db, &nap, NULL, P(600)), DB_TIMEOUT);
	CU_ASSERT_EQUAL(db_script(db, "SET statement_timeout = 0"), DB_OK);
	CU_ASSERT_EQUAL(db_socket(db), socket);
}

static void
transactions_are_whole(void)
{
	struct pair p;

	CU_ASSERT_EQUAL(db_script(db, "TRUNCATE t"), DB_OK);
	CU_ASSERT_EQUAL_FATAL(db_begin(db), DB_OK);
	CU_ASSERT_EQUAL(db_do(db, &insert, NULL, P(1), P(STR("a"))), DB_OK);
	CU_ASSERT_EQUAL(db_do(db, &insert, NULL, P(1), P(STR("a"))), DB_CONFLICT);
	CU_ASSERT_EQUAL(db_commit(db), DB_CONFLICT); /* the server would say success */
	CU_ASSERT_EQUAL(db_one_row(db, &first, &p, DB_NO_ARGS), DB_NONE);
	CU_ASSERT_EQUAL_FATAL(db_begin(db), DB_OK);
	CU_ASSERT_EQUAL(db_do(db, &insert, NULL, P(1), P(STR("a"))), DB_OK);
	db_rollback(db);
	db_rollback(db);
	CU_ASSERT_EQUAL(db_one_row(db, &first, &p, DB_NO_ARGS), DB_NONE);
}

static void
a_changed_schema_is_prepared_again(void)
{
	struct pair p;

	CU_ASSERT_EQUAL(db_do(db, &insert, NULL, P(1), P(STR("a"))), DB_OK);
	CU_ASSERT_EQUAL(db_one_row(db, &first, &p, DB_NO_ARGS), DB_OK);
	CU_ASSERT_EQUAL(db_script(db, "ALTER TABLE t ALTER s TYPE varchar(9)"), DB_OK);
	CU_ASSERT_EQUAL(db_one_row(db, &first, &p, DB_NO_ARGS), DB_DOWN);
	CU_ASSERT_EQUAL(db_one_row(db, &first, &p, DB_NO_ARGS), DB_OK);
}

static void
a_deadline_ends_a_slow_statement(void)
{
	int64_t start = mono_us();

	db_use(db, arena, start + 100000);
	CU_ASSERT_EQUAL(db_do(db, &nap, NULL, P(600)), DB_TIMEOUT);
	CU_ASSERT_TRUE(mono_us() - start < 60000000);
	db_use(db, arena, 0);
	CU_ASSERT_TRUE(works(db));
}

static void
only_a_failure_of_the_database_is_followed_by_a_rest(void)
{
	const int64_t hour = INT64_C(3600000000);
	struct db *loop = db_open(pg_conninfo("postgres"), "loop");
	struct pair p;

	db_guard(loop, arena, hour, hour);
	CU_ASSERT_TRUE(db_up(loop));
	CU_ASSERT_TRUE(db_ok(loop, db_one(loop, &one, &p, P((bool)true)), "a row"));
	CU_ASSERT_FALSE(db_ok(loop, db_one(loop, &one, &p, P((bool)false)), "no row"));
	CU_ASSERT_FALSE(
	    db_ok(loop, db_script(loop, "DO $$ BEGIN RAISE EXCEPTION 'no'; END $$"), "a refusal"));
	CU_ASSERT_TRUE(db_up(loop));
	CU_ASSERT_FALSE(db_ok(loop, db_script(loop, "SELECT nothing"), "a failure"));
	CU_ASSERT_FALSE(db_up(loop));
	db_close(loop);
}

static void
a_silent_server_holds_nobody(void)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char conninfo[200];
	int64_t start = mono_us();
	struct db *silent;

	snprintf(sun.sun_path, sizeof(sun.sun_path), "%s/.s.PGSQL.6000", pg_dir());
	CU_ASSERT_EQUAL_FATAL(bind(fd, (struct sockaddr *)&sun, sizeof(sun)), 0);
	CU_ASSERT_EQUAL_FATAL(listen(fd, 1), 0);
	snprintf(conninfo, sizeof(conninfo), "host=%s port=6000 user=x", pg_dir());
	silent = db_open(conninfo, "t");
	db_use(silent, arena, start + 100000);
	CU_ASSERT_FALSE(works(silent));
	CU_ASSERT_TRUE(mono_us() - start < 60000000);
	db_close(silent);
	close(fd);
	unlink(sun.sun_path);
}

static void
a_lost_backend_ends_the_transaction(void)
{
	struct db *other = db_open(pg_conninfo("postgres"), "other");
	struct pair p, q;

	db_use(other, arena, 0);
	CU_ASSERT_EQUAL_FATAL(db_begin(db), DB_OK);
	CU_ASSERT_EQUAL(db_one_row(db, &backend, &p, DB_NO_ARGS), DB_OK);
	CU_ASSERT_EQUAL(db_one(other, &end_backend, &q, P(p.n)), DB_OK);
	CU_ASSERT_EQUAL(db_do(db, &nap, NULL, P(1)), DB_DOWN);
	CU_ASSERT_FALSE(works(db)); /* the first half is lost: no second half alone */
	CU_ASSERT_EQUAL(db_commit(db), DB_DOWN);
	CU_ASSERT_TRUE(works(db));
	db_close(other);
}

static void
notifications_arrive(void)
{
	struct db *ear = db_open(pg_conninfo("postgres"), "ear");

	db_use(ear, arena, 0);
	db_listen(ear, "news");
	CU_ASSERT_TRUE(works(ear));
	CU_ASSERT_FALSE(db_notified(ear));
	CU_ASSERT_EQUAL(db_script(db, "NOTIFY news"), DB_OK);
	CU_ASSERT_TRUE(works(ear)); /* the server sends what was notified before it answers */
	CU_ASSERT_TRUE(db_notified(ear));
	CU_ASSERT_FALSE(db_notified(ear));
	db_close(ear);
}

static void
a_dead_server_is_told_and_found_again(void) /* C-018 */
{
	struct db *ear = db_open(pg_conninfo("postgres"), "ear");

	db_use(ear, arena, 0);
	db_listen(ear, "news");
	CU_ASSERT_TRUE(works(ear));
	CU_ASSERT_TRUE(works(db));
	pg_do("kill");
	CU_ASSERT_TRUE(db_notified(ear)); /* what was cached cannot be trusted */
	CU_ASSERT_EQUAL(db_socket(ear), -1);
	CU_ASSERT_EQUAL(db_do(db, &nap, NULL, P(0)), DB_DOWN);
	pg_do("resume");
	CU_ASSERT_TRUE(works(db));
	CU_ASSERT_TRUE(works(ear));
	(void)db_notified(ear);
	CU_ASSERT_EQUAL(db_script(db, "NOTIFY news"), DB_OK);
	CU_ASSERT_TRUE(works(ear));
	CU_ASSERT_TRUE(db_notified(ear)); /* it listens again */
	db_close(ear);
}

static void
copy_goes_both_ways(void)
{
	struct buf b = { .a = arena };
	int64_t rows = 0, seen = 0;
	struct str line;
	enum db_rc rc;

	CU_ASSERT_EQUAL(
	    db_script(db, "DROP TABLE IF EXISTS c; CREATE TABLE c (n bigint, s text)"), DB_OK);
	for (int i = 0; i < 100000; i++)
		buf_printf(&b, "%d\tline %d\n", i, i);
	CU_ASSERT_EQUAL_FATAL(db_copy_in_begin(db, "COPY c FROM STDIN"), DB_OK);
	CU_ASSERT_EQUAL(db_copy_in(db, buf_done(&b)), DB_OK);
	CU_ASSERT_EQUAL(db_copy_in_end(db, &rows), DB_OK);
	CU_ASSERT_EQUAL(rows, 100000);
	CU_ASSERT_EQUAL_FATAL(
	    db_copy_out_begin(db, "COPY (SELECT * FROM c ORDER BY n) TO STDOUT"), DB_OK);
	while ((rc = db_copy_out(db, &line)) == DB_OK)
		seen += seen > 0 || str_is(line, "0\tline 0");
	CU_ASSERT_EQUAL(rc, DB_NONE);
	CU_ASSERT_EQUAL(seen, 100000);
	CU_ASSERT_TRUE(works(db));
}

static void
copy_fails_in_one_piece(void)
{
	int64_t rows;

	CU_ASSERT_EQUAL(db_copy_in_begin(db, "COPY nowhere FROM STDIN"), DB_DOWN);
	CU_ASSERT_TRUE(works(db));
	CU_ASSERT_EQUAL_FATAL(db_copy_in_begin(db, "COPY c FROM STDIN"), DB_OK);
	CU_ASSERT_EQUAL(db_copy_in(db, STR("x\ty\n")), DB_OK);
	CU_ASSERT_EQUAL(db_copy_in_end(db, &rows), DB_CONFLICT);
	CU_ASSERT_TRUE(works(db));
}

static CU_TestInfo tests[] = {
	{ "rows have values of every type", rows_have_every_type },
	{ "parameters arrive as they were sent", parameters_arrive_as_sent },
	{ "lists arrive with all their elements", lists_are_whole },
	{ "failures of statements are distinguished by their codes", failures_are_told_apart },
	{ "a transaction is committed whole or not at all", transactions_are_whole },
	{ "a statement is prepared again after a schema change",
	    a_changed_schema_is_prepared_again },
	{ "a deadline cancels a slow statement", a_deadline_ends_a_slow_statement },
	{ "only a failure of the database pauses the loop",
	    only_a_failure_of_the_database_is_followed_by_a_rest },
	{ "a silent server blocks no caller beyond the deadline", a_silent_server_holds_nobody },
	{ "a lost backend ends the transaction", a_lost_backend_ends_the_transaction },
	{ "notifications of a channel reach the listener", notifications_arrive },
	{ "a dead server is reported and used again when it is back",
	    a_dead_server_is_told_and_found_again },
	{ "COPY works in both directions", copy_goes_both_ways },
	{ "COPY fails without storing a part", copy_fails_in_one_piece },
	CU_TEST_INFO_NULL,
};

int
main(void)
{
	int status;

	pg_do("start");
	arena = arena_new(64 * 1024 * 1024);
	db = db_open(pg_conninfo("postgres"), "unit");
	db_use(db, arena, 0);
	status = tap_main(tests);
	db_close(db);
	arena_free(arena);
	pg_remove();
	return status;
}
