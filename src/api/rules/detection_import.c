/* SPDX-License-Identifier: ISC */
/* POST /rules/import stores all rules of the body or none. Rules of the account are found by their
   id:

     on_existing   no rule of the id   a rule of the id
     fail          created             a fault of rules[i].id
     skip          created             skipped
     update        created             replaced; skipped if it has this content already

   All faults of all rules are found before anything is written. */
#include "config.h"

#include "api/rules/detection_priv.h"

static const char *const manners[] = { "fail", "skip", "update", NULL };

struct import_in {
	struct list rules; /* struct detection_in */
	struct str on_existing;
	struct list existing; /* struct existing_rule, filled by the check */
};

static const struct field import_in[] = {
	LIST(struct import_in, rules, REQUIRED, struct detection_in, detection_imported, 1,
	    LIM_RULES_IMPORT),
	ONE_OF(struct import_in, on_existing, 0, manners,
	    "A rule whose id the organisation has fails the import, is skipped or updated; fail by "
	    "default."),
	FIELD_END,
};

struct existing_rule {
	struct uuid uuid, id;
	int64_t version;
	struct str status, dataset;
	bool manageable; /* the key may change the rule */
};

static const struct field existing_out[] = {
	FIELD(struct existing_rule, uuid, 0),
	FIELD(struct existing_rule, id, 0),
	FIELD(struct existing_rule, version, 0),
	FIELD(struct existing_rule, status, 0),
	FIELD(struct existing_rule, dataset, 0),
	FIELD(struct existing_rule, manageable, 0),
	FIELD_END,
};

STMT_LIST(find_existing, struct existing_rule, existing_out,
    "SELECT r.uuid, r.id, r.version, r.status, r.dataset,"
    " rule_manageable($2, r.uuid) AS manageable FROM rule r"
    " WHERE r.account_uuid = $1 AND r.id = ANY ($3::text[]::uuid[]) AND r.deleted_at IS NULL");

static bool
has_id(const struct detection_in *in)
{
	static const struct uuid none;

	return uuid_cmp(&in->id, &none) != 0;
}

static const struct existing_rule *
existing_of(const struct import_in *im, const struct detection_in *in)
{
	const struct existing_rule *e = im->existing.items;

	for (size_t i = 0; has_id(in) && i < im->existing.n; i++)
		if (uuid_cmp(&e[i].id, &in->id) == 0)
			return &e[i];
	return NULL;
}

static int
read_existing(struct req *rq, struct import_in *im)
{
	const struct detection_in *in = im->rules.items;
	struct str *ids = ARENA_ARRAY(rq->arena, im->rules.n + 1, struct str);
	size_t n = 0;
	enum db_rc rc;

	for (size_t i = 0; i < im->rules.n; i++)
		if (has_id(&in[i]))
			ids[n++] = arena_uuid(rq->arena, &in[i].id);
	rc = db_list(rq->db, &find_existing, &im->existing, P(rq->key->account), P(rq->key->uuid),
	    P(((struct strs){ ids, n })));
	return rc == DB_OK ? PASS : fail_db(rq, rc);
}

/* ---- faults ---- */

static void
check_existing(struct req *rq, const struct import_in *im, size_t i, struct body_faults *faults)
{
	const struct detection_in *in = (const struct detection_in *)im->rules.items + i;
	const struct existing_rule *e = existing_of(im, in);
	const char *path = arena_printf(rq->arena, "rules[%zu].id", i).p;

	for (size_t k = 0; has_id(in) && k < i; k++)
		if (uuid_cmp(&((const struct detection_in *)im->rules.items)[k].id, &in->id) == 0) {
			body_fault(
			    faults, path, "duplicate", "is the id of another rule of the import");
			return;
		}
	if (e == NULL || str_is(im->on_existing, "skip"))
		return;
	if (!str_is(im->on_existing, "update"))
		body_fault(faults, path, "duplicate", "is the id of an existing rule");
	else if (!e->manageable)
		body_fault(
		    faults, path, "not_allowed", "is the id of a rule that the key may not change");
	else if (!str_is(e->status, "draft") && !str_eq(e->dataset, in->dataset))
		body_fault(faults, arena_printf(rq->arena, "rules[%zu].dataset", i).p,
		    "not_allowed", "only a draft changes its dataset");
}

static bool
is_skipped(const struct import_in *im, const struct detection_in *in)
{
	return str_is(im->on_existing, "skip") && existing_of(im, in) != NULL;
}

/* A rule that is imported as testing or stable must pass the checks of the move into that state. */
static int
check_state(struct req *rq, const struct detection_in *in, size_t i, struct body_faults *faults)
{
	const char *prefix = arena_printf(rq->arena, "rules[%zu].", i).p;
	uint64_t matches;

	if (!str_is(in->status, "testing") && !str_is(in->status, "stable"))
		return PASS;
	if (detection_judge(rq, in, prefix, faults) != PASS ||
	    detection_matches(rq, in, STR_NULL, &matches) != PASS)
		return FAILED;
	if (matches > LIM_RULE_MATCHES)
		body_fault(faults, arena_printf(rq->arena, "%squery", prefix).p, "not_allowed",
		    "matches more records than a rule of scope all may match");
	return PASS;
}

