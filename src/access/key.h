/* SPDX-License-Identifier: ISC */
/* API keys: their form, their look-up, and one worker's cache of them (SPEC 5). */
#ifndef ACCESS_KEY_H
#define ACCESS_KEY_H

#include "access/scope.h"
#include "db/db.h"

/* A complete key as a client sends it. Nothing prints one. */
struct secret {
	struct str hidden;
};

/* sfk_ + 8 characters of prefix + _ + 43 characters of URL-safe base64 (256 random bits). The prefix
   "sfk_xxxxxxxx" is what logs and people see. */
enum { KEY_PREFIX_LEN = 12, KEY_SECRET_LEN = 56, KEY_HASH_LEN = 32 };

struct key {
	struct uuid uuid, owner,
	    account;            /* owner: the membership that holds it, for ever */
	struct uuid group_uuid; /* of accounts that share a quota; all zero: none */
	char prefix[KEY_PREFIX_LEN + 1];
	uint64_t
	    scopes; /* bits 1 << enum scope: stored and allowed by the account now (C-010) */
	uint64_t
	    entitlements;    /* bits 1 << enum entitlement: of the account, not expired */
	bool account_active; /* C-008 */
	struct ts
	    valid_until; /* when the key or one of its entitlements expires; TS_NULL: never */
};

enum key_rc {
	KEY_FOUND,
	KEY_UNKNOWN, /* malformed, unknown, expired or revoked: nobody is told which (C-003) */
	KEY_UNAVAILABLE, /* the key store cannot be asked: authentication_unavailable (C-018) */
};

/* One worker's memory of keys it has read. An entry lives for conf.key_cache at most, and all go when
   the database tells of a change or the connection is lost. db must outlive it. */
struct key_cache;
struct key_cache *key_cache_new(struct db *db);
void key_cache_free(struct key_cache *c);

/* Call db_use first: the look-up obeys its deadline. */
enum key_rc key_lookup(
    struct key_cache *c, struct secret secret, struct key *out) MUST_USE;
bool key_has_scope(const struct key *k, enum scope s);
bool key_has_entitlement(const struct key *k, enum entitlement e);

/* A new secret in out, for the one time it is shown; with its prefix and the hash that is stored. */
void key_make(char out[KEY_SECRET_LEN + 1], char prefix[KEY_PREFIX_LEN + 1],
    unsigned char hash[KEY_HASH_LEN]);

#endif
