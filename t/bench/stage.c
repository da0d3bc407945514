/* SPDX-License-Identifier: ISC */
/* Requests of the size of GET /usage with everything cached, with the stage of rates and quotas and the
   metrics or without both: stage none|quota N. t/bench/meter compares the instructions of req_serve. */
#include "config.h"

#include "counting/meter.h"
#include "daemon/conf.h"
#include "http/http.h"
#include "t/unit/pg.h"

#include <unistd.h>

enum { DAYS = 30, MEMORY = 64 * 1024 * 1024 };

struct day {
	struct str date;
	int64_t requests;
	bool partial;
};

static const struct field day_out[] = {
	FIELD(struct day, date, 0),
	FIELD(struct day, requests, 0),
	FIELD(struct day, partial, 0),
	FIELD_END,
};

struct usage {
	struct uuid uuid;
	struct list daily;
	struct ts from, to;
};

static const struct field usage_out[] = {
	FIELD(struct usage, uuid, 0),
	LIST(struct usage, daily, 0, struct day, day_out, 0, DAYS),
	FIELD(struct usage, from, 0),
	FIELD(struct usage, to, 0),
	FIELD_END,
};

static int
answer(struct req *rq)
{
	struct usage u = { .uuid = rq->key->uuid, .from = rq->now, .to = rq->now };
	struct day *days = ARENA_ARRAY(rq->arena, DAYS, struct day);

	for (int i = 0; i < DAYS; i++)
		days[i] = (struct day){ STR("2026-01-31"), 123456, i == DAYS - 1 };
	u.daily = (struct list){ days, DAYS };
	return reply(rq, 200, "api_usage", usage_out, &u);
}

#define COLUMNS(meters)                                                                            \
	.scope = SCOPE_SEARCH_VIEW, .access = ACCESS_ACCOUNT, .meter = (meters),                   \
	.area = AREA_SEARCH, .entitlement = ENTITLEMENT_ANY

static const struct route rows[] = {
	{ ROUTE_AS(GET, "/none", "none", answer), COLUMNS(METER_NONE) },
	{ ROUTE_AS(GET, "/quota", "quota", answer), COLUMNS(METER_QUOTA) },
	ROUTE_END,
};

static const struct route *const tables[] = { rows, NULL };

STMT(insert_key, NULL,
    "WITH g AS (INSERT INTO account_group (name) VALUES ('g') RETURNING uuid),"
    " a AS (INSERT INTO account (name, group_uuid) SELECT 'a', uuid FROM g RETURNING "
    "uuid),"
    " m AS (INSERT INTO member (account_uuid, name, email) SELECT uuid, 'm', 'm@x' FROM a"
    "  RETURNING uuid, account_uuid)"
    " INSERT INTO api_key (account_uuid, owner_uuid, name, prefix, sha256)"
    " SELECT account_uuid, uuid, 'k', $1, $2 FROM m");

/* A scope later: the account must allow it first. */
static const char allow[] = "INSERT INTO account_scope SELECT uuid, 'search.view' FROM account;"
			    "UPDATE api_key SET scopes = '{search.view}'";

static void
make_key(struct arena *a, char secret[KEY_SECRET_LEN + 1])
{
	char prefix[KEY_PREFIX_LEN + 1];
	unsigned char hash[KEY_HASH_LEN];
	struct bytes sum = { hash, sizeof(hash) };
	struct db *db;

	pg_do("start");
	pg_do("migrate");
	db = db_open(pg_conninfo("postgres"), "bench");
	db_use(db, a, 0);
	key_make(secret, prefix, hash);
	if (db_do(db, &insert_key, NULL, P(str_of(prefix)), P(sum)) != DB_OK ||
	    db_script(db, allow) != DB_OK)
		panic("%s", db_message(db));
	db_close(db);
}

static void
put(struct meter_file *f, enum slot_kind kind, struct uuid owner, uint32_t period, uint64_t limit)
{
	struct slot *s = meter_add(f, kind, &owner, period);

	if (s == NULL)
		panic("no slot");
	atomic_store(&s->limit, limit);
	slot_publish(s);
}

/* What surfaced-meter would have made. */
static void
make_slots(struct worker *w, const char *secret)
{
	uint64_t rate = UINT64_C(1000000000) << 32 | 60;
	struct meter_file f = { 0 };
	char err[256];
	struct key k;

	if (key_lookup(w->keys, (struct secret){ str_of(secret) }, &k) != KEY_FOUND ||
	    !meter_file_hold(&f, err, sizeof(err)))
		panic("no key, or no mapping");
	for (uint32_t n = 0; n < 2000; n++) /* a table in use */
		put(&f, SLOT_KEY_USAGE, uuid_random(), n, 0);
	put(&f, SLOT_KEY_RATE, k.uuid, 0, rate);
	put(&f, SLOT_ACCOUNT_RATE, k.account, 0, rate);
	put(&f, SLOT_ACCOUNT_QUOTA, k.account, meter_month(ts_now()), 1000000000);
	put(&f, SLOT_GROUP_QUOTA, k.group_uuid, meter_month(ts_now()), 1000000000);
	put(&f, SLOT_KEY_USAGE, k.uuid, meter_day(ts_now()), 0);
	meter_file_close(&f);
}

static size_t
no_body(void *arg, char *to, size_t n)
{
	(void)arg;
	(void)to;
	(void)n;
	return 0;
}

static void
serve(struct worker *w, const char *const *env)
{
	struct req rq = {
		.worker = w, .arena = w->arena, .db = w->db, .env = env, .read = no_body
	};

	req_serve(&rq);
	if (rq.status != 200)
		panic("status %d: %.*s", rq.status, (int)rq.out.n, rq.out.p);
	arena_reset(w->arena);
}

static void
run(struct worker *w, const char *what, const char *secret, int64_t n)
{
	char uri[64], key[KEY_SECRET_LEN + 32];
	const char *const env[] = { "REQUEST_METHOD=GET", uri, key, "SERVER_PROTOCOL=HTTP/1.1",
		"HTTPS=on", "REMOTE_ADDR=192.0.2.1", "REQUEST_ID=0123456789abcdef0123456789abcdef",
		NULL };

	snprintf(uri, sizeof(uri), "REQUEST_URI=/api/v1/%s", what);
	snprintf(key, sizeof(key), "HTTP_X_API_KEY=%s", secret);
	for (int64_t i = 0; i < n; i++)
		serve(w, env);
}

int
main(int argc, char **argv)
{
	struct worker w = { .arena = arena_new(MEMORY), .tables = tables };
	char secret[KEY_SECRET_LEN + 1], err[256];
	int64_t n;

	if (argc != 3 || !str_int64(str_of(argv[2]), &n) ||
	    !conf_load("surfaced", NULL, err, sizeof(err)))
		return 2;
	make_key(w.arena, secret);
	conf.run_directory = pg_dir();
	conf.key_cache = 3600000;
	w.db = db_open(pg_conninfo("surfaced_api"), "bench");
	db_use(w.db, w.arena, 0);
	w.keys = key_cache_new(w.db);
	w.meter = meter_new();
	make_slots(&w, secret);
	if (strcmp(argv[1], "quota") == 0)
		http_metrics(&w);
	run(&w, argv[1], secret, n);
	metrics_close(w.metrics);
	meter_free(w.meter);
	key_cache_free(w.keys);
	db_close(w.db);
	arena_free(w.arena);
	pg_remove();
	return 0;
}
