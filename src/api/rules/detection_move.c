/* SPDX-License-Identifier: ISC */
/* Moves detection rules between the states of tbl/rule_moves.h, and stores an account's settings of
   a rule. Rules of the catalogue have settings, but cannot be moved. */
#include "config.h"

#include "api/rules/detection_priv.h"
#include "wire/values.h"

/* ---- moves ---- */

struct moved_rule {
	struct uuid uuid;
};

static const struct field moved_out[] = { FIELD(struct moved_rule, uuid, 0), FIELD_END };

/* Returns no row when another request has changed the rule since it was read. Every move but
   deprecate clears the replacement of the rule. */
STMT(move_rule, moved_out,
    "UPDATE rule SET status = m.to_status, status_event = m.event, updated_at = now(),"
    " replaced_by_uuid = $5 FROM rule_move m"
    " WHERE account_uuid = $1 AND uuid = $2 AND version = $3::bigint AND deleted_at IS NULL"
    "  AND m.event = $4 AND m.from_status = status AND rule_manageable($6, uuid)"
    " RETURNING uuid");

static const struct {
	const char *name;
} rule_events[] = {
#define RULE_EVENT(id, event, to) { event },
#include "tbl/rule_moves.h"
};

enum rule_event {
#define RULE_EVENT(id, event, to) RULE_##id,
#include "tbl/rule_moves.h"
};

static const struct {
	const char *event, *from;
} rule_moves[] = {
#define RULE_MOVE(event, from, to) { event, from },
#include "tbl/rule_moves.h"
};

static bool
may_move(const char *event, struct str from)
{
	for (size_t i = 0; i < COUNT(rule_moves); i++)
		if (strcmp(rule_moves[i].event, event) == 0 && str_is(from, rule_moves[i].from))
			return true;
	return false;
}

struct move_args {
	struct uuid replaced_by_uuid;
};

static const struct url_param move_params[] = {
	{ .field = { .name = "replaced_by_uuid",
	      .type = FIELD_UUID,
	      .offset = offsetof(struct move_args, replaced_by_uuid),
	      .help = "The rule that replaces this one." } },
	URL_PARAM_END,
};

static int
check_replacement(struct req *rq, struct uuid uuid)
{
	static const struct uuid none;
	struct detection d;
	enum db_rc rc;

	if (uuid_cmp(&uuid, &none) == 0)
		return PASS;
	rc = db_one(rq->db, &select_detection, &d, P(rq->key->uuid), P(uuid));
	if (rc == DB_NONE || uuid_cmp(&uuid, &rq->path[0]) == 0)
		return fail_field(
		    rq, "replaced_by_uuid", "not_found", "must be another rule that the key sees");
	return rc == DB_OK ? PASS : fail_db(rq, rc);
}

static int
check_move(struct req *rq, const struct detection *d)
{
	struct detection_in in = detection_texts(rq, d);
	struct body_faults *faults = ARENA_NEW(rq->arena, struct body_faults);

	if (rq->route->arg != RULE_STAGE && rq->route->arg != RULE_PUBLISH)
		return PASS;
	if (detection_judge(rq, &in, "", faults) != PASS)
		return FAILED;
	if (faults->n > 0)
		return fail_faults(rq, faults);
	return rq->route->arg == RULE_STAGE ? detection_refuse_broad(rq, &in, d->settings.exclude)
					    : PASS;
}

static int
change_rule(struct req *rq)
{
	const char *event = rule_events[rq->route->arg].name;
	const struct move_args *args = rq->params;
	struct uuid replaced_by = args == NULL ? (struct uuid){ { 0 } } : args->replaced_by_uuid;
	struct detection_in in;
	struct detection d;
	struct moved_rule m;
	enum db_rc rc;

	if (detection_read_managed(rq, &d) != PASS)
		return FAILED;
	if (!may_move(event, d.status))
		return fail(rq, ERR_RULE_STATE_CONFLICT);
	if (check_move(rq, &d) != PASS || check_replacement(rq, replaced_by) != PASS)
		return FAILED;
	rc = db_one(rq->db, &move_rule, &m, P(rq->key->account), P(d.uuid), P(d.version),
	    P(str_of(event)), P(replaced_by), P(rq->key->uuid));
	if (rc == DB_NONE)
		return fail(rq, ERR_RULE_STATE_CONFLICT);
	if (rc != DB_OK)
		return fail_db(rq, rc);
	in = detection_texts(rq, &d);
	if (rq->route->arg == RULE_STAGE && detection_within_anchors(rq, &in, 0) != PASS)
		return FAILED;
	return detection_answer(rq, &m.uuid, 200);
}

