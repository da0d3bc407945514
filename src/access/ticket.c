/* SPDX-License-Identifier: ISC */
/* Seals and opens tickets. libjwt only signs and verifies, because it accepts more than a ticket
   may be: other algorithms, and any token when the key is NULL. So ticket_open parses the head,
   requires HS256, finds the key by its kid and verifies the signature before it parses the
   claims. */
#include "config.h"

#include <jwt.h>
#include <openssl/crypto.h>

#include "access/ticket.h"
#include "base/limits.h"

#define ISSUER "surfaced"
#define ALGORITHM "HS256"

static const struct kind {
	const char *audience, *prefix; /* prefix: before the token */
	size_t length_max;
	int64_t seconds_max; /* the longest time for which a ticket may be valid */
} kinds[] = {
	[TICKET_STREAM] = { "stream", "surfaced.stream.v1.", LIM_STREAM_TICKET, 60 },
	[TICKET_EVIDENCE] = { "evidence", "", LIM_EVIDENCE_TICKET, LIM_EVIDENCE_TICKET_LIFE },
};

static const struct kind *
find_kind(enum ticket_kind kind)
{
	if (kind == TICKET_NONE)
		panic("a ticket without a kind");
	return &kinds[kind];
}

struct head {
	struct str typ, alg, kid;
};

static const struct field head_fields[] = {
	FIELD(struct head, typ, 0),
	FIELD(struct head, alg, REQUIRED),
	TEXT(struct head, kid, REQUIRED, 1, SIGNING_KID_MAX),
	FIELD_END,
};

struct claims {
	struct str iss, aud;
	int64_t iat, nbf, exp;
	struct uuid jti, project, session, key, sign_in;
};

static const struct field claim_fields[] = {
	FIELD(struct claims, iss, REQUIRED),
	FIELD(struct claims, aud, REQUIRED),
	FIELD(struct claims, iat, REQUIRED),
	FIELD(struct claims, nbf, REQUIRED),
	FIELD(struct claims, exp, REQUIRED),
	FIELD(struct claims, jti, REQUIRED),
	FIELD(struct claims, project, REQUIRED),
	FIELD(struct claims, session, REQUIRED),
	FIELD(struct claims, key, REQUIRED),
	FIELD(struct claims, sign_in, 0),
	FIELD_END,
};

/* ---- sealing ---- */

static void
add_uuid_claim(jwt_t *jwt, const char *claim, const struct uuid *u)
{
	if (jwt_add_grant(jwt, claim, uuid_text(u).z) != 0)
		panic("libjwt cannot add a ticket's %s", claim);
}

static void
add_int_claim(jwt_t *jwt, const char *claim, int64_t n)
{
	if (jwt_add_grant_int(jwt, claim, n) != 0)
		panic("libjwt cannot add a ticket's %s", claim);
}

struct secret
ticket_seal(struct arena *a, const struct signing_keys *keys, const struct ticket *t, struct ts now)
{
	const struct signing_key *key = &keys->keys[0];
	static const struct uuid none;
	const struct kind *kind = find_kind(t->kind);
	struct secret out;
	jwt_t *jwt = NULL;
	char *token;

	if (keys->n == 0 || jwt_new(&jwt) != 0 ||
	    jwt_set_alg(jwt, JWT_ALG_HS256, key->bytes, SIGNING_KEY_LEN) != 0 ||
	    jwt_add_header(jwt, "kid", key->kid) != 0 || jwt_add_grant(jwt, "iss", ISSUER) != 0 ||
	    jwt_add_grant(jwt, "aud", kind->audience) != 0)
		panic("libjwt cannot make a ticket");
	add_int_claim(jwt, "iat", now.us / SECOND_US);
	add_int_claim(jwt, "nbf", now.us / SECOND_US);
	add_int_claim(jwt, "exp", t->expires_at.us / SECOND_US);
	add_uuid_claim(jwt, "jti", &t->jti);
	add_uuid_claim(jwt, "project", &t->project);
	add_uuid_claim(jwt, "session", &t->session);
	add_uuid_claim(jwt, "key", &t->key);
	if (uuid_cmp(&t->sign_in, &none) != 0)
		add_uuid_claim(jwt, "sign_in", &t->sign_in);
	token = jwt_encode_str(jwt);
	if (token == NULL)
		panic("libjwt cannot sign a ticket");
	out.hidden = arena_printf(a, "%s%s", kind->prefix, token);
	OPENSSL_cleanse(token, strlen(token));
	free(token);
	jwt_free(jwt);
	if (out.hidden.n > kind->length_max)
		panic("a ticket of %zu characters", out.hidden.n);
	return out;
}

