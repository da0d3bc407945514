/* SPDX-License-Identifier: ISC */
/* Tickets of the live stream: CONTRACT A4, C-100, C-101. A ticket is a signed token that a client offers to
   surfaced-stream as a WebSocket subprotocol. The signature proves who issued it; its row in the database makes
   it good for one connection. */
#include "config.h"

#include "api/session_priv.h"

struct issue_outcome {
	struct str outcome;
};

static const struct field issue_outcome_out[] = {
	FIELD(struct issue_outcome, outcome, 0),
	FIELD_END,
};

STMT(issue, issue_outcome_out, "SELECT stream_issue($1, $2, $3, $4::integer) AS outcome");

struct stream_ticket {
	struct str subprotocol;
	struct ts expires_at;
};

static const struct field ticket_out[] = {
	{ .name = "subprotocol",
	    .type = FIELD_STR,
	    .offset = offsetof(struct stream_ticket, subprotocol),
	    .lo = 1,
	    .hi = LIM_STREAM_TICKET,
	    .help = "The one value of Sec-WebSocket-Protocol; good for one upgrade." },
	FIELD(struct stream_ticket, expires_at, 0),
	FIELD_END_OF("StreamTicket"),
};

/* Stores the ticket and signs it. When the transaction does not commit, the signed ticket has no
   row and is refused. The two parts have different duties:

     signature    project, session, key, expiry: surfaced-stream refuses forgeries without the database
     row          used_at: the first connection sets it, any further one is refused (C-100, C-101)

   stream_issue tests the state of the session in the same transaction: queued and starting sessions
   are not ready, and closing ones count as terminal. Location names the path that the ticket is
   for. */
static int
issue_ticket(struct req *rq, const struct ticket_keys *keys, const struct session *s)
{
	struct ticket t = { .jti = uuid_random(),
		.project = s->project_uuid,
		.session = s->uuid,
		.key = rq->key->uuid };
	struct stream_ticket out;
	struct issue_outcome row;
	enum db_rc rc = db_one(rq->db, &issue, &row, P(t.jti), P(t.session), P(t.key),
	    P((int64_t)LIM_STREAM_TICKET_LIFE));

	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (!str_is(row.outcome, "ok"))
		return fail(rq,
		    str_is(row.outcome, "terminal") ? ERR_SESSION_TERMINAL : ERR_SESSION_NOT_READY);
	t.expires_at.us = (rq->now.us / SECOND_US + LIM_STREAM_TICKET_LIFE) * SECOND_US;
	out.subprotocol = ticket_seal(rq->arena, keys, &t, rq->now).hidden;
	out.expires_at = t.expires_at;
	rq->location = arena_printf(rq->arena, "/projects/%s/sessions/%s/stream",
	    uuid_text(&t.project).z, uuid_text(&t.session).z)
			   .p;
	return reply(rq, rq->route->status, rq->route->wrapper, ticket_out, &out);
}

static int
create_stream_ticket(struct req *rq)
{
	const struct ticket_keys *keys;
	struct session s;
	char err[256];
	enum db_rc rc = session_find(rq, rq->path[1], &s);

	if (rc == DB_NONE)
		return fail(rq, ERR_SESSION_NOT_FOUND);
	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (!session_is_own(rq, &s))
		return fail(rq, ERR_PERMISSION_DENIED);
	keys = ticket_ring_keys(rq->worker->tickets, err, sizeof(err));
	if (keys == NULL) {
		log_event(LOGP_ERR, "stream_keys", "why=\"%s\"", err);
		return fail(rq, ERR_SERVICE_UNAVAILABLE);
	}
	return issue_ticket(rq, keys, &s);
}

static const enum error ticket_errors[] = { ERR_SESSION_NOT_FOUND, ERR_SESSION_NOT_READY,
	ERR_SESSION_TERMINAL, ERR_UNSET };

static const struct route ticket_routes[] = {
	{
	    ROUTE(POST, SESSION "/stream-ticket", create_stream_ticket),
	    SESSION_ROW(SCOPE_BROWSER_SESSIONS_CREATE),
	    .also = SCOPE_BIT(BROWSER_SESSIONS_MANAGE),
	    .meter = METER_QUOTA,
	    .status = 201,
	    .out = ticket_out,
	    .wrapper = "stream_ticket",
	    .errors = ticket_errors,
	    .summary = "Create a stream ticket",
	    .description = "A WebSocket subprotocol for one upgrade of the session's stream, good "
			   "for 30 seconds. For the key that created the session alone.",
	},
	ROUTE_END,
};

ROUTES(180, ticket);