/* ---- settings ---- */

static const struct field settings_in[] = {
	{ .name = "enabled",
	    .type = FIELD_BOOL,
	    .flags = REQUIRED,
	    .offset = offsetof(struct detection_settings, enabled),
	    .help = "Whether the rule is evaluated for the organisation. When it is turned off, its "
		    "open findings are closed." },
	ONE_OF(struct detection_settings, severity, NULLABLE, severities,
	    "Replaces the severity of the rule; null: no change."),
	{ .name = "exclude",
	    .type = FIELD_STR,
	    .flags = BYTES_TOO,
	    .offset = offsetof(struct detection_settings, exclude),
	    .lo = 0,
	    .hi = LIM_QUERY,
	    .help = "Further records that do not match, in addition to the exclude of the rule." },
	{ .name = "project_uuids",
	    .type = FIELD_LIST,
	    .flags = DISTINCT,
	    .offset = offsetof(struct detection_settings, project_uuids),
	    .lo = 0,
	    .hi = LIM_RULE_PROJECTS,
	    .size = sizeof(struct uuid),
	    .item = FIELD_UUID,
	    .help = "The projects to which a rule of scope surface applies; keys that are limited "
		    "to these projects see the rule." },
	SWITCH(struct detection_settings, findings, 0, false),
	FIELD_END,
};

struct seen_project {
	struct uuid uuid;
};

static const struct field seen_project_out[] = {
	FIELD(struct seen_project, uuid, 0),
	FIELD_END,
};

STMT_LIST(
    seen_projects, struct seen_project, seen_project_out, "SELECT uuid FROM visible_projects($1)");

/* $6 replaces all projects of the settings: a key that is limited to projects may change only the
   settings of a rule all of whose projects it sees. */
STMT(set_rule, NULL,
    "INSERT INTO rule_setting AS s (account_uuid, rule_uuid, enabled, severity, exclude,"
    " project_uuids, findings) VALUES ($1, $2, $3, $4, $5, $6::text[]::uuid[], $7)"
    " ON CONFLICT (account_uuid, rule_uuid) DO UPDATE SET enabled = excluded.enabled,"
    "  severity = excluded.severity, exclude = excluded.exclude, findings = excluded.findings,"
    "  updated_at = now(), project_uuids = excluded.project_uuids"
    " WHERE rule_manageable($8, s.rule_uuid) AND (s.enabled, s.severity, s.exclude, s.findings, "
    "s.project_uuids) IS DISTINCT FROM"
    "  (excluded.enabled, excluded.severity, excluded.exclude, excluded.findings,"
    "  excluded.project_uuids)");

static bool
among(const struct uuid *u, size_t n, const struct uuid *wanted)
{
	for (size_t i = 0; i < n; i++)
		if (uuid_cmp(&u[i], wanted) == 0)
			return true;
	return false;
}

/* Checks that the key sees each project, and makes the parameter of the statement. */
static int
read_projects(struct req *rq, const struct list *list, struct strs *out)
{
	struct body_faults *faults = ARENA_NEW(rq->arena, struct body_faults);
	const struct uuid *u = list->items;
	struct list seen;
	enum db_rc rc = db_list(rq->db, &seen_projects, &seen, P(rq->key->uuid));

	if (rc != DB_OK)
		return fail_db(rq, rc);
	for (size_t i = 0; i < list->n; i++) {
		if (!among(seen.items, seen.n, &u[i]))
			body_fault(faults, arena_printf(rq->arena, "project_uuids[%zu]", i).p,
			    "not_found", "is no project that the key sees");
	}
	*out = db_uuid_texts(rq->arena, list);
	if (faults->n > 0)
		return fail_faults(rq, faults);
	/* Without projects the settings would concern all projects, so a limited key may not send
	   an empty list. */
	return list->n == 0 ? detection_manage(rq, (struct uuid){ { 0 } }) : PASS;
}

static int
check_setting_exclude(struct req *rq, const struct detection *d, struct str exclude)
{
	struct query_fault fault;
	struct query q;

	if (exclude.n == 0 ||
	    query_parse(rq->arena, detection_dataset(d->dataset), exclude, rq->now, &q, &fault))
		return PASS;
	return fail_field(rq, "exclude", "invalid_format",
	    arena_printf(
		rq->arena, "character %u: %.*s", fault.at, (int)fault.message.n, fault.message.p)
		.p);
}

