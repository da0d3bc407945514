/* SPDX-License-Identifier: ISC */
/* Dashboards of projects (C-202 to C-207). The database counts and writes the members as JSON
   (sql/functions/project_dashboard.sql); the tables here describe them for openapi.json. Sums leave
   out projects that the key may not see. */
#include "config.h"

#include "api/api.h"
#include "api/people/usage_stored.h"
#include "resource/detector.h"
#include "wire/values.h"

enum { DAYS_MAX = 180, TOP_DEFAULT = 10, TOP_MAX = 100, TYPES_MAX = 50, PROJECTS_MAX = 1000 };

/* ---- members that the database writes ---- */

struct by_severity {
	int64_t critical, high, medium, low, info;
};

static const struct field by_severity_out[] = {
	FIELD(struct by_severity, critical, 0),
	FIELD(struct by_severity, high, 0),
	FIELD(struct by_severity, medium, 0),
	FIELD(struct by_severity, low, 0),
	FIELD(struct by_severity, info, 0),
	FIELD_END_OF("DashboardSeverities"),
};

struct days_by_severity {
	struct json critical, high, medium, low, info;
};

static const struct field days_by_severity_out[] = {
	OPTIONAL(struct days_by_severity, critical, FIELD_NUM, NULLABLE, 0, 0),
	OPTIONAL(struct days_by_severity, high, FIELD_NUM, NULLABLE, 0, 0),
	OPTIONAL(struct days_by_severity, medium, FIELD_NUM, NULLABLE, 0, 0),
	OPTIONAL(struct days_by_severity, low, FIELD_NUM, NULLABLE, 0, 0),
	OPTIONAL(struct days_by_severity, info, FIELD_NUM, NULLABLE, 0, 0),
	FIELD_END_OF("DashboardDaysBySeverity"),
};

struct by_type {
	struct str finding_type;
	int64_t count;
};

static const struct field by_type_out[] = {
	FIELD(struct by_type, finding_type, 0),
	FIELD(struct by_type, count, 0),
	FIELD_END_OF("DashboardType"),
};

struct by_status {
	int64_t open, acknowledged, accepted_risk, false_positive, resolved;
};

static const struct field by_status_out[] = {
	FIELD(struct by_status, open, 0),
	FIELD(struct by_status, acknowledged, 0),
	FIELD(struct by_status, accepted_risk, 0),
	FIELD(struct by_status, false_positive, 0),
	FIELD(struct by_status, resolved, 0),
	FIELD_END_OF("DashboardStatuses"),
};

struct finding_counts {
	int64_t open, acknowledged, stale;
	struct by_severity by_severity;
	struct list by_type;
	struct by_status by_status;
};

static const struct field finding_counts_out[] = {
	FIELD(struct finding_counts, open, 0),
	FIELD(struct finding_counts, acknowledged, 0),
	OBJECT(struct finding_counts, by_severity, 0, by_severity_out),
	LIST(struct finding_counts, by_type, 0, struct by_type, by_type_out, 0, TYPES_MAX),
	OBJECT(struct finding_counts, by_status, 0, by_status_out),
	FIELD(struct finding_counts, stale, 0),
	FIELD_END_OF("DashboardFindings"),
};

struct change {
	int64_t new, closed, reopened, cleared;
	struct by_severity by_severity;
};

static const struct field change_out[] = {
	FIELD(struct change, new, 0),
	FIELD(struct change, closed, 0),
	FIELD(struct change, reopened, 0),
	FIELD(struct change, cleared, 0),
	OBJECT(struct change, by_severity, 0, by_severity_out),
	FIELD_END_OF("DashboardChange"),
};

struct exposure_part {
	struct str finding_type, severity;
	int64_t count;
	double points;
};

static const struct field exposure_part_out[] = {
	FIELD(struct exposure_part, finding_type, 0),
	ONE_OF(struct exposure_part, severity, 0, severities, NULL),
	FIELD(struct exposure_part, count, 0),
	FIELD(struct exposure_part, points, 0),
	FIELD_END_OF("DashboardPart"),
};

struct exposure {
	int64_t score, previous, version;
	struct list parts;
};

static const struct field exposure_out[] = {
	NUMBER(struct exposure, score, 0, 0, 100, 0),
	NUMBER(struct exposure, previous, 0, 0, 100, 0),
	FIELD(struct exposure, version, 0),
	LIST(struct exposure, parts, 0, struct exposure_part, exposure_part_out, 0, TYPES_MAX),
	FIELD_END_OF("DashboardExposure"),
};

