/* SPDX-License-Identifier: ISC */
/* The metadata of browser sessions: list, get and close (C-101 to C-103). Clients
   see the members of session_out alone, which reveal no evidence and nothing about hosts or
   processes (C-102). Closing only asks for it: the dispatcher ends the browser, and the state
   follows. */
#include "config.h"

#include "api/sessions/session_priv.h"
#include "wire/values.h"

static const bool state_terminal[] = {
#define STATE(id, name, terminal) (terminal) != 0,
#include "tbl/session_states.h"
};

/* The reason of a session that is closing is not public yet. */
#define COLUMNS SESSION_COLUMNS("CASE WHEN s.state = 'terminal' THEN s.terminal_reason END")

/* The sessions that a key may see: $2 is the key, $3 is true when it manages all sessions of the
   project (C-101). The rule is a part of every statement and not a test after it, so a session that
   a key may not see is like one that does not exist: the answers are equal. Evidence has a stricter
   rule on top (session_own_only): only the key that created the session, and a manager gets 403
   because the manager knows that the session exists. */
#define SEEN " s.project_uuid = $1 AND (s.key_uuid = $2 OR $3)"

STMT(select_session, session_out,
    "SELECT " COLUMNS " FROM browser_session s WHERE" SEEN " AND s.uuid = $4");

STMT_LIST(list_sessions, struct session, session_out,
    "SELECT " COLUMNS " FROM browser_session s WHERE" SEEN " AND ($4::text IS NULL OR s.state = $4)"
    " AND s.created_at <= coalesce($5::timestamptz, 'infinity')"
    " AND (s.created_at < coalesce($5::timestamptz, 'infinity') OR s.uuid > $6)"
    " ORDER BY s.created_at DESC, s.uuid LIMIT $7");

STMT(close_one, session_change_out, "SELECT session_close($1, $2) AS moved");

static bool
manages_sessions(const struct req *rq)
{
	return key_has_scope(rq->key, SCOPE_BROWSER_SESSIONS_MANAGE);
}

bool
session_is_terminal(const struct session *s)
{
	for (size_t i = 0; i < COUNT(state_terminal); i++)
		if (str_is(s->state, session_states[i]))
			return state_terminal[i];
	panic("unknown session state %.*s", (int)s->state.n, s->state.p);
}

bool
session_is_own(const struct req *rq, const struct session *s)
{
	return uuid_cmp(&s->creator.uuid, &rq->key->uuid) == 0;
}

enum db_rc
session_find(struct req *rq, struct uuid uuid, struct session *out)
{
	return db_one(rq->db, &select_session, out, P(rq->project), P(rq->key->uuid),
	    P(manages_sessions(rq)), P(uuid));
}

int
session_own_only(struct req *rq, struct session *out)
{
	enum db_rc rc = session_find(rq, rq->path[1], out);

	if (rc == DB_NONE)
		return fail(rq, ERR_SESSION_NOT_FOUND);
	if (rc != DB_OK)
		return fail_db(rq, rc);
	return session_is_own(rq, out) ? PASS : fail(rq, ERR_PERMISSION_DENIED);
}

int
session_evidence(struct req *rq, struct session *out)
{
	struct audit line = { .action = STR("session.evidence_view"),
		.subject = STR("session"),
		.subject_id = arena_uuid(rq->arena, &rq->path[1]),
		.project = rq->project,
		.request_id = str_of(rq->id),
		.address = env_get(rq, "REMOTE_ADDR") };
	enum db_rc rc;

	if (session_own_only(rq, out) != PASS)
		return FAILED;
	rc = audit_note_hourly(rq->db, rq->key->uuid, &line);
	return rc == DB_OK ? PASS : fail_db(rq, rc);
}

static int
get_session(struct req *rq)
{
	struct session s;
	enum db_rc rc = session_find(rq, rq->path[1], &s);

	return reply_found(rq, rc, ERR_SESSION_NOT_FOUND, &s);
}

/* Closing a session again, or after its end, changes nothing and answers the record (C-103). */
static int
close_session(struct req *rq)
{
	struct session s;
	struct session_change done;
	enum db_rc rc = session_find(rq, rq->path[1], &s);

	if (rc == DB_OK && !session_is_terminal(&s)) {
		rc = db_one(rq->db, &close_one, &done, P(s.uuid), P(session_is_own(rq, &s)));
		if (rc == DB_OK)
			rc = session_find(rq, rq->path[1], &s);
	}
	if (rc == DB_NONE)
		return fail(rq, ERR_SESSION_NOT_FOUND);
	if (rc != DB_OK)
		return fail_db(rq, rc);
	return reply(rq, session_is_terminal(&s) ? rq->route->done_status : rq->route->status,
	    rq->route->wrapper, session_out, &s);
}

struct session_args {
	struct page_args page;
	struct str state, own;
};

static const struct url_param session_params[] = {
	PAGE_PARAMS(struct session_args, page),
	FILTER(FIELD_STR, struct session_args, state, .values = session_states),
	FILTER(FIELD_STR, struct session_args, own, .values = truths,
	    .help = "true: only those that the caller created."),
	URL_PARAM_END,
};

static int
list_browser_sessions(struct req *rq)
{
	const struct session_args *args = rq->params;
	struct page_from from;
	struct list rows;
	enum db_rc rc;

	if (page_begin(rq, &args->page, &from) != PASS)
		return FAILED;
	rc = db_list(rq->db, &list_sessions, &rows, P(rq->project), P(rq->key->uuid),
	    P(manages_sessions(rq) && !str_is(args->own, "true")), P(args->state), PAGE_P(from));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	return page_reply(rq, &args->page, rows, sizeof(struct session));
}

static const enum error one_errors[] = { ERR_SESSION_NOT_FOUND, ERR_UNSET };

static const struct route session_routes[] = {
	{
	    ROUTE_AS(GET, SESSIONS, "list_sessions", list_browser_sessions),
	    SESSION_ROW(SCOPE_BROWSER_SESSIONS_VIEW),
	    .also = SCOPE_BIT(BROWSER_SESSIONS_MANAGE),
	    .meter = METER_QUOTA,
	    PARAMS(struct session_args, session_params),
	    .out = session_out,
	    .list = "sessions",
	    .summary = "List browser sessions",
	    .description = "The sessions that this key created, newest first; with "
			   "browser.sessions.manage, all sessions of the project.",
	},
	{
	    ROUTE(GET, SESSION, get_session),
	    SESSION_ROW(SCOPE_BROWSER_SESSIONS_VIEW),
	    .also = SCOPE_BIT(BROWSER_SESSIONS_MANAGE),
	    .meter = METER_QUOTA,
	    .out = session_out,
	    .wrapper = "session",
	    .errors = one_errors,
	    .summary = "Get a browser session",
	    .description =
		"The metadata of the session, for the key that created it and for keys with "
		"browser.sessions.manage.",
	},
	{
	    ROUTE(DELETE, SESSION, close_session),
	    SESSION_ROW(SCOPE_BROWSER_SESSIONS_CREATE),
	    .also = SCOPE_BIT(BROWSER_SESSIONS_MANAGE),
	    .meter = METER_RATE,
	    .status = 202,
	    .done_status = 200,
	    .out = session_out,
	    .wrapper = "session",
	    .errors = one_errors,
	    .summary = "Close a browser session",
	    .description =
		"The answer is 202 while the session is closing, and 200 once its state is "
		"terminal; closing it again changes nothing. The creator may close it, and so "
		"may a key with browser.sessions.manage. Quotas do not delay it.",
	},
	ROUTE_END,
};

ROUTES(170, session);
