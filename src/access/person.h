/* SPDX-License-Identifier: ISC */
/* People who sign in, by the functions of sql/functions/people.sql: a row of sign_in is a person in
   one browser, and the cookie of that browser has a token which finds it.

     __Host-surfaced=AbC...43 characters --SHA-256--> sign_in --> person --> member --> api_key
                                                                                  (kind console)

   The token is 32 random bytes and is stored nowhere; links to join and to recover have such tokens
   too. A sign-in is not cached: people are few, and signing out must count at once everywhere. */
#ifndef ACCESS_PERSON_H
#define ACCESS_PERSON_H

#include "access/key.h"
#include "db/db.h"

enum { TOKEN_LEN = 43, TOKEN_HASH_LEN = 32 };

/* Makes a token, and the hash that the database stores of it. */
struct token {
	char text[TOKEN_LEN + 1];
	unsigned char hash[TOKEN_HASH_LEN];
};
void token_make(struct token *out);
/* The hash of a token that a client sent; false when it has not the form of one. */
bool token_hash(struct secret sent, unsigned char hash[TOKEN_HASH_LEN]) MUST_USE;

enum { RP_ID_MAX = 253 };

/* The host of public_url, by which passkeys know the service: those of another host, such as that
   of a former public_url, are no way to sign in. Empty: there is no public_url. */
struct str passkey_rp_id(void);

/* A live sign-in with its person. */
struct sign_in {
	struct str state; /* the look-up alone uses it */
	struct uuid uuid, person_uuid;
	struct str name, email;
	bool has_password, has_totp;
	int64_t passkeys;    /* of passkey_rp_id() */
	struct list methods; /* struct str */
	bool strong;
	struct ts created_at, authenticated_at, seen_at, expires_at;
};

enum sign_in_rc {
	SIGN_IN_LIVE,
	SIGN_IN_OVER,    /* ended, too old, or its token was replaced */
	SIGN_IN_UNKNOWN, /* nobody was given this token */
	SIGN_IN_UNAVAILABLE,
};

/* Looks up the sign-in of a cookie; it notes that it was seen, and ends it when its time is up. */
enum sign_in_rc sign_in_find(struct db *db, struct secret token, struct sign_in *out) MUST_USE;

/* A sign-in that begins now. */
struct sign_in_new {
	struct uuid person;
	struct uuid former; /* the live sign-in of the request, or all zero */
	struct strs methods;
	bool strong;
	struct str address, agent;
	struct str
	    /* STR_NULL: no condition; else the stored text that must still be the only proof */
	    password;
};
/* Signs the person in with this token; DB_NONE: the person is disabled. */
enum db_rc sign_in_begin(
    struct db *db, const struct sign_in_new *s, const struct token *t) MUST_USE;
/* Ends a live sign-in of the person; DB_NONE: there is none. */
enum db_rc sign_in_end(struct db *db, const struct uuid *person, const struct uuid *sign_in,
    struct str reason) MUST_USE;

/* The proofs that a person can give. */
struct person_credentials {
	struct uuid uuid;
	struct str name, email, password, totp; /* password: as stored; totp: sealed */
	bool has_totp;
	int64_t totp_step, passkeys;
	bool disabled;
};
/* By the e-mail, or, where it is STR_NULL, by the UUID. */
enum db_rc person_find(struct db *db, struct str email, const struct uuid *uuid,
    struct person_credentials *out) MUST_USE;

/* ---- throttle: leaky buckets, each named by an HMAC ---- */

enum { THROTTLE_BUCKETS = 3, THROTTLE_NAME = 32 };

struct throttle_bucket {
	unsigned char name[THROTTLE_NAME];
	int64_t size; /* units that fit in */
};

struct throttle {
	size_t n;
	struct throttle_bucket buckets[THROTTLE_BUCKETS];
	int64_t seconds; /* in which a full bucket empties */
};

struct throttle_full {
	int64_t full_bucket; /* from 1; 0: none was full, and each has one unit more */
	int64_t wait;        /* seconds until it has room */
	bool note;           /* full for the first time since it had room */
};

enum db_rc throttle_spend(
    struct db *db, struct arena *a, const struct throttle *t, struct throttle_full *out) MUST_USE;
enum db_rc throttle_refund(struct db *db, struct arena *a, const struct throttle *t) MUST_USE;
struct known_network {
	bool known; /* the person with the e-mail was signed in from the network within 30 days */
	struct str email; /* with its letters folded as the look-up of people folds them */
};
enum db_rc network_find(
    struct db *db, struct str email, struct str network, struct known_network *out) MUST_USE;

#endif
