/* SPDX-License-Identifier: ISC */
/* Findings and their moves (C-117, C-118, C-780). Imports create and update findings;
   clients move them between the states of tbl/finding_moves.h. A move locks the finding first, so
   that a repeated move is answered like the first. */
#include "config.h"

#include "api/api.h"
#include "resource/finding.h"
#include "wire/values.h"

STMT_LIST(select_finding, struct finding, finding_out,
    "SELECT " FINDING_COLUMNS " FROM finding WHERE project_uuid = $1 AND uuid = $2");

STMT(lock_finding, finding_out,
    "SELECT " FINDING_COLUMNS " FROM finding WHERE project_uuid = $1 AND uuid = $2 FOR UPDATE");

STMT_LIST(list_findings, struct finding, finding_out,
    "SELECT " FINDING_COLUMNS " FROM finding WHERE project_uuid = $1"
    FINDING_STATUS_IS("$5") " AND ($6::text IS NULL OR severity = $6)"
    " AND ($7::text IS NULL OR finding_type = $7)"
    " AND ($8::text IS NULL OR exposure_kind = $8)"
    " AND ($9::uuid IS NULL OR asset_uuid = $9)"
    " AND ($10::uuid IS NULL OR service_uuid = $10)"
    " AND ($11::boolean IS NULL OR finding_is_stale(last_seen_at) = $11::boolean)"
    " AND ($12::uuid IS NULL OR finding_rule(finding_key) = $12)" PAGE_SQL);

/* $3: the event, $4: the member who caused it. Returns no row when the state does not allow the
   event. */
STMT(move_finding, finding_out,
    "UPDATE finding SET status = m.to_status, status_event = m.event,"
    " status_changed_at = now(), status_changed_by_membership_uuid = $4,"
    " resolved_at = CASE m.to_status WHEN 'resolved' THEN now() END,"
    " resolved_by_membership_uuid = CASE m.to_status WHEN 'resolved' THEN $4::uuid END"
    " FROM finding_move m WHERE project_uuid = $1 AND uuid = $2"
    "  AND m.event = $3 AND m.from_status = status RETURNING " FINDING_COLUMNS);

static const struct {
	const char *name, *to;
} events[] = {
#define FINDING_EVENT(id, event, path, end, what) { event, end },
#include "tbl/finding_moves.h"
};

enum move_of_finding {
#define FINDING_EVENT(id, event, path, end, what) EVENT_##id,
#include "tbl/finding_moves.h"
};

/* A move of a finding: lock, compare, update. The states and the moves that they allow are rows of
   the table finding_move, which has those of tbl/finding_moves.h, so no state is named in this
   file.

   The lock comes first. Without it two clients that send one event at the same moment would read
   the same state; the second UPDATE would wait for the first, find no move from the new state, and
   answer a repeated move with a conflict instead of the record. A finding that is in the target
   state already is answered unchanged, so the time and member of the first move stay. */
static int
change_finding(struct req *rq)
{
	struct str event = str_of(events[rq->route->arg].name);
	struct finding f;
	enum db_rc rc = db_one(rq->db, &lock_finding, &f, P(rq->project), P(rq->path[1]));

	if (rc != DB_OK || str_is(f.status, events[rq->route->arg].to))
		return reply_found(rq, rc, ERR_FINDING_NOT_FOUND, &f);
	rc = db_one(
	    rq->db, &move_finding, &f, P(rq->project), P(rq->path[1]), P(event), P(rq->key->owner));
	if (rc == DB_NONE)
		return fail(rq, ERR_FINDING_STATE_CONFLICT);
	return reply_found(rq, rc, ERR_FINDING_NOT_FOUND, &f);
}

/* $3, $4: the position behind which the page begins. $5 rows at most. */
STMT_LIST(list_finding_events, struct finding_event, finding_event_row,
    "SELECT at, event, from_status, to_status, severity, to_json(confidence) AS confidence,"
    " membership_uuid, id"
    " FROM finding_event WHERE project_uuid = $1 AND finding_uuid = $2"
    " AND at <= coalesce($3::timestamptz, 'infinity')"
    " AND ($3::timestamptz IS NULL OR at < $3 OR id < $4::bigint)"
    " ORDER BY at DESC, id DESC LIMIT $5");

