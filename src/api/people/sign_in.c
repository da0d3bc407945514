/* SPDX-License-Identifier: ISC */
/* Lists the methods of signing in, and signs people in by password. An unknown e-mail, a wrong
   password, a disabled person and a person without a password get the same answer after the same
   work, so that nobody can find out which people exist (C-303). */
#include "config.h"

#include "api/people/people.h"
#include "daemon/conf.h"

/* ---- GET /auth/methods ---- */

struct methods {
	bool password, passkey, totp, proxy;
	struct str rp_id;
	int64_t password_min, password_max;
};

struct methods_answer {
	struct methods methods;
	bool signed_in;
};

static const struct field methods_out[] = {
	FIELD(struct methods, password, 0),
	FIELD(struct methods, passkey, 0),
	FIELD(struct methods, totp, 0),
	FIELD(struct methods, proxy, 0),
	{ .name = "rp_id",
	    .type = FIELD_STR,
	    .flags = NULLABLE,
	    .offset = offsetof(struct methods, rp_id),
	    .help = "The host for which passkeys are registered; null without public_url." },
	FIELD(struct methods, password_min, 0),
	FIELD(struct methods, password_max, 0),
	FIELD_END_OF("SignInMethods"),
};

static const struct field methods_answer_out[] = {
	OBJECT(struct methods_answer, methods, 0, methods_out),
	{ .name = "signed_in",
	    .type = FIELD_BOOL,
	    .offset = offsetof(struct methods_answer, signed_in),
	    .help = "Whether the cookie of the request belongs to a person who is signed in." },
	FIELD_END_OF("SignInOffer"),
};

static int
get_sign_in_methods(struct req *rq)
{
	struct methods_answer answer = {
		.methods = { .password = rq->worker->passwords != NULL,
		    .password_min = conf.password_min,
		    .password_max = PASSWORD_MAX },
		.signed_in = rq->sign_in != NULL,
	};
	struct passkey_site site;

	if (passkey_site(rq, &site)) {
		answer.methods.passkey = true;
		answer.methods.rp_id = site.rp_id;
	}
	answer.methods.totp = answer.methods.password;
	answer.methods.proxy = strcmp(conf.proxy_sign_in, "yes") == 0;
	return reply(rq, 200, NULL, methods_answer_out, &answer);
}

/* ---- the second step ---- */

struct step_answer {
	struct str token;
	struct list methods;
	struct ts expires_at;
};

const struct field step_out[] = {
	TEXT(struct step_answer, token, 0, 1, LIM_STEP),
	LIST_OF(struct step_answer, methods, 0, struct str, 1, 2),
	FIELD(struct step_answer, expires_at, 0),
	FIELD_END_OF("SignInStep"),
};

struct password_check {
	bool same;
};

static const struct field password_check_out[] = { FIELD(struct password_check, same, 0),
	FIELD_END };

STMT(check_password, password_check_out, "SELECT person_password_is($1, $2) AS same");

/* Fails when the password was replaced while it was verified. totp_use refuses the second step when
   the password is replaced later. */
int
step_begin(struct req *rq, const struct person_credentials *who)
{
	const struct signing_keys *keys = signing_ring_now(rq->worker->sign_in_keys);
	struct challenge c = { CHALLENGE_STEP, who->uuid, challenge_end(rq->now) };
	struct str names[2];
	struct step_answer answer = { .methods = { names, 0 }, .expires_at = c.expires_at };
	struct password_check row;
	enum db_rc rc;

	if (keys == NULL)
		return fail(rq, ERR_SERVICE_UNAVAILABLE);
	rc = db_one(rq->db, &check_password, &row, P(who->uuid), P(who->password));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (!row.same)
		return sign_in_refuse(rq, "password");
	if (who->has_totp)
		names[answer.methods.n++] = STR("totp");
	if (who->passkeys > 0)
		names[answer.methods.n++] = STR("passkey");
	answer.token = challenge_make(rq->arena, keys, &c);
	return reply(rq, 202, "step", step_out, &answer);
}

/* ---- POST /auth/sign-in/password ---- */