struct mean_open_days {
	struct json overall;
	struct days_by_severity by_severity;
};

static const struct field mean_open_days_out[] = {
	OPTIONAL(struct mean_open_days, overall, FIELD_NUM, NULLABLE, 0, 0),
	OBJECT(struct mean_open_days, by_severity, 0, days_by_severity_out),
	FIELD_END_OF("DashboardOpenDays"),
};

struct by_kind {
	int64_t domain, host, certificate, address;
};

static const struct field by_kind_out[] = {
	FIELD(struct by_kind, domain, 0),
	FIELD(struct by_kind, host, 0),
	FIELD(struct by_kind, certificate, 0),
	FIELD(struct by_kind, address, 0),
	FIELD_END_OF("DashboardKinds"),
};

struct surface {
	int64_t assets, services, new, gone;
	struct by_kind by_kind;
};

static const struct field surface_out[] = {
	FIELD(struct surface, assets, 0),
	FIELD(struct surface, services, 0),
	OBJECT(struct surface, by_kind, 0, by_kind_out),
	FIELD(struct surface, new, 0),
	FIELD(struct surface, gone, 0),
	FIELD_END_OF("DashboardSurface"),
};

struct alert_counts {
	int64_t open, acknowledged, deliveries_failed, silenced_rules;
};

static const struct field alert_counts_out[] = {
	FIELD(struct alert_counts, open, 0),
	FIELD(struct alert_counts, acknowledged, 0),
	FIELD(struct alert_counts, deliveries_failed, 0),
	FIELD(struct alert_counts, silenced_rules, 0),
	FIELD_END_OF("DashboardAlerts"),
};

struct session_counts {
	int64_t queued, starting, running, closing, limit;
};

static const struct field session_counts_out[] = {
	FIELD(struct session_counts, queued, 0),
	FIELD(struct session_counts, starting, 0),
	FIELD(struct session_counts, running, 0),
	FIELD(struct session_counts, closing, 0),
	FIELD(struct session_counts, limit, 0),
	FIELD_END_OF("DashboardSessions"),
};

struct project_exposure {
	struct uuid project_uuid;
	struct str name;
	int64_t score, alerts, assets, sessions;
	struct by_severity open;
};

static const struct field project_exposure_out[] = {
	FIELD(struct project_exposure, project_uuid, 0),
	FIELD(struct project_exposure, name, 0),
	FIELD(struct project_exposure, score, 0),
	OBJECT(struct project_exposure, open, 0, by_severity_out),
	{ .name = "alerts",
	    .type = FIELD_INT,
	    .offset = offsetof(struct project_exposure, alerts),
	    .help = "Open alerts." },
	FIELD(struct project_exposure, assets, 0),
	{ .name = "sessions",
	    .type = FIELD_INT,
	    .offset = offsetof(struct project_exposure, sessions),
	    .help = "Browser sessions that are not over." },
	FIELD_END_OF("DashboardProject"),
};

/* ---- rows ---- */

struct day {
	struct str date;
	bool partial;
	int64_t new, closed, reopened, cleared;
	struct json open;
	int64_t score, assets, services;
};

#define WRITTEN(s, m, table)                                                                       \
	{                                                                                          \
		.name = #m, .type = FIELD_RAW, .item = FIELD_OBJECT, .offset = offsetof(s, m),     \
		.sub = (table)                                                                     \
	}

static const struct field day_row[] = {
	FIELD(struct day, date, 0),
	FIELD(struct day, partial, 0),
	FIELD(struct day, new, 0),
	FIELD(struct day, closed, 0),
	FIELD(struct day, reopened, 0),
	FIELD(struct day, cleared, 0),
	WRITTEN(struct day, open, by_severity_out),
	NUMBER(struct day, score, 0, 0, 100, 0),
	FIELD(struct day, assets, 0),
	FIELD(struct day, services, 0),
	FIELD_END_OF("DashboardDay"),
};

struct days {
	struct list days;
};

static const struct field days_out[] = {
	LIST(struct days, days, 0, struct day, day_row, 0, DAYS_MAX),
	FIELD_END_OF("DashboardDays"),
};

struct top_asset {
	struct uuid asset_uuid;
	struct str kind, name;
	int64_t score;
	struct json open;
};

static const struct field top_asset_row[] = {
	FIELD(struct top_asset, asset_uuid, 0),
	FIELD(struct top_asset, kind, 0),
	FIELD(struct top_asset, name, 0),
	NUMBER(struct top_asset, score, 0, 0, 100, 0),
	WRITTEN(struct top_asset, open, by_severity_out),
	FIELD_END_OF("DashboardAsset"),
};

