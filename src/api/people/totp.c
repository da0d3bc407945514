/* SPDX-License-Identifier: ISC */
/* One-time codes of people, the second proof after a password (C-317). The secret is stored sealed
   for its person. It becomes effective when a first code has confirmed it, and it is sealed again
   with the newest key whenever a code is used. */
#include "config.h"

#include "access/qr.h"
#include "access/totp.h"
#include "api/people/people.h"
#include "base/url.h"
#include "daemon/conf.h"

#include <openssl/crypto.h>

static struct seal_use
totp_use(const struct uuid *person)
{
	return (struct seal_use){ "totp", { (const char *)person->b, sizeof(person->b) } };
}

static struct bytes
totp_bytes(struct str s)
{
	return (struct bytes){ (const unsigned char *)s.p, s.n };
}

static const struct field code_in_fields[] = {
	{ .name = "code",
	    .type = FIELD_STR,
	    .flags = REQUIRED,
	    .lo = TOTP_DIGITS,
	    .hi = TOTP_DIGITS,
	    .pattern = "^[0-9]{6}$" },
	FIELD_END,
};

struct code_in {
	struct str code;
};

static void
check_digits(struct str code, struct body_faults *faults)
{
	for (size_t i = 0; i < code.n; i++)
		if (!ascii_digit(code.p[i])) {
			body_fault(faults, "code", "invalid_format", "must consist of six digits");
			return;
		}
}

static int
check_code(struct req *rq, void *body, struct body_faults *faults)
{
	const struct code_in *in = body;

	(void)rq;
	check_digits(in->code, faults);
	return PASS;
}

/* ---- a new secret ---- */

struct qr {
	int64_t size;
	struct list rows;
};

struct new_totp {
	struct str secret, uri;
	struct qr qr;
};

static const struct field qr_out[] = {
	FIELD(struct qr, size, 0),
	LIST_OF(struct qr, rows, 0, struct str, 1, QR_SIZE_MAX),
	FIELD_END_OF("QrCode"),
};

static const struct field new_totp_out[] = {
	TEXT(struct new_totp, secret, 0, TOTP_BASE32, TOTP_BASE32),
	FIELD(struct new_totp, uri, 0),
	OBJECT(struct new_totp, qr, 0, qr_out),
	FIELD_END_OF("NewTotp"),
};

STMT(begin_totp, NULL, "SELECT totp_begin($1, $2)");

/* Returns the name that an app shows beside the e-mail: the host of public_url, which distinguishes
   several installations. */
static struct str
issuer(struct req *rq)
{
	struct str authority, rest;

	if (!url_split(str_of(conf.public_url), &authority, &rest))
		return STR("surfaced");
	return arena_lower(rq->arena, url_host(authority));
}

static int
create_totp(struct req *rq)
{
	const struct signing_keys *keys = signing_ring_now(rq->worker->sign_in_keys);
	struct seal_use use = totp_use(&rq->sign_in->person_uuid);
	unsigned char bytes[TOTP_SECRET];
	struct secret secret = { { (const char *)bytes, sizeof(bytes) } };
	char base32[TOTP_BASE32 + 1];
	struct new_totp answer;
	struct strs rows;
	enum db_rc rc;

	if (keys == NULL)
		return fail(rq, ERR_SERVICE_UNAVAILABLE);
	random_bytes(bytes, sizeof(bytes));
	rc = db_do(rq->db, &begin_totp, NULL, P(rq->sign_in->person_uuid),
	    P(totp_bytes(seal_secret(rq->arena, keys, &use, secret))));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	totp_base32(secret, base32);
	answer.secret = arena_str(rq->arena, str_of(base32));
	answer.uri = totp_uri(rq->arena, secret, issuer(rq), rq->sign_in->email).hidden;
	OPENSSL_cleanse(bytes, sizeof(bytes));
	rows = qr_rows(rq->arena, answer.uri);
	answer.qr = (struct qr){ (int64_t)rows.n, { (void *)(uintptr_t)rows.p, rows.n } };
	return reply(rq, 201, rq->route->wrapper, new_totp_out, &answer);
}

/* ---- its first code ---- */

struct sealed_totp {
	struct str sealed;
};

static const struct field sealed_totp_out[] = {
	FIELD(struct sealed_totp, sealed, NULLABLE),
	FIELD_END,
};

