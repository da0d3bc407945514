/* SPDX-License-Identifier: ISC */
/* The cache of stored counts that GET /usage reads: when it answers, and when it asks PostgreSQL again. */
#include "config.h"

#include "api/people/usage_stored.h"
#include "daemon/conf.h"
#include "t/unit/pg.h"
#include "t/unit/tap.h"

enum { MEMORY = 64 * 1024 * 1024, TODAY = 20000, MONTH = 24321 };

static struct arena *arena;
static struct db *admin;
static struct worker worker;
static struct key key;
static char secret[KEY_SECRET_LEN + 1];
static struct uuid here, elsewhere;

static void
sql(const char *text)
{
	if (db_script(admin, text) != DB_OK)
		panic("%s", db_message(admin));
}

/* One request: the key is looked up, which notices changes, and its counts are read. */
static const struct stored_usage *
read_usage(const struct stored_want *want, struct stored_days **days)
{
	struct req rq = { .worker = &worker, .arena = arena, .db = worker.db, .key = &key };
	const struct stored_usage *row;

	db_use(worker.db, arena, 0);
	CU_ASSERT_EQUAL_FATAL(
	    key_lookup(worker.keys, (struct secret){ str_of(secret) }, &key), KEY_FOUND);
	CU_ASSERT_EQUAL_FATAL(usage_stored_read(&rq, want, &row, days), DB_OK);
	return row;
}

static struct stored_want
want_days(uint32_t n)
{
	return (struct stored_want){
		.incarnation = here, .first = TODAY - n + 1, .today = TODAY, .month = MONTH
	};
}

/* Another host has counted: no notification is sent, so a cached answer does not contain it. */
static void
count_elsewhere(void)
{
	sql("UPDATE usage_daily SET taken = taken + 1");
}

static int64_t
others_today(const struct stored_days *d)
{
	return d->others[TODAY - d->first];
}

static void
answers_come_from_the_cache(void)
{
	struct stored_want want = want_days(30);
	struct stored_days *days;
	int64_t before;

	(void)read_usage(&want, &days);
	before = others_today(days);
	count_elsewhere();
	(void)read_usage(&want, &days);
	CU_ASSERT_EQUAL(others_today(days), before);
}

static void
the_cache_ends_with_its_time(void)
{
	struct stored_want want = want_days(30);
	struct stored_days *days;
	int64_t before, time = conf.meter_flush;

	want.incarnation = uuid_random(); /* no entry fits */
	conf.meter_flush = 0;
	(void)read_usage(&want, &days);
	before = others_today(days);
	count_elsewhere();
	(void)read_usage(&want, &days);
	conf.meter_flush = time;
	CU_ASSERT_EQUAL(others_today(days), before + 1);
}

static void
changes_are_seen_at_once(void)
{
	struct stored_want want = want_days(30);
	int64_t patience = mono_us() + 60 * SECOND_US;
	const struct stored_usage *row;
	struct stored_days *days;

	(void)read_usage(&want, &days);
	sql("UPDATE account SET quota = 77; UPDATE member SET name = 'Eve'");
	do /* the notification is on its way */
		row = read_usage(&want, &days);
	while (row->account_quota != 77 && mono_us() < patience);
	CU_ASSERT_EQUAL(row->account_quota, 77);
	CU_ASSERT_TRUE(str_is(row->api_key.owner_name, "Eve"));
	sql("UPDATE meter_default SET group_quota = 78");
	do
		row = read_usage(&want, &days);
	while (row->group_quota != 78 && mono_us() < patience);
	CU_ASSERT_EQUAL(row->group_quota, 78);
}

static void
longer_windows_are_read(void)
{
	struct stored_want week = want_days(7), quarter = want_days(90);
	struct stored_days *days;
	int64_t before;

	week.incarnation = quarter.incarnation = uuid_random(); /* no entry fits */
	(void)read_usage(&week, &days);
	(void)read_usage(&quarter, &days);
	CU_ASSERT_EQUAL(days->first, quarter.first);
	before = others_today(days);
	count_elsewhere();
	(void)read_usage(&week, &days); /* the longer one contains it */
	CU_ASSERT_EQUAL(days->first, quarter.first);
	CU_ASSERT_EQUAL(others_today(days), before);
}

static void
another_month_is_read(void)
{
	struct stored_want want = want_days(30);
	const struct stored_usage *row = NULL;
	struct stored_days *days;

	row = read_usage(&want, &days);
	CU_ASSERT_EQUAL(((const int64_t *)row->used.items)[USED_OTHERS], 5);
	want.month++;
	row = read_usage(&want, &days);
	CU_ASSERT_EQUAL(((const int64_t *)row->used.items)[USED_OTHERS], 0);
}