struct top_assets {
	struct list assets;
};

static const struct field top_assets_out[] = {
	LIST(struct top_assets, assets, 0, struct top_asset, top_asset_row, 0, TOP_MAX),
	FIELD_END_OF("DashboardAssets"),
};

struct counted {
	struct ts as_of;
	struct json findings, change, exposure, mean_open_days, surface, alerts, sessions, projects;
};

static const struct field counted_row[] = {
	FIELD(struct counted, as_of, 0),
	FIELD(struct counted, findings, 0),
	FIELD(struct counted, change, 0),
	FIELD(struct counted, exposure, 0),
	FIELD(struct counted, mean_open_days, 0),
	FIELD(struct counted, surface, 0),
	FIELD(struct counted, alerts, 0),
	FIELD(struct counted, sessions, 0),
	FIELD(struct counted, projects, 0),
	FIELD_END,
};

struct detector_pass {
	struct str name, error;
	struct ts last_pass_at;
};

static const struct field detector_pass_row[] = {
	FIELD(struct detector_pass, name, 0),
	FIELD(struct detector_pass, last_pass_at, NULLABLE),
	FIELD(struct detector_pass, error, NULLABLE),
	FIELD_END_OF("DashboardDetector"),
};

struct dashboard {
	struct counted counted;
	struct str window;
	struct list top_assets, detectors;
	struct usage_quota quota;
};

#define DASHBOARD_MEMBERS                                                                          \
	FIELD(struct dashboard, window, 0),                                                        \
	    { .name = "as_of",                                                                     \
		    .type = FIELD_TS,                                                              \
		    .offset = offsetof(struct dashboard, counted.as_of) },                         \
	    COUNTED(findings, finding_counts_out), COUNTED(change, change_out),                    \
	    COUNTED(exposure, exposure_out), COUNTED(mean_open_days, mean_open_days_out),          \
	    COUNTED(surface, surface_out),                                                         \
	    LIST(                                                                                  \
		struct dashboard, top_assets, 0, struct top_asset, top_asset_row, 0, TOP_DEFAULT), \
	    COUNTED(alerts, alert_counts_out), COUNTED(sessions, session_counts_out),              \
	    LIST(struct dashboard, detectors, 0, struct detector_pass, detector_pass_row, 0,       \
		DETECTORS_MOST),                                                                   \
	    OBJECT(struct dashboard, quota, 0, usage_quota_out)
#define COUNTED(m, table)                                                                          \
	{                                                                                          \
		.name = #m, .type = FIELD_RAW, .item = FIELD_OBJECT,                               \
		.offset = offsetof(struct dashboard, counted.m), .sub = (table)                    \
	}

static const struct field dashboard_out[] = { DASHBOARD_MEMBERS, FIELD_END_OF("Dashboard") };

static const struct field dashboard_of_projects_out[] = { DASHBOARD_MEMBERS,
	{ .name = "projects",
	    .type = FIELD_RAW,
	    .item = FIELD_LIST,
	    .offset = offsetof(struct dashboard, counted.projects),
	    .sub = project_exposure_out,
	    .size = sizeof(struct project_exposure),
	    .hi = PROJECTS_MAX,
	    .help = "The most exposed first." },
	FIELD_END_OF("DashboardOfProjects") };

/* ---- statements: $1 is a project, or the zero UUID for all that the key $2 reaches ---- */

#define PROJECTS                                                                                   \
	"CASE WHEN $1::uuid <> '00000000-0000-0000-0000-000000000000' THEN ARRAY[$1::uuid]"        \
	" ELSE ARRAY(SELECT v.uuid FROM visible_projects($2) AS v) END"

STMT(count_dashboard, counted_row,
    "SELECT as_of, findings, change, exposure, mean_open_days, surface, alerts, sessions,"
    " projects_open AS projects FROM dashboard(" PROJECTS ", $3::bigint::integer)");

STMT_LIST(count_days, struct day, day_row,
    "SELECT date, partial, new, closed, reopened, cleared, open, score, assets, services"
    " FROM dashboard_days(ARRAY[$1::uuid], $2::bigint::integer)");

STMT_LIST(count_top_assets, struct top_asset, top_asset_row,
    "SELECT asset_uuid, kind, name, score, open FROM dashboard_top_assets(" PROJECTS ", $3)");

/* For several projects: the oldest pass, and one error if there is any. */
STMT_LIST(list_detector_passes, struct detector_pass, detector_pass_row,
    "SELECT name, last_pass_at, error FROM detector_passes(" PROJECTS ", $3)");

