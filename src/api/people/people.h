/* SPDX-License-Identifier: ISC */
/* Functions that the operations of people share (C-301 to C-339). Each method of signing
 * in is an operation of visitors that proves the identity of a person and then calls
 * sign_in_complete, which does the rest:
 *
 *     POST /auth/sign-in/password ----+
 *     POST /auth/sign-in/... ---------+--> sign_in_complete --> row, cookie, answer of GET /auth/session
 *     POST /auth/links/use -----------+
 *
 * A password alone does not sign in a person who has a second method: step_begin answers 202
 * with a token, and the operation of the second method verifies this token with challenge_open. */
#ifndef API_PEOPLE_PEOPLE_H
#define API_PEOPLE_PEOPLE_H

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

/* Columns of the rows of people in an organisation. Rows of owners require a recent sign-in. */
#define COLUMNS_OF_MEMBER                                                                          \
	.access = ACCESS_ACCOUNT, .meter = METER_RATE, .area = AREA_SERVICE,                       \
	.entitlement = ENTITLEMENT_ANY, .tag = "Access"
#define COLUMNS_OF_OWNER .scope = SCOPE_OWNER, .recent = true, COLUMNS_OF_MEMBER

/* ---- person.c ---- */

/* Adds a fault of the member "name" unless the name is visible, or was not sent. */
void check_name(struct str name, struct body_faults *faults);

/* ---- session_of_person.c ---- */

/* An ended sign-in, as it is answered. */
struct ended_sign_in {
	struct uuid uuid;
};
extern const struct field ended_sign_in_out[];

/* The answer of GET /auth/session. */
extern const struct field person_session_out[];
/* Answers GET /auth/session for rq->sign_in. */
int person_session_reply(struct req *rq, int status);

/* The proofs of a person who signs in. */
struct proved {
	struct uuid person;
	struct strs methods; /* "password", "totp": the names in the table sign_in */
	bool strong;
	struct str password; /* the stored text that matched, when the password is the only proof */
};
/* Signs the person in, sets the cookie and answers 201. A person who is disabled, or whose password
   was changed meanwhile, gets 401 sign_in_failed. */
int sign_in_complete(struct req *rq, const struct proved *p);

/* Answers 401 sign_in_failed, and logs the reason. */
int sign_in_refuse(struct req *rq, const char *why);

/* ---- sign_in.c ---- */

extern const struct field step_out[]; /* the answer 202 */
/* Answers 202 with the token of a half-open sign-in (CHALLENGE_STEP), after a right password. */
int step_begin(struct req *rq, const struct person_credentials *who);

/* ---- sign_in_proxy.c ---- */

/* Whether a company's proxy identifies people by e-mail. Then a person takes no e-mail but the one
   by which the proxy knows them. */
bool proxy_names_people(void);

/* ---- passkey.c ---- */

/* Sets the origin and the host for which passkeys are valid, from public_url. The caller sets the
   challenge. Returns false without public_url, which passkeys need. */
bool passkey_site(struct req *rq, struct passkey_site *out) MUST_USE;

/* ---- challenge.c ---- */

/* Marks a challenge or a half-open sign-in as used, in the transaction of the handler. DB_NONE: it
   was used before. */
enum db_rc proof_use(struct req *rq, struct str text, const struct challenge *c) MUST_USE;

/* ---- password.c ---- */

/* Takes one of this host's places for hashes of passwords, which hash_end returns; it may wait two
   seconds, so no row may be locked. FAILED: there is no place for this person and network, and 503
   was answered. */
int hash_begin(struct req *rq) MUST_USE;
void hash_end(void);

/* Checks a new password of a person with this e-mail and makes the text to store. FAILED: the fault
   was answered. */
int password_prepare(struct req *rq, struct str typed, struct str email, struct str *stored);

#endif
