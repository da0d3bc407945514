/* SPDX-License-Identifier: ISC */
/* One-time links, with which a person joins an organisation or recovers access (C-321). The proof
   is the link, not an e-mail address: whoever uses it joins as the person who is signed in, or as a
   new person. Opening a link does not use it up, because chat programs open links for previews.

     find the link -> check and hash the password -> take the link -> join or recover -> sign in
     no lock          slow, no lock                  locks until the transaction ends, a few ms */
#include "config.h"

#include "api/people/people.h"

struct link_in {
	struct str token, name, email, password;
};

static const struct field open_in[] = {
	TEXT(struct link_in, token, REQUIRED, 1, LIM_LINK_TOKEN),
	FIELD_END,
};

static const struct field use_in[] = {
	TEXT(struct link_in, token, REQUIRED, 1, LIM_LINK_TOKEN),
	TEXT(struct link_in, name, TRIM, 1, LIM_NAME),
	TEXT(struct link_in, email, TRIM, 1, LIM_EMAIL),
	TEXT(struct link_in, password, 0, 1, PASSWORD_TYPED_MAX),
	FIELD_END,
};

struct found_link {
	struct uuid uuid;
	struct str purpose, organisation_name, invited_by, name, email;
	struct ts expires_at;
	struct uuid member_uuid, person_uuid;
};

static const char *const purposes[] = { "join", "recover", NULL };

#define SHOWN                                                                                      \
	ONE_OF(struct found_link, purpose, 0, purposes, NULL),                                     \
	    FIELD(struct found_link, organisation_name, NULLABLE),                                 \
	    FIELD(struct found_link, invited_by, NULLABLE), FIELD(struct found_link, name, 0),     \
	    FIELD(struct found_link, email, 0), FIELD(struct found_link, expires_at, 0)

static const struct field link_out[] = { SHOWN, FIELD_END_OF("SignInLink") };

static const struct field link_columns[] = {
	FIELD(struct found_link, uuid, 0),
	SHOWN,
	FIELD(struct found_link, member_uuid, NULLABLE),
	FIELD(struct found_link, person_uuid, NULLABLE),
	FIELD_END,
};

STMT(find_link, link_columns,
    "SELECT uuid, purpose, organisation_name, invited_by, name, email, expires_at, member_uuid,"
    " person_uuid FROM sign_in_link_find($1)");

static int
find_sent_link(struct req *rq, struct str token, struct found_link *out)
{
	unsigned char hash[TOKEN_HASH_LEN];
	enum db_rc rc = DB_NONE;

	if (token_hash((struct secret){ token }, hash))
		rc = db_one(rq->db, &find_link, out, P(((struct bytes){ hash, sizeof(hash) })));
	if (rc == DB_NONE)
		return fail(rq, ERR_LINK_NOT_FOUND);
	return rc == DB_OK ? PASS : fail_db(rq, rc);
}

static int
open_link(struct req *rq)
{
	const struct link_in *in = rq->in;
	struct found_link found;

	if (find_sent_link(rq, in->token, &found) != PASS)
		return FAILED;
	return reply(rq, 200, rq->route->wrapper, link_out, &found);
}

/* ---- POST /auth/links/use ---- */

struct link_outcome {
	struct str outcome;
};

static const struct field link_outcome_out[] = { FIELD(struct link_outcome, outcome, 0),
	FIELD_END };

STMT(use_link, link_outcome_out, "SELECT sign_in_link_use($1) AS outcome");
STMT(count_failure, NULL, "SELECT sign_in_link_fail($1, $2, $3)");

struct new_person {
	struct str outcome;
	struct uuid uuid;
};

static const struct field new_person_out[] = {
	FIELD(struct new_person, outcome, 0),
	FIELD(struct new_person, uuid, 0),
	FIELD_END,
};

STMT(add_person, new_person_out, "SELECT outcome, uuid FROM person_add($1, $2, $3)");

struct join_outcome {
	struct str outcome;
};

static const struct field join_outcome_out[] = { FIELD(struct join_outcome, outcome, 0),
	FIELD_END };

