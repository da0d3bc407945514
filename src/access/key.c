/* SPDX-License-Identifier: ISC */
/* Looks up API keys in the cache or in PostgreSQL, and makes new ones; access/key.h has the form
   and the rules. */
#include "config.h"

#include <openssl/evp.h> /* before base.h bans the word rand, which it uses for a parameter */

#include "access/key.h"
#include "access/scope.h"
#include "daemon/conf.h"
#include "db/db.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>

enum { CACHE_ENTRIES = 1024, RANDOM_LEN = 32, TAIL_LEN = 43 };

/* A direct-mapped cache: the key's hash is the index, and an attacker cannot choose hashes that
   collide. */
struct key_entry {
	unsigned char hash[KEY_HASH_LEN];
	int64_t until; /* mono_us; 0: empty */
	struct key key;
};

struct key_cache {
	struct db *db;
	uint64_t changes; /* number of times that the cache was emptied */
	EVP_MD *sha256;   /* SHA256() would look it up in OpenSSL's providers for each request */
	EVP_MD_CTX *digest;
	struct key_entry entries[CACHE_ENTRIES];
};

struct key_row {
	struct uuid uuid, owner, account, group_uuid;
	struct str prefix, sha256, role;
	struct list scopes, managed, entitlements;
	bool account_active, strong_only;
	struct ts valid_until;
};

static const struct field key_out[] = {
	FIELD(struct key_row, uuid, 0),
	FIELD(struct key_row, owner, 0),
	FIELD(struct key_row, account, 0),
	FIELD(struct key_row, group_uuid, NULLABLE),
	FIELD(struct key_row, prefix, 0),
	FIELD(struct key_row, sha256, NULLABLE),
	FIELD(struct key_row, role, NULLABLE),
	LIST_OF(struct key_row, scopes, 0, struct str, 0, 0),
	LIST_OF(struct key_row, managed, 0, struct str, 0, 0),
	LIST_OF(struct key_row, entitlements, 0, struct str, 0, 0),
	FIELD(struct key_row, account_active, 0),
	FIELD(struct key_row, strong_only, 0),
	FIELD(struct key_row, valid_until, NULLABLE),
	FIELD_END,
};

/* Selects keys that are valid now. Each statement adds the condition that selects its key. */
#define SELECT_VALID_KEY                                                                           \
	"SELECT k.uuid, k.owner_uuid AS owner, k.account_uuid AS account, a.group_uuid,"           \
	" k.prefix, k.sha256, CASE k.kind WHEN 'console' THEN m.role END AS role,"                 \
	" " KEY_SCOPES "::text[] AS scopes,"                                                       \
	" CASE k.kind WHEN 'console' THEN ARRAY(SELECT s.scope::text FROM account_scope s"         \
	"  JOIN people_scope p USING (scope) WHERE s.account_uuid = k.account_uuid"                \
	"  AND p.who = 'managers') ELSE '{}' END AS managed,"                                      \
	" ARRAY(SELECT e.name::text FROM entitlement e WHERE e.account_uuid = k.account_uuid"      \
	"  AND (e.expires_at IS NULL OR e.expires_at > now())) AS entitlements,"                   \
	" a.state = 'active' AS account_active, a.sign_in = 'strong' AS strong_only,"              \
	" least(k.expires_at, (SELECT min(e.expires_at) FROM entitlement e"                        \
	"  WHERE e.account_uuid = k.account_uuid AND e.expires_at > now())) AS valid_until"        \
	" FROM api_key k JOIN account a ON a.uuid = k.account_uuid"                                \
	" JOIN member m ON m.uuid = k.owner_uuid"                                                  \
	" WHERE k.revoked_at IS NULL AND m.removed_at IS NULL"                                     \
	" AND (k.expires_at IS NULL OR k.expires_at > now())"

STMT(find_key, key_out, SELECT_VALID_KEY " AND k.prefix = $1 AND k.sha256 = $2");
STMT_LIST(find_credentials, struct key_row, key_out,
    SELECT_VALID_KEY " AND k.kind = 'console' AND m.person_uuid = $1"
		     " AND ($2::uuid IS NULL OR k.account_uuid = $2)"
		     " AND ($3::uuid IS NULL OR k.account_uuid ="
		     "  (SELECT p.account_uuid FROM project p WHERE p.uuid = $3))"
		     " ORDER BY k.created_at, k.uuid LIMIT 2");
/* A console credential is valid only while the sign-in that uses it lives, with proofs that the
   account accepts. */
STMT(find_key_by_uuid, key_out,
    SELECT_VALID_KEY
    " AND k.uuid = $1 AND (k.kind = 'key' OR EXISTS (SELECT FROM sign_in i JOIN person p"
    "  ON p.uuid = i.person_uuid WHERE p.uuid = m.person_uuid AND p.disabled_at IS NULL"
    "  AND i.uuid = $2 AND i.ended_at IS NULL AND i.expires_at > now() AND (i.strong OR a.sign_in "
    "<> 'strong')))");