/* ---- opening ---- */

/* Decodes unpadded base64url and parses the JSON object in it by the field table. */
static bool
parse_token_part(
    struct arena *a, struct str text, const struct field *fields, struct ts now, void *out)
{
	unsigned char *bytes = arena_alloc(a, text.n + 1);
	struct decoded how;
	size_t n;

	return base64url_parse(text, bytes, text.n, &n) &&
	       json_decode(a, (struct str){ (const char *)bytes, n }, fields, now, out, &how) ==
		   JSON_OK;
}

/* libjwt gets the same text that ticket_open has split, so the signature covers exactly the parsed
   parts. */
static bool
signature_holds(struct arena *a, struct str token, const struct signing_key *key)
{
	struct str z = arena_str(a, token); /* with its NUL */
	jwt_t *jwt = NULL;
	bool ok;

	ok = jwt_decode(&jwt, z.p, key->bytes, SIGNING_KEY_LEN) == 0 && jwt != NULL &&
	     jwt_get_alg(jwt) == JWT_ALG_HS256;
	jwt_free(jwt);
	return ok;
}

static const char *
judge_claims(const struct claims *c, const struct kind *kind, struct ts now)
{
	int64_t at = now.us / SECOND_US;

	if (!str_is(c->iss, ISSUER) || !str_is(c->aud, kind->audience))
		return "not ours";
	if (c->exp <= at)
		return "expired";
	if (c->nbf > at + TICKET_LEEWAY || c->exp > at + kind->seconds_max + TICKET_LEEWAY ||
	    c->exp - c->nbf > kind->seconds_max || c->exp <= c->nbf)
		return "not of this time";
	return NULL;
}

const char *
ticket_open(struct arena *a, const struct signing_keys *keys, struct secret text, struct ts now,
    struct ticket *out)
{
	const struct kind *kind = find_kind(out->kind);
	struct str token = text.hidden, rest, first, second;
	const struct signing_key *key;
	struct head head = { 0 };
	struct claims claims = { 0 };
	const char *fault;

	if (token.n > kind->length_max || !str_starts(token, str_of(kind->prefix)))
		return "no ticket";
	token.p += strlen(kind->prefix);
	token.n -= strlen(kind->prefix);
	rest = token;
	first = str_until(&rest, '.');
	second = str_until(&rest, '.');
	if (rest.n == 0 || memchr(rest.p, '.', rest.n) != NULL ||
	    memchr(token.p, '\0', token.n) != NULL)
		return "no token";
	if (!parse_token_part(a, first, head_fields, now, &head))
		return "its head";
	if (!str_is(head.alg, ALGORITHM))
		return "its algorithm";
	key = signing_key_find(keys, head.kid);
	if (key == NULL)
		return "unknown key";
	if (!signature_holds(a, token, key))
		return "its signature";
	if (!parse_token_part(a, second, claim_fields, now, &claims))
		return "its claims";
	fault = judge_claims(&claims, kind, now);
	if (fault != NULL)
		return fault;
	*out = (struct ticket){ .jti = claims.jti,
		.project = claims.project,
		.session = claims.session,
		.key = claims.key,
		.expires_at = { claims.exp * SECOND_US },
		.kind = out->kind,
		.sign_in = claims.sign_in };
	return NULL;
}