/* A rule that is enabled must not match too many records. */
static int
check_enabled(struct req *rq, const struct detection *d, const struct detection_settings *s)
{
	struct detection_in in = detection_texts(rq, d);

	if (!s->enabled || (d->settings.enabled && str_eq(d->settings.exclude, s->exclude)) ||
	    !(str_is(d->status, "testing") || str_is(d->status, "stable")))
		return PASS;
	return detection_refuse_broad(rq, &in, s->exclude);
}

static int
set_rule_settings(struct req *rq)
{
	const struct detection_settings *s = rq->in;
	struct detection_in in;
	struct detection d;
	struct strs projects;
	enum db_rc rc;

	if (detection_read(rq, &d) != PASS || detection_manage(rq, d.uuid) != PASS ||
	    check_setting_exclude(rq, &d, s->exclude) != PASS ||
	    read_projects(rq, &s->project_uuids, &projects) != PASS ||
	    check_enabled(rq, &d, s) != PASS)
		return FAILED;
	rc = detection_lock(rq);
	if (rc == DB_OK)
		rc = db_do(rq->db, &set_rule, NULL, P(rq->key->account), P(d.uuid), P(s->enabled),
		    P(s->severity), P(s->exclude.p == NULL ? STR("") : s->exclude), P(projects),
		    P(s->findings), P(rq->key->uuid));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	in = detection_texts(rq, &d);
	if (s->enabled && !d.settings.enabled &&
	    (detection_within_limits(rq) != PASS ||
		(str_is(d.origin, "account") && detection_within_anchors(rq, &in, 0) != PASS)))
		return FAILED;
	rc = db_one(rq->db, &select_detection, &d, P(rq->key->uuid), P(rq->path[0]));
	return reply_found(rq, rc, ERR_RULE_NOT_FOUND, &d);
}

static const enum error move_errors[] = { ERR_RULE_NOT_FOUND, ERR_RULE_READ_ONLY,
	ERR_RULE_STATE_CONFLICT, ERR_RULE_TOO_BROAD, ERR_RULE_LIMIT, DETECTION_SEARCH_ERRORS,
	ERR_UNSET };
static const enum error settings_errors[] = { ERR_RULE_NOT_FOUND, ERR_RULE_TOO_BROAD,
	ERR_RULE_LIMIT, DETECTION_SEARCH_ERRORS, ERR_UNSET };

#define MOVE_ROW(id, event, path_end, what)                                                        \
	ROUTE_AS(POST, "/rules/{rule_uuid}/" path_end, event "_rule", change_rule),                \
	    DETECTION_ROW(SCOPE_RULES_MANAGE), .arg = RULE_##id, .wrapper = "rule",                \
					       .out = detection_out, .errors = move_errors,        \
					       .summary = (what)

static const struct route detection_move_routes[] = {
	{
	    MOVE_ROW(STAGE, "stage", "stage", "Stage a rule"),
	    .description =
		"Moves a rule from draft to testing, where it is evaluated, if all samples "
		"give the expected results and the rule does not match too many records.",
	},
	{
	    MOVE_ROW(PUBLISH, "publish", "publish", "Publish a rule"),
	    .description =
		"Moves a rule from testing to stable, if all samples give the expected results.",
	},
	{
	    MOVE_ROW(DEPRECATE, "deprecate", "deprecate", "Deprecate a rule"),
	    PARAMS(struct move_args, move_params),
	    .description =
		"Moves a rule from testing or stable to deprecated. It is no longer evaluated.",
	},
	{
	    MOVE_ROW(REDRAFT, "redraft", "redraft", "Make a rule a draft again"),
	    .description =
		"Moves a rule from testing or deprecated to draft. It is no longer evaluated.",
	},
	{
	    ROUTE_AS(PUT, "/rules/{rule_uuid}/settings", "update_rule_settings", set_rule_settings),
	    DETECTION_ROW(SCOPE_RULES_MANAGE),
	    BODY(struct detection_settings, settings_in, BODY_CONFIGURED),
	    .wrapper = "rule",
	    .out = detection_out,
	    .errors = settings_errors,
	    .example = JSON({ "enabled" : true, "severity" : "low" }),
	    .summary = "Change the organisation's settings of a rule",
	    .description =
		"Every rule has settings, also those of the catalogue; new versions of the "
		"rule do not change them. A key that is limited to projects can change "
		"them only if the rule names projects and the key sees all of these.",
	},
	ROUTE_END,
};

ROUTES(64, detection_move);