/* Events of one transaction have one time, so their numbers order them. */
static int
list_finding_history(struct req *rq)
{
	static const struct page_order by_number = {
		.at = "at", .uuid = "id", .fields = finding_event_row
	};
	const struct page_args *args = rq->params;
	struct page_from from;
	struct finding f;
	struct list rows;
	enum db_rc rc;

	if (page_begin(rq, args, &from) != PASS)
		return FAILED;
	rc = db_one(rq->db, &select_finding, &f, P(rq->project), P(rq->path[1]));
	if (rc == DB_NONE)
		return fail(rq, ERR_FINDING_NOT_FOUND);
	if (rc == DB_OK)
		rc = db_list(rq->db, &list_finding_events, &rows, P(rq->project), P(rq->path[1]),
		    P(from.at), P(page_number(&from)), P(from.want));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	return page_reply_by(rq, args, rows, sizeof(struct finding_event), &by_number);
}

struct finding_args {
	struct page_args page;
	struct str status, severity, finding_type, exposure_kind, stale;
	struct uuid asset_uuid, service_uuid, rule_uuid;
};

static const struct url_param finding_params[] = {
	PAGE_PARAMS(struct finding_args, page),
	FILTER(FIELD_STR, struct finding_args, status, .values = finding_status_filter,
	    .help = "active: open or acknowledged."),
	FILTER(FIELD_STR, struct finding_args, severity, .values = severities),
	FILTER(FIELD_STR, struct finding_args, finding_type, .lo = 1, .hi = LIM_FILTER),
	FILTER(FIELD_STR, struct finding_args, exposure_kind, .lo = 1, .hi = LIM_FILTER),
	FILTER(FIELD_UUID, struct finding_args, asset_uuid),
	FILTER(FIELD_UUID, struct finding_args, service_uuid),
	FILTER(FIELD_STR, struct finding_args, stale, .values = truths,
	    .help = "Whether no data confirmed it in the last 30 days."),
	FILTER(FIELD_UUID, struct finding_args, rule_uuid,
	    .help = "The detection rule that found it."),
	URL_PARAM_END,
};

struct finding_history_args {
	struct page_args page;
};

static const struct url_param finding_history_params[] = {
	PAGE_PARAMS(struct finding_history_args, page),
	URL_PARAM_END,
};

static const enum error get_errors[] = { ERR_FINDING_NOT_FOUND, ERR_UNSET };
static const enum error move_errors[] = { ERR_FINDING_NOT_FOUND, ERR_FINDING_STATE_CONFLICT,
	ERR_UNSET };

#define FINDINGS PROJECT "/esi/findings"
#define FINDING FINDINGS "/{finding_uuid}"
#define FINDING_ROW(need)                                                                          \
	COLUMNS_OF_PROJECT(need, ENTITLEMENT_ESI), .out = finding_out, .tag = "Findings"

static const struct route finding_routes[] = {
	{
	    ROUTE_AS(GET, FINDINGS, "list_findings", page_list),
	    FINDING_ROW(SCOPE_ESI_FINDINGS_VIEW),
	    .st = &list_findings,
	    PARAMS(struct finding_args, finding_params),
	    .list = "findings",
	    .summary = "List findings",
	    .description = "Newest first; every filter must pass.",
	},
	{
	    ROUTE_AS(GET, FINDING, "get_finding", record_one),
	    FINDING_ROW(SCOPE_ESI_FINDINGS_VIEW),
	    .st = &select_finding,
	    .wrapper = "finding",
	    .errors = get_errors,
	    .summary = "Get a finding",
	    .description =
		"updated_at is the time of the last change of the observed data; moves do not "
		"change it.",
	},
	{
	    ROUTE(GET, FINDING "/history", list_finding_history),
	    COLUMNS_OF_PROJECT(SCOPE_ESI_FINDINGS_VIEW, ENTITLEMENT_ESI),
	    .out = finding_event_out,
	    .tag = "Findings",
	    PARAMS(struct finding_history_args, finding_history_params),
	    .list = "events",
	    .errors = get_errors,
	    .summary = "List the history of a finding",
	    .description =
		"Newest first: the discovery of the finding, its moves, and changes of its "
		"severity or confidence. An event without a member was caused by a "
		"producer.",
	},
#define FINDING_EVENT(id, event, path_end, end, what)                                              \
	{                                                                                          \
		ROUTE_AS(POST, FINDING "/" path_end, event "_finding", change_finding),            \
		FINDING_ROW(SCOPE_ESI_FINDINGS_MANAGE),                                            \
		.arg = EVENT_##id,                                                                 \
		.wrapper = "finding",                                                              \
		.errors = move_errors,                                                             \
		.summary = what,                                                                   \
		.description =                                                                     \
		    "Applies to any type. A finding that is " end " already does not change.",     \
	},
#include "tbl/finding_moves.h"
	ROUTE_END,
};

ROUTES(150, finding);
