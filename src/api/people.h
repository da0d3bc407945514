/* SPDX-License-Identifier: ISC */
/* The operations of people share these functions (CONTRACT C-301 to C-339). A way to sign in is an
 * operation of visitors that proves who somebody is and then calls sign_in_complete; everything
 * else about a sign-in is done there:
 *
 *     POST /auth/sign-in/password ----+
 *     POST /auth/sign-in/... ---------+--> sign_in_complete --> row, cookie, answer of GET /auth/session
 *     POST /auth/links/use -----------+
 *
 * A password alone opens nothing for a person who has a second method: step_begin answers 202 with
 * a token, and the operation of the second method opens it with challenge_open. */
#ifndef API_PEOPLE_H
#define API_PEOPLE_H

#include "access/challenge.h"
#include "access/passkey.h"
#include "api/api.h"
#include "http/people.h"

/* Columns of the rows of visitors and of people. */
#define COLUMNS_OF_VISITOR                                                                         \
	.scope = SCOPE_ANY, .access = ACCESS_VISITOR, .meter = METER_NONE, .area = AREA_SERVICE,   \
	.entitlement = ENTITLEMENT_ANY, .tag = "Signing in"
#define COLUMNS_OF_PERSON                                                                          \
	.scope = SCOPE_ANY, .access = ACCESS_PERSON, .meter = METER_NONE, .area = AREA_SERVICE,    \
	.entitlement = ENTITLEMENT_ANY, .tag = "Signing in"

/* Columns of the rows of people in an organisation; those of owners want a fresh sign-in. */
#define COLUMNS_OF_MEMBER                                                                          \
	.access = ACCESS_ACCOUNT, .meter = METER_RATE, .area = AREA_SERVICE,                       \
	.entitlement = ENTITLEMENT_ANY, .tag = "Access"
#define COLUMNS_OF_OWNER .scope = SCOPE_OWNER, .recent = true, COLUMNS_OF_MEMBER

/* ---- session_of_person.c ---- */

/* A sign-in that has ended, as an answer has it. */
struct ended_sign_in {
	struct uuid uuid;
};
extern const struct field ended_sign_in_out[];

/* The answer of GET /auth/session. */
extern const struct field person_session_out[];
/* Answers it for rq->sign_in. */
int person_session_reply(struct req *rq, int status);

/* How somebody has proved who they are. */
struct proved {
	struct uuid person;
	struct strs methods; /* "password", "totp": as the table sign_in names them */
	bool strong;
	struct str password; /* the stored text that was right, where it alone is the proof */
};
/* Signs the person in, sets the cookie and answers 201. A person who is disabled, or whose password
   is another one by now, gets 401 sign_in_failed. */
int sign_in_complete(struct req *rq, const struct proved *p);

/* Answers 401 sign_in_failed, with a line for the journal. */
int sign_in_refuse(struct req *rq, const char *why);

/* ---- sign_in.c ---- */

extern const struct field step_out[]; /* the answer 202 */
/* The first proof was right: answers 202 with the token of a half-open sign-in (CHALLENGE_STEP). */
int step_begin(struct req *rq, const struct person_credentials *who);

/* ---- sign_in_proxy.c ---- */

/* Whether a company's proxy identifies people by e-mail. If so, a person may change their e-mail only
   when their identity at the proxy is stored apart (person.proxy_identity). */
bool proxy_names_people(void);

/* ---- passkey.c ---- */

/* Where passkeys are good: public_url, and its host. False: it is not set, and there are no
   passkeys. challenge is left to the caller. */
bool passkey_site(struct req *rq, struct passkey_site *out) MUST_USE;

/* ---- challenge.c ---- */

/* Uses up a challenge, or a half-open sign-in, in the transaction of the handler. DB_NONE: it was
   used before. */
enum db_rc proof_use(struct req *rq, struct str text, const struct challenge *c) MUST_USE;

/* ---- password.c ---- */

/* Takes one of the places that hashes of passwords have on this host; hash_end gives it back.
   FAILED: none is free, and 503 is answered. */
int hash_begin(struct req *rq) MUST_USE;
void hash_end(void);

/* Checks a new password for a person with this e-mail and makes the text to store; FAILED: it is
   answered. */
int password_prepare(struct req *rq, struct str typed, struct str email, struct str *stored);

#endif
