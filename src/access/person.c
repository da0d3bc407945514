/* SPDX-License-Identifier: ISC */
/* Looks up, begins and ends sign-ins; access/person.h draws what they are. */
#include "config.h"

#include "access/person.h"
#include "base/url.h"
#include "daemon/conf.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>

enum { RANDOM_LEN = 32 };

void
token_make(struct token *out)
{
	unsigned char raw[RANDOM_LEN];

	random_bytes(raw, sizeof(raw));
	if (base64url_print(out->text, raw, sizeof(raw)) != TOKEN_LEN)
		panic("a token is not %d characters", TOKEN_LEN); /* UNCOVERED: ends the process */
	SHA256((const unsigned char *)out->text, TOKEN_LEN, out->hash);
	OPENSSL_cleanse(raw, sizeof(raw));
}

bool
token_hash(struct secret sent, unsigned char hash[TOKEN_HASH_LEN])
{
	unsigned char raw[RANDOM_LEN];
	size_t n;
	bool ok = sent.hidden.n == TOKEN_LEN &&
		  base64url_parse(sent.hidden, raw, sizeof(raw), &n) && n == sizeof(raw);

	OPENSSL_cleanse(raw, sizeof(raw));
	if (ok)
		SHA256((const unsigned char *)sent.hidden.p, sent.hidden.n, hash);
	return ok;
}

struct str
passkey_rp_id(void)
{
	static char host[RP_ID_MAX];
	struct str authority, rest, name;

	if (!url_split(str_of(conf.public_url), &authority, &rest))
		return STR("");
	name = url_host(authority);
	return name.n > sizeof(host) ? STR("") : str_lower_ascii(host, name);
}

/* ---- sign-ins ---- */

static const struct field sign_in_out[] = {
	FIELD(struct sign_in, state, 0),
	FIELD(struct sign_in, uuid, NULLABLE),
	FIELD(struct sign_in, person_uuid, NULLABLE),
	FIELD(struct sign_in, name, 0),
	FIELD(struct sign_in, email, 0),
	FIELD(struct sign_in, has_password, 0),
	FIELD(struct sign_in, has_totp, 0),
	FIELD(struct sign_in, passkeys, 0),
	LIST_OF(struct sign_in, methods, 0, struct str, 0, 0),
	FIELD(struct sign_in, strong, 0),
	FIELD(struct sign_in, created_at, NULLABLE),
	FIELD(struct sign_in, authenticated_at, NULLABLE),
	FIELD(struct sign_in, seen_at, NULLABLE),
	FIELD(struct sign_in, expires_at, NULLABLE),
	FIELD_END,
};

STMT(find_sign_in, sign_in_out,
    "SELECT state, uuid, person_uuid, name, email, has_password, has_totp, passkeys, methods,"
    " strong, created_at, authenticated_at, seen_at, expires_at FROM sign_in_find($1, $2, $3)");

struct begun_sign_in {
	struct uuid uuid;
};

static const struct field begun_sign_in_out[] = {
	FIELD(struct begun_sign_in, uuid, NULLABLE),
	FIELD_END,
};

STMT(begin_sign_in, begun_sign_in_out,
    "SELECT sign_in_begin($1, $2, $3, $4::text[], $5, $6, $7, $8, $9, $10) AS uuid");
STMT(end_sign_in, begun_sign_in_out, "SELECT sign_in_end($1, $2, $3) AS uuid");

enum sign_in_rc
sign_in_find(struct db *db, struct secret token, struct sign_in *out)
{
	unsigned char hash[TOKEN_HASH_LEN];
	int64_t former;
	enum db_rc rc;

	if (!token_hash(token, hash))
		return SIGN_IN_UNKNOWN;
	former = db_hurry(db, mono_us() + conf.auth_wait * 1000);
	rc = db_one(db, &find_sign_in, out, P(((struct bytes){ hash, sizeof(hash) })),
	    P(conf.sign_in_idle), P(passkey_rp_id()));
	db_relax(db, former);
	if (rc != DB_OK)
		return SIGN_IN_UNAVAILABLE;
	if (str_is(out->state, "live"))
		return SIGN_IN_LIVE;
	return str_is(out->state, "over") ? SIGN_IN_OVER : SIGN_IN_UNKNOWN;
}

static enum db_rc
none_if_null(enum db_rc rc, const struct begun_sign_in *row)
{
	static const struct uuid zero;

	return rc == DB_OK && uuid_cmp(&row->uuid, &zero) == 0 ? DB_NONE : rc;
}

