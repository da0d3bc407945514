/* SPDX-License-Identifier: ISC */
/* Creates, replaces, deletes and copies detection rules.

     POST /rules     the same Idempotency-Key and body     201, the rule of the first request, Idempotency-Replayed
                     the same Idempotency-Key, another body   409
     PUT /rules/...  another version than the rule has     409: two authors never overwrite each other
                     the content that the rule has         200, nothing changes
                     else                                  version + 1; rule_version keeps the query that
                                                           goes */
#include "config.h"

#include "access/idem.h"
#include "api/rules/detection_priv.h"
#include "detection/unanchored.h"

/* ---- statements ---- */

STMT(lock_rules, NULL, "SELECT pg_advisory_xact_lock(hashtext('rule'), hashtext($1::uuid::text))");

struct written {
	struct uuid uuid;
};

static const struct field written_out[] = { FIELD(struct written, uuid, 0), FIELD_END };

/* The content is one JSON object whose members are columns. Two columns are made from members: */
#define CONTENT_REFERENCES "ARRAY(SELECT json_array_elements_text($6::json -> 'references'))"
#define CONTENT_PRODUCES                                                                           \
	"CASE WHEN $6::json #>> '{produces,area}' <> '' THEN $6::json -> 'produces' END"

STMT_SHARED(insert_detection, struct written, written_out,
    "INSERT INTO rule (account_uuid, created_by_membership_uuid, uuid, id, status, request_space,"
    " request_hash, name, description, author, licence, dataset, scope, query, exclude, severity,"
    " tags, techniques, reference_urls, false_positives, tests, produces)"
    " SELECT $1, $2, $3::uuid, coalesce($4, $3::uuid), $5, $7, $8, n.name, n.description, "
    "n.author, n.licence, n.dataset,"
    "  n.scope, n.query, n.exclude, n.severity, n.tags, n.techniques, " CONTENT_REFERENCES ","
    "  n.false_positives, n.tests, " CONTENT_PRODUCES
    " FROM json_populate_record(NULL::rule, $6::json) AS n ON CONFLICT DO NOTHING RETURNING uuid");

STMT_SHARED(replace_detection, struct written, written_out,
    "WITH was AS (SELECT * FROM rule WHERE account_uuid = $1 AND uuid = $2 AND version = $3::bigint"
    "  AND deleted_at IS NULL AND rule_manageable($7, uuid) FOR UPDATE),"
    " new AS (SELECT n.*, " CONTENT_REFERENCES " AS urls, " CONTENT_PRODUCES " AS product"
    "  FROM json_populate_record(NULL::rule, $6::json) AS n),"
    " kept AS (INSERT INTO rule_version SELECT was.uuid, was.version, was.dataset, was.query,"
    "  was.exclude, now(), $4::uuid FROM was, new"
    "  WHERE (was.dataset, was.query, was.exclude) <> (new.dataset, new.query, new.exclude))"
    " UPDATE rule AS r SET version = r.version + 1, status_event = 'change', updated_at = now(),"
    "  status = coalesce($5, r.status), name = new.name, description = new.description, author = "
    "new.author,"
    "  licence = new.licence, dataset = new.dataset, scope = new.scope, query = new.query,"
    "  exclude = new.exclude, severity = new.severity, tags = new.tags,"
    "  techniques = new.techniques, reference_urls = new.urls,"
    "  false_positives = new.false_positives, tests = new.tests, produces = new.product"
    " FROM was, new WHERE r.uuid = was.uuid AND (r.status, r.name, r.description, r.author,"
    "  r.licence, r.dataset, r.scope, r.query, r.exclude, r.severity, r.tags, r.techniques,"
    "  r.reference_urls, r.false_positives, r.tests::text, r.produces::jsonb)"
    " IS DISTINCT FROM (coalesce($5, r.status), new.name, new.description, new.author, "
    "new.licence, new.dataset,"
    "  new.scope, new.query, new.exclude, new.severity, new.tags, new.techniques, new.urls,"
    "  new.false_positives, new.tests::text, new.product::jsonb) RETURNING r.uuid");

