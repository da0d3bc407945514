/* SPDX-License-Identifier: ISC */
/* Signs and seals under sign_in_keys; access/seal.h has the forms. */
#include "config.h"

#include <openssl/crypto.h>
#include <openssl/evp.h> /* before base.h bans the word rand, which it uses for a parameter */
#include <openssl/hmac.h>

#include "access/seal.h"

enum { VERSION = 1, NONCE = 12, GCM_TAG = 16, EXPIRY = 8, HEAD_TOKEN = SEAL_HEAD + SEAL_TAG };

static void
compute_hmac(const unsigned char *key, const struct buf *text, unsigned char out[SEAL_TAG])
{
	unsigned int n;

	if (HMAC(EVP_sha256(), key, SIGNING_KEY_LEN, (const unsigned char *)text->p, text->n, out,
		&n) == NULL)
		panic("HMAC failed"); /* UNCOVERED: malloc fails */
}

static void
append_with_length(struct buf *b, struct str s)
{
	uint64_t n = s.n;

	buf_add(b, &n, sizeof(n)); /* so that "a","bc" differs from "ab","c" */
	buf_str(b, s);
}

/* Derives the key of a purpose. use->bound is not part of the derivation; each tag covers it
   instead. */
static void
derive_seal_key(const struct signing_key *key, const struct seal_use *use, const char *form,
    unsigned char out[SIGNING_KEY_LEN])
{
	struct buf b = { 0 };

	append_with_length(&b, str_of(form));
	append_with_length(&b, str_of(use->purpose));
	compute_hmac(key->bytes, &b, out);
	buf_free(&b);
}

static void
compute_tag(const struct signing_key *key, const struct seal_use *use, const char *form,
    struct str text, unsigned char tag[SEAL_TAG])
{
	unsigned char derived[SIGNING_KEY_LEN];
	struct buf b = { 0 };

	derive_seal_key(key, use, form, derived);
	append_with_length(&b, use->bound);
	append_with_length(&b, text);
	compute_hmac(derived, &b, tag);
	buf_free(&b);
	OPENSSL_cleanse(derived, sizeof(derived));
}

void
seal_tag(const struct signing_keys *keys, const struct seal_use *use, struct str text,
    unsigned char tag[SEAL_TAG])
{
	compute_tag(&keys->keys[0], use, "tag", text, tag);
}

bool
seal_tag_is(const struct signing_keys *keys, const struct seal_use *use, struct str text,
    const unsigned char tag[SEAL_TAG])
{
	unsigned char made[SEAL_TAG];
	bool found = false;

	for (size_t i = 0; i < keys->n; i++) {
		compute_tag(&keys->keys[i], use, "tag", text, made);
		found |= CRYPTO_memcmp(made, tag, SEAL_TAG) == 0;
	}
	return found;
}

/* ---- heads ---- */

static void
write_head(unsigned char out[SEAL_HEAD], const struct signing_key *key)
{
	memset(out, 0, SEAL_HEAD);
	out[0] = VERSION;
	memcpy(out + 1, key->kid, strlen(key->kid));
}

/* Finds the key of a head. Returns NULL when the head is malformed or the file does not contain its
   key. */
static const struct signing_key *
read_sealed_head(const struct signing_keys *keys, const unsigned char *head)
{
	char kid[SIGNING_KID_MAX + 1] = { 0 };
	unsigned char again[SEAL_HEAD];
	const struct signing_key *key;

	memcpy(kid, head + 1, SIGNING_KID_MAX);
	key = signing_key_find(keys, str_of(kid));
	if (key == NULL)
		return NULL;
	write_head(again, key); /* refuses other bytes after the first zero */
	return memcmp(again, head, SEAL_HEAD) == 0 ? key : NULL;
}

/* ---- tokens ---- */

struct str
seal_token_make(struct arena *a, const struct signing_keys *keys, const struct seal_use *use,
    const struct seal_token *t)
{
	unsigned char raw[HEAD_TOKEN + EXPIRY + SEAL_PAYLOAD_MAX];
	size_t n = EXPIRY + t->payload.n;
	char *room;

	if (t->payload.n > SEAL_PAYLOAD_MAX)
		panic("a token of %zu bytes", t->payload.n); /* UNCOVERED: ends the process */
	write_head(raw, &keys->keys[0]);
	for (size_t i = 0; i < EXPIRY; i++)
		raw[HEAD_TOKEN + i] = (unsigned char)((uint64_t)t->expires_at.us >> (56 - 8 * i));
	if (t->payload.n > 0)
		memcpy(raw + HEAD_TOKEN + EXPIRY, t->payload.p, t->payload.n);
	compute_tag(&keys->keys[0], use, "token", (struct str){ (char *)raw + HEAD_TOKEN, n },
	    raw + SEAL_HEAD);
	room = arena_alloc(a, SEAL_TOKEN_MAX + 1);
	return (struct str){ room, base64url_print(room, raw, HEAD_TOKEN + n) };
}

static struct ts
read_expiry(const unsigned char *at)
{
	uint64_t us = 0;

	for (size_t i = 0; i < EXPIRY; i++)
		us = us << 8 | at[i];
	return (struct ts){ (int64_t)us };
}

