/* SPDX-License-Identifier: ISC */
/* Operations on verdicts: an account's own disposition of a value, which overrides that of every
   report in answers, exports and look-ups at once (C-136). Queries, counts and facets ignore
   verdicts. */
#include "config.h"

#include "api/api.h"
#include "api/reports/report.h"
#include "resource/indicator_value.h"

struct verdict {
	struct uuid uuid, created_by_membership_uuid;
	struct str type, value, disposition, reason;
	struct ts created_at, updated_at;
};

static const struct field verdict_in[] = {
	ONE_OF(struct verdict, type, REQUIRED, indicator_types, NULL),
	TEXT(struct verdict, value, REQUIRED | TRIM, 1, LIM_INDICATOR),
	ONE_OF(struct verdict, disposition, REQUIRED, report_verdicts, NULL),
	TEXT(struct verdict, reason, REQUIRED | TRIM | PROSE, 1, LIM_VERDICT_REASON),
	FIELD_END,
};

static const struct field verdict_out[] = {
	FIELD(struct verdict, uuid, 0),
	ONE_OF(struct verdict, type, 0, indicator_types, NULL),
	TEXT(struct verdict, value, 0, 1, LIM_INDICATOR),
	ONE_OF(struct verdict, disposition, 0, report_verdicts, NULL),
	TEXT(struct verdict, reason, 0, 1, LIM_VERDICT_REASON),
	FIELD(struct verdict, created_by_membership_uuid, NULLABLE),
	FIELD(struct verdict, created_at, 0),
	FIELD(struct verdict, updated_at, 0),
	FIELD_END_OF("IndicatorVerdict"),
};

#define VERDICT_COLUMNS                                                                            \
	"uuid, type, value, disposition, reason, created_by_membership_uuid, created_at, "         \
	"updated_at"

STMT_LIST(list_verdicts, struct verdict, verdict_out,
    "SELECT " VERDICT_COLUMNS " FROM indicator_verdict"
    " WHERE account_uuid = (SELECT account_uuid FROM api_key WHERE uuid = $1)" PAGE_SQL);
STMT(replace_verdict, verdict_out,
    "UPDATE indicator_verdict SET disposition = $4, reason = $5, updated_at = now()"
    " WHERE account_uuid = $1 AND type = $2 AND md5(value) = md5($3)"
    " RETURNING " VERDICT_COLUMNS);
/* Locks the verdicts of an account, so that two concurrent requests cannot exceed the limit. */
STMT(lock_verdicts, NULL,
    "SELECT pg_advisory_xact_lock(hashtext('verdict'), hashtext($1::uuid::text))");
STMT(insert_verdict, verdict_out,
    "INSERT INTO indicator_verdict (account_uuid, type, value, disposition, reason,"
    " created_by_membership_uuid) SELECT $1::uuid, $2, $3, $4, $5, $6::uuid"
    " WHERE (SELECT count(*) FROM indicator_verdict WHERE account_uuid = $1) < $7::bigint"
    " RETURNING " VERDICT_COLUMNS);
STMT(delete_verdict, verdict_out,
    "DELETE FROM indicator_verdict WHERE account_uuid = $1 AND uuid = $2"
    " RETURNING " VERDICT_COLUMNS);

/* Converts the value to the canonical form of its type. */
static int
read_value(struct req *rq, const struct verdict *in, struct str *value)
{
	struct indicator_value found[INDICATOR_MEANINGS];
	size_t n = indicator_meanings(rq->arena, in->value, found);

	for (size_t i = 0; i < n; i++)
		if (str_eq(found[i].type, in->type)) {
			*value = found[i].value;
			return PASS;
		}
	return fail_field(rq, "value", "invalid_format", "is not a value of this type");
}

/* A second verdict on a value replaces the first, whose UUID it keeps. */
static int
create_verdict(struct req *rq)
{
	const struct verdict *in = rq->in;
	const struct uuid *account = &rq->key->account;
	struct verdict v;
	struct str value;
	enum db_rc rc;

	if (read_value(rq, in, &value) != PASS)
		return FAILED;
	rc = db_do(rq->db, &lock_verdicts, NULL, P(*account));
	if (rc == DB_OK)
		rc = db_one(rq->db, &replace_verdict, &v, P(*account), P(in->type), P(value),
		    P(in->disposition), P(in->reason));
	if (rc == DB_OK)
		return reply(rq, 200, rq->route->wrapper, rq->route->out, &v);
	if (rc == DB_NONE)
		rc = db_one(rq->db, &insert_verdict, &v, P(*account), P(in->type), P(value),
		    P(in->disposition), P(in->reason), P(rq->key->owner), P(LIM_VERDICTS));
	if (rc == DB_NONE)
		return fail(rq, ERR_REPORT_LIMIT);
	return rc == DB_OK ? reply_created(rq, &v.uuid, &v) : fail_db(rq, rc);
}

static int
remove_verdict(struct req *rq)
{
	struct verdict v;
	enum db_rc rc = db_one(rq->db, &delete_verdict, &v, P(rq->key->account), P(rq->path[0]));

	return reply_found(rq, rc, ERR_VERDICT_NOT_FOUND, &v);
}

static const struct url_param verdict_params[] = {
	PAGE_PARAMS(struct page_only, page),
	URL_PARAM_END,
};

static const enum error create_errors[] = { ERR_REPORT_LIMIT, ERR_UNSET };
static const enum error delete_errors[] = { ERR_VERDICT_NOT_FOUND, ERR_UNSET };

static const struct route verdict_routes[] = {
	{
	    ROUTE_AS(GET, "/reports/verdicts", "list_report_verdicts", page_list),
	    REPORT_ROW(SCOPE_REPORTS_VIEW),
	    .st = &list_verdicts,
	    PARAMS(struct page_only, verdict_params),
	    .list = "verdicts",
	    .out = verdict_out,
	    .summary = "List the verdicts of the organisation",
	    .description = "Newest first.",
	},
	{
	    ROUTE_AS(POST, "/reports/verdicts", "create_report_verdict", create_verdict),
	    REPORT_ROW(SCOPE_REPORTS_MANAGE),
	    BODY(struct verdict, verdict_in, BODY_CONFIGURED),
	    .status = 201,
	    .done_status = 200,
	    .wrapper = "verdict",
	    .out = verdict_out,
	    .errors = create_errors,
	    .example = JSON({
		    "type" : "domain",
		    "value" : "cdn.example.com",
		    "disposition" : "ignored",
		    "reason" : "Our own"
	    }),
	    .summary = "Give a verdict on a value",
	    .description =
		"Answers, exports and look-ups of all reports use the verdict at once; "
		"queries, counts and facets do not use it. A second verdict on the value "
		"replaces the first: 200.",
	},
	{
	    ROUTE_AS(DELETE, "/reports/verdicts/{verdict_uuid}", "delete_report_verdict",
		remove_verdict),
	    REPORT_ROW(SCOPE_REPORTS_MANAGE),
	    .wrapper = "verdict",
	    .out = verdict_out,
	    .errors = delete_errors,
	    .summary = "Withdraw a verdict",
	    .description = "Answers with the deleted verdict.",
	},
	ROUTE_END,
};

ROUTES(56, verdict);