STMT(delete_detection, written_out,
    "UPDATE rule SET deleted_at = now(), updated_at = now(), status_event = 'delete'"
    " WHERE account_uuid = $1 AND uuid = $2 AND deleted_at IS NULL AND rule_manageable($3, uuid)"
    " RETURNING uuid");

/* Copies a rule. The name is cut when it would become too long. The areas of the catalogue are
   those of its own rules, so the copy has the area rule. */
STMT(copy_detection, written_out,
    "INSERT INTO rule (account_uuid, created_by_membership_uuid, uuid, id, name, description,"
    " author, licence, dataset, scope, query, exclude, severity, tags, techniques, reference_urls,"
    " false_positives, tests, produces, derived_from_uuid)"
    " SELECT $2, $3, $4::uuid, $4::uuid, rtrim(left(name, 193)) || ' (copy)', description, author, "
    "licence,"
    "  dataset, scope, query, exclude, severity, tags, techniques, \"references\","
    "  false_positives, tests, (produces::jsonb || '{\"area\": \"rule\"}')::json, uuid"
    " FROM rules_seen($1) WHERE uuid = $5 RETURNING uuid");

struct detection_numbers {
	int64_t own, enabled;
};

static const struct field numbers_out[] = {
	FIELD(struct detection_numbers, own, 0),
	FIELD(struct detection_numbers, enabled, 0),
	FIELD_END,
};

STMT(count_rules, numbers_out,
    "SELECT count(*) FILTER (WHERE r.account_uuid IS NOT NULL) AS own,"
    " count(*) FILTER (WHERE rule_is_on(s.enabled, r.account_uuid, r.scope, r.produces,"
    "  (SELECT account_finds($1)))) AS enabled"
    " FROM rule r LEFT JOIN rule_setting s ON s.account_uuid = $1 AND s.rule_uuid = r.uuid"
    " WHERE (r.account_uuid = $1 OR r.account_uuid IS NULL) AND r.deleted_at IS NULL");

enum db_rc
detection_lock(struct req *rq)
{
	return db_do(rq->db, &lock_rules, NULL, P(rq->key->account));
}

int
detection_within_limits(struct req *rq)
{
	struct detection_numbers n;
	enum db_rc rc = db_one(rq->db, &count_rules, &n, P(rq->key->account));

	if (rc != DB_OK)
		return fail_db(rq, rc);
	return n.own > LIM_RULES_OWN || n.enabled > LIM_RULES_ENABLED ? fail(rq, ERR_RULE_LIMIT)
								      : PASS;
}

struct confined {
	bool confined;
};

static const struct field confined_out[] = { FIELD(struct confined, confined, 0), FIELD_END };

STMT(confine_detection, confined_out, "SELECT rule_confine($1, $2, $3) AS confined");

int
detection_confine(struct req *rq, struct uuid rule)
{
	const int64_t most = LIM_RULE_PROJECTS;
	struct confined c;
	enum db_rc rc = db_one(rq->db, &confine_detection, &c, P(rq->key->uuid), P(rule), P(most));

	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (c.confined)
		return PASS;
	return fail_at(rq, ERR_PERMISSION_DENIED,
	    STR("The API key is limited to no project, or to more than 100; its rules would name "
		"them all."));
}

struct str
detection_content(struct req *rq, const struct detection_in *in)
{
	struct buf b = { .a = rq->arena };

	json_write(&b, detection_imported, in);
	return buf_done(&b);
}

/* ---- rules without an anchor ---- */

struct unanchored {
	int64_t n;
};

static const struct field unanchored_out[] = { FIELD(struct unanchored, n, 0), FIELD_END };

/* Whether a rule has an anchor is stored by surfaced-detect when it evaluates the rule. */
STMT(count_unanchored, unanchored_out,
    "SELECT count(DISTINCT rule_uuid) AS n FROM rule_run"
    " WHERE live AND NOT anchored AND evaluated_at IS NOT NULL AND state <> 'failed'");

