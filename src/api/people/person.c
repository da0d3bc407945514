/* SPDX-License-Identifier: ISC */
/* Operations of a person on their own name, e-mail, password and sign-ins (C-309). A new password
   ends every other sign-in, so that somebody who knew the old one is signed out. */
#include "config.h"

#include "api/people/people.h"
#include "daemon/conf.h"

/* ---- GET /auth/sign-ins, DELETE /auth/sign-ins/{uuid} ---- */

struct own_sign_in {
	struct uuid uuid;
	bool current;
	struct list methods;
	struct str address, agent;
	struct ts created_at, seen_at;
};

struct own_sign_ins {
	struct list sign_ins;
};

static const struct field own_sign_in_out[] = {
	FIELD(struct own_sign_in, uuid, 0),
	{ .name = "current",
	    .type = FIELD_BOOL,
	    .offset = offsetof(struct own_sign_in, current),
	    .help = "Whether it is the sign-in of this request." },
	LIST_OF(struct own_sign_in, methods, 0, struct str, 1, 3),
	FIELD(struct own_sign_in, address, 0),
	FIELD(struct own_sign_in, agent, 0),
	FIELD(struct own_sign_in, created_at, 0),
	FIELD(struct own_sign_in, seen_at, 0),
	FIELD_END_OF("OwnSignIn"),
};

static const struct field own_sign_ins_out[] = {
	LIST(
	    struct own_sign_ins, sign_ins, 0, struct own_sign_in, own_sign_in_out, 0, LIM_SIGN_INS),
	FIELD_END_OF("OwnSignIns"),
};

STMT_LIST(list_own_sign_ins, struct own_sign_in, own_sign_in_out,
    "SELECT uuid, uuid = $2 AS current, methods, host(address) AS address, agent, created_at,"
    " seen_at FROM sign_in WHERE person_uuid = $1 AND ended_at IS NULL AND expires_at > now()"
    " AND seen_at + make_interval(secs => $3::bigint) > now()"
    " ORDER BY seen_at DESC, uuid LIMIT $4");

static int
list_sign_ins(struct req *rq)
{
	struct own_sign_ins answer;
	enum db_rc rc =
	    db_list(rq->db, &list_own_sign_ins, &answer.sign_ins, P(rq->sign_in->person_uuid),
		P(rq->sign_in->uuid), P(conf.sign_in_idle), P((int64_t)LIM_SIGN_INS));

	return rc == DB_OK ? reply(rq, 200, NULL, own_sign_ins_out, &answer) : fail_db(rq, rc);
}

static int
end_own_sign_in(struct req *rq)
{
	struct ended_sign_in ended = { rq->path[0] };
	bool current = uuid_cmp(&ended.uuid, &rq->sign_in->uuid) == 0;
	enum db_rc rc = sign_in_end(rq->db, &rq->sign_in->person_uuid, &ended.uuid,
	    current ? STR("signed_out") : STR("ended"));

	if (rc == DB_NONE)
		return fail(rq, ERR_SIGN_IN_NOT_FOUND);
	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (current)
		cookie_set(rq, NULL, TS_NULL);
	return reply(rq, 200, rq->route->wrapper, ended_sign_in_out, &ended);
}

/* ---- PUT /auth/person ---- */

struct person_in {
	struct str name, email;
};

static const struct field person_in_fields[] = {
	TEXT(struct person_in, name, REQUIRED | TRIM, 1, LIM_NAME),
	TEXT(struct person_in, email, REQUIRED | TRIM, 1, LIM_EMAIL),
	FIELD_END,
};

void
check_name(struct str name, struct body_faults *faults)
{
	if (name.p != NULL && !name_visible(name))
		body_fault(faults, "name", "invalid_format", "must be visible characters");
}

static int
check_person(struct req *rq, void *body, struct body_faults *faults)
{
	const struct person_in *in = body;

	(void)rq;
	check_name(in->name, faults);
	if (in->email.p != NULL && !email_valid(in->email))
		body_fault(faults, "email", "invalid_format", "must be an e-mail address");
	return PASS;
}

struct person_change {
	struct str outcome;
};

static const struct field person_change_out[] = { FIELD(struct person_change, outcome, 0),
	FIELD_END };

STMT(set_person, person_change_out, "SELECT person_set($1, $2, $3, $4) AS outcome");
struct password_outcome {
	bool set;
};

static const struct field password_outcome_out[] = { FIELD(struct password_outcome, set, 0),
	FIELD_END };

STMT(set_password, password_outcome_out, "SELECT person_password_set($1, $2, $3) AS set");

/* The sign-in that the request has read. A handler that changes the person updates it, too, because
   the answer is made from it. */
static struct sign_in *
own_sign_in(struct req *rq)
{
	struct sign_in *s = ARENA_NEW(rq->arena, struct sign_in);

	*s = *rq->sign_in;
	rq->sign_in = s;
	return s;
}

/* The e-mail address is a credential, so changing it requires a recent sign-in. When the company's
   proxy identifies people by e-mail, a person who changed their address to a colleague's would get
   the colleague's sign-ins. Then only a person whose identity at the proxy is stored in
   person.proxy_identity may change the address; this operation does not change that identity. */