STMT(join_member, join_outcome_out, "SELECT member_join($1, $2) AS outcome");
STMT(recover_person, NULL, "SELECT person_recover($1, $2)");

static int
join_as(struct req *rq, const struct found_link *link, const struct uuid *person)
{
	struct join_outcome row;
	enum db_rc rc = db_one(rq->db, &join_member, &row, P(link->member_uuid), P(*person));

	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (str_is(row.outcome, "member_exists"))
		return fail(rq, ERR_MEMBER_EXISTS);
	return str_is(row.outcome, "joined") ? PASS : fail(rq, ERR_LINK_NOT_FOUND);
}

/* Checks the members that a new person needs, by the rules of the database. */
static int
check_new_person(struct req *rq, const struct link_in *in)
{
	struct body_faults *faults = ARENA_NEW(rq->arena, struct body_faults);

	if (in->name.p == NULL)
		body_fault(faults, "name", "required", "is required");
	check_name(in->name, faults);
	if (in->email.p == NULL)
		body_fault(faults, "email", "required", "is required");
	else if (!email_valid(in->email))
		body_fault(faults, "email", "invalid_format", "must be an e-mail address");
	if (in->password.p == NULL)
		body_fault(faults, "password", "required", "is required");
	return faults->n == 0 ? PASS : fail_faults(rq, faults);
}

/* Checks and hashes the password of somebody who joins or recovers. */
static int
prepare_use(struct req *rq, const struct found_link *link, struct str *stored)
{
	const struct link_in *in = rq->in;

	if (str_is(link->purpose, "recover")) {
		if (in->password.p == NULL)
			return fail_field(rq, "password", "required", "is required");
		return password_prepare(rq, in->password, link->email, stored);
	}
	if (check_new_person(rq, in) != PASS)
		return FAILED;
	/* When the company's proxy identifies people by e-mail, nobody may choose another address
	   than that of the invitation. */
	if (proxy_names_people() && !str_is_nocase(in->email, link->email.p))
		return fail_field(
		    rq, "email", "not_allowed", "must be the address of the invitation");
	return password_prepare(rq, in->password, in->email, stored);
}

/* Marks the link as used. A later failure rolls this back. */
static int
take_link(struct req *rq, const struct found_link *link)
{
	struct link_outcome row;
	enum db_rc rc = db_one(rq->db, &use_link, &row, P(link->uuid));

	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (str_is(row.outcome, "busy"))
		return fail(rq, ERR_LINK_IN_USE);
	return str_is(row.outcome, "used") ? PASS : fail(rq, ERR_LINK_NOT_FOUND);
}

static int
join_as_new_person(
    struct req *rq, const struct found_link *link, struct str stored, struct uuid *person)
{
	const struct link_in *in = rq->in;
	struct new_person made;
	enum db_rc rc = db_one(rq->db, &add_person, &made, P(in->name), P(in->email), P(stored));

	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (!str_is(made.outcome, "made"))
		return fail_field(rq, "email", "duplicate", "belongs to another person");
	*person = made.uuid;
	return join_as(rq, link, person);
}

static int
recover(struct req *rq, const struct found_link *link, struct str stored)
{
	enum db_rc rc = db_do(rq->db, &recover_person, NULL, P(link->person_uuid), P(stored));

	return rc == DB_OK ? PASS : fail_db(rq, rc);
}

/* Whether the request comes from a person who is signed in, and wants to join as this person. */
static bool
joins_as_signed_in(const struct req *rq, const struct found_link *link)
{
	const struct link_in *in = rq->in;

	return rq->sign_in != NULL && in->name.p == NULL && in->email.p == NULL &&
	       in->password.p == NULL && !str_is(link->purpose, "recover");
}

static int
use_signed_in(struct req *rq, const struct found_link *link)
{
	return take_link(rq, link) == PASS && join_as(rq, link, &rq->sign_in->person_uuid) == PASS
		   ? person_session_reply(rq, 201)
		   : FAILED;
}

