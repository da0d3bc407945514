/* SPDX-License-Identifier: ISC */
/* Seals and opens tickets. libjwt signs and verifies, and nothing else, since it accepts more than
   a ticket may be: other algorithms, and with a NULL key any token at all. So the order of
   ticket_open matters: parse the head, require HS256, find the key by kid, verify the signature,
   and only then parse the claims. */
#include "config.h"

#include <jwt.h>
#include <openssl/crypto.h>

#include "access/ticket.h"
#include "base/limits.h"

#include <errno.h>
#include <sys/stat.h>

#define ISSUER "surfaced"
#define ALGORITHM "HS256"

enum { FILE_MAX = 512 };

static const struct kind {
	const char *audience, *prefix; /* prefix: before the token */
	size_t length_max;
	int64_t seconds_max; /* the longest life that a ticket may claim */
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
	TEXT(struct head, kid, REQUIRED, 1, TICKET_KID_MAX),
	FIELD_END,
};

struct claims {
	struct str iss, aud;
	int64_t iat, nbf, exp;
	struct uuid jti, project, session, key;
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
	FIELD_END,
};

/* ---- keys ---- */

static bool
parse_ticket_key(struct str line, struct ticket_key *out)
{
	const char *colon = line.n == 0 ? NULL : memchr(line.p, ':', line.n);
	size_t kid = colon == NULL ? 0 : (size_t)(colon - line.p);

	if (kid == 0 || kid > TICKET_KID_MAX || line.n != kid + 1 + 2 * TICKET_KEY_LEN)
		return false;
	for (size_t i = 0; i < kid; i++)
		if (strchr("abcdefghijklmnopqrstuvwxyz0123456789", line.p[i]) == NULL)
			return false;
	memcpy(out->kid, line.p, kid);
	out->kid[kid] = '\0';
	return hex_parse((struct str){ colon + 1, 2 * TICKET_KEY_LEN }, out->bytes, TICKET_KEY_LEN);
}

static const struct ticket_key *
find_ticket_key(const struct ticket_keys *keys, struct str kid)
{
	for (size_t i = 0; i < keys->n; i++)
		if (str_is(kid, keys->keys[i].kid))
			return &keys->keys[i];
	return NULL;
}

/* NULL, or the fault of the file. */
static const char *
parse_ticket_keys(struct str text, struct ticket_keys *out)
{
	struct str line;

	out->n = 0;
	while (str_line(&text, &line)) {
		struct ticket_key key;

		if (out->n == TICKET_KEYS)
			return "holds more than two keys";
		if (!parse_ticket_key(line, &key))
			return "a line is no kid:64 hexadecimal digits";
		if (find_ticket_key(out, str_of(key.kid)) != NULL)
			return "two keys have one kid";
		out->keys[out->n++] = key;
		OPENSSL_cleanse(&key, sizeof(key));
	}
	return out->n > 0 ? NULL : "holds no key";
}

bool
ticket_keys_read(const char *path, struct ticket_keys *out, char *err, size_t room)
{
	char text[FILE_MAX + 1];
	FILE *in = fopen(path, "re");
	const char *fault;
	size_t n;

	if (in == NULL) {
		snprintf(err, room, "%s: %s", path, strerror(errno));
		return false;
	}
	n = fread(text, 1, sizeof(text), in);
	fault = ferror(in)     ? "cannot be read"
		: n > FILE_MAX ? "is too long"
			       : parse_ticket_keys((struct str){ text, n }, out);
	fclose(in);
	OPENSSL_cleanse(text, sizeof(text));
	if (fault != NULL)
		snprintf(err, room, "%s: %s", path, fault);
	return fault == NULL;
}

void
ticket_key_make(char out[TICKET_LINE + 1])
{
	unsigned char kid[TICKET_KID_MAX / 2], key[TICKET_KEY_LEN];
	char *at = out;

	random_bytes(kid, sizeof(kid));
	random_bytes(key, sizeof(key));
	hex_print(at, kid, sizeof(kid));
	at += 2 * sizeof(kid);
	*at++ = ':';
	hex_print(at, key, sizeof(key));
	at += 2 * sizeof(key);
	*at++ = '\n';
	*at = '\0';
	OPENSSL_cleanse(key, sizeof(key));
}

struct ticket_ring {
	const char *path;
	struct stat seen; /* the file when it was read; st_ino 0: not read yet */
	struct ticket_keys keys;
};

struct ticket_ring *
ticket_ring_new(const char *path)
{
	struct ticket_ring *r = mem_zero(sizeof(*r));

	r->path = path;
	return r;
}

void
ticket_ring_free(struct ticket_ring *r)
{
	OPENSSL_cleanse(r, sizeof(*r));
	free(r);
}

const struct ticket_keys *
ticket_ring_keys(struct ticket_ring *r, char *err, size_t room)
{
	struct stat now;

	if (stat(r->path, &now) != 0) {
		snprintf(err, room, "%s: %s", r->path, strerror(errno));
		return NULL;
	}
	if (r->seen.st_ino != 0 && file_same(&r->seen, &now))
		return &r->keys;
	r->seen.st_ino = 0;
	if (!ticket_keys_read(r->path, &r->keys, err, room))
		return NULL;
	r->seen = now;
	return &r->keys;
}

const struct ticket_keys *
ticket_ring_now(struct ticket_ring *r)
{
	char err[256];
	const struct ticket_keys *keys = ticket_ring_keys(r, err, sizeof(err));

	if (keys == NULL)
		log_event(LOGP_ERR, "stream_keys", "why=\"%s\"", err);
	return keys;
}

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
ticket_seal(struct arena *a, const struct ticket_keys *keys, const struct ticket *t, struct ts now)
{
	const struct ticket_key *key = &keys->keys[0];
	const struct kind *kind = find_kind(t->kind);
	struct secret out;
	jwt_t *jwt = NULL;
	char *token;

	if (keys->n == 0 || jwt_new(&jwt) != 0 ||
	    jwt_set_alg(jwt, JWT_ALG_HS256, key->bytes, TICKET_KEY_LEN) != 0 ||
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

/* libjwt gets the same text that was split above, so the signature covers exactly the parts that
   are parsed. */
static bool
signature_holds(struct arena *a, struct str token, const struct ticket_key *key)
{
	struct str z = arena_str(a, token); /* with its NUL */
	jwt_t *jwt = NULL;
	bool ok;

	ok = jwt_decode(&jwt, z.p, key->bytes, TICKET_KEY_LEN) == 0 && jwt != NULL &&
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
ticket_open(struct arena *a, const struct ticket_keys *keys, struct secret text, struct ts now,
    struct ticket *out)
{
	const struct kind *kind = find_kind(out->kind);
	struct str token = text.hidden, rest, first, second;
	const struct ticket_key *key;
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
	key = find_ticket_key(keys, head.kid);
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
		.kind = out->kind };
	return NULL;
}
