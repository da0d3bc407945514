/* SPDX-License-Identifier: ISC */
/* API keys: their form, their look-up, and a worker's cache of them (SPEC 5).

     sfk_AbCd1234_43-characters-of-URL-safe-base64
     \__________/ \______________________________/
      prefix:      256 random bits
      logs, people

   A person who is signed in acts in an organisation with the console credential of the membership:
   a row like that of a key, with a prefix con_AbCd1234 and no secret, which the person's cookie
   finds (access/person.h). Everything behind the authentication sees one struct key for both.

   PostgreSQL stores the prefix and the SHA-256 of the whole key; the bits are random, so a slow
   hash would add nothing.

     key_lookup --> malformed? --> cached and fresh? --> find_key          --> cached for
                        |                 |              (conf.auth_wait)      conf.key_cache
                        v                 v                  v
                    KEY_UNKNOWN       KEY_FOUND          KEY_UNKNOWN, KEY_UNAVAILABLE: not cached

   A revoked key must stop working everywhere at once. Three things end an entry of the cache: a
   notification of any change of keys, accounts or entitlements; a lost connection, since
   notifications may be lost with it; and its age, which is at most conf.key_cache. So with a
   working database a change counts from the next request on, and with a database that hangs without
   closing the connection a revoked key works for conf.key_cache at most. */
#ifndef ACCESS_KEY_H
#define ACCESS_KEY_H

#include "access/scope.h"
#include "db/db.h"

/* SQL for the scopes that a credential effectively has: those that the key holds, or the member's
   role gives, and that the account still allows, sorted. k is the alias of api_key. */
#define KEY_SCOPES                                                                                 \
	"ARRAY(SELECT s.scope FROM account_scope s WHERE s.account_uuid = k.account_uuid"          \
	" AND s.scope::text = ANY (CASE k.kind WHEN 'key' THEN k.scopes::text[]"                   \
	" ELSE credential_scopes(k.uuid) END) ORDER BY 1)"

/* A complete key as a client sends it. No function prints one. */
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
	/* the same, of a console credential: those that the person has in projects that they manage
	   (C-330); a key has none */
	uint64_t managed;
	bool strong_only; /* the account wants strong sign-ins (C-334) */
	/* bits 1 << enum entitlement: the account's, not expired */
	uint64_t entitlements;
	bool account_active; /* C-008 */
	/* when the key or the first of the entitlements expires; TS_NULL: never */
	struct ts valid_until;
};

enum key_rc {
	KEY_FOUND,
	KEY_UNKNOWN,     /* malformed, unknown, expired or revoked: one answer for all (C-003) */
	KEY_UNAVAILABLE, /* the database failed: authentication_unavailable (C-018) */
};

/* A worker's cache. db must outlive it. */
struct key_cache;
struct key_cache *key_cache_new(struct db *db);
void key_cache_free(struct key_cache *c);

/* Call db_use first: the look-up respects its deadline. */
enum key_rc key_lookup(struct key_cache *c, struct secret secret, struct key *out) MUST_USE;
/* The key of this UUID, by the same rules and always from the database: for a ticket, which names
   its key. */
enum key_rc key_lookup_uuid(struct key_cache *c, struct uuid uuid, struct key *out) MUST_USE;
/* The console credentials of a person, at most two, enough to see whether there is a choice. org:
   of this account alone; project: of the account that has this project; zero: of any. KEY_UNKNOWN:
   none. */
struct credential_of {
	struct uuid person, org, project;
};
enum key_rc credential_find(
    struct db *db, const struct credential_of *of, struct key out[2], size_t *n) MUST_USE;
/* Counts the times that the cache was emptied, because a key, an account, a member or a limit has
   changed. Code that keeps copies of such rows compares the number after key_lookup, and reads the
   rows again when it differs. */
uint64_t key_cache_changes(const struct key_cache *c);
bool key_has_scope(const struct key *k, enum scope s);
/* True: the credential of a membership, so that a person is behind the request. */
bool key_is_console(const struct key *k);
bool key_has_entitlement(const struct key *k, enum entitlement e);

/* Makes a new key: out is shown to its owner once and stored nowhere; prefix and hash are
   stored. */
void key_make(char out[KEY_SECRET_LEN + 1], char prefix[KEY_PREFIX_LEN + 1],
    unsigned char hash[KEY_HASH_LEN]);

#endif