/* The second step, in the transaction that ends with the request. */
static int
use_prepared(struct req *rq, const struct found_link *link, struct str stored)
{
	static const struct str by_link[] = { STR_INIT("link") };
	struct uuid person = link->person_uuid;
	int result;

	if (take_link(rq, link) != PASS)
		return FAILED;
	result = str_is(link->purpose, "recover") ? recover(rq, link, stored)
						  : join_as_new_person(rq, link, stored, &person);
	if (result != PASS)
		return FAILED;
	return sign_in_complete(
	    rq, &(struct proved){ .person = person, .methods = { by_link, COUNT(by_link) } });
}

/* Counts a use that was refused, after the rollback of the request. A link that is in use, or that
   was used meanwhile, is no refusal of what the client sent. */
static void
note_link_failure(struct req *rq)
{
	const struct link_in *in = rq->in;
	unsigned char hash[TOKEN_HASH_LEN];
	enum db_rc rc;

	if (rq->status < 400 || rq->status >= 500 || rq->error == ERR_LINK_IN_USE ||
	    !token_hash((struct secret){ in->token }, hash))
		return;
	rc = db_do(rq->db, &count_failure, NULL, P(((struct bytes){ hash, sizeof(hash) })),
	    P((int64_t)LIM_LINK_FAILURES), P(str_of(rq->id)));
	if (rc != DB_OK)
		log_event(LOGP_ERR, "database", "req=%s why=\"%s\"", rq->id, db_message(rq->db));
}

static int
use_sent_link(struct req *rq)
{
	const struct link_in *in = rq->in;
	struct found_link link;
	struct str stored;

	if (find_sent_link(rq, in->token, &link) != PASS)
		return FAILED;
	rq->afterwards = note_link_failure;
	if (joins_as_signed_in(rq, &link))
		return use_signed_in(rq, &link);
	return prepare_use(rq, &link, &stored) == PASS ? use_prepared(rq, &link, stored) : FAILED;
}

static const enum error open_errors[] = { ERR_LINK_NOT_FOUND, ERR_UNSET };
static const enum error use_errors[] = { ERR_LINK_NOT_FOUND, ERR_LINK_IN_USE, ERR_MEMBER_EXISTS,
	ERR_UNSET };

static const struct route link_routes[] = {
	{
	    ROUTE_AS(POST, "/auth/links/open", "open_sign_in_link", open_link),
	    COLUMNS_OF_VISITOR,
	    BODY(struct link_in, open_in, BODY_CONFIGURED),
	    .out = link_out,
	    .wrapper = "link",
	    .errors = open_errors,
	    .summary = "Look at a one-time link",
	    .description =
		"Looking at a link does not use it. A link that is unknown, used, revoked "
		"or expired is not found.",
	    .example = JSON({ "token" : "dGhpcyBpcyBubyB0b2tlbiBvZiBhbnlib2R5IGhlcmU" }),
	},
	{
	    ROUTE_AS(POST, "/auth/links/use", "use_sign_in_link", use_sent_link),
	    COLUMNS_OF_VISITOR,
	    BODY(struct link_in, use_in, BODY_CONFIGURED),
	    .throttle = THROTTLE_LINK,
	    .status = 201,
	    .out = person_session_out,
	    .result = "The person who is signed in.",
	    .errors = use_errors,
	    .summary = "Use a one-time link",
	    .description =
		"To join, a new person sends name, email and password; a person who is "
		"signed in sends only the token. To recover access, a person sends the "
		"token and a new password, which removes all their other methods and ends "
		"all their sign-ins. With proxy_sign_in, a new person has the e-mail of "
		"the invitation. Ten uses that were refused revoke the link.",
	    .example = JSON({
		    "token" : "dGhpcyBpcyBubyB0b2tlbiBvZiBhbnlib2R5IGhlcmU",
		    "name" : "Ann",
		    "email" : "ann@example.com",
		    "password" : "eleven green kettles"
	    }),
	},
	ROUTE_END,
};

ROUTES(302, link);