enum db_rc
detection_unanchored(struct req *rq, size_t *n)
{
	enum db_rc rc = detection_lock(rq);

	return rc == DB_OK ? rules_unanchored(rq->db, rq->arena, &rq->key->account, rq->now, n)
			   : rc;
}

int
detection_within_anchors(struct req *rq, const struct detection_in *in, size_t before)
{
	struct unanchored all = { 0 };
	size_t n = 0;
	enum db_rc rc;

	if (in != NULL && rule_is_anchored(rq->arena, in->dataset, in->query, rq->now))
		return PASS;
	rc = detection_unanchored(rq, &n);
	if (rc == DB_OK && n > before)
		rc = db_one_row(rq->db, &count_unanchored, &all, DB_NO_ARGS);
	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (n <= before || (n <= LIM_RULES_UNANCHORED && all.n < LIM_RULES_UNANCHORED_ALL))
		return PASS;
	return fail_at(rq, ERR_RULE_LIMIT,
	    STR("There are too many evaluated rules without an anchor; ask for a value of a "
		"keyword, "
		"a number, a name or an address that every match must have."));
}

/* ---- creating ---- */

struct detection_hashes {
	unsigned char space[IDEM_HASH_LEN], request[IDEM_HASH_LEN];
	struct bytes p_space, p_request; /* null when the request has no Idempotency-Key */
};

static void
hash_detection(const struct req *rq, struct detection_hashes *h)
{
	const struct str space[] = { { (const char *)rq->key->uuid.b, sizeof(rq->key->uuid.b) },
		str_of(rq->route->operation), rq->idempotency_key };

	*h = (struct detection_hashes){ .p_space = { NULL, 0 } };
	if (rq->idempotency_key.p == NULL)
		return;
	idem_hash(space, COUNT(space), h->space);
	idem_hash(&rq->body, 1, h->request);
	h->p_space = (struct bytes){ h->space, sizeof(h->space) };
	h->p_request = (struct bytes){ h->request, sizeof(h->request) };
}

struct earlier {
	struct uuid uuid;
	bool same;
};

static const struct field earlier_out[] = {
	FIELD(struct earlier, uuid, 0),
	FIELD(struct earlier, same, 0),
	FIELD_END,
};

STMT(find_detection_request, earlier_out,
    "SELECT uuid, request_hash = $2 AS same FROM rule WHERE request_space = $1");

/* Finds the answer of an earlier request with the same Idempotency-Key. Sets *replayed when there
   is one. */
static int
find_replayed(struct req *rq, const struct detection_hashes *h, struct earlier *e)
{
	enum db_rc rc;

	*e = (struct earlier){ 0 };
	if (rq->idempotency_key.p == NULL)
		return PASS;
	rc = db_one(rq->db, &find_detection_request, e, P(h->p_space), P(h->p_request));
	if (rc == DB_OK && !e->same)
		return fail(rq, ERR_IDEMPOTENCY_KEY_CONFLICT);
	return rc == DB_OK || rc == DB_NONE ? PASS : fail_db(rq, rc);
}

static int
check_new(struct req *rq, void *body, struct body_faults *faults)
{
	return detection_check(rq, body, "", faults);
}

/* Whether a rule may be evaluated: its samples pass and it is not too broad. */
static int
check_staged(struct req *rq, const struct detection_in *in, bool judged)
{
	struct body_faults *faults = ARENA_NEW(rq->arena, struct body_faults);

	if (judged && detection_judge(rq, in, "", faults) != PASS)
		return FAILED;
	return faults->n > 0 ? fail_faults(rq, faults) : detection_refuse_broad(rq, in, STR_NULL);
}

static int
answer_new(struct req *rq, struct uuid uuid)
{
	if (detection_confine(rq, uuid) != PASS || detection_within_limits(rq) != PASS)
		return FAILED;
	return detection_answer(rq, &uuid, 201);
}