struct key_cache *
key_cache_new(struct db *db)
{
	struct key_cache *c = mem_zero(sizeof(*c));

	c->db = db;
	c->sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
	c->digest = EVP_MD_CTX_new();
	if (c->sha256 == NULL || c->digest == NULL)
		panic("OpenSSL has no SHA256"); /* UNCOVERED: or no memory */
	db_listen(db, "key_changed");
	return c;
}

void
key_cache_free(struct key_cache *c)
{
	EVP_MD_CTX_free(c->digest);
	EVP_MD_free(c->sha256);
	free(c);
}

static bool
key_is_well_formed(struct str s)
{
	unsigned char raw[RANDOM_LEN];
	size_t n;
	bool ok;

	if (s.n != KEY_SECRET_LEN || !str_starts(s, STR("sfk_")) || s.p[KEY_PREFIX_LEN] != '_')
		return false;
	for (size_t i = 4; i < KEY_PREFIX_LEN; i++)
		if (!ascii_alnum(s.p[i]))
			return false;
	ok = base64url_parse(
	    (struct str){ s.p + KEY_PREFIX_LEN + 1, TAIL_LEN }, raw, sizeof(raw), &n);
	OPENSSL_cleanse(raw, sizeof(raw));
	return ok && n == sizeof(raw);
}

/* A name that only a newer schema knows parses as SCOPE_UNSET, whose bit is cleared. */
static uint64_t
bits_of_scopes(const struct list *names)
{
	const struct str *name = names->items;
	uint64_t bits = 0;

	for (size_t i = 0; i < names->n; i++)
		bits |= UINT64_C(1) << scope_parse(name[i]);
	return bits & ~(UINT64_C(1) << SCOPE_UNSET);
}

/* The scopes SCOPE_MEMBER and SCOPE_OWNER, which come from the role in the organisation. */
static uint64_t
bits_of_role(struct str role)
{
	if (role.p == NULL)
		return 0;
	return UINT64_C(1) << SCOPE_MEMBER | (uint64_t)str_is(role, "owner") << SCOPE_OWNER;
}

static struct key
key_of_row(const struct key_row *row)
{
	struct key k = {
		.uuid = row->uuid,
		.owner = row->owner,
		.account = row->account,
		.group_uuid = row->group_uuid,
		.account_active = row->account_active,
		.strong_only = row->strong_only,
		.scopes = bits_of_scopes(&row->scopes) | bits_of_role(row->role),
		.managed = bits_of_scopes(&row->managed),
		.valid_until = row->valid_until,
	};
	const struct str *names = row->entitlements.items;

	if (row->prefix.n != KEY_PREFIX_LEN)
		panic("a stored key prefix of %zu characters",
		    row->prefix.n); /* UNCOVERED: the database checks it */
	memcpy(k.prefix, row->prefix.p, KEY_PREFIX_LEN);
	/* A name that only a newer schema knows parses as ENTITLEMENT_UNSET, whose bit is
	   cleared. */
	for (size_t i = 0; i < row->entitlements.n; i++)
		k.entitlements |= UINT64_C(1) << entitlement_parse(names[i]);
	k.entitlements &= ~(UINT64_C(1) << ENTITLEMENT_UNSET);
	return k;
}

static enum key_rc
key_rc_of(enum db_rc rc)
{
	switch (rc) {
	case DB_OK:
		return KEY_FOUND;
	case DB_NONE:
		return KEY_UNKNOWN;
	case DB_CONFLICT:
	case DB_TIMEOUT:
	case DB_DOWN:
		return KEY_UNAVAILABLE;
	}
	panic("db_rc out of range");
}

static enum key_rc
read_key(struct db *db, struct str secret, const unsigned char hash[KEY_HASH_LEN], struct key *out)
{
	struct key_row row = { 0 };
	struct str prefix = { secret.p, KEY_PREFIX_LEN };
	/* The shorter deadline keeps a hanging database from blocking every worker. */
	int64_t former = db_hurry(db, mono_us() + conf.auth_wait * 1000);
	/* With the hash in the WHERE clause, a wrong secret takes the same time with a known and an
	   unknown prefix. */
	enum key_rc rc = key_rc_of(
	    db_one(db, &find_key, &row, P(prefix), P(((struct bytes){ hash, KEY_HASH_LEN }))));

	db_relax(db, former);
	if (rc != KEY_FOUND)
		return rc;
	/* Compared again, because the database does not compare in constant time. */
	if (row.sha256.n != KEY_HASH_LEN || CRYPTO_memcmp(row.sha256.p, hash, KEY_HASH_LEN) != 0)
		return KEY_UNKNOWN;
	*out = key_of_row(&row);
	return KEY_FOUND;
}

