/* SPDX-License-Identifier: ISC */
/* Alert rules: a rule selects findings or services of the project by severity and query, and names
   the destinations of its alerts. A query is parsed here and again by surfaced-alert, which applies
   it. The statement that writes a rule also checks its destinations. */
#include "config.h"

#include "api/api.h"
#include "resource/rule.h"
#include "wire/values.h"

#define QUERY_HELP                                                                                 \
	"A query of surfaced-query(7) that selects records; empty: all. Its fields are the "       \
	"members of the record."

static const struct field rule_in[] = {
	TEXT(struct rule, name, REQUIRED | TRIM, 1, LIM_NAME),
	ONE_OF(
	    struct rule, source, REQUIRED, alert_sources, "The records that the rule evaluates."),
	ONE_OF(struct rule, min_severity, 0, severities,
	    "The least severity of findings; info by default."),
	{
	    .name = "query",
	    .type = FIELD_STR,
	    .flags = BYTES_TOO,
	    .offset = offsetof(struct rule, query),
	    .lo = 0,
	    .hi = LIM_QUERY,
	    .help = QUERY_HELP,
	},
	LIST_OF(struct rule, destination_uuids, DISTINCT, struct uuid, 0, LIM_RULE_DESTINATIONS),
	SWITCH(struct rule, enabled, 0, true),
	FIELD_END,
};

/* clang-format off */
#define RULE_EXAMPLE JSON({ "name": "New critical findings", "source": "finding", "min_severity": "critical", \
	"query": "", "destination_uuids": [] })
/* clang-format on */

/* Takes the parameters of insert_rule: write_rule runs either. */
STMT(update_rule, rule_row,
    "UPDATE alert_rule SET name = $3, source = $4, min_severity = $5, query = $6,"
    " destination_uuids = $7::text[]::uuid[], enabled = $8, updated_at = now()"
    " WHERE project_uuid = $1 AND uuid = $2 AND deleted_at IS NULL"
    " AND" RULE_DESTINATIONS_EXIST " RETURNING " RULE_COLUMNS);

STMT_LIST(select_rule, struct rule, rule_row,
    "SELECT " RULE_COLUMNS " FROM alert_rule"
    " WHERE project_uuid = $1 AND uuid = $2 AND deleted_at IS NULL");

STMT_LIST(list_rules, struct rule, rule_row,
    "SELECT " RULE_COLUMNS " FROM alert_rule WHERE project_uuid = $1 AND deleted_at IS NULL"
    " AND ($5::text IS NULL OR source = $5)" PAGE_SQL);

STMT_LIST(delete_rule, struct rule, rule_row,
    "UPDATE alert_rule SET deleted_at = now()"
    " WHERE project_uuid = $1 AND uuid = $2 AND deleted_at IS NULL RETURNING " RULE_COLUMNS);

static int
check_query(struct req *rq, const struct rule *in)
{
	struct query_fault fault;
	struct query query;

	if (query_parse(
		rq->arena, schema_of_source(in->source), in->query, rq->now, &query, &fault))
		return PASS;
	return fail_field(rq, "query", "invalid_format",
	    arena_printf(
		rq->arena, "character %u: %.*s", fault.at, (int)fault.message.n, fault.message.p)
		.p);
}

static int
check_rule(struct req *rq, const struct rule *in)
{
	if (!name_visible(in->name))
		return fail_field(rq, "name", "invalid_format", "must not have control characters");
	if (str_is(in->source, "service") && in->min_severity.p != NULL)
		return fail_field(rq, "min_severity", "not_allowed", "is of findings alone");
	return check_query(rq, in);
}

/* Runs the statement that writes a rule with this UUID. */
static enum db_rc
write_rule(struct req *rq, const struct stmt *st, struct uuid uuid, struct rule *out)
{
	const struct rule *in = rq->in;
	struct str severity = in->min_severity, query = in->query.p == NULL ? STR("") : in->query;

	if (severity.p == NULL && str_is(in->source, "finding"))
		severity = STR("info");
	return db_one(rq->db, st, out, P(rq->project), P(uuid), P(in->name), P(in->source),
	    P(severity), P(query), P(db_uuid_texts(rq->arena, &in->destination_uuids)),
	    P(in->enabled));
}

