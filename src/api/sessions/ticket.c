/* SPDX-License-Identifier: ISC */
/* Issues tickets of the live stream and of the evidence (C-100, C-101, C-218, C-746). A
   stream ticket is a signed token that a client offers to surfaced-stream as a WebSocket
   subprotocol. The signature proves that the API issued it; its row in the database makes it valid
   for one connection. */
#include "config.h"

#include "api/sessions/session_priv.h"

struct issue_outcome {
	struct str outcome;
};

static const struct field issue_outcome_out[] = {
	FIELD(struct issue_outcome, outcome, 0),
	FIELD_END,
};

STMT(issue, issue_outcome_out, "SELECT outcome FROM stream_issue_for($1, $2, $3, $4::integer, $5)");

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
	    .help = "The only value of Sec-WebSocket-Protocol; valid for one upgrade." },
	FIELD(struct stream_ticket, expires_at, 0),
	FIELD_END_OF("StreamTicket"),
};

/* Stores the ticket and signs it. When the transaction does not commit, the signed ticket has no
   row and is refused. Signature and row serve different purposes:

     signature    project, session, key, expiry: surfaced-stream refuses forgeries without the database
     row          used_at: the first connection sets it, any further one is refused (C-100, C-101)

   stream_issue tests the state of the session in the same transaction: queued and starting sessions
   are not ready, and closing ones count as terminal. Location names the path that the ticket is
   for. */
static int
issue_ticket(struct req *rq, const struct signing_keys *keys, const struct session *s)
{
	struct ticket t = { .jti = uuid_random(),
		.project = s->project_uuid,
		.session = s->uuid,
		.key = rq->key->uuid,
		.kind = TICKET_STREAM };
	struct stream_ticket out;
	struct issue_outcome row;
	enum db_rc rc = db_one(rq->db, &issue, &row, P(t.jti), P(t.session), P(t.key),
	    P((int64_t)LIM_STREAM_TICKET_LIFE),
	    P(rq->sign_in != NULL ? rq->sign_in->uuid : (struct uuid){ { 0 } }));

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
	const struct signing_keys *keys;
	struct session s;
	enum db_rc rc = session_find(rq, rq->path[1], &s);

	if (rc == DB_NONE)
		return fail(rq, ERR_SESSION_NOT_FOUND);
	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (!session_is_own(rq, &s))
		return fail(rq, ERR_PERMISSION_DENIED);
	keys = signing_ring_now(rq->worker->tickets);
	return keys == NULL ? fail(rq, ERR_SERVICE_UNAVAILABLE) : issue_ticket(rq, keys, &s);
}

/* ---- of the evidence ---- */

struct evidence_ticket {
	struct str token;
	struct ts expires_at;
	struct str viewer_url;
};

static const struct field evidence_ticket_out[] = {
	{ .name = "token",
	    .type = FIELD_STR,
	    .offset = offsetof(struct evidence_ticket, token),
	    .lo = 1,
	    .hi = LIM_EVIDENCE_TICKET,
	    .help = "The value of X-Evidence-Ticket, valid for the evidence of this session." },
	FIELD(struct evidence_ticket, expires_at, 0),
	{ .name = "viewer_url",
	    .type = FIELD_STR,
	    .offset = offsetof(struct evidence_ticket, viewer_url),
	    .lo = 1,
	    .hi = 1024,
	    .help = "The page that plays the session back, below the API's own host; the ticket "
		    "is in its fragment, which browsers do not send." },
	FIELD_END_OF("EvidenceTicket"),
};

/* An evidence ticket has no row. Each use reads the rights of its key and the sign-in of its person
   (auth_by_ticket in http/auth.c), so revoking the key or its rights, or signing out, ends it. */
static int
create_evidence_ticket(struct req *rq)
{
	const struct signing_keys *keys = signing_ring_now(rq->worker->tickets);
	struct ticket t = { .jti = uuid_random(), .key = rq->key->uuid, .kind = TICKET_EVIDENCE };
	struct evidence_ticket out;
	struct session s;

	if (session_own_only(rq, &s) != PASS)
		return FAILED;
	if (keys == NULL)
		return fail(rq, ERR_SERVICE_UNAVAILABLE);
	t.project = s.project_uuid;
	t.session = s.uuid;
	if (rq->sign_in != NULL)
		t.sign_in = rq->sign_in->uuid;
	t.expires_at.us = (rq->now.us / SECOND_US + LIM_EVIDENCE_TICKET_LIFE) * SECOND_US;
	out.token = ticket_seal(rq->arena, keys, &t, rq->now).hidden;
	out.expires_at = t.expires_at;
	out.viewer_url = arena_printf(rq->arena, "/viewer/play.html#%s/%s/%s",
	    uuid_text(&t.project).z, uuid_text(&t.session).z, out.token.p);
	rq->location = arena_printf(rq->arena, "/projects/%s/sessions/%s/timeline",
	    uuid_text(&t.project).z, uuid_text(&t.session).z)
			   .p;
	return reply(rq, rq->route->status, rq->route->wrapper, evidence_ticket_out, &out);
}

static const enum error evidence_errors[] = { ERR_SESSION_NOT_FOUND, ERR_UNSET };
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
	{
	    ROUTE(POST, SESSION "/evidence-ticket", create_evidence_ticket),
	    SESSION_ROW(SCOPE_BROWSER_SESSIONS_VIEW),
	    .meter = METER_RATE,
	    .status = 201,
	    .out = evidence_ticket_out,
	    .wrapper = "evidence_ticket",
	    .errors = evidence_errors,
	    .summary = "Create an evidence ticket",
	    .description =
		"A token for the header X-Evidence-Ticket, which for 15 minutes reads the "
		"timeline, the screenshots and the network events of this session instead "
		"of a key. For the key that created the session alone; it ends with any "
		"right of that key, and a person's with their sign-in.",
	},
	ROUTE_END,
};

ROUTES(180, ticket);
