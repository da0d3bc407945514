/* SPDX-License-Identifier: ISC */
/* The inbox: the alerts that rules raised, and their moves from open to acknowledged and closed.
   surfaced-alert raises them; tbl/alert_moves.h has the moves. A move locks the alert first: a
   repeated move is answered like the first, and a move that the present state does not allow is a
   conflict. */
#include "config.h"

#include "api/api.h"
#include "resource/alert.h"
#include "wire/values.h"

STMT_LIST(select_alert, struct alert, alert_out,
    "SELECT " ALERT_COLUMNS " FROM alert WHERE project_uuid = $1 AND uuid = $2");

STMT(lock_alert, alert_out,
    "SELECT " ALERT_COLUMNS " FROM alert WHERE project_uuid = $1 AND uuid = $2 FOR UPDATE");

STMT_LIST(list_alerts, struct alert, alert_out,
    "SELECT " ALERT_COLUMNS " FROM alert WHERE project_uuid = $1"
    " AND ($5::text IS NULL OR state = $5) AND ($6::uuid IS NULL OR rule_uuid = $6)"
    " AND ($7::text IS NULL OR severity = $7)"
    " AND ($8::text IS NULL OR source = $8)" PAGE_SQL);

/* $3: the event, $4: the member who caused it. Returns no row when the state does not allow the
   event. */
STMT(move_alert, alert_out,
    "UPDATE alert SET state = m.to_state, state_event = m.event, updated_at = now(),"
    " acknowledged_at = CASE m.to_state WHEN 'acknowledged' THEN now()"
    "  WHEN 'closed' THEN acknowledged_at END,"
    " acknowledged_by_membership_uuid = CASE m.to_state WHEN 'acknowledged' THEN $4"
    "  WHEN 'closed' THEN acknowledged_by_membership_uuid END,"
    " closed_at = CASE m.to_state WHEN 'closed' THEN now() END,"
    " closed_by_membership_uuid = CASE m.to_state WHEN 'closed' THEN $4::uuid END"
    " FROM alert_move m WHERE project_uuid = $1 AND uuid = $2"
    "  AND m.event = $3 AND m.from_state = state RETURNING " ALERT_COLUMNS);

static const struct {
	const char *name, *to;
} events[] = {
#define ALERT_EVENT(id, event, end) { event, end },
#include "tbl/alert_moves.h"
};

enum alert_event {
#define ALERT_EVENT(id, event, end) EVENT_##id,
#include "tbl/alert_moves.h"
};

/* A move of an alert. The moves are rows of the table alert_move, which has those of
   tbl/alert_moves.h:

     lock the alert                    its state cannot change before the transaction ends
     the target state is reached       its record: a client that repeats a request gets the same answer
     a row (event, state) exists       the move is made
     no row                            alert_state_conflict

   A conflict also comes from the index that allows one alert of an object and rule which is not
   closed. */
static int
change_alert(struct req *rq)
{
	struct str event = str_of(events[rq->route->arg].name);
	struct alert a;
	enum db_rc rc = db_one(rq->db, &lock_alert, &a, P(rq->project), P(rq->path[1]));

	if (rc != DB_OK || str_is(a.state, events[rq->route->arg].to))
		return reply_found(rq, rc, ERR_ALERT_NOT_FOUND, &a);
	rc = db_one(
	    rq->db, &move_alert, &a, P(rq->project), P(rq->path[1]), P(event), P(rq->key->owner));
	/* DB_CONFLICT: the rule has raised a newer alert of the same finding or service since. */
	if (rc == DB_NONE || rc == DB_CONFLICT)
		return fail(rq, ERR_ALERT_STATE_CONFLICT);
	return reply_found(rq, rc, ERR_ALERT_NOT_FOUND, &a);
}

struct alert_args {
	struct page_args page;
	struct str state, severity, source;
	struct uuid rule_uuid;
};

static const struct url_param alert_params[] = {
	PAGE_PARAMS(struct alert_args, page),
	FILTER(FIELD_STR, struct alert_args, state, .values = alert_states),
	FILTER(FIELD_UUID, struct alert_args, rule_uuid),
	FILTER(FIELD_STR, struct alert_args, severity, .values = severities),
	FILTER(FIELD_STR, struct alert_args, source, .values = alert_sources),
	URL_PARAM_END,
};

static const enum error get_errors[] = { ERR_ALERT_NOT_FOUND, ERR_UNSET };
static const enum error move_errors[] = { ERR_ALERT_NOT_FOUND, ERR_ALERT_STATE_CONFLICT,
	ERR_UNSET };

#define ALERTS PROJECT "/alerting/alerts"
#define ALERT ALERTS "/{alert_uuid}"
#define ALERT_ROW(need)                                                                            \
	COLUMNS_OF_PROJECT(need, ENTITLEMENT_ALERTING), .out = alert_out, .tag = "Alerts"

static const struct route alert_routes[] = {
	{
	    ROUTE_AS(GET, ALERTS, "list_alerts", page_list),
	    ALERT_ROW(SCOPE_ALERTS_RULES_VIEW),
	    .st = &list_alerts,
	    PARAMS(struct alert_args, alert_params),
	    .list = "alerts",
	    .summary = "List alerts",
	    .description = "The inbox, newest first.",
	},
	{
	    ROUTE_AS(GET, ALERT, "get_alert", record_one),
	    ALERT_ROW(SCOPE_ALERTS_RULES_VIEW),
	    .st = &select_alert,
	    .wrapper = "alert",
	    .errors = get_errors,
	    .summary = "Get an alert",
	    .description = "source_uuid is the finding or service.",
	},
#define ALERT_EVENT(id, event, end)                                                                \
	{                                                                                          \
		ROUTE_AS(POST, ALERT "/" event, event "_alert", change_alert),                     \
		ALERT_ROW(SCOPE_ALERTS_RULES_MANAGE),                                              \
		.arg = EVENT_##id,                                                                 \
		.wrapper = "alert",                                                                \
		.errors = move_errors,                                                             \
		.summary = "Make an alert " end,                                                   \
		.description = "An alert that is " end " already does not change.",                \
	},
#include "tbl/alert_moves.h"
	ROUTE_END,
};

ROUTES(110, alert);