static int
fail_destination(struct req *rq)
{
	return fail_field(rq, "destination_uuids", "not_found",
	    "names a destination that the project does not have");
}

static int
create_alert_rule(struct req *rq)
{
	struct rule r;
	enum db_rc rc;

	if (check_rule(rq, rq->in) != PASS)
		return FAILED;
	rc = write_rule(rq, &insert_rule, uuid_random(), &r);
	if (rc == DB_NONE)
		return fail_destination(rq);
	if (rc != DB_OK)
		return fail_db(rq, rc);
	return reply_created(rq, &r.uuid, &r);
}

/* The statement returns no row in two cases: the rule does not exist, or one of
   its destinations does not. A second statement distinguishes them, because the
   client needs the right one of 404 and a field error. The two statements run in
   the transaction of the request. A rule that is deleted between the two is
   answered with 404, which is then true. */
static int
update_alert_rule(struct req *rq)
{
	struct rule r;
	enum db_rc rc;

	if (check_rule(rq, rq->in) != PASS)
		return FAILED;
	rc = write_rule(rq, &update_rule, rq->path[1], &r);
	if (rc == DB_NONE) {
		rc = db_one(rq->db, &select_rule, &r, P(rq->project), P(rq->path[1]));
		if (rc == DB_OK)
			return fail_destination(rq);
	}
	return reply_found(rq, rc, ERR_ALERT_RULE_NOT_FOUND, &r);
}

struct rule_args {
	struct page_args page;
	struct str source;
};

static const struct url_param rule_params[] = {
	PAGE_PARAMS(struct rule_args, page),
	FILTER(FIELD_STR, struct rule_args, source, .values = alert_sources),
	URL_PARAM_END,
};

static const enum error one_errors[] = { ERR_ALERT_RULE_NOT_FOUND, ERR_UNSET };

#define RULES PROJECT "/alerting/rules"
#define RULE RULES "/{rule_uuid}"
#define RULE_ROW(need)                                                                             \
	COLUMNS_OF_PROJECT(need, ENTITLEMENT_ALERTING), .out = rule_out, .tag = "Alert rules"

static const struct route rule_routes[] = {
	{
	    ROUTE(POST, RULES, create_alert_rule),
	    RULE_ROW(SCOPE_ALERTS_RULES_MANAGE),
	    BODY(struct rule, rule_in, BODY_CONFIGURED),
	    .example = RULE_EXAMPLE,
	    .status = 201,
	    .wrapper = "rule",
	    .summary = "Create an alert rule",
	    .description = "The rule applies to findings that appear or change from now on.",
	},
	{
	    ROUTE_AS(GET, RULES, "list_alert_rules", page_list),
	    RULE_ROW(SCOPE_ALERTS_RULES_VIEW),
	    .st = &list_rules,
	    PARAMS(struct rule_args, rule_params),
	    .list = "rules",
	    .summary = "List alert rules",
	    .description = "Newest first.",
	},
	{
	    ROUTE_AS(GET, RULE, "get_alert_rule", record_one),
	    RULE_ROW(SCOPE_ALERTS_RULES_VIEW),
	    .st = &select_rule,
	    .wrapper = "rule",
	    .errors = one_errors,
	    .summary = "Get an alert rule",
	    .description = "The answer has the destinations of the rule.",
	},
	{
	    ROUTE(PUT, RULE, update_alert_rule),
	    RULE_ROW(SCOPE_ALERTS_RULES_MANAGE),
	    BODY(struct rule, rule_in, BODY_CONFIGURED),
	    .example = RULE_EXAMPLE,
	    .wrapper = "rule",
	    .errors = one_errors,
	    .summary = "Replace an alert rule",
	    .description =
		"Replaces all members; a member that is not sent gets the default of a new "
		"rule.",
	},
	{
	    ROUTE_AS(DELETE, RULE, "delete_alert_rule", record_one),
	    RULE_ROW(SCOPE_ALERTS_RULES_MANAGE),
	    .st = &delete_rule,
	    .wrapper = "rule",
	    .errors = one_errors,
	    .summary = "Delete an alert rule",
	    .description = "Its alerts and silences stay.",
	},
	ROUTE_END,
};

ROUTES(80, rule);