/* Counts of this host become counts of another one when the memory of this host is a new one. */
static void
another_incarnation_is_read(void)
{
	struct stored_want want = want_days(30);
	struct stored_days *days;
	int64_t others, ours;

	(void)read_usage(&want, &days);
	others = others_today(days);
	ours = days->ours[TODAY - days->first];
	CU_ASSERT_EQUAL(ours, 0);
	want.incarnation = elsewhere;
	(void)read_usage(&want, &days);
	CU_ASSERT_EQUAL(others_today(days), 0);
	CU_ASSERT_EQUAL(days->ours[TODAY - days->first], others);
}

/* GET /usage notes what it found in this host's memory, for the time after the meter has freed the slot. */
static void
newer_counts_are_kept(void)
{
	struct stored_want want = want_days(30);
	struct stored_days *days;

	(void)read_usage(&want, &days);
	days->ours[0] = 123;
	(void)read_usage(&want, &days);
	CU_ASSERT_EQUAL(days->ours[0], 123);
}

static void
midnight_has_a_day_of_its_own(void)
{
	struct stored_want want = want_days(30);
	struct stored_days *days;

	(void)read_usage(&want, &days);
	want.today++;
	want.first++;
	(void)read_usage(&want, &days);
	CU_ASSERT_TRUE(want.today - days->first < days->n);
	CU_ASSERT_EQUAL(days->others[want.today - days->first], 0);
}

STMT(insert_key, NULL,
    "WITH g AS (INSERT INTO account_group (name) VALUES ('g') RETURNING uuid),"
    " a AS (INSERT INTO account (name, group_uuid) SELECT 'a', uuid FROM g RETURNING uuid),"
    " m AS (INSERT INTO member (account_uuid, name, email) SELECT uuid, 'm', 'm@x' FROM a"
    "  RETURNING uuid, account_uuid),"
    " k AS (INSERT INTO api_key (account_uuid, owner_uuid, name, prefix, sha256)"
    "  SELECT account_uuid, uuid, 'k', $1, $2 FROM m RETURNING uuid, account_uuid),"
    " h AS (INSERT INTO meter_host (incarnation, host, flushed_through)"
    "  VALUES ($3, 'elsewhere', now()) RETURNING incarnation),"
    " q AS (INSERT INTO quota_month (owner_uuid, month) SELECT account_uuid, $4::bigint::integer"
    "  FROM k RETURNING owner_uuid, month),"
    " l AS (INSERT INTO quota_lease (owner_uuid, month, incarnation, granted, taken)"
    "  SELECT owner_uuid, month, incarnation, 5, 5 FROM q, h)"
    " INSERT INTO usage_daily (key_uuid, day, incarnation, taken, given_back)"
    "  SELECT k.uuid, date '1970-01-01' + $5::bigint::integer, incarnation, 5, 0 FROM k, h");

static void
make_world(void)
{
	char prefix[KEY_PREFIX_LEN + 1];
	unsigned char hash[KEY_HASH_LEN];

	here = uuid_random();
	elsewhere = uuid_random();
	key_make(secret, prefix, hash);
	sql("SET session_replication_role = replica"); /* no foreign key waits for its row */
	if (db_do(admin, &insert_key, NULL, P(str_of(prefix)),
		P(((struct bytes){ hash, sizeof(hash) })), P(elsewhere), P((int64_t)MONTH),
		P((int64_t)TODAY)) != DB_OK)
		panic("%s", db_message(admin));
	sql("SET session_replication_role = origin");
}

int
main(void)
{
	static CU_TestInfo tests[] = {
		{ "a second request gets the stored counts from the cache",
		    answers_come_from_the_cache },
		{ "cached counts end with their time", the_cache_ends_with_its_time },
		{ "a changed limit or owner is read again (C-073)", changes_are_seen_at_once },
		{ "a window beyond the cached one is read", longer_windows_are_read },
		{ "the quota of another month is read (C-072)", another_month_is_read },
		{ "another incarnation of this host is read", another_incarnation_is_read },
		{ "newer counts of this host stay in the entry", newer_counts_are_kept },
		{ "an entry has room for the day after midnight", midnight_has_a_day_of_its_own },
		CU_TEST_INFO_NULL,
	};
	char err[200];
	int rc;

	pg_do("start");
	pg_do("migrate");
	if (!conf_load("surfaced", NULL, err, sizeof(err)))
		panic("%s", err);
	conf.meter_flush = conf.key_cache = 3600000; /* the cached rows outlive every test */
	arena = arena_new(MEMORY);
	admin = db_open(pg_conninfo("postgres"), "admin");
	db_use(admin, arena, 0);
	make_world();
	worker = (struct worker){ .arena = arena,
		.db = db_open(pg_conninfo("surfaced_api"), "worker"),
		.usage = usage_cache_new() };
	worker.keys = key_cache_new(worker.db);
	rc = tap_main(tests);
	key_cache_free(worker.keys);
	usage_cache_free(worker.usage);
	db_close(worker.db);
	db_close(admin);
	arena_free(arena);
	pg_remove();
	return rc;
}
