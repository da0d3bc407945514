/* SPDX-License-Identifier: ISC */
/* Reads detection rules: those of the key's account and of the catalogue (rules_seen in
   sql/functions/rule.sql). */
#include "config.h"

#include "api/rules/detection_priv.h"
#include "wire/values.h"

STMT_SHARED(select_detection, struct detection, detection_out,
    "SELECT " DETECTION_COLUMNS " FROM rules_seen($1) WHERE uuid = $2");

/* The conditions of the filters. The arguments are the numbers of the parameters. */
#define FILTERED(a, b, c, d, e, f, g, h)                                                           \
	" WHERE ($" #a "::text IS NULL OR origin = $" #a ")"                                       \
	" AND ($" #b "::text IS NULL OR dataset = $" #b ")"                                        \
	" AND ($" #c "::text IS NULL OR status = $" #c ")"                                         \
	" AND ($" #d "::text IS NULL OR coalesce(own_severity, severity) = $" #d ")"               \
	" AND ($" #e "::text IS NULL OR $" #e " = ANY (tags))"                                     \
	" AND ($" #f "::text IS NULL OR $" #f " = ANY (techniques))"                               \
	" AND ($" #g "::text IS NULL OR enabled = ($" #g " = 'true'))"                             \
	" AND ($" #h "::text IS NULL OR strpos(lower(name), lower($" #h ")) > 0)"

STMT_LIST(list_detections, struct detection, detection_out,
    "SELECT " DETECTION_COLUMNS " FROM rules_seen($1)" FILTERED(5, 6, 7, 8, 9, 10, 11, 12)
	PAGE_SQL);

/* The order of ids is the same in every account. Without the filter origin, only the rules of the
   account are exported, because every installation has the catalogue already. */
STMT_LIST(export_detections, struct detection, detection_out,
    "SELECT " DETECTION_COLUMNS " FROM (SELECT * FROM rules_seen($1)"
    " WHERE origin = coalesce($2, 'account')) AS seen" FILTERED(
	2, 3, 4, 5, 6, 7, 8, 9) " ORDER BY id LIMIT $10");

int
detection_read(struct req *rq, struct detection *out)
{
	enum db_rc rc = db_one(rq->db, &select_detection, out, P(rq->key->uuid), P(rq->path[0]));

	if (rc == DB_NONE)
		return fail(rq, ERR_RULE_NOT_FOUND);
	return rc == DB_OK ? PASS : fail_db(rq, rc);
}

int
detection_read_own(struct req *rq, struct detection *out)
{
	if (detection_read(rq, out) != PASS)
		return FAILED;
	return str_is(out->origin, "account") ? PASS : fail(rq, ERR_RULE_READ_ONLY);
}

struct manageable {
	bool manageable;
};

static const struct field manageable_out[] = {
	FIELD(struct manageable, manageable, 0),
	FIELD_END,
};

STMT(ask_manageable, manageable_out, "SELECT rule_manageable($1, $2) AS manageable");

int
detection_manage(struct req *rq, struct uuid rule)
{
	struct manageable m;
	enum db_rc rc = db_one(rq->db, &ask_manageable, &m, P(rq->key->uuid), P(rule));

	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (m.manageable)
		return PASS;
	return fail_at(rq, ERR_PERMISSION_DENIED,
	    STR("The API key is limited to projects, and this would change other projects, too."));
}

int
detection_read_managed(struct req *rq, struct detection *out)
{
	return detection_read_own(rq, out) == PASS ? detection_manage(rq, out->uuid) : FAILED;
}

int
detection_answer(struct req *rq, const struct uuid *uuid, int status)
{
	struct detection d;
	enum db_rc rc = db_one(rq->db, &select_detection, &d, P(rq->key->uuid), P(*uuid));

	if (rc == DB_OK && status == 201)
		return reply_created(rq, uuid, &d);
	return reply_found(rq, rc, ERR_RULE_NOT_FOUND, &d);
}

/* ---- former versions ---- */

struct former {
	int64_t version;
	struct str dataset, query, exclude;
	struct ts changed_at;
	struct uuid changed_by_membership_uuid;
};

static const struct field former_out[] = {
	FIELD(struct former, version, 0),
	ONE_OF(struct former, dataset, 0, detection_datasets, NULL),
	TEXT(struct former, query, 0, 0, LIM_QUERY),
	TEXT(struct former, exclude, 0, 0, LIM_QUERY),
	FIELD(struct former, changed_at, 0),
	FIELD(struct former, changed_by_membership_uuid, NULLABLE),
	FIELD_END_OF("RuleVersion"),
};

/* $2, $3: the position behind which the page begins. $4 rows at most. */
STMT_LIST(list_former, struct former, former_out,
    "SELECT version, dataset, query, exclude, changed_at, changed_by_membership_uuid"
    " FROM rule_version WHERE rule_uuid = $1"
    " AND ($2::timestamptz IS NULL OR version < $3::bigint) ORDER BY version DESC LIMIT $4");

static int
list_rule_versions(struct req *rq)
{
	static const struct page_order by_version = { .at = "changed_at", .uuid = "version" };
	const struct page_args *args = rq->params;
	struct page_from from;
	struct detection d;
	struct list rows;
	enum db_rc rc;

	if (page_begin(rq, args, &from) != PASS || detection_read(rq, &d) != PASS)
		return FAILED;
	rc = db_list(rq->db, &list_former, &rows, P(d.uuid), P(from.at), P(page_number(&from)),
	    P(from.want));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	return page_reply_by(rq, args, rows, sizeof(struct former), &by_version);
}

