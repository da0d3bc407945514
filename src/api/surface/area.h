/* SPDX-License-Identifier: ISC */
/* The areas of the external surface: lists of findings of one type, with members of their own.
 *
 *   finding.evidence (jsonb) --> a view (sql/) with typed columns --> AREA_STATEMENTS --> AREA_ROUTES
 *
 * An area is a view over the table finding and a file of this directory (dangling.c is one):
 *
 *   1  a view in a numbered file of sql: project_uuid, AREA_COLUMNS, and a column for each member of
 *      its own, which evidence_text() and its neighbours (sql/functions/triggers.sql) take from the
 *      evidence. They return null for evidence of another form, since a project may import findings
 *      of any type with any evidence
 *   2  struct x, whose first member is struct area_finding, and its field table, which begins with
 *      AREA_MEMBERS(struct x)
 *   3  struct x_args, whose first member is struct area_args, and its parameters, which begin with
 *      AREA_PARAMS; its own filters follow, as $10 and so on
 *   4  AREA_STATEMENTS, AREA_ROUTES and ROUTES
 *
 * Findings of areas are moved by the general operations (finding.c). */
#ifndef API_SURFACE_AREA_H
#define API_SURFACE_AREA_H

#include "api/api.h"

/* The members that every area has. */
struct area_finding {
	struct uuid uuid, asset_uuid, service_uuid;
	struct str status, severity, title, kind;
	struct json confidence;
	bool stale;
	struct ts created_at, first_seen_at, last_seen_at;
};

/* The columns that AREA_MEMBERS describes. Each view has a column kind. */
#define AREA_COLUMNS                                                                               \
	"uuid, status, severity, to_json(confidence) AS confidence,"                               \
	" finding_is_stale(last_seen_at) AS stale, title, created_at, first_seen_at,"              \
	" last_seen_at, asset_uuid, service_uuid, kind"

