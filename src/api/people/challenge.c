/* SPDX-License-Identifier: ISC */
/* Issues challenges for passkeys (access/challenge.h): to anybody for a sign-in, and to a person
   who is signed in for the registration of a passkey. */
#include "config.h"

#include "api/people/people.h"

struct proof_outcome {
	bool fresh;
};

static const struct field proof_outcome_out[] = {
	FIELD(struct proof_outcome, fresh, 0),
	FIELD_END,
};

STMT(use_proof, proof_outcome_out, "SELECT proof_use($1, $2) AS fresh");

enum db_rc
proof_use(struct req *rq, struct str text, const struct challenge *c)
{
	unsigned char digest[CHALLENGE_DIGEST];
	struct proof_outcome row;
	enum db_rc rc;

	challenge_digest(text, digest);
	rc = db_one(rq->db, &use_proof, &row, P(((struct bytes){ digest, sizeof(digest) })),
	    P(c->expires_at));
	return rc == DB_OK && !row.fresh ? DB_NONE : rc;
}

/* ---- POST /auth/challenge ---- */

bool
passkey_site(struct req *rq, struct passkey_site *out)
{
	*out = (struct passkey_site){ .origin = public_origin(rq), .rp_id = passkey_rp_id() };
	return out->origin.n > 0 && out->rp_id.n > 0;
}

struct challenge_in {
	struct str purpose;
};

static const char *const purposes[] = { "sign_in", "register", NULL };

static const struct field challenge_in_fields[] = {
	ONE_OF(struct challenge_in, purpose, REQUIRED, purposes,
	    "register: for a person who has signed in recently."),
	FIELD_END,
};

struct challenge_answer {
	struct str challenge, rp_id;
	struct ts expires_at;
};

static const struct field challenge_out[] = {
	TEXT(struct challenge_answer, challenge, 0, 1, SEAL_TOKEN_MAX),
	FIELD(struct challenge_answer, rp_id, 0),
	FIELD(struct challenge_answer, expires_at, 0),
	FIELD_END_OF("Challenge"),
};

static int
create_challenge(struct req *rq)
{
	const struct challenge_in *in = rq->in;
	const struct signing_keys *keys = signing_ring_now(rq->worker->sign_in_keys);
	struct challenge c = { .kind = CHALLENGE_SIGN_IN, .expires_at = challenge_end(rq->now) };
	struct challenge_answer answer = { .expires_at = c.expires_at };
	struct passkey_site site;

	if (str_is(in->purpose, "register")) {
		if (rq->sign_in == NULL)
			return fail(rq, ERR_UNAUTHORIZED);
		if (auth_recent_sign_in(rq) != PASS)
			return FAILED;
		c.kind = CHALLENGE_REGISTER;
		c.person = rq->sign_in->person_uuid;
	}
	if (!passkey_site(rq, &site))
		return fail(rq, ERR_PASSKEY_NOT_OFFERED);
	if (keys == NULL)
		return fail(rq, ERR_SERVICE_UNAVAILABLE);
	answer.challenge = challenge_make(rq->arena, keys, &c);
	answer.rp_id = site.rp_id;
	return reply(rq, 200, rq->route->wrapper, challenge_out, &answer);
}

static const enum error challenge_errors[] = { ERR_UNAUTHORIZED, ERR_REAUTHENTICATION_REQUIRED,
	ERR_PASSKEY_NOT_OFFERED, ERR_UNSET };

static const struct route challenge_routes[] = {
	{
	    ROUTE(POST, "/auth/challenge", create_challenge),
	    COLUMNS_OF_VISITOR,
	    BODY(struct challenge_in, challenge_in_fields, BODY_CONFIGURED),
	    .out = challenge_out,
	    .result = "The challenge.",
	    .wrapper = "challenge",
	    .errors = challenge_errors,
	    .summary = "Get a challenge for a passkey",
	    .description =
		"It is valid for five minutes, can be used once, and only for its purpose.",
	    .example = JSON({ "purpose" : "sign_in" }),
	},
	ROUTE_END,
};

ROUTES(307, challenge);