/* ---- lists ---- */

struct detection_filters {
	struct str origin, dataset, status, severity, tag, technique, enabled, name;
};

struct detection_args {
	struct page_args page;
	struct detection_filters f;
};

#define FILTERS(args, at)                                                                          \
	{ .field = { .name = "origin",                                                             \
	      .type = FIELD_STR,                                                                   \
	      .offset = offsetof(args, at origin),                                                 \
	      .values = detection_origins } },                                                     \
	    { .field = { .name = "dataset",                                                        \
		  .type = FIELD_STR,                                                               \
		  .offset = offsetof(args, at dataset),                                            \
		  .values = detection_datasets } },                                                \
	    { .field = { .name = "status",                                                         \
		  .type = FIELD_STR,                                                               \
		  .offset = offsetof(args, at status),                                             \
		  .values = detection_statuses } },                                                \
	    { .field = { .name = "severity",                                                       \
		  .type = FIELD_STR,                                                               \
		  .offset = offsetof(args, at severity),                                           \
		  .values = severities,                                                            \
		  .help = "The severity of the settings, otherwise that of the rule." } },         \
	    { .field = { .name = "tag",                                                            \
		  .type = FIELD_STR,                                                               \
		  .offset = offsetof(args, at tag),                                                \
		  .lo = 1,                                                                         \
		  .hi = LIM_TAG_SLUG,                                                              \
		  .help = "A slug." } },                                                           \
	    { .field = { .name = "technique",                                                      \
		  .type = FIELD_STR,                                                               \
		  .offset = offsetof(args, at technique),                                          \
		  .lo = 1,                                                                         \
		  .hi = LIM_FILTER } },                                                            \
	    { .field = { .name = "enabled",                                                        \
		  .type = FIELD_STR,                                                               \
		  .offset = offsetof(args, at enabled),                                            \
		  .values = truths } },                                                            \
	{                                                                                          \
		.field = {                                                                         \
			.name = "name",                                                            \
			.type = FIELD_STR,                                                         \
			.offset = offsetof(args, at name),                                         \
			.lo = 1,                                                                   \
			.hi = LIM_NAME,                                                            \
			.help = "A part of the name, in any case."                                 \
		}                                                                                  \
	}

static const struct url_param list_params[] = {
	PAGE_PARAMS(struct detection_args, page),
	FILTERS(struct detection_args, f.),
	URL_PARAM_END,
};

static const struct url_param export_params[] = {
	FILTERS(struct detection_filters, ),
	URL_PARAM_END,
};

static const struct url_param former_params[] = {
	PAGE_PARAMS(struct page_only, page),
	URL_PARAM_END,
};

struct exported {
	struct list rules;
};

static const struct field exported_out[] = {
	LIST(struct exported, rules, 0, struct detection, detection_portable, 0, LIM_RULES_EXPORT),
	FIELD_END,
};

static int
export_rules(struct req *rq)
{
	const struct detection_filters *f = rq->params;
	struct exported answer;
	enum db_rc rc = db_list(rq->db, &export_detections, &answer.rules, P(rq->key->uuid),
	    P(f->origin), P(f->dataset), P(f->status), P(f->severity), P(f->tag), P(f->technique),
	    P(f->enabled), P(f->name), P(LIM_RULES_EXPORT));

	return rc == DB_OK ? reply(rq, 200, NULL, exported_out, &answer) : fail_db(rq, rc);
}

static const enum error missing_errors[] = { ERR_RULE_NOT_FOUND, ERR_UNSET };

static const struct route detection_routes[] = {
	{
	    ROUTE_AS(GET, "/rules", "list_rules", page_list),
	    DETECTION_ROW(SCOPE_RULES_VIEW),
	    .st = &list_detections,
	    PARAMS(struct detection_args, list_params),
	    .list = "rules",
	    .out = detection_out,
	    .summary = "List detection rules",
	    .description =
		"The rules of the organisation and of the catalogue, newest first; every "
		"filter must pass. A key that is limited to projects sees the rules of its "
		"projects and those that name no project.",
	},
	{
	    ROUTE(GET, "/rules/export", export_rules),
	    DETECTION_ROW(SCOPE_RULES_VIEW),
	    PARAMS(struct detection_filters, export_params),
	    .out = exported_out,
	    .result = "The rules, in the order of their ids.",
	    .summary = "Export detection rules",
	    .description = "At most 1000 rules that pass every filter, in the form that POST "
			   "/rules/import reads. Without origin, the rules of the organisation.",
	},
	{
	    ROUTE_AS(GET, "/rules/{rule_uuid}", "get_rule", record_one),
	    DETECTION_ROW(SCOPE_RULES_VIEW),
	    .st = &select_detection,
	    .wrapper = "rule",
	    .out = detection_out,
	    .errors = missing_errors,
	    .summary = "Get a detection rule",
	    .description = "With the settings of the organisation and the state of its evaluation.",
	},
	{
	    ROUTE(GET, "/rules/{rule_uuid}/versions", list_rule_versions),
	    DETECTION_ROW(SCOPE_RULES_VIEW),
	    PARAMS(struct page_only, former_params),
	    .list = "versions",
	    .out = former_out,
	    .errors = missing_errors,
	    .summary = "List the former queries of a detection rule",
	    .description =
		"Newest first. version is the last version with the query, and changed_at the "
		"time at which the query was replaced.",
	},
	ROUTE_END,
};

ROUTES(62, detection);