struct totp_outcome {
	bool done;
};

static const struct field totp_outcome_out[] = { FIELD(struct totp_outcome, done, 0), FIELD_END };

STMT(find_new_totp, sealed_totp_out, "SELECT sealed FROM totp_unconfirmed($1)");
STMT(confirm_totp, totp_outcome_out, "SELECT totp_confirm($1, $2, $3, $4) AS done");

/* Returns the step of a right code, or -1. last: the step that was used last. */
static int64_t
find_step(
    struct req *rq, struct str sealed, const struct uuid *person, struct str code, int64_t last)
{
	const struct signing_keys *keys = signing_ring_now(rq->worker->sign_in_keys);
	struct seal_use use = totp_use(person);
	struct secret secret;

	if (sealed.p == NULL || keys == NULL)
		return -1;
	if (seal_open(rq->arena, keys, &use, sealed, &secret) == SEAL_BAD) {
		log_event(
		    LOGP_ERR, "totp", "req=%s why=\"no key of sign_in_keys opens it\"", rq->id);
		return -1;
	}
	return totp_find(secret, code, rq->now, last);
}

static int
confirm_own_totp(struct req *rq)
{
	const struct code_in *in = rq->in;
	const struct uuid *person = &rq->sign_in->person_uuid;
	struct sealed_totp new;
	struct totp_outcome row;
	struct sign_in *after;
	int64_t step;
	enum db_rc rc = db_one(rq->db, &find_new_totp, &new, P(*person));

	if (rc != DB_OK)
		return fail_db(rq, rc);
	step = find_step(rq, new.sealed, person, in->code, 0);
	if (step < 0)
		return sign_in_refuse(rq, "totp");
	rc = db_one(rq->db, &confirm_totp, &row, P(*person), P(totp_bytes(new.sealed)), P(step),
	    P(rq->sign_in->uuid));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (!row.done)
		return sign_in_refuse(rq, "totp");
	after = ARENA_NEW(rq->arena, struct sign_in);
	*after = *rq->sign_in;
	after->has_totp = true;
	rq->sign_in = after;
	return person_session_reply(rq, 200);
}

STMT(remove_totp, NULL, "SELECT totp_remove($1, $2)");

static int
remove_own_totp(struct req *rq)
{
	struct sign_in *after = ARENA_NEW(rq->arena, struct sign_in);
	enum db_rc rc =
	    db_do(rq->db, &remove_totp, NULL, P(rq->sign_in->person_uuid), P(rq->sign_in->uuid));

	if (rc != DB_OK)
		return fail_db(rq, rc);
	*after = *rq->sign_in;
	after->has_totp = false;
	rq->sign_in = after;
	return person_session_reply(rq, 200);
}

/* ---- sign-in ---- */

struct step_in {
	struct str step, code;
};

static const struct field step_in_fields[] = {
	TEXT(struct step_in, step, REQUIRED, 1, LIM_STEP),
	{ .name = "code",
	    .type = FIELD_STR,
	    .flags = REQUIRED,
	    .offset = offsetof(struct step_in, code),
	    .lo = TOTP_DIGITS,
	    .hi = TOTP_DIGITS,
	    .pattern = "^[0-9]{6}$" },
	FIELD_END,
};

static int
check_step(struct req *rq, void *body, struct body_faults *faults)
{
	const struct step_in *in = body;

	(void)rq;
	check_digits(in->code, faults);
	return PASS;
}

STMT(use_totp, totp_outcome_out, "SELECT totp_use($1, $2, $3, $4, $5) AS done");

/* Seals a secret again with the newest key. An older key can be removed when no secret is sealed
   with it any more. */
static struct str
seal_anew(struct req *rq, const struct uuid *person, struct str sealed)
{
	const struct signing_keys *keys = signing_ring_now(rq->worker->sign_in_keys);
	struct seal_use use = totp_use(person);
	struct secret secret;

	if (keys == NULL || seal_open(rq->arena, keys, &use, sealed, &secret) != SEAL_OLD)
		return sealed;
	return seal_secret(rq->arena, keys, &use, secret);
}