static int
create_rule(struct req *rq)
{
	const struct detection_in *in = rq->in;
	bool staged = str_is(in->status, "testing");
	struct uuid uuid = uuid_random();
	struct earlier earlier;
	struct written w;
	struct detection_hashes h;
	enum db_rc rc;

	hash_detection(rq, &h);
	if (staged && check_staged(rq, in, true) != PASS)
		return FAILED;
	rc = detection_lock(rq);
	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (find_replayed(rq, &h, &earlier) != PASS)
		return FAILED;
	if (earlier.same) {
		rq->replayed = true;
		return detection_answer(rq, &earlier.uuid, 201);
	}
	rc = db_one(rq->db, &insert_detection, &w, P(rq->key->account), P(rq->key->owner), P(uuid),
	    P(in->id), P(staged ? STR("testing") : STR("draft")), P(detection_content(rq, in)),
	    P(h.p_space), P(h.p_request));
	if (rc == DB_NONE)
		return fail_field(rq, "id", "duplicate", "is the id of another rule");
	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (detection_hold_tags(rq, &in->tags, "tags") != PASS ||
	    (staged && detection_within_anchors(rq, in, 0) != PASS))
		return FAILED;
	return answer_new(rq, w.uuid);
}

static int
copy_rule(struct req *rq)
{
	struct detection d;
	struct written w;
	enum db_rc rc;

	if (detection_read(rq, &d) != PASS)
		return FAILED;
	rc = detection_lock(rq);
	if (rc == DB_OK)
		rc = db_one(rq->db, &copy_detection, &w, P(rq->key->uuid), P(rq->key->account),
		    P(rq->key->owner), P(uuid_random()), P(d.uuid));
	if (rc == DB_NONE)
		return fail(rq, ERR_RULE_NOT_FOUND);
	if (rc != DB_OK)
		return fail_db(rq, rc);
	return answer_new(rq, w.uuid);
}

/* ---- replacing ---- */

/* New content of a stable rule must pass the checks of the state stable; a rule in testing must not
   become too broad. */
static int
check_replaced(struct req *rq, const struct detection *d, const struct detection_in *in)
{
	bool stable = str_is(d->status, "stable");

	if (!str_is(d->status, "draft") && !str_eq(d->dataset, in->dataset))
		return fail_field(rq, "dataset", "not_allowed", "only a draft changes its dataset");
	return stable || str_is(d->status, "testing") ? check_staged(rq, in, stable) : PASS;
}

static int
update_rule_content(struct req *rq)
{
	const struct detection_in *in = rq->in;
	struct detection d;
	struct written w;
	enum db_rc rc;

	if (detection_read_managed(rq, &d) != PASS)
		return FAILED;
	if (d.version != in->version)
		return fail(rq, ERR_RULE_VERSION_CONFLICT);
	if (check_replaced(rq, &d, in) != PASS ||
	    detection_hold_tags(rq, &in->tags, "tags") != PASS)
		return FAILED;
	rc = db_one(rq->db, &replace_detection, &w, P(rq->key->account), P(d.uuid), P(in->version),
	    P(rq->key->owner), P(STR_NULL), P(detection_content(rq, in)), P(rq->key->uuid));
	/* the rule has this content already, or another request changed it first */
	if (rc == DB_NONE) {
		if (detection_read_own(rq, &d) != PASS)
			return FAILED;
		return d.version == in->version
			   ? reply(rq, 200, rq->route->wrapper, rq->route->out, &d)
			   : fail(rq, ERR_RULE_VERSION_CONFLICT);
	}
	if (rc != DB_OK)
		return fail_db(rq, rc);
	/* A rule that had no anchor before makes nothing worse. */
	if ((str_is(d.status, "testing") || str_is(d.status, "stable")) &&
	    rule_is_anchored(rq->arena, d.dataset, d.query, rq->now) &&
	    detection_within_anchors(rq, in, 0) != PASS)
		return FAILED;
	return detection_answer(rq, &w.uuid, 200);
}

