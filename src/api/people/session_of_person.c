/* SPDX-License-Identifier: ISC */
/* The sign-in of a person: GET and DELETE /auth/session, and sign_in_complete, with which all
   methods end. */
#include "config.h"

#include "api/people/people.h"
#include "daemon/conf.h"

/* ---- GET /auth/session ---- */

struct shown_sign_in {
	struct uuid uuid;
	struct list methods;
	bool strong;
	struct ts created_at, authenticated_at, recent_until, idle_at, expires_at;
};

struct shown_person {
	struct uuid uuid;
	struct str name, email;
	bool has_password, has_totp;
	int64_t passkeys;
};

struct own_organisation {
	struct uuid uuid, membership_uuid;
	struct str name, role, state, sign_in;
};

struct person_session {
	struct shown_sign_in session;
	struct shown_person person;
	struct list organisations;
	struct str csrf_token;
};

static const char *const roles[] = { "owner", "member", NULL };
static const char *const states[] = { "active", "suspended", NULL };
static const char *const sign_in_rules[] = { "any", "strong", NULL };

static const struct field shown_sign_in_out[] = {
	FIELD(struct shown_sign_in, uuid, 0),
	LIST_OF(struct shown_sign_in, methods, 0, struct str, 1, 3),
	FIELD(struct shown_sign_in, strong, 0),
	FIELD(struct shown_sign_in, created_at, 0),
	FIELD(struct shown_sign_in, authenticated_at, 0),
	FIELD(struct shown_sign_in, recent_until, 0),
	FIELD(struct shown_sign_in, idle_at, 0),
	FIELD(struct shown_sign_in, expires_at, 0),
	FIELD_END_OF("PersonSession"),
};

static const struct field shown_person_out[] = {
	FIELD(struct shown_person, uuid, 0),
	FIELD(struct shown_person, name, 0),
	FIELD(struct shown_person, email, 0),
	FIELD(struct shown_person, has_password, 0),
	FIELD(struct shown_person, has_totp, 0),
	FIELD(struct shown_person, passkeys, 0),
	FIELD_END_OF("Person"),
};

static const struct field own_organisation_out[] = {
	FIELD(struct own_organisation, uuid, 0),
	FIELD(struct own_organisation, name, 0),
	ONE_OF(
	    struct own_organisation, role, 0, roles, "The role of the person in the organisation."),
	FIELD(struct own_organisation, membership_uuid, 0),
	ONE_OF(struct own_organisation, state, 0, states, NULL),
	ONE_OF(struct own_organisation, sign_in, 0, sign_in_rules,
	    "strong: the organisation wants a passkey, or a second method."),
	FIELD_END_OF("OwnOrganisation"),
};

const struct field person_session_out[] = {
	OBJECT(struct person_session, session, 0, shown_sign_in_out),
	OBJECT(struct person_session, person, 0, shown_person_out),
	LIST(struct person_session, organisations, 0, struct own_organisation, own_organisation_out,
	    0, LIM_ORGANISATIONS),
	{ .name = "csrf_token",
	    .type = FIELD_STR,
	    .offset = offsetof(struct person_session, csrf_token),
	    .lo = TOKEN_LEN,
	    .hi = TOKEN_LEN,
	    .help = "For the header X-CSRF-Token of every request but GET and HEAD." },
	FIELD_END_OF("SignedIn"),
};

STMT_LIST(list_own_organisations, struct own_organisation, own_organisation_out,
    "SELECT a.uuid, a.name, m.role, m.uuid AS membership_uuid, a.state, a.sign_in"
    " FROM member m JOIN account a ON a.uuid = m.account_uuid"
    " WHERE m.person_uuid = $1 AND m.removed_at IS NULL ORDER BY a.name, a.uuid LIMIT $2");

static struct ts
later(struct ts from, int64_t seconds)
{
	return (struct ts){ from.us + seconds * SECOND_US };
}