/* ---- handlers ---- */

static int
get_dashboard(struct req *rq)
{
	const struct usage_args *args = rq->params;
	struct dashboard d = { .window = args->window.n > 0 ? args->window : STR("30d") };
	enum db_rc rc = db_one(rq->db, &count_dashboard, &d.counted, P(rq->project),
	    P(rq->key->uuid), P(usage_days(args)));

	if (rc == DB_OK)
		rc = db_list(rq->db, &count_top_assets, &d.top_assets, P(rq->project),
		    P(rq->key->uuid), P((int64_t)TOP_DEFAULT));
	if (rc == DB_OK)
		rc = db_list(rq->db, &list_detector_passes, &d.detectors, P(rq->project),
		    P(rq->key->uuid), P(detector_names));
	if (rc == DB_OK)
		rc = usage_account_quota(rq, &d.quota);
	if (rc != DB_OK)
		return fail_db(rq, rc);
	return reply(rq, 200, rq->route->wrapper, rq->route->out, &d);
}

static int
list_dashboard_days(struct req *rq)
{
	struct days out;
	enum db_rc rc =
	    db_list(rq->db, &count_days, &out.days, P(rq->project), P(usage_days(rq->params)));

	return rc != DB_OK ? fail_db(rq, rc) : reply(rq, 200, NULL, days_out, &out);
}

struct top_args {
	int64_t limit;
};

static const struct url_param top_params[] = {
	{
	    .field = { .name = "limit",
		.type = FIELD_INT,
		.offset = offsetof(struct top_args, limit),
		.lo = 1,
		.hi = TOP_MAX,
		.def = TOP_DEFAULT,
		.help = "Assets in the answer." },
	},
	URL_PARAM_END,
};

static int
list_top_assets(struct req *rq)
{
	const struct top_args *args = rq->params;
	struct top_assets out;
	enum db_rc rc = db_list(rq->db, &count_top_assets, &out.assets, P(rq->project),
	    P(rq->key->uuid), P(args->limit));

	return rc != DB_OK ? fail_db(rq, rc) : reply(rq, 200, NULL, top_assets_out, &out);
}

#define DASHBOARD_ROW COLUMNS_OF_PROJECT(SCOPE_DASHBOARD_VIEW, ENTITLEMENT_ESI), .tag = "Dashboard"

static const struct route dashboard_routes[] = {
	{
	    ROUTE_AS(GET, PROJECT "/dashboard", "get_project_dashboard", get_dashboard),
	    DASHBOARD_ROW,
	    PARAMS(struct usage_args, usage_params),
	    .out = dashboard_out,
	    .wrapper = "dashboard",
	    .summary = "Get the dashboard of a project",
	    .description =
		"The open findings, the changes of the window, and the exposure score "
		"with its parts: each open or acknowledged finding has the points of its severity "
		"(critical 40, high 15, medium 4, low 1, info 0) times its confidence, and the "
		"score is 100 (1 - e^(-points/200)), so 0 is best. previous is the score when "
		"the window began.",
	},
	{
	    ROUTE(GET, PROJECT "/dashboard/days", list_dashboard_days),
	    DASHBOARD_ROW,
	    PARAMS(struct usage_args, usage_params),
	    .out = days_out,
	    .result = "Exactly the days of the window.",
	    .summary = "List the days of a dashboard",
	    .description = "Each day of the window, oldest first; today is partial. closed: by "
			   "people; cleared: by detectors.",
	},
	{
	    ROUTE_AS(GET, PROJECT "/dashboard/top-assets", "list_top_assets", list_top_assets),
	    DASHBOARD_ROW,
	    PARAMS(struct top_args, top_params),
	    .out = top_assets_out,
	    .result = "At most as many assets as asked for.",
	    .summary = "List the most exposed assets",
	    .description = "The assets whose findings have most points, most exposed first.",
	},
	{
	    ROUTE_AS(GET, "/dashboard", "get_dashboard", get_dashboard),
	    .scope = SCOPE_DASHBOARD_VIEW,
	    .access = ACCESS_ACCOUNT,
	    .meter = METER_QUOTA,
	    .area = AREA_SERVICE,
	    .entitlement = ENTITLEMENT_ESI,
	    PARAMS(struct usage_args, usage_params),
	    .tag = "Dashboard",
	    .out = dashboard_of_projects_out,
	    .wrapper = "dashboard",
	    .summary = "Get the dashboard of all projects",
	    .description =
		"The sums over the projects that the key reaches, and the numbers of each "
		"project.",
	},
	ROUTE_END,
};

ROUTES(155, dashboard);