static int
delete_rule_content(struct req *rq)
{
	struct detection d;
	struct written w;
	enum db_rc rc;

	if (detection_read_managed(rq, &d) != PASS)
		return FAILED;
	rc =
	    db_one(rq->db, &delete_detection, &w, P(rq->key->account), P(d.uuid), P(rq->key->uuid));
	return reply_found(rq, rc, ERR_RULE_NOT_FOUND, &d);
}

static const enum error create_errors[] = { ERR_IDEMPOTENCY_KEY_CONFLICT, ERR_RULE_LIMIT,
	ERR_RULE_TOO_BROAD, DETECTION_SEARCH_ERRORS, ERR_UNSET };
static const enum error replace_errors[] = { ERR_RULE_NOT_FOUND, ERR_RULE_READ_ONLY,
	ERR_RULE_VERSION_CONFLICT, ERR_RULE_TOO_BROAD, ERR_RULE_LIMIT, DETECTION_SEARCH_ERRORS,
	ERR_UNSET };
static const enum error delete_errors[] = { ERR_RULE_NOT_FOUND, ERR_RULE_READ_ONLY, ERR_UNSET };
static const enum error copy_errors[] = { ERR_RULE_NOT_FOUND, ERR_RULE_LIMIT, ERR_UNSET };

/* clang-format off */
#define NEW_EXAMPLE JSON({ "name": "Redis without a login", "dataset": "services", "scope": "surface", \
	"query": "product:redis", "severity": "high", \
	"tests": [{ "name": "open", "expect": "match", "record": { "port": 6379, "product": "Redis" } }] })
#define REPLACE_EXAMPLE JSON({ "version": 1, "name": "Redis", "dataset": "services", "scope": "surface", \
	"query": "product:redis", "severity": "medium" })
/* clang-format on */

static const struct route detection_write_routes[] = {
	{
	    ROUTE(POST, "/rules", create_rule),
	    DETECTION_ROW(SCOPE_RULES_MANAGE),
	    BODY_CHECKED(struct detection_in, detection_new, LIM_RULE_BODY, check_new),
	    .idempotent = true,
	    .status = 201,
	    .wrapper = "rule",
	    .out = detection_out,
	    .errors = create_errors,
	    .example = NEW_EXAMPLE,
	    .summary = "Create a detection rule",
	    .description =
		"The rule is created as a draft, or in testing if its samples give the "
		"expected results. Imports recognise a rule by the id that its author chooses; "
		"the default is its uuid.",
	},
	{
	    ROUTE_AS(PUT, "/rules/{rule_uuid}", "update_rule", update_rule_content),
	    DETECTION_ROW(SCOPE_RULES_MANAGE),
	    BODY_CHECKED(struct detection_in, detection_replaced, LIM_RULE_BODY, check_new),
	    .wrapper = "rule",
	    .out = detection_out,
	    .errors = replace_errors,
	    .example = REPLACE_EXAMPLE,
	    .summary = "Replace a detection rule",
	    .description = "Replaces all members; version must be the one that was read. A stable "
			   "rule is replaced only if all samples give the expected results. The "
			   "former query is kept.",
	},
	{
	    ROUTE_AS(DELETE, "/rules/{rule_uuid}", "delete_rule", delete_rule_content),
	    DETECTION_ROW(SCOPE_RULES_MANAGE),
	    .wrapper = "rule",
	    .out = detection_out,
	    .errors = delete_errors,
	    .summary = "Delete a detection rule",
	    .description = "Its findings stay. Answers with the deleted rule.",
	},
	{
	    ROUTE(POST, "/rules/{rule_uuid}/copy", copy_rule),
	    DETECTION_ROW(SCOPE_RULES_MANAGE),
	    .status = 201,
	    .wrapper = "rule",
	    .out = detection_out,
	    .errors = copy_errors,
	    .summary = "Copy a detection rule",
	    .description =
		"The copy is a draft of the organisation, its derived_from_uuid names the rule, and "
		"what it produces has the area rule.",
	},
	ROUTE_END,
};

ROUTES(63, detection_write);