enum db_rc
sign_in_begin(struct db *db, const struct sign_in_new *s, const struct token *t)
{
	struct begun_sign_in row = { { { 0 } } };
	enum db_rc rc = db_one(db, &begin_sign_in, &row, P(s->person), P(s->former),
	    P(((struct bytes){ t->hash, sizeof(t->hash) })), P(s->methods), P(s->strong),
	    P(s->address), P(s->agent), P(conf.sign_in_life), P(s->password), P(passkey_rp_id()));

	return none_if_null(rc, &row);
}

enum db_rc
sign_in_end(struct db *db, const struct uuid *person, const struct uuid *sign_in, struct str reason)
{
	struct begun_sign_in row = { { { 0 } } };

	return none_if_null(
	    db_one(db, &end_sign_in, &row, P(*person), P(*sign_in), P(reason)), &row);
}

/* ---- credentials ---- */

static const struct field person_credentials_out[] = {
	FIELD(struct person_credentials, uuid, 0),
	FIELD(struct person_credentials, name, 0),
	FIELD(struct person_credentials, email, 0),
	FIELD(struct person_credentials, password, NULLABLE),
	FIELD(struct person_credentials, totp, NULLABLE),
	FIELD(struct person_credentials, has_totp, 0),
	FIELD(struct person_credentials, totp_step, 0),
	FIELD(struct person_credentials, passkeys, 0),
	FIELD(struct person_credentials, disabled, 0),
	FIELD_END,
};

STMT(find_person, person_credentials_out,
    "SELECT uuid, name, email, password, totp, has_totp, totp_step, passkeys, disabled"
    " FROM person_credentials($1, $2, $3) WHERE uuid IS NOT NULL");

enum db_rc
person_find(
    struct db *db, struct str email, const struct uuid *uuid, struct person_credentials *out)
{
	static const struct uuid none;

	return db_one(
	    db, &find_person, out, P(email), P(email.p == NULL ? *uuid : none), P(passkey_rp_id()));
}

/* ---- throttle ---- */

static const struct field throttle_full_out[] = {
	FIELD(struct throttle_full, full_bucket, 0),
	FIELD(struct throttle_full, wait, 0),
	FIELD(struct throttle_full, note, 0),
	FIELD_END,
};

STMT(spend_throttle, throttle_full_out,
    "SELECT full_bucket, wait, note FROM throttle_spend($1::text[]::bytea[],"
    " $2::text[]::bigint[], $3::text[]::bigint[])");
STMT(refund_throttle, NULL, "SELECT throttle_refund($1::text[]::bytea[])");

static struct strs
bucket_names(struct arena *a, const struct throttle *t)
{
	struct str *names = ARENA_ARRAY(a, t->n + 1, struct str);

	for (size_t i = 0; i < t->n; i++)
		names[i] =
		    db_bytea(a, (struct str){ (const char *)t->buckets[i].name, THROTTLE_NAME });
	return (struct strs){ names, t->n };
}

enum db_rc
throttle_spend(struct db *db, struct arena *a, const struct throttle *t, struct throttle_full *out)
{
	struct str *sizes = ARENA_ARRAY(a, t->n + 1, struct str),
		   *seconds = ARENA_ARRAY(a, t->n + 1, struct str);

	for (size_t i = 0; i < t->n; i++) {
		sizes[i] = arena_printf(a, "%jd", (intmax_t)t->buckets[i].size);
		seconds[i] = arena_printf(a, "%jd", (intmax_t)t->buckets[i].seconds);
	}
	return db_one(db, &spend_throttle, out, P(bucket_names(a, t)),
	    P(((struct strs){ sizes, t->n })), P(((struct strs){ seconds, t->n })));
}

enum db_rc
throttle_refund(struct db *db, struct arena *a, const struct throttle *t)
{
	return db_do(db, &refund_throttle, NULL, P(bucket_names(a, t)));
}

static const struct field known_network_out[] = {
	FIELD(struct known_network, known, 0),
	FIELD(struct known_network, email, 0),
	FIELD_END,
};

STMT(find_network, known_network_out,
    "SELECT sign_in_network_known($1, $2) AS known, lower($1::text) AS email");

enum db_rc
network_find(struct db *db, struct str email, struct str network, struct known_network *out)
{
	return db_one(db, &find_network, out, P(email), P(network));
}
