/* SPDX-License-Identifier: ISC */
/* Changes against rules, in one transaction: the changes are gone when what follows from them stands. */
#include "config.h"

#include "alert/alert.h"
#include "db/db.h"
#include "search/search.h"
#include "wire/values.h"

enum { BATCH = 100, SCRATCH = 64 * 1024 * 1024, JUDGE_US = 5000000 };

/* A finding or service as it is now. */
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

static const struct stmt take = STMT_LIST(take, struct record, record_out,
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

static const struct stmt list_rules = STMT_LIST(list_rules, struct rule, rule_out,
    "SELECT uuid, project_uuid, source, min_severity, query FROM alert_rule_active"
    " WHERE project_uuid = ANY ($1::text[]::uuid[]) ORDER BY uuid");

static const struct stmt judge = STMT(judge, NULL,
    "SELECT alert_judge($1::text[]::uuid[], $2::text[]::uuid[], $3::text[]::uuid[],"
    " $4::text[]::uuid[])");

static const struct stmt defer = STMT(defer, NULL, "SELECT alert_defer()");

static void
push(struct buf *b, struct str s)
{
	buf_add(b, &s, sizeof(s));
}

static struct strs
pushed(const struct buf *b)
{
	return (struct strs){ (const void *)b->p, b->n / sizeof(struct str) };
}

static int
rank(struct str severity)
{
	for (int i = 0; severities[i] != NULL; i++)
		if (str_is(severity, severities[i]))
			return i;
	return -1;
}

static bool
is_about(const struct rule *rule, const struct record *r)
{
	return uuid_cmp(&rule->project_uuid, &r->project_uuid) == 0 &&
	       str_eq(rule->source, r->source);
}

/* A query that does not ask for the status is about open findings. */
static bool
is_of_interest(const struct rule *rule, const struct record *r, const struct query *q)
{
	if (!str_is(r->source, "finding"))
		return true;
	return rank(r->severity) >= rank(rule->min_severity) &&
	       (str_is(r->status, "open") || query_asks(q, "status"));
}

struct batch {
	struct engine *e;
	struct arena *scratch;
	const struct record *records;
	const struct json_value **docs;
	size_t n;
	struct buf judged;       /* UUIDs of the rules that could be read ... */
	struct buf rule, record; /* ... and of pairs that match */
};

static bool
passes(struct batch *b, const struct rule *rule, const struct query *q, size_t i)
{
	const struct record *r = &b->records[i];

	if (!is_about(rule, r) || !is_of_interest(rule, r, q))
		return false;
	if (b->docs[i] == NULL)
		b->docs[i] = json_parse(b->e->arena, r->doc.text);
	if (b->docs[i] == NULL)
		panic("PostgreSQL wrote no JSON");
	return query_matches(b->scratch, q, b->docs[i]);
}

/* One rule and all records. One that cannot be read says nothing: the API takes none such. */
static void
apply(struct batch *b, const struct rule *rule)
{
	struct arena *a = b->e->arena;
	struct str uuid = arena_uuid(a, &rule->uuid);
	struct query_fault fault;
	struct query query;

	if (!query_parse(a, schema_of_source(rule->source), rule->query, ts_now(), &query,
		&fault)) {
		log_event(LOGP_WARNING, "rule", "uuid=%s at=%u why=\"%.*s\"", uuid.p,
		    fault.at, (int)fault.message.n, fault.message.p);
		return;
	}
	push(&b->judged, uuid);
	for (size_t i = 0; i < b->n; i++)
		if (passes(b, rule, &query, i)) {
			push(&b->rule, uuid);
			push(&b->record, arena_uuid(a, &b->records[i].source_uuid));
		}
}

static struct strs
record_uuids(struct arena *a, const struct record *r, size_t n)
{
	struct buf out = { .a = a };

	for (size_t i = 0; i < n; i++)
		push(&out, arena_uuid(a, &r[i].source_uuid));
	return pushed(&out);
}

/* Of each project once. */
static struct strs
projects(struct arena *a, const struct record *r, size_t n)
{
	struct buf out = { .a = a };

	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		while (uuid_cmp(&r[k].project_uuid, &r[i].project_uuid) != 0)
			k++;
		if (k == i)
			push(&out, arena_uuid(a, &r[i].project_uuid));
	}
	return pushed(&out);
}

/* False: it takes too long, and what is under way would wait. */
static bool
apply_all(struct batch *b, struct list rules)
{
	int64_t until = mono_us() + JUDGE_US;
	size_t i;

	b->judged.a = b->rule.a = b->record.a = b->e->arena;
	b->docs = ARENA_ARRAY(b->e->arena, b->n, const struct json_value *);
	b->scratch = arena_new(SCRATCH);
	for (i = 0; i < rules.n && mono_us() < until; i++)
		apply(b, (const struct rule *)rules.items + i);
	arena_free(b->scratch);
	if (i < rules.n)
		log_event(LOGP_WARNING, "slow", "records=%zu rules=%zu judged=%zu", b->n,
		    rules.n, i);
	return i == rules.n;
}

static enum db_rc
judge_batch(struct engine *e, struct list records)
{
	struct batch b = { .e = e, .records = records.items, .n = records.n };
	struct list rules;
	enum db_rc rc =
	    db_list(e->db, &list_rules, &rules, P(projects(e->arena, b.records, b.n)));

	if (rc != DB_OK)
		return rc;
	if (!apply_all(&b, rules))
		return DB_TIMEOUT;
	if (b.judged.n == 0)
		return DB_OK;
	return db_do(e->db, &judge, NULL, P(pushed(&b.judged)),
	    P(record_uuids(e->arena, b.records, b.n)), P(pushed(&b.rule)),
	    P(pushed(&b.record)));
}

/* What failed may be too much at once. One change alone that fails waits, and the others go on. */
static void
lessen(struct engine *e, enum db_rc rc)
{
	if (rc == DB_DOWN)
		return;
	if (e->batch > 1)
		e->batch = (e->batch + 7) / 8;
	else
		db_ok(e->db, db_run(e->db, &defer, NULL, DB_NO_ARGS), "defer");
}

bool
evaluate(struct engine *e)
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
		lessen(e, rc);
		return false;
	}
	e->batch = e->batch * 2 < BATCH ? e->batch * 2 : BATCH;
	return records.n > 0;
}

const struct stmt *const evaluate_stmts[] = { &take, &list_rules, &judge, &defer, NULL };
