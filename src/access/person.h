/* SPDX-License-Identifier: ISC */
/* Sign-ins of people, stored by the functions of sql/functions/people.sql. A row of sign_in is a
   person in one browser; the cookie of the browser contains a token that finds the row.

     __Host-surfaced=AbC...43 characters --SHA-256--> sign_in --> person --> member --> api_key
                                                                                  (kind console)

   The token is 32 random bytes. Only its hash is stored. Links to join and to recover contain
   such tokens, too. A sign-in is not cached, because people are few and a sign-out must take
   effect everywhere at once. */
#ifndef ACCESS_PERSON_H
#define ACCESS_PERSON_H

#include "access/key.h"
#include "db/db.h"

enum { TOKEN_LEN = 43, TOKEN_HASH_LEN = 32 };

/* A token, and the hash of it that the database stores. */
struct token {
	char text[TOKEN_LEN + 1];
	unsigned char hash[TOKEN_HASH_LEN];
};
void token_make(struct token *out);
/* Hashes a token that a client sent. Returns false when the text does not have the form of a
   token. */
bool token_hash(struct secret sent, unsigned char hash[TOKEN_HASH_LEN]) MUST_USE;

enum { RP_ID_MAX = 253 };

/* Returns the host of public_url, or an empty text without public_url. Passkeys are bound to this
   host: a passkey that was registered under another host, such as that of a former public_url,
   cannot be used to sign in. */
struct str passkey_rp_id(void);

/* A valid sign-in with its person. */
struct sign_in {
	struct str state; /* used only by sign_in_find */
	struct uuid uuid, person_uuid;
	struct str name, email;
	bool has_password, has_totp;
	int64_t passkeys;    /* number of passkeys for passkey_rp_id() */
	struct list methods; /* struct str */
	bool strong;
	struct ts created_at, authenticated_at, seen_at, expires_at;
};

enum sign_in_rc {
	SIGN_IN_LIVE,
	SIGN_IN_OVER,    /* ended, expired, or its token was replaced */
	SIGN_IN_UNKNOWN, /* this token was never given out */
	SIGN_IN_UNAVAILABLE,
};

/* Finds the sign-in of a cookie, stores that it was used, and ends it when it has expired. */
enum sign_in_rc sign_in_find(struct db *db, struct secret token, struct sign_in *out) MUST_USE;

/* A sign-in that begins now. */
struct sign_in_new {
	struct uuid person;
	struct uuid former; /* the live sign-in of the request, or all zero */
	struct strs methods;
	bool strong;
	struct str address, agent;
	struct str
	    /* STR_NULL, or the stored password that was proved; then the sign-in begins only if the
	       person still has this password and no other proof */
	    password;
};
/* Stores a new sign-in with this token. DB_NONE: the person is disabled. */
enum db_rc sign_in_begin(
    struct db *db, const struct sign_in_new *s, const struct token *t) MUST_USE;
/* Ends a valid sign-in of the person. DB_NONE: there is none. */
enum db_rc sign_in_end(struct db *db, const struct uuid *person, const struct uuid *sign_in,
    struct str reason) MUST_USE;

/* The stored credentials of a person. */
struct person_credentials {
	struct uuid uuid;
	struct str name, email, password, totp; /* password: as stored; totp: sealed */
	bool has_totp;
	int64_t totp_step, passkeys;
	bool disabled;
};
/* Finds a person by the e-mail address, or by the UUID when email is STR_NULL. */
enum db_rc person_find(struct db *db, struct str email, const struct uuid *uuid,
    struct person_credentials *out) MUST_USE;

/* ---- throttle: leaky buckets, each named by an HMAC ---- */

enum { THROTTLE_BUCKETS = 6, THROTTLE_NAME = 32 };

struct throttle_bucket {
	unsigned char name[THROTTLE_NAME];
	int64_t size;    /* units that the bucket holds */
	int64_t seconds; /* the time in which a full bucket empties */
	unsigned keep;   /* answers after which the unit is not given back (http/throttle.c) */
};

struct throttle {
	size_t n;
	struct throttle_bucket buckets[THROTTLE_BUCKETS];
};

struct throttle_full {
	/* number of the first full bucket, from 1; 0: none was full, and each got one unit */
	int64_t full_bucket;
	int64_t wait; /* seconds until it has room */
	bool note;    /* the first refusal since the bucket had room */
};

enum db_rc throttle_spend(
    struct db *db, struct arena *a, const struct throttle *t, struct throttle_full *out) MUST_USE;
enum db_rc throttle_refund(struct db *db, struct arena *a, const struct throttle *t) MUST_USE;
struct known_network {
	/* the person with this e-mail was signed in from the network within the last 30 days */
	bool known;
	struct str email; /* in the lower case by which people are found */
};
enum db_rc network_find(
    struct db *db, struct str email, struct str network, struct known_network *out) MUST_USE;

#endif
