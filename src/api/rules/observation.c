/* SPDX-License-Identifier: ISC */
/* Reads observations of detection rules (C-158): those of the account's rules, and of rules
   of the catalogue that the account has enabled. The rules of access are in
   sql/functions/observation.sql. */
#include "config.h"

#include "api/api.h"
#include "api/rules/observation.h"
#include "base/ipnet.h"
#include "wire/values.h"

struct observation_args {
	struct page_args page;
	struct uuid rule_uuid;
	struct str tag, state, severity, dataset, ip;
};

/* A function chooses the UUIDs of a page, so that the list of columns stays in this file. */
STMT_LIST(list_observations, struct observation, observation_out,
    "SELECT " OBSERVATION_COLUMNS
    " FROM observation_page($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) AS page (uuid)"
    " JOIN rule_observation o ON o.uuid = page.uuid JOIN rule_run r ON r.uuid = o.run_uuid"
    " ORDER BY o.created_at DESC, o.uuid");

STMT_LIST(select_observation, struct observation, observation_out,
    "SELECT " OBSERVATION_COLUMNS " FROM " OBSERVATION_TABLES
    " WHERE o.uuid = $2 AND (o.project_uuid IS NULL"
    "  OR EXISTS (SELECT FROM visible_projects($1) AS v WHERE v.uuid = o.project_uuid))"
    " AND EXISTS (SELECT FROM observed_runs($1) AS s WHERE s.run_uuid = o.run_uuid)");

/* Rewrites the filter ip in its canonical form, because a cursor is bound to the bytes of the
   filters. */
static int
list_rule_observations(struct req *rq)
{
	struct observation_args *args = ARENA_NEW(rq->arena, struct observation_args);

	*args = *(const struct observation_args *)rq->params;
	if (args->ip.p != NULL && !ipnet_canonical_address(rq->arena, &args->ip))
		return fail_field(rq, "ip", "invalid_format", "must be an IP address");
	rq->params = args;
	return page_list(rq);
}

static const struct url_param observation_params[] = {
	PAGE_PARAMS(struct observation_args, page),
	FILTER(FIELD_UUID, struct observation_args, rule_uuid),
	FILTER(FIELD_STR, struct observation_args, tag, .lo = 1, .hi = LIM_TAG_SLUG,
	    .help = "The rule has this tag."),
	FILTER(FIELD_STR, struct observation_args, state, .values = observation_states),
	FILTER(FIELD_STR, struct observation_args, severity, .values = severities,
	    .help = "The rule has this severity for the organisation."),
	FILTER(FIELD_STR, struct observation_args, dataset, .values = observed_datasets),
	FILTER(FIELD_STR, struct observation_args, ip, .lo = 1, .hi = 64,
	    .help = "The record has this address."),
	URL_PARAM_END,
};

/* ---- one rule ---- */

struct watched {
	bool watched;
};

static const struct field watched_out[] = { FIELD(struct watched, watched, 0), FIELD_END };

STMT(check_watched, watched_out,
    "SELECT EXISTS (SELECT FROM rules_observed($1) AS s WHERE s.rule_uuid = $2 AND NOT s.deleted"
    " AND (s.account_uuid IS NOT NULL OR s.enabled)) AS watched");

/* Fails with rule_not_found for a rule whose observations the key may not read. */
static int
need_observed_rule(struct req *rq)
{
	struct watched w;
	enum db_rc rc = db_one(rq->db, &check_watched, &w, P(rq->key->uuid), P(rq->path[0]));

	if (rc != DB_OK)
		return fail_db(rq, rc);
	return w.watched ? PASS : fail(rq, ERR_RULE_NOT_FOUND);
}

struct of_rule_args {
	struct page_args page;
	struct str state;
};

static const struct url_param of_rule_params[] = {
	PAGE_PARAMS(struct of_rule_args, page),
	FILTER(FIELD_STR, struct of_rule_args, state, .values = observation_states),
	URL_PARAM_END,
};

static int
list_observations_of_rule(struct req *rq)
{
	const struct of_rule_args *args = rq->params;
	struct page_from from;
	struct list rows;
	enum db_rc rc;

	if (page_begin(rq, &args->page, &from) != PASS || need_observed_rule(rq) != PASS)
		return FAILED;
	rc = db_list(rq->db, &list_observations, &rows, P(rq->key->uuid), PAGE_P(from),
	    P(rq->path[0]), P(STR_NULL), P(args->state), P(STR_NULL), P(STR_NULL), P(STR_NULL));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	return page_reply(rq, &args->page, rows, sizeof(struct observation));
}

