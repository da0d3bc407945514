/* SPDX-License-Identifier: ISC */
/* Findings and their moves: SPEC 2.8 and 4.9, CONTRACT A5. Imports create and update findings; clients move them
   between the states of tbl/finding_moves.h. A move locks the finding first, so that a repeated move is answered
   like the first. */
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
    " AND ($5::text IS NULL OR status = $5) AND ($6::text IS NULL OR severity = $6)"
    " AND ($7::text IS NULL OR finding_type = $7)"
    " AND ($8::text IS NULL OR exposure_kind = $8)"
    " AND ($9::uuid IS NULL OR asset_uuid = $9)"
    " AND ($10::uuid IS NULL OR service_uuid = $10)" PAGE_SQL);

/* $3: the event, $4: the member who caused it. Returns no row when the state does not allow the event. */
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

enum finding_event {
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

struct finding_args {
	struct page_args page;
	struct str status, severity, finding_type, exposure_kind;
	struct uuid asset_uuid, service_uuid;
};

static const struct url_param finding_params[] = {
	PAGE_PARAMS(struct finding_args, page),
	FILTER(FIELD_STR, struct finding_args, status, .values = finding_statuses),
	FILTER(FIELD_STR, struct finding_args, severity, .values = severities),
	FILTER(FIELD_STR, struct finding_args, finding_type, .lo = 1, .hi = LIM_FILTER),
	FILTER(FIELD_STR, struct finding_args, exposure_kind, .lo = 1, .hi = LIM_FILTER),
	FILTER(FIELD_UUID, struct finding_args, asset_uuid),
	FILTER(FIELD_UUID, struct finding_args, service_uuid),
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
	    .description = "updated_at is of what was observed; moves leave it.",
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
