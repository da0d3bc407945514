/* SPDX-License-Identifier: ISC */
/* API keys: their form, their look-up, and a worker's cache of them (C-003 to C-010).

     sfk_AbCd1234_43-characters-of-URL-safe-base64
     \__________/ \______________________________/
      prefix:      256 random bits
      logs, people

   A person who is signed in acts in an organisation with the console credential of the membership:
   a row like that of a key, with a prefix con_AbCd1234 and no secret, which the person's cookie
   finds (access/person.h). After the authentication both are a struct key.

   PostgreSQL stores the prefix and the SHA-256 of the whole key; the bits are random, so a slow
   hash would add nothing.

     key_lookup --> malformed? --> cached and fresh? --> find_key          --> cached for
                        |                 |              (conf.auth_wait)      conf.key_cache
                        v                 v                  v
                    KEY_UNKNOWN       KEY_FOUND          KEY_UNKNOWN, KEY_UNAVAILABLE: not cached

   A revoked key must stop working everywhere at once. Three events end an entry of the cache: a
   notification of any change of keys, accounts or entitlements; a lost connection, because
   notifications may be lost with it; and its age, at most conf.key_cache. So a change takes
   effect with the next request when the database works. When the database hangs without closing
   the connection, a revoked key works for at most conf.key_cache. */
#ifndef ACCESS_KEY_H
#define ACCESS_KEY_H

#include "access/scope.h"
#include "db/db.h"

/* SQL for the effective scopes of a credential, sorted: scopes of the key or of the member's role
   that the account allows now. k is the alias of api_key. */
#define KEY_SCOPES                                                                                 \
	"ARRAY(SELECT s.scope FROM account_scope s WHERE s.account_uuid = k.account_uuid"          \
	" AND s.scope::text = ANY (CASE k.kind WHEN 'key' THEN k.scopes::text[]"                   \
	" ELSE credential_scopes(k.uuid) END) ORDER BY 1)"

/* A complete key as a client sends it. No function prints a struct secret. */
struct secret {
	struct str hidden;
};

enum { KEY_PREFIX_LEN = 12, KEY_SECRET_LEN = 56, KEY_HASH_LEN = 32 };

struct key {
	struct uuid uuid, account;
	struct uuid owner;      /* the membership that holds the key; never changes */
	struct uuid group_uuid; /* the accounts that share a quota; all zero: no group */
	char prefix[KEY_PREFIX_LEN + 1];
	/* bits 1 << enum scope: the key has the scope and its account allows it now (C-010) */
	uint64_t scopes;
	/* the same for a console credential: scopes that the person has only in projects that they
	   manage (C-330); 0 for a key */
	uint64_t managed;
	bool strong_only; /* the account accepts only strong sign-ins (C-334) */
	/* bits 1 << enum entitlement: entitlements of the account that have not expired */
	uint64_t entitlements;
	bool account_active; /* C-008 */
	/* when the key or the first of the entitlements expires; TS_NULL: never */
	struct ts valid_until;
};

enum key_rc {
	KEY_FOUND,
	/* malformed, unknown, expired or revoked: the client cannot tell these apart (C-003) */
	KEY_UNKNOWN,
	KEY_UNAVAILABLE, /* the database failed: authentication_unavailable (C-018) */
};

/* A worker's cache. db must outlive it. */
struct key_cache;
struct key_cache *key_cache_new(struct db *db);
void key_cache_free(struct key_cache *c);

/* Finds the key of a secret. Call db_use first, because the look-up respects its deadline. */
enum key_rc key_lookup(struct key_cache *c, struct secret secret, struct key *out) MUST_USE;
/* Finds a key by its UUID, always in the database. A ticket contains the UUID of its key and, when
   that is a console credential, of the sign-in that asked for the ticket. */
enum key_rc key_lookup_uuid(
    struct key_cache *c, struct uuid uuid, struct uuid sign_in, struct key *out) MUST_USE;
/* Finds the console credentials of a person, at most two, which shows whether there is a choice.
   org: only of this account; project: only of the account that has this project; all zero: of any
   account. KEY_UNKNOWN: there is none. */
struct credential_of {
	struct uuid person, org, project;
};
enum key_rc credential_find(
    struct db *db, const struct credential_of *of, struct key out[2], size_t *n) MUST_USE;
/* Returns how often the cache was emptied because a key, an account, a member or a limit had
   changed. Code that keeps copies of such rows compares the number after key_lookup and reads the
   rows again when it differs. */
uint64_t key_cache_changes(const struct key_cache *c);
bool key_has_scope(const struct key *k, enum scope s);
/* Whether the key is a console credential, so that a person sends the request. */
bool key_is_console(const struct key *k);
bool key_has_entitlement(const struct key *k, enum entitlement e);

/* Makes a new key. out is shown to the owner once and never stored; prefix and hash are stored. */
void key_make(char out[KEY_SECRET_LEN + 1], char prefix[KEY_PREFIX_LEN + 1],
    unsigned char hash[KEY_HASH_LEN]);

#endif