/* Marks the code and the half-open sign-in as used. */
static int
use_code(struct req *rq, const struct person_credentials *who, const struct challenge *c)
{
	const struct step_in *in = rq->in;
	struct ts began = { c->expires_at.us - CHALLENGE_SECONDS * SECOND_US };
	int64_t step = find_step(rq, who->totp, &who->uuid, in->code, who->totp_step);
	struct totp_outcome row;
	enum db_rc rc;

	if (step < 0)
		return sign_in_refuse(rq, "totp");
	rc = db_one(rq->db, &use_totp, &row, P(who->uuid), P(totp_bytes(who->totp)),
	    P(totp_bytes(seal_anew(rq, &who->uuid, who->totp))), P(step), P(began));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (!row.done)
		return sign_in_refuse(rq, "totp");
	rc = proof_use(rq, in->step, c);
	if (rc == DB_NONE)
		return sign_in_refuse(rq, "step");
	return rc == DB_OK ? PASS : fail_db(rq, rc);
}

static int
sign_in_by_totp(struct req *rq)
{
	static const struct str methods[] = { STR_INIT("password"), STR_INIT("totp") };
	const struct step_in *in = rq->in;
	const struct signing_keys *keys = signing_ring_now(rq->worker->sign_in_keys);
	struct challenge c = { .kind = CHALLENGE_STEP, .expires_at = rq->now };
	struct person_credentials who;
	enum db_rc rc;

	if (keys == NULL)
		return fail(rq, ERR_SERVICE_UNAVAILABLE);
	if (challenge_open(rq->arena, keys, in->step, &c) != SEAL_GOOD)
		return sign_in_refuse(rq, "step");
	rc = person_find(rq->db, STR_NULL, &c.person, &who);
	if (rc == DB_NONE || (rc == DB_OK && !who.has_totp))
		return sign_in_refuse(rq, "totp");
	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (use_code(rq, &who, &c) != PASS)
		return FAILED;
	return sign_in_complete(
	    rq, &(struct proved){
		    .person = who.uuid, .methods = { methods, COUNT(methods) }, .strong = true });
}

static const enum error code_errors[] = { ERR_SIGN_IN_FAILED, ERR_UNSET };

static const struct route totp_routes[] = {
	{
	    ROUTE(POST, "/auth/sign-in/totp", sign_in_by_totp),
	    COLUMNS_OF_VISITOR,
	    BODY_CHECKED(struct step_in, step_in_fields, BODY_CONFIGURED, check_step),
	    .throttle = THROTTLE_STEP,
	    .status = 201,
	    .out = person_session_out,
	    .result = "The person who is signed in.",
	    .errors = code_errors,
	    .summary = "Finish a sign-in with a one-time code",
	    .description =
		"step is the token from the answer to the password. It is valid for five "
		"minutes, five codes and one sign-in; each code is accepted once.",
	    .example = JSON({ "step" : "AAAA", "code" : "123456" }),
	},
	{
	    ROUTE(POST, "/auth/totp", create_totp),
	    COLUMNS_OF_PERSON,
	    .recent = true,
	    .status = 201,
	    .out = new_totp_out,
	    .result = "The secret, which only this answer has.",
	    .wrapper = "totp",
	    .summary = "Set up one-time codes",
	    .description = "The secret is in this answer only. It is used once its first code was "
			   "confirmed; until then an earlier secret stays in use.",
	},
	{
	    ROUTE_AS(POST, "/auth/totp/confirm", "confirm_totp", confirm_own_totp),
	    COLUMNS_OF_PERSON,
	    BODY_CHECKED(struct code_in, code_in_fields, BODY_CONFIGURED, check_code),
	    .throttle = THROTTLE_PERSON,
	    .out = person_session_out,
	    .result = "The person who is signed in.",
	    .errors = code_errors,
	    .summary = "Confirm one-time codes with the first one",
	    .description =
		"The code must be sent within ten minutes after the secret was created. From "
		"then on the password alone is not enough to sign in.",
	    .example = JSON({ "code" : "123456" }),
	},
	{
	    ROUTE_AS(DELETE, "/auth/totp", "remove_totp", remove_own_totp),
	    COLUMNS_OF_PERSON,
	    .recent = true,
	    .out = person_session_out,
	    .result = "The person who is signed in.",
	    .summary = "Remove one-time codes",
	    .description = "Every other sign-in of the person ends.",
	},
	ROUTE_END,
};

ROUTES(305, totp);