int
person_session_reply(struct req *rq, int status)
{
	const struct sign_in *s = rq->sign_in;
	struct person_session answer = {
		.session = { .uuid = s->uuid,
		    .methods = s->methods,
		    .strong = s->strong,
		    .created_at = s->created_at,
		    .authenticated_at = s->authenticated_at,
		    .recent_until = later(s->authenticated_at, conf.sign_in_recent),
		    .idle_at = later(s->seen_at, conf.sign_in_idle),
		    .expires_at = s->expires_at },
		.person = { .uuid = s->person_uuid,
		    .name = s->name,
		    .email = s->email,
		    .has_password = s->has_password,
		    .has_totp = s->has_totp,
		    .passkeys = s->passkeys },
		.csrf_token = csrf_token(rq, &s->uuid),
	};
	enum db_rc rc = db_list(rq->db, &list_own_organisations, &answer.organisations,
	    P(s->person_uuid), P((int64_t)LIM_ORGANISATIONS));

	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (answer.csrf_token.p == NULL)
		return fail(rq, ERR_SERVICE_UNAVAILABLE);
	return reply(rq, status, NULL, person_session_out, &answer);
}

static int
get_person_session(struct req *rq)
{
	return person_session_reply(rq, 200);
}

/* ---- a sign-in begins ---- */

int
sign_in_refuse(struct req *rq, const char *why)
{
	struct str address = env_get(rq, "REMOTE_ADDR");

	log_event(LOGP_NOTICE, "sign_in refused", "req=%s address=%.*s why=%s", rq->id,
	    (int)address.n, address.p, why);
	return fail(rq, ERR_SIGN_IN_FAILED);
}

/* Returns the address of the client. A client of a Unix socket has none. */
static struct str
client_address(const struct req *rq)
{
	struct ipnet net;

	if (!ipnet_parse_address(env_get(rq, "REMOTE_ADDR"), &net))
		return STR("::");
	return ipnet_text(rq->arena, &net);
}

/* Returns the header User-Agent, which the person's list of sign-ins shows. */
static struct str
client_agent(const struct req *rq)
{
	struct str agent = env_get(rq, "SIGN_IN_AGENT");

	if (agent.p == NULL)
		return STR("");
	agent.n = str_utf8_bad(agent);
	return str_cut(agent, LIM_AGENT);
}

int
sign_in_complete(struct req *rq, const struct proved *p)
{
	struct sign_in_new wanted = { .person = p->person,
		.password = p->password,
		.methods = p->methods,
		.strong = p->strong,
		.address = client_address(rq),
		.agent = client_agent(rq) };
	struct sign_in *s = ARENA_NEW(rq->arena, struct sign_in);
	struct token token;
	enum db_rc rc;

	if (rq->sign_in != NULL)
		wanted.former = rq->sign_in->uuid;
	token_make(&token);
	rc = sign_in_begin(rq->db, &wanted, &token);
	if (rc == DB_NONE)
		return sign_in_refuse(rq, "disabled");
	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (sign_in_find(rq->db, (struct secret){ str_of(token.text) }, s) != SIGN_IN_LIVE)
		return fail(rq, ERR_SERVICE_UNAVAILABLE);
	rq->sign_in = s;
	cookie_set(rq, &token, s->expires_at);
	return person_session_reply(rq, 201);
}

/* ---- DELETE /auth/session ---- */

const struct field ended_sign_in_out[] = {
	FIELD(struct ended_sign_in, uuid, 0),
	FIELD_END_OF("EndedSignIn"),
};

static int
end_person_session(struct req *rq)
{
	struct ended_sign_in ended = { rq->sign_in->uuid };
	enum db_rc rc =
	    sign_in_end(rq->db, &rq->sign_in->person_uuid, &ended.uuid, STR("signed_out"));

	if (rc != DB_OK && rc != DB_NONE) /* DB_NONE: another request has ended it */
		return fail_db(rq, rc);
	cookie_set(rq, NULL, TS_NULL);
	return reply(rq, 200, rq->route->wrapper, ended_sign_in_out, &ended);
}

static const struct route person_session_routes[] = {
	{
	    ROUTE(GET, "/auth/session", get_person_session),
	    COLUMNS_OF_PERSON,
	    .out = person_session_out,
	    .result = "The person who is signed in.",
	    .summary = "Get who is signed in",
	    .description = "The sign-in of the cookie, its person, the organisations that the "
			   "person is a member of, and the token that changes need.",
	},
	{
	    ROUTE(DELETE, "/auth/session", end_person_session),
	    COLUMNS_OF_PERSON,
	    .out = ended_sign_in_out,
	    .wrapper = "sign_in",
	    .summary = "Sign out",
	    .description = "The cookie stops working on every host with the next request.",
	},
	ROUTE_END,
};

ROUTES(301, person_session);
