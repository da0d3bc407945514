/* SPDX-License-Identifier: ISC */
/* Judges changed findings and services by the rules of their projects. One transaction takes a
   batch of changes, reads the records, and writes the alerts and deliveries that follow. Matching
   itself is done here, in memory, because rules are queries in the API's language, which PostgreSQL
   cannot evaluate. alert.h describes the path of a change from trigger to webhook. */
#include "config.h"

#include "alert/alert.h"
#include "db/db.h"
#include "db/guard.h"
#include "search/query.h"
#include "wire/values.h"
#include "json/tree.h"

enum {
	BATCH = 100, /* changes */
	SCRATCH = 64 * 1024 * 1024,
	JUDGE_US = 5000000, /* longer matching would starve transfers under way */
};

/* A finding or service in its current state. */
struct record {
	struct str source;
	struct uuid source_uuid, project_uuid;
	struct str severity, status;
	struct json doc;
};

static const struct field record_out[] = {
	FIELD(struct record, source, 0),
	FIELD(struct record, source_uuid, 0),
	FIELD(struct record, project_uuid, 0),
	FIELD(struct record, severity, NULLABLE),
	FIELD(struct record, status, NULLABLE),
	FIELD(struct record, doc, 0),
	FIELD_END,
};

STMT_LIST(take, struct record, record_out,
    "SELECT source, source_uuid, project_uuid, severity, status, doc FROM "
    "alert_take($1)");

struct rule {
	struct uuid uuid, project_uuid;
	struct str source, min_severity, query;
};

static const struct field rule_out[] = {
	FIELD(struct rule, uuid, 0),
	FIELD(struct rule, project_uuid, 0),
	FIELD(struct rule, source, 0),
	FIELD(struct rule, min_severity, NULLABLE),
	FIELD(struct rule, query, 0),
	FIELD_END,
};

STMT_LIST(list_rules, struct rule, rule_out,
    "SELECT uuid, project_uuid, source, min_severity, query FROM alert_rule_active"
    " WHERE project_uuid = ANY ($1::text[]::uuid[]) ORDER BY uuid");

STMT(judge, NULL,
    "SELECT alert_judge($1::text[]::uuid[], $2::text[]::uuid[], $3::text[]::uuid[],"
    " $4::text[]::uuid[])");

STMT(defer, NULL, "SELECT alert_defer()");

static void
push_str(struct buf *b, struct str s)
{
	buf_add(b, &s, sizeof(s));
}

static struct strs
pushed_strs(const struct buf *b)
{
	return (struct strs){ (const void *)b->p, b->n / sizeof(struct str) };
}

static int
severity_rank(struct str severity)
{
	for (int i = 0; severities[i] != NULL; i++)
		if (str_is(severity, severities[i]))
			return i;
	return -1;
}

static bool
rule_covers(const struct rule *rule, const struct record *r)
{
	return uuid_cmp(&rule->project_uuid, &r->project_uuid) == 0 &&
	       str_eq(rule->source, r->source);
}

/* A rule that does not mention the status in its query is about open findings only. */
static bool
status_and_severity_match(const struct rule *rule, const struct record *r, const struct query *q)
{
	if (!str_is(r->source, "finding"))
		return true;
	return severity_rank(r->severity) >= severity_rank(rule->min_severity) &&
	       (str_is(r->status, "open") || query_asks(q, "status"));
}

struct batch {
	struct engine *e;
	struct arena *scratch; /* of query_matches */
	const struct record *records;
	const struct json_value **docs; /* parsed when a rule first needs them */
	size_t n;
	struct buf judged;       /* UUIDs of the rules whose query is valid */
	struct buf rule, record; /* UUIDs of pairs that match, in parallel */
};

static bool
record_matches(struct batch *b, const struct rule *rule, const struct query *q, size_t i)
{
	const struct record *r = &b->records[i];

	if (!rule_covers(rule, r) || !status_and_severity_match(rule, r, q))
		return false;
	if (b->docs[i] == NULL)
		b->docs[i] = json_parse(b->e->arena, r->doc.text);
	if (b->docs[i] == NULL)
		panic("PostgreSQL returned invalid JSON for a record");
	return query_matches(b->scratch, q, b->docs[i]);
}

/* Matches one rule with every record of the batch. A rule whose query cannot be parsed is left out
   of `judged`, so that its alerts stay as they are: the API accepts no such rule, but a later
   version may have narrowed the query language. */