/* clang-format off */
#define AREA_MEMBER(s, m, kind_of, ...)                                                            \
	{ .name = #m, .type = (kind_of), .offset = offsetof(s, area.m), __VA_ARGS__ }
#define AREA_MEMBERS(s, about_kind)                                                                \
	AREA_MEMBER(s, uuid, FIELD_UUID, .help = NULL),                                            \
	AREA_MEMBER(s, status, FIELD_STR, .values = finding_statuses),                             \
	AREA_MEMBER(s, severity, FIELD_STR, .values = severities),                                 \
	AREA_MEMBER(s, confidence, FIELD_RAW, .item = FIELD_NUM, .flags = NULLABLE, .hi = 1),      \
	AREA_MEMBER(s, stale, FIELD_BOOL, .help = "Not seen for 30 days."),                        \
	AREA_MEMBER(s, title, FIELD_STR, .help = NULL),                                            \
	AREA_MEMBER(s, created_at, FIELD_TS, .help = NULL),                                        \
	AREA_MEMBER(s, first_seen_at, FIELD_TS, .help = NULL),                                     \
	AREA_MEMBER(s, last_seen_at, FIELD_TS, .help = NULL),                                      \
	AREA_MEMBER(s, asset_uuid, FIELD_UUID, .flags = NULLABLE),                                 \
	AREA_MEMBER(s, service_uuid, FIELD_UUID, .flags = NULLABLE),                               \
	AREA_MEMBER(s, kind, FIELD_STR, .flags = NULLABLE, .help = (about_kind))

/* A text of the evidence, or null. */
#define AREA_TEXT(s, m, about)                                                                     \
	{ .name = #m, .type = FIELD_STR, .flags = NULLABLE, .offset = offsetof(s, m), .help = (about) }
/* A number or a truth value of the evidence, as a column of the type json. */
#define AREA_VALUE(s, m, kind_of, about)                                                           \
	{ .name = #m, .type = FIELD_RAW, .item = (kind_of), .flags = NULLABLE,                     \
	  .offset = offsetof(s, m), .help = (about) }
/* A list of objects, as evidence_objects() writes it. */
#define AREA_LIST(s, m, most, table, about)                                                        \
	{ .name = #m, .type = FIELD_RAW, .item = FIELD_LIST, .offset = offsetof(s, m),             \
	  .hi = (most), .sub = (table), .help = (about) }

/* The filters that every area has. */
struct area_args {
	struct page_args page;
	struct str status, severity, kind, stale;
	struct uuid asset_uuid;
};

#define AREA_FILTER(t, m, kind_of, ...)                                                            \
	{ .field = { .name = #m, .type = (kind_of), .offset = offsetof(t, area.m), __VA_ARGS__ } }
/* kinds: the values of the filter kind, ended by NULL; NULL instead of a list: any text. */
#define AREA_PARAMS(t, kinds)                                                                      \
	PAGE_PARAMS(t, area.page),                                                                 \
	AREA_FILTER(t, status, FIELD_STR, .values = finding_status_filter),                        \
	AREA_FILTER(t, severity, FIELD_STR, .values = severities),                                 \
	AREA_FILTER(t, kind, FIELD_STR, .lo = 1, .hi = LIM_FILTER, .values = (kinds)),             \
	AREA_FILTER(t, stale, FIELD_STR, .values = truths,                                         \
	    .help = "Whether no data confirmed it in the last 30 days."),                              \
	AREA_FILTER(t, asset_uuid, FIELD_UUID, .help = NULL)

/* The two statements of an area. view: the view, with which the names of the statements end;
   columns: the columns of the area's own members in the order of the field table; filters:
   conditions on the area's own parameters from $10 on, each with AND. */
#define AREA_STATEMENTS(view, type, fields, columns, filters)                                      \
	STMT_LIST(select_##view, type, fields,                                                     \
	    "SELECT " AREA_COLUMNS ", " columns " FROM " #view                                     \
	    " WHERE project_uuid = $1 AND uuid = $2");                                             \
	STMT_LIST(list_##view, type, fields,                                                       \
	    "SELECT " AREA_COLUMNS ", " columns " FROM " #view " WHERE project_uuid = $1"          \
	    FINDING_STATUS_IS("$5") " AND ($6::text IS NULL OR severity = $6)"                     \
	    " AND ($7::text IS NULL OR kind = $7)"                                                 \
	    " AND ($8::boolean IS NULL OR finding_is_stale(last_seen_at) = $8::boolean)"           \
	    " AND ($9::uuid IS NULL OR asset_uuid = $9)" filters PAGE_SQL)

/* The two routes of an area. view: as above; part: the segment of the path; thing: the plural of
   the records, for the texts of openapi.json. The tables are view_out and view_params. */
#define AREA_ROUTES(view, part, type_of_args, label, thing)                                        \
	{                                                                                          \
	    ROUTE_AS(GET, PROJECT "/esi/" part, "list_" #view, page_list),                         \
	    COLUMNS_OF_PROJECT(SCOPE_ESI_FINDINGS_VIEW, ENTITLEMENT_ESI),                          \
	    .tag = (label),                                                                        \
	    .out = view##_out,                                                                     \
	    .st = &list_##view,                                                                    \
	    PARAMS(type_of_args, view##_params),                                                   \
	    .list = "findings",                                                                    \
	    .summary = "List " thing,                                                              \
	    .description = "Newest first; every filter must pass.",                                \
	},                                                                                         \
	{                                                                                          \
	    ROUTE_AS(GET, PROJECT "/esi/" part "/{finding_uuid}", "get_" #view, record_one),       \
	    COLUMNS_OF_PROJECT(SCOPE_ESI_FINDINGS_VIEW, ENTITLEMENT_ESI),                          \
	    .tag = (label),                                                                        \
	    .out = view##_out,                                                                     \
	    .st = &select_##view,                                                                  \
	    .wrapper = "finding",                                                                  \
	    .errors = area_errors,                                                                 \
	    .summary = "Get one of the " thing,                                                    \
	    .description = "The finding of the same UUID, with the members of this area.",         \
	}
/* clang-format on */

static const enum error area_errors[] = { ERR_FINDING_NOT_FOUND, ERR_UNSET };

#endif