static int
put_person(struct req *rq)
{
	const struct person_in *in = rq->in;
	struct sign_in *s = own_sign_in(rq);
	struct person_change done;
	enum db_rc rc;

	if (!str_eq(in->email, s->email) && auth_recent_sign_in(rq) != PASS)
		return FAILED;
	rc = db_one(rq->db, &set_person, &done, P(s->person_uuid), P(in->name), P(in->email),
	    P(proxy_names_people()));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (str_is(done.outcome, "fixed"))
		return fail_field(rq, "email", "not_allowed",
		    "must be the e-mail by which the company's proxy knows you");
	if (!str_is(done.outcome, "ok"))
		return fail_field(rq, "email", "duplicate", "belongs to another person");
	s->name = in->name;
	s->email = in->email;
	return person_session_reply(rq, 200);
}

/* ---- PUT, DELETE /auth/password ---- */

struct new_password_in {
	struct str password;
};

static const struct field new_password_fields[] = {
	TEXT(struct new_password_in, password, REQUIRED, 1, PASSWORD_TYPED_MAX),
	FIELD_END,
};

static int
store_password(struct req *rq, struct str stored)
{
	struct sign_in *s = own_sign_in(rq);
	struct password_outcome row;
	enum db_rc rc =
	    db_one(rq->db, &set_password, &row, P(s->person_uuid), P(stored), P(s->uuid));

	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (!row.set) /* the sign-in has ended while the password was hashed */
		return fail(rq, ERR_SESSION_EXPIRED);
	s->has_password = stored.p != NULL;
	return person_session_reply(rq, 200);
}

static int
put_password(struct req *rq)
{
	const struct new_password_in *in = rq->in;
	struct str stored;

	if (password_prepare(rq, in->password, rq->sign_in->email, &stored) != PASS)
		return FAILED;
	return store_password(rq, stored);
}

struct password_removal {
	bool removed;
};

static const struct field password_removal_out[] = {
	FIELD(struct password_removal, removed, 0),
	FIELD_END,
};

STMT(take_password, password_removal_out, "SELECT person_password_remove($1, $2, $3) AS removed");

/* A person without a password needs a passkey, because one-time codes are only a second proof
   (C-323). The database counts the passkeys under a lock, because another request may delete the
   last one at the same time. */
static int
remove_password(struct req *rq)
{
	struct sign_in *s = own_sign_in(rq);
	struct password_removal row;
	enum db_rc rc =
	    db_one(rq->db, &take_password, &row, P(s->person_uuid), P(s->uuid), P(passkey_rp_id()));

	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (!row.removed)
		return fail(rq, ERR_LAST_SIGN_IN_METHOD);
	s->has_password = false;
	return person_session_reply(rq, 200);
}

static const enum error end_errors[] = { ERR_SIGN_IN_NOT_FOUND, ERR_UNSET };
static const enum error remove_password_errors[] = { ERR_LAST_SIGN_IN_METHOD, ERR_UNSET };

static const struct route person_routes[] = {
	{
	    ROUTE(GET, "/auth/sign-ins", list_sign_ins),
	    COLUMNS_OF_PERSON,
	    .out = own_sign_ins_out,
	    .result = "The sign-ins of the person, the last seen first.",
	    .summary = "List one's sign-ins",
	    .description = "The browsers in which the person is signed in.",
	},
	{
	    ROUTE(DELETE, "/auth/sign-ins/{sign_in_uuid}", end_own_sign_in),
	    COLUMNS_OF_PERSON,
	    .out = ended_sign_in_out,
	    .wrapper = "sign_in",
	    .errors = end_errors,
	    .summary = "End a sign-in",
	    .description = "The next request of that browser finds it signed out.",
	},
	{
	    ROUTE(PUT, "/auth/person", put_person),
	    COLUMNS_OF_PERSON,
	    BODY_CHECKED(struct person_in, person_in_fields, BODY_CONFIGURED, check_person),
	    .throttle = THROTTLE_PERSON,
	    .out = person_session_out,
	    .result = "The person who is signed in.",
	    .summary = "Change one's name and e-mail",
	    .description =
		"Changing the e-mail needs a recent sign-in. With proxy_sign_in, it also "
		"needs that the person has signed in by the proxy before.",
	    .example = JSON({ "name" : "Ann", "email" : "ann@example.com" }),
	},
	{
	    ROUTE(PUT, "/auth/password", put_password),
	    COLUMNS_OF_PERSON,
	    .recent = true,
	    .throttle = THROTTLE_PASSWORD,
	    BODY(struct new_password_in, new_password_fields, BODY_CONFIGURED),
	    .out = person_session_out,
	    .result = "The person who is signed in.",
	    .summary = "Set one's password",
	    .description = "Every other sign-in of the person ends. A person sets five passwords "
			   "in an hour at most.",
	    .example = JSON({ "password" : "eleven green kettles" }),
	},
	{
	    ROUTE(DELETE, "/auth/password", remove_password),
	    COLUMNS_OF_PERSON,
	    .recent = true,
	    .out = person_session_out,
	    .result = "The person who is signed in.",
	    .errors = remove_password_errors,
	    .summary = "Remove one's password",
	    .description =
		"Only people with a passkey can remove their password. All other sign-ins of "
		"the person end.",
	},
	ROUTE_END,
};

ROUTES(303, person);