static void
apply_rule(struct batch *b, const struct rule *rule)
{
	struct arena *a = b->e->arena;
	struct str uuid = arena_uuid(a, &rule->uuid);
	struct query_fault fault;
	struct query query;

	if (!query_parse(
		a, schema_of_source(rule->source), rule->query, ts_now(), &query, &fault)) {
		log_event(LOGP_WARNING, "rule", "uuid=%s at=%u why=\"%.*s\"", uuid.p, fault.at,
		    (int)fault.message.n, fault.message.p);
		return;
	}
	push_str(&b->judged, uuid);
	for (size_t i = 0; i < b->n; i++)
		if (record_matches(b, rule, &query, i)) {
			push_str(&b->rule, uuid);
			push_str(&b->record, arena_uuid(a, &b->records[i].source_uuid));
		}
}

static struct strs
record_uuids(struct arena *a, const struct record *r, size_t n)
{
	struct buf out = { .a = a };

	for (size_t i = 0; i < n; i++)
		push_str(&out, arena_uuid(a, &r[i].source_uuid));
	return pushed_strs(&out);
}

/* The distinct UUIDs of the records' projects. */
static struct strs
project_uuids(struct arena *a, const struct record *r, size_t n)
{
	struct buf out = { .a = a };

	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		while (uuid_cmp(&r[k].project_uuid, &r[i].project_uuid) != 0)
			k++;
		if (k == i)
			push_str(&out, arena_uuid(a, &r[i].project_uuid));
	}
	return pushed_strs(&out);
}

/* False: matching takes longer than JUDGE_US; the caller rolls back and tries a smaller batch. */
static bool
apply_rules(struct batch *b, struct list rules)
{
	int64_t until = mono_us() + JUDGE_US;
	size_t i;

	b->judged.a = b->rule.a = b->record.a = b->e->arena;
	b->docs = ARENA_ARRAY(b->e->arena, b->n, const struct json_value *);
	b->scratch = arena_new(SCRATCH);
	for (i = 0; i < rules.n && mono_us() < until; i++)
		apply_rule(b, (const struct rule *)rules.items + i);
	arena_free(b->scratch);
	if (i < rules.n)
		log_event(
		    LOGP_WARNING, "slow", "records=%zu rules=%zu judged=%zu", b->n, rules.n, i);
	return i == rules.n;
}

static enum db_rc
judge_batch(struct engine *e, struct list records)
{
	struct batch b = { .e = e, .records = records.items, .n = records.n };
	struct list rules;
	enum db_rc rc =
	    db_list(e->db, &list_rules, &rules, P(project_uuids(e->arena, b.records, b.n)));

	if (rc != DB_OK)
		return rc;
	if (!apply_rules(&b, rules))
		return DB_TIMEOUT;
	if (b.judged.n == 0)
		return DB_OK;
	return db_do(e->db, &judge, NULL, P(pushed_strs(&b.judged)),
	    P(record_uuids(e->arena, b.records, b.n)), P(pushed_strs(&b.rule)),
	    P(pushed_strs(&b.record)));
}

/* Makes the next batch smaller, since a batch may fail for its size. A single change that fails is
   deferred for a minute, so that the others are judged meanwhile. The change may have used up the
   deadline that db_up set, so the deferral gets a new one. */
static void
shrink_batch(struct engine *e, enum db_rc rc)
{
	if (rc == DB_DOWN)
		return;
	if (e->batch > 1)
		e->batch = (e->batch + 7) / 8;
	else {
		db_allow_call(e->db);
		db_ok(e->db, db_run(e->db, &defer, NULL, DB_NO_ARGS), "defer");
	}
}

bool
evaluate_changes(struct engine *e)
{
	struct list records = { NULL, 0 };
	enum db_rc rc;

	if (!db_up(e->db))
		return false;
	if (e->batch == 0)
		e->batch = BATCH;
	rc = db_begin(e->db);
	if (rc == DB_OK)
		rc = db_list(e->db, &take, &records, P(e->batch));
	if (rc == DB_OK && records.n > 0)
		rc = judge_batch(e, records);
	if (rc == DB_OK)
		rc = db_commit(e->db);
	db_rollback(e->db);
	if (!db_ok(e->db, rc, "evaluate")) {
		shrink_batch(e, rc);
		return false;
	}
	e->batch = e->batch * 2 < BATCH ? e->batch * 2 : BATCH;
	return records.n > 0;
}