struct password_in {
	struct str email, password;
};

static const struct field password_in_fields[] = {
	TEXT(struct password_in, email, REQUIRED | TRIM, 1, LIM_EMAIL),
	TEXT(struct password_in, password, REQUIRED, 1, PASSWORD_TYPED_MAX),
	FIELD_END,
};

STMT(renew_password, NULL, "SELECT person_password_renew($1, $2, $3)");

/* Stores the hash of a right password again, with the costs that are configured now. */
static enum db_rc
renew_hash(struct req *rq, struct person_credentials *who, struct secret composed)
{
	char text[PASSWORD_TEXT + 1];
	struct str former = who->password;

	password_hash(rq->worker->passwords, composed, text);
	who->password = arena_str(rq->arena, str_of(text));
	return db_do(rq->db, &renew_password, NULL, P(who->uuid), P(former), P(who->password));
}

static int
accept_password(struct req *rq, const struct person_credentials *who)
{
	static const struct str methods[] = { STR_INIT("password") };

	if (who->has_totp || who->passkeys > 0)
		return step_begin(rq, who);
	return sign_in_complete(rq, &(struct proved){ .person = who->uuid,
					.methods = { methods, COUNT(methods) },
					.password = who->password });
}

/* Returns the stored text to compare with, or "", with which the comparison fails after the same
   work. */
static struct str
stored_password(enum db_rc rc, const struct person_credentials *who)
{
	return rc == DB_OK && !who->disabled && who->password.p != NULL ? who->password : STR("");
}

static int
sign_in_by_password(struct req *rq)
{
	const struct password_in *in = rq->in;
	struct secret composed = password_compose(rq->arena, in->password);
	struct person_credentials who = { { { 0 } } };
	enum db_rc rc = person_find(rq->db, in->email, NULL, &who);
	enum password_rc verdict;

	if (rc != DB_OK && rc != DB_NONE)
		return fail_db(rq, rc);
	if (rq->worker->passwords == NULL)
		return fail(rq, ERR_SERVICE_UNAVAILABLE);
	if (hash_begin(rq) != PASS)
		return FAILED;
	verdict = password_verify(rq->worker->passwords, composed, stored_password(rc, &who));
	if (verdict == PASSWORD_WEAK)
		rc = renew_hash(rq, &who, composed);
	hash_end();
	switch (verdict) {
	case PASSWORD_WRONG:
		return sign_in_refuse(rq, "password");
	case PASSWORD_FAILED:
		return fail(rq, ERR_SERVICE_UNAVAILABLE);
	case PASSWORD_RIGHT:
		return accept_password(rq, &who);
	case PASSWORD_WEAK:
		return rc == DB_OK ? accept_password(rq, &who) : fail_db(rq, rc);
	}
	panic("password_rc out of range");
}

static const enum error password_errors[] = { ERR_SIGN_IN_FAILED, ERR_UNSET };

static const struct route sign_in_routes[] = {
	{
	    ROUTE(GET, "/auth/methods", get_sign_in_methods),
	    COLUMNS_OF_VISITOR,
	    .out = methods_answer_out,
	    .result = "The ways to sign in that this service has.",
	    .summary = "Get the ways to sign in",
	    .description =
		"Also whether this browser is signed in, so that a page need not provoke a 401 "
		"to find out.",
	},
	{
	    ROUTE(POST, "/auth/sign-in/password", sign_in_by_password),
	    COLUMNS_OF_VISITOR,
	    BODY(struct password_in, password_in_fields, BODY_CONFIGURED),
	    .throttle = THROTTLE_EMAIL,
	    .status = 201,
	    .out = person_session_out,
	    .result = "The person who is signed in.",
	    .errors = password_errors,
	    .summary = "Sign in with a password",
	    .description =
		"Sets the cookie; the answer is that of GET /auth/session. A person with a "
		"passkey or TOTP gets 202 with the step that is still due.",
	    .example = JSON({ "email" : "ann@example.com", "password" : "eleven green kettles" }),
	},
	ROUTE_END,
};

ROUTES(300, sign_in);