static bool
entry_is_valid(const struct key_entry *s, const unsigned char hash[KEY_HASH_LEN])
{
	if (s->until <= mono_us() || CRYPTO_memcmp(s->hash, hash, KEY_HASH_LEN) != 0)
		return false;
	/* When an entitlement has expired, the row is read again: the key may have others. */
	return ts_is_null(s->key.valid_until) || ts_cmp(ts_now(), s->key.valid_until) < 0;
}

uint64_t
key_cache_changes(const struct key_cache *c)
{
	return c->changes;
}

static void
hash_secret(struct key_cache *c, struct str secret, unsigned char hash[KEY_HASH_LEN])
{
	if (EVP_DigestInit_ex2(c->digest, c->sha256, NULL) != 1 ||
	    EVP_DigestUpdate(c->digest, secret.p, secret.n) != 1 ||
	    EVP_DigestFinal_ex(c->digest, hash, NULL) != 1)
		panic("SHA256 failed"); /* UNCOVERED: it cannot */
}

enum key_rc
key_lookup(struct key_cache *c, struct secret secret, struct key *out)
{
	unsigned char hash[KEY_HASH_LEN];
	struct key_entry *s;
	int64_t asked;
	enum key_rc rc;

	if (!key_is_well_formed(secret.hidden))
		return KEY_UNKNOWN;
	hash_secret(c, secret.hidden, hash);
	if (db_notified(c->db)) {
		for (size_t i = 0; i < CACHE_ENTRIES; i++)
			c->entries[i].until = 0;
		c->changes++;
	}
	s = &c->entries[((size_t)hash[0] << 8 | hash[1]) % CACHE_ENTRIES];
	if (entry_is_valid(s, hash)) {
		*out = s->key;
		return KEY_FOUND;
	}
	asked = mono_us(); /* the entry counts as old as the question */
	rc = read_key(c->db, secret.hidden, hash, out);
	if (rc == KEY_FOUND) {
		memcpy(s->hash, hash, KEY_HASH_LEN);
		s->until = asked + conf.key_cache * 1000;
		s->key = *out;
	}
	return rc;
}

enum key_rc
key_lookup_uuid(struct key_cache *c, struct uuid uuid, struct uuid sign_in, struct key *out)
{
	struct key_row row = { 0 };
	int64_t former = db_hurry(c->db, mono_us() + conf.auth_wait * 1000);
	enum key_rc rc = key_rc_of(db_one(c->db, &find_key_by_uuid, &row, P(uuid), P(sign_in)));

	db_relax(c->db, former);
	if (rc == KEY_FOUND)
		*out = key_of_row(&row);
	return rc;
}

enum key_rc
credential_find(struct db *db, const struct credential_of *of, struct key out[2], size_t *n)
{
	int64_t former = db_hurry(db, mono_us() + conf.auth_wait * 1000);
	struct list rows;
	enum key_rc rc = key_rc_of(
	    db_list(db, &find_credentials, &rows, P(of->person), P(of->org), P(of->project)));
	const struct key_row *row = rows.items;

	db_relax(db, former);
	if (rc != KEY_FOUND)
		return rc;
	for (*n = 0; *n < rows.n && *n < 2; ++*n)
		out[*n] = key_of_row(&row[*n]);
	return *n > 0 ? KEY_FOUND : KEY_UNKNOWN;
}

bool
key_has_scope(const struct key *k, enum scope s)
{
	return s == SCOPE_ANY || (s != SCOPE_UNSET && (k->scopes >> s & 1) != 0);
}

bool
key_is_console(const struct key *k)
{
	return key_has_scope(k, SCOPE_MEMBER);
}

bool
key_has_entitlement(const struct key *k, enum entitlement e)
{
	return e == ENTITLEMENT_ANY || (e != ENTITLEMENT_UNSET && (k->entitlements >> e & 1) != 0);
}

void
key_make(
    char out[KEY_SECRET_LEN + 1], char prefix[KEY_PREFIX_LEN + 1], unsigned char hash[KEY_HASH_LEN])
{
	static const char alphabet[] =
	    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
	unsigned char raw[RANDOM_LEN], byte;
	size_t n = 4;

	memcpy(prefix, "sfk_", 4);
	while (n < KEY_PREFIX_LEN) {
		random_bytes(&byte, 1);
		if (byte < 248) /* 4 * 62: makes every character equally likely */
			prefix[n++] = alphabet[byte % 62];
	}
	prefix[n] = '\0';
	random_bytes(raw, sizeof(raw));
	memcpy(out, prefix, KEY_PREFIX_LEN);
	out[KEY_PREFIX_LEN] = '_';
	n = base64url_print(out + KEY_PREFIX_LEN + 1, raw, sizeof(raw));
	if (n != TAIL_LEN)
		panic("a secret of %zu characters", n); /* UNCOVERED: ends the process */
	out[KEY_SECRET_LEN] = '\0';
	SHA256((const unsigned char *)out, KEY_SECRET_LEN, hash);
	OPENSSL_cleanse(raw, sizeof(raw));
}