enum seal_rc
seal_token_open(struct arena *a, const struct signing_keys *keys, const struct seal_use *use,
    struct str text, struct seal_token *out)
{
	unsigned char raw[HEAD_TOKEN + EXPIRY + SEAL_PAYLOAD_MAX], tag[SEAL_TAG];
	struct ts now = out->expires_at;
	const struct signing_key *key;
	size_t n;

	if (!base64url_parse(text, raw, sizeof(raw), &n) || n < HEAD_TOKEN + EXPIRY)
		return SEAL_BAD;
	key = read_sealed_head(keys, raw);
	if (key == NULL)
		return SEAL_BAD;
	compute_tag(
	    key, use, "token", (struct str){ (char *)raw + HEAD_TOKEN, n - HEAD_TOKEN }, tag);
	if (CRYPTO_memcmp(tag, raw + SEAL_HEAD, SEAL_TAG) != 0)
		return SEAL_BAD;
	out->expires_at = read_expiry(raw + HEAD_TOKEN);
	out->payload = arena_str(
	    a, (struct str){ (char *)raw + HEAD_TOKEN + EXPIRY, n - HEAD_TOKEN - EXPIRY });
	return ts_cmp(now, out->expires_at) < 0 ? SEAL_GOOD : SEAL_OLD;
}

/* ---- sealed secrets ---- */

/* One call of AES-256-GCM. */
struct gcm {
	const unsigned char *key, *nonce, *in;
	struct str covered; /* authenticated together with the secret: the head and use->bound */
	unsigned char *out, *tag;
	int n;
};

static bool
run_gcm(const struct gcm *g, bool encrypt)
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	int n = 0, last = 0;
	bool good;

	if (c == NULL ||
	    EVP_CipherInit_ex(c, EVP_aes_256_gcm(), NULL, g->key, g->nonce, encrypt) != 1 ||
	    (!encrypt && EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, GCM_TAG, g->tag) != 1) ||
	    EVP_CipherUpdate(c, NULL, &n, (const unsigned char *)g->covered.p, (int)g->covered.n) !=
		1 ||
	    EVP_CipherUpdate(c, g->out, &n, g->in, g->n) != 1)
		panic("AES-256-GCM failed"); /* UNCOVERED: malloc fails */
	good = EVP_CipherFinal_ex(c, g->out + n, &last) == 1;
	if (encrypt &&
	    (!good || EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, GCM_TAG, g->tag) != 1))
		panic("AES-256-GCM failed"); /* UNCOVERED: malloc fails */
	EVP_CIPHER_CTX_free(c);
	return good;
}

static struct str
covered_text(struct arena *a, const unsigned char *head, const struct seal_use *use)
{
	struct buf b = { .a = a };

	buf_add(&b, head, SEAL_HEAD);
	buf_str(&b, use->bound);
	return (struct str){ b.p, b.n };
}

struct str
seal_secret(struct arena *a, const struct signing_keys *keys, const struct seal_use *use,
    struct secret secret)
{
	unsigned char key[SIGNING_KEY_LEN], *out = arena_alloc(a, SEAL_MORE + secret.hidden.n);
	struct gcm g = { key, out + SEAL_HEAD, (const unsigned char *)secret.hidden.p,
		.out = out + SEAL_HEAD + NONCE, .tag = out + SEAL_HEAD + NONCE + secret.hidden.n,
		.n = (int)secret.hidden.n };

	if (secret.hidden.n > SEAL_SECRET_MAX)
		panic("a secret of %zu bytes", secret.hidden.n); /* UNCOVERED: ends the process */
	write_head(out, &keys->keys[0]);
	random_bytes(out + SEAL_HEAD, NONCE);
	derive_seal_key(&keys->keys[0], use, "sealed", key);
	g.covered = covered_text(a, out, use);
	(void)run_gcm(&g, true);
	OPENSSL_cleanse(key, sizeof(key));
	return (struct str){ (char *)out, SEAL_MORE + secret.hidden.n };
}

enum seal_rc
seal_open(struct arena *a, const struct signing_keys *keys, const struct seal_use *use,
    struct str sealed, struct secret *out)
{
	unsigned char key[SIGNING_KEY_LEN], tag[GCM_TAG], *plain;
	const unsigned char *in = (const unsigned char *)sealed.p;
	const struct signing_key *k;
	struct gcm g;
	bool good;

	if (sealed.n < SEAL_MORE || sealed.n > SEAL_MORE + SEAL_SECRET_MAX)
		return SEAL_BAD;
	k = read_sealed_head(keys, in);
	if (k == NULL)
		return SEAL_BAD;
	plain = arena_alloc(a, sealed.n);
	memcpy(tag, in + sealed.n - GCM_TAG, GCM_TAG);
	g = (struct gcm){ key, in + SEAL_HEAD, in + SEAL_HEAD + NONCE, covered_text(a, in, use),
		plain, tag, (int)(sealed.n - SEAL_MORE) };
	derive_seal_key(k, use, "sealed", key);
	good = run_gcm(&g, false);
	OPENSSL_cleanse(key, sizeof(key));
	if (!good)
		return SEAL_BAD;
	out->hidden = (struct str){ (char *)plain, sealed.n - SEAL_MORE };
	return k == &keys->keys[0] ? SEAL_GOOD : SEAL_OLD;
}