static int
check_import(struct req *rq, void *body, struct body_faults *faults)
{
	struct import_in *im = body;
	const struct detection_in *in = im->rules.items;
	size_t before = faults->n;

	if (read_existing(rq, im) != PASS)
		return FAILED;
	for (size_t i = 0; i < im->rules.n; i++) {
		const char *prefix = arena_printf(rq->arena, "rules[%zu].", i).p;

		if (detection_check(rq, &in[i], prefix, faults) != PASS)
			return FAILED;
		check_existing(rq, im, i, faults);
	}
	/* Samples are judged and matches are counted only when the texts have no fault. */
	for (size_t i = 0; faults->n == 0 && before == 0 && i < im->rules.n; i++)
		if (!is_skipped(im, &in[i]) && check_state(rq, &in[i], i, faults) != PASS)
			return FAILED;
	return PASS;
}

/* ---- writing ---- */

struct imported {
	int64_t created, updated, skipped;
};

static const struct field imported_out[] = {
	FIELD(struct imported, created, 0),
	FIELD(struct imported, updated, 0),
	FIELD(struct imported, skipped, 0),
	FIELD_END,
};

static int
create_imported(struct req *rq, const struct detection_in *in, struct str status)
{
	static const struct bytes none;
	struct uuid uuid = uuid_random(), out;
	enum db_rc rc =
	    db_one(rq->db, &insert_detection, &out, P(rq->key->account), P(rq->key->owner), P(uuid),
		P(in->id), P(status), P(detection_content(rq, in)), P(none), P(none));

	if (rc == DB_NONE) /* another request has created a rule of this id since */
		return fail(rq, ERR_RULE_VERSION_CONFLICT);
	return rc == DB_OK ? detection_confine(rq, uuid) : fail_db(rq, rc);
}

static int
write_rule_content(struct req *rq, const struct import_in *im, size_t i, struct imported *done)
{
	const struct detection_in *in = (const struct detection_in *)im->rules.items + i;
	const struct existing_rule *e = existing_of(im, in);
	struct str status = in->status.p == NULL ? STR("draft") : in->status;
	const char *member = arena_printf(rq->arena, "rules[%zu].tags", i).p;
	struct uuid out;
	enum db_rc rc;

	if (is_skipped(im, in)) {
		done->skipped++;
		return PASS;
	}
	if (detection_hold_tags(rq, &in->tags, member) != PASS)
		return FAILED;
	if (e == NULL) {
		done->created++;
		return create_imported(rq, in, status);
	}
	rc =
	    db_one(rq->db, &replace_detection, &out, P(rq->key->account), P(e->uuid), P(e->version),
		P(rq->key->owner), P(status), P(detection_content(rq, in)), P(rq->key->uuid));
	done->updated += rc == DB_OK;
	done->skipped += rc == DB_NONE;
	return rc == DB_OK || rc == DB_NONE ? PASS : fail_db(rq, rc);
}

static int
import_rules(struct req *rq)
{
	const struct import_in *im = rq->in;
	struct imported done = { 0 };
	size_t before = 0;
	enum db_rc rc = detection_unanchored(rq, &before);

	if (rc != DB_OK)
		return fail_db(rq, rc);
	for (size_t i = 0; i < im->rules.n; i++)
		if (write_rule_content(rq, im, i, &done) != PASS)
			return FAILED;
	return detection_within_limits(rq) == PASS &&
		       detection_within_anchors(rq, NULL, before) == PASS
		   ? reply(rq, 200, NULL, imported_out, &done)
		   : FAILED;
}

static const enum error import_errors[] = { ERR_RULE_LIMIT, ERR_RULE_VERSION_CONFLICT,
	DETECTION_SEARCH_ERRORS, ERR_UNSET };

/* clang-format off */
#define IMPORT_EXAMPLE JSON({ "rules": [{ "id": "6d0b9f0e-6a0f-4b0e-9a53-2f1f3c7c1d10", \
	"name": "Redis without a login", "dataset": "services", "scope": "surface", \
	"query": "product:redis", "severity": "high" }], "on_existing": "update" })
/* clang-format on */

static const struct route detection_import_routes[] = {
	{
	    ROUTE(POST, "/rules/import", import_rules),
	    .heavy = true,
	    DETECTION_ROW(SCOPE_RULES_MANAGE),
	    BODY_CHECKED(struct import_in, import_in, LIM_RULE_IMPORT, check_import),
	    .out = imported_out,
	    .result = "The numbers of rules that were created, updated and skipped.",
	    .errors = import_errors,
	    .example = IMPORT_EXAMPLE,
	    .summary = "Import detection rules",
	    .description = "Stores all rules or none; an error names the member, as in "
			   "rules[3].query. A rule is recognised by its id, and its settings stay.",
	},
	ROUTE_END,
};

ROUTES(66, detection_import);