/* ---- its activity ---- */

struct activity_args {
	struct str window;
};

static const struct {
	const char *name;
	int days;
} windows[] = { { "30d", 30 }, { "7d", 7 }, { "90d", 90 } }; /* the first is the default */

static const char *const window_names[] = { "7d", "30d", "90d", NULL };

static const struct url_param activity_params[] = {
	FILTER(FIELD_STR, struct activity_args, window, .values = window_names,
	    .help = "The number of days, including today; 30d by default."),
	URL_PARAM_END,
};

struct rule_day {
	struct str date;
	int64_t active, appeared, gone;
};

#define DAY_COUNT(m, about)                                                                        \
	{                                                                                          \
		.name = #m, .type = FIELD_INT, .offset = offsetof(struct rule_day, m), .lo = 0,    \
		.hi = LIM_BUCKET_COUNT, .help = (about)                                            \
	}

static const struct field rule_day_out[] = {
	{ .name = "date",
	    .type = FIELD_STR,
	    .offset = offsetof(struct rule_day, date),
	    .lo = 10,
	    .hi = 10,
	    .pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
	    .help = "A day of UTC." },
	DAY_COUNT(active, "Active observations at the end of the day, or now for today."),
	DAY_COUNT(appeared, "Observations that became active, including those that returned."),
	DAY_COUNT(gone, NULL),
	FIELD_END_OF("RuleDay"),
};

struct activity {
	struct list days;
};

static const struct field activity_out[] = {
	LIST(struct activity, days, 0, struct rule_day, rule_day_out, 0, 90),
	FIELD_END_OF("RuleActivity"),
};

STMT_LIST(list_rule_days, struct rule_day, rule_day_out,
    "SELECT date, active, appeared, gone FROM observation_activity($1, $2, $3)");

static int
get_rule_activity(struct req *rq)
{
	const struct activity_args *args = rq->params;
	int days = windows[0].days;
	struct activity out;
	enum db_rc rc;

	for (size_t i = 0; i < COUNT(windows); i++)
		if (str_is(args->window, windows[i].name))
			days = windows[i].days;
	if (need_observed_rule(rq) != PASS)
		return FAILED;
	rc = db_list(rq->db, &list_rule_days, &out.days, P(rq->key->uuid), P(rq->path[0]), P(days));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	return reply(rq, 200, NULL, activity_out, &out);
}

/* ---- rows ---- */

static const enum error observation_errors[] = { ERR_OBSERVATION_NOT_FOUND, ERR_UNSET };
static const enum error observed_rule_errors[] = { ERR_RULE_NOT_FOUND, ERR_UNSET };

static const struct route observation_routes[] = {
	{
	    ROUTE(GET, "/rules/observations", list_rule_observations),
	    OBSERVATION_ROW,
	    .out = observation_out,
	    .st = &list_observations,
	    PARAMS(struct observation_args, observation_params),
	    .list = "observations",
	    .summary = "List observations",
	    .description = "Newest first; every filter must pass. Of the organisation's own rules, "
			   "and of the catalogue's rules that it has enabled.",
	},
	{
	    ROUTE_AS(GET, "/rules/observations/{observation_uuid}", "get_observation", record_one),
	    OBSERVATION_ROW,
	    .out = observation_out,
	    .st = &select_observation,
	    .wrapper = "observation",
	    .errors = observation_errors,
	    .summary = "Get an observation",
	    .description =
		"An observation of a rule of the catalogue that the organisation has not "
		"enabled is not found.",
	},
	{
	    ROUTE(GET, "/rules/{rule_uuid}/observations", list_observations_of_rule),
	    OBSERVATION_ROW,
	    .out = observation_out,
	    PARAMS(struct of_rule_args, of_rule_params),
	    .list = "observations",
	    .errors = observed_rule_errors,
	    .summary = "List the observations of a rule",
	    .description =
		"Newest first. A rule of the catalogue that the organisation has not enabled "
		"is not found.",
	},
	{
	    ROUTE(GET, "/rules/{rule_uuid}/activity", get_rule_activity),
	    OBSERVATION_ROW,
	    .out = activity_out,
	    PARAMS(struct activity_args, activity_params),
	    .errors = observed_rule_errors,
	    .summary = "Get the activity of a rule",
	    .result = "Each day of the window, oldest first.",
	    .description =
		"The counts are by day in UTC, today last. A key that is limited to projects "
		"gets the counts of its projects.",
	},
	ROUTE_END,
};

ROUTES(230, observation);
