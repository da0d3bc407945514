/* SPDX-License-Identifier: ISC */
/* Verifies passkeys with OpenSSL alone; access/passkey.h has the picture. */
#include "config.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h> /* before base.h bans the word rand, which it uses for a parameter */
#include <openssl/sha.h>
#include <openssl/x509.h>

#include "access/passkey.h"
#include "json/tree.h"

enum {
	RP_HASH = SHA256_DIGEST_LENGTH,
	AT_FLAGS = RP_HASH,
	AT_COUNT = AT_FLAGS + 1,
	DATA_MIN = AT_COUNT + 4,      /* without credential and extensions */
	AT_ID_LENGTH = DATA_MIN + 16, /* the offset after the AAGUID */
	AT_ID = AT_ID_LENGTH + 2,
};

enum {
	USER_PRESENT = 0x01,
	USER_VERIFIED = 0x04,
	BACKUP_ELIGIBLE = 0x08,
	BACKED_UP = 0x10,
	HAS_CREDENTIAL = 0x40,
	HAS_EXTENSIONS = 0x80,
};

enum { RSA_BITS_MIN = 2048, RSA_BITS_MAX = 4096, ED25519_KEY = 32 };

/* ---- client data ---- */

static const struct passkey_fault no_client_data = { "client_data", "no client data" },
				  other_type = { "client_data", "its type" },
				  other_challenge = { "client_data", "its challenge" },
				  other_origin = { "client_data", "its origin" },
				  other_frame = { "client_data", "a frame in another site" };

static struct json_value *
parse_client_data(struct arena *a, struct str text)
{
	struct json_value *v = text.n > PASSKEY_CLIENT_DATA_MAX ? NULL : json_parse(a, text);

	return v != NULL && json_type(v) == JSON_OBJECT ? v : NULL;
}

const struct passkey_fault *
passkey_challenge(struct arena *a, struct str client_data, struct str *challenge)
{
	struct json_value *v = parse_client_data(a, client_data);

	if (v == NULL)
		return &no_client_data;
	*challenge = json_get_text(v, "challenge");
	return challenge->n > 0 ? NULL : &other_challenge;
}

static const struct passkey_fault *
check_client_data(
    struct arena *a, const struct passkey_site *site, struct str client_data, const char *type)
{
	struct json_value *v = parse_client_data(a, client_data), *frame;

	if (v == NULL)
		return &no_client_data;
	if (!str_is(json_get_text(v, "type"), type))
		return &other_type;
	if (site->challenge.n == 0 || !str_eq(json_get_text(v, "challenge"), site->challenge))
		return &other_challenge;
	if (site->origin.n == 0 || !str_eq(json_get_text(v, "origin"), site->origin))
		return &other_origin;
	frame = json_get(v, "crossOrigin");
	if (frame != NULL && (json_type(frame) != JSON_BOOL || json_bool(frame)))
		return &other_frame;
	return NULL;
}

/* ---- authenticator data ---- */

static const struct passkey_fault wrong_length = { "authenticator_data", "its length" },
				  other_site = { "authenticator_data", "another site" },
				  no_person = { "authenticator_data",
					  "the person was not verified" },
				  wrong_flags = { "authenticator_data", "its flags" },
				  no_credential = { "authenticator_data", "has no credential" },
				  other_id = { "id", "not the id in authenticator_data" };

static unsigned
flags_of(struct str data)
{
	return (unsigned char)data.p[AT_FLAGS];
}

static const struct passkey_fault *
check_authenticator_data(const struct passkey_site *site, struct str data)
{
	unsigned char hash[RP_HASH];
	unsigned flags;

	if (data.n < DATA_MIN || data.n > PASSKEY_AUTHENTICATOR_DATA_MAX)
		return &wrong_length;
	SHA256((const unsigned char *)site->rp_id.p, site->rp_id.n, hash);
	if (memcmp(hash, data.p, RP_HASH) != 0)
		return &other_site;
	flags = flags_of(data);
	if (!(flags & USER_PRESENT) || !(flags & USER_VERIFIED))
		return &no_person;
	if ((flags & BACKED_UP) && !(flags & BACKUP_ELIGIBLE))
		return &wrong_flags;
	if (!(flags & (HAS_CREDENTIAL | HAS_EXTENSIONS)) && data.n != DATA_MIN)
		return &wrong_length;
	return NULL;
}

/* The credential id must equal the one that was sent. The public key and extensions that follow in
   CBOR are not read. */
static const struct passkey_fault *
check_credential(struct str data, struct str id)
{
	const unsigned char *p = (const unsigned char *)data.p;
	size_t n;

	if (!(flags_of(data) & HAS_CREDENTIAL))
		return &no_credential;
	if (data.n < AT_ID)
		return &wrong_length;
	n = (size_t)p[AT_ID_LENGTH] << 8 | p[AT_ID_LENGTH + 1];
	if (n < PASSKEY_ID_MIN || n > PASSKEY_ID_MAX || data.n <= AT_ID + n)
		return &wrong_length;
	return str_eq(id, (struct str){ data.p + AT_ID, n }) ? NULL : &other_id;
}

static int64_t
count_of(struct str data)
{
	const unsigned char *p = (const unsigned char *)data.p + AT_COUNT;

	return (int64_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
}

static void
read_state(struct str data, struct passkey_state *out)
{
	out->sign_count = count_of(data);
	out->backed_up = (flags_of(data) & BACKED_UP) != 0;
}

/* ---- keys ---- */

static const struct passkey_fault bad_key = { "public_key", "not a key that a passkey may have" },
				  bad_signature = { "signature", "not of this passkey" };
const struct passkey_fault passkey_copied = { "authenticator_data",
	"its counter did not grow: the passkey may have been copied" };

/* Whether the bytes are canonical DER: encoding the parsed key again gives the same bytes. */
static bool
is_canonical(EVP_PKEY *key, struct str spki)
{
	unsigned char *again = NULL;
	int n = i2d_PUBKEY(key, &again);
	bool same = n > 0 && str_eq(spki, (struct str){ (char *)again, (size_t)n });

	OPENSSL_free(again);
	return same;
}

/* Whether the key is on the named curve P-256. A curve that is given by explicit parameters has
   another group name, or none. */
static bool
is_p256(EVP_PKEY *key)
{
	char group[32], encoding[32];
	size_t n;

	return EVP_PKEY_is_a(key, "EC") &&
	       EVP_PKEY_get_group_name(key, group, sizeof(group), &n) == 1 &&
	       strcmp(group, "prime256v1") == 0 &&
	       EVP_PKEY_get_utf8_string_param(
		   key, OSSL_PKEY_PARAM_EC_ENCODING, encoding, sizeof(encoding), &n) == 1 &&
	       strcmp(encoding, OSSL_PKEY_EC_ENCODING_EXPLICIT) != 0;
}

static bool
has_algorithm(EVP_PKEY *key, int64_t algorithm)
{
	int bits = EVP_PKEY_get_bits(key);

	switch (algorithm) {
	case -8:
		return EVP_PKEY_is_a(key, "ED25519");
	case -7:
		return is_p256(key);
	case -257:
		return EVP_PKEY_is_a(key, "RSA") && bits >= RSA_BITS_MIN && bits <= RSA_BITS_MAX;
	default:
		return false;
	}
}

/* Whether the point is on its curve, or modulus and exponent can be those of an RSA key. */
static bool
is_sound(EVP_PKEY *key)
{
	EVP_PKEY_CTX *c = EVP_PKEY_CTX_new(key, NULL);
	bool sound = c != NULL && EVP_PKEY_public_check(c) == 1;

	EVP_PKEY_CTX_free(c);
	return sound;
}

/* Parses a public key. Returns NULL unless all bytes are one key of the algorithm. */
static EVP_PKEY *
parse_spki(struct str spki, int64_t algorithm)
{
	const unsigned char *at = (const unsigned char *)spki.p;
	EVP_PKEY *key;

	if (spki.n == 0 || spki.n > PASSKEY_SPKI_MAX)
		return NULL;
	key = d2i_PUBKEY(NULL, &at, (long)spki.n);
	if (key == NULL)
		return NULL;
	if (at == (const unsigned char *)spki.p + spki.n && has_algorithm(key, algorithm) &&
	    is_canonical(key, spki))
		return key;
	EVP_PKEY_free(key);
	return NULL;
}

/* True if y, in little-endian order and with the sign of x in its highest bit, is smaller than
   p = 2^255 - 19: a larger one is a second encoding of a point. */
static bool
is_below_p(const unsigned char y[ED25519_KEY])
{
	if (y[0] < 0xed || (y[ED25519_KEY - 1] & 0x7f) != 0x7f)
		return true;
	for (size_t i = 1; i < ED25519_KEY - 1; i++)
		if (y[i] != 0xff)
			return true;
	return false;
}

/* The eight points of small order have five values of y: 0, 1, p - 1, and two of order 8. For such
 * a key everybody can make a signature that fits one message in eight, or every one. OpenSSL
 * accepts these keys. */
static bool
is_of_small_order(const unsigned char y[ED25519_KEY])
{
	static const unsigned char small[][ED25519_KEY] = {
		{ 0 },
		{ 1 },
		{ 0xec, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		    0xff, 0xff, 0xff, 0xff, 0xff, 0x7f },
		{ 0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2,
		    0xef, 0x98, 0xf0, 0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38,
		    0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05 },
		{ 0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d,
		    0x10, 0x67, 0x0f, 0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7,
		    0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a },
	};

	for (size_t i = 0; i < COUNT(small); i++)
		if (memcmp(small[i], y, ED25519_KEY - 1) == 0 &&
		    small[i][ED25519_KEY - 1] == (y[ED25519_KEY - 1] & 0x7f))
			return true;
	return false;
}

/* True for keys of the other algorithms as well. */
static bool
is_sound_ed25519(EVP_PKEY *key)
{
	unsigned char y[ED25519_KEY];
	size_t n = sizeof(y);

	if (!EVP_PKEY_is_a(key, "ED25519"))
		return true;
	return EVP_PKEY_get_raw_public_key(key, y, &n) == 1 && n == sizeof(y) && is_below_p(y) &&
	       !is_of_small_order(y);
}

bool
passkey_key_good(struct str spki, int64_t algorithm)
{
	EVP_PKEY *key = parse_spki(spki, algorithm);
	bool good = key != NULL && is_sound(key) && is_sound_ed25519(key);

	EVP_PKEY_free(key);
	return good;
}

static bool
verify_signature(const struct passkey_state *state, struct str text, struct str signature)
{
	EVP_PKEY *key = parse_spki(state->spki, state->algorithm);
	EVP_MD_CTX *c = EVP_MD_CTX_new();
	const EVP_MD *hash = state->algorithm == -8 ? NULL : EVP_sha256();
	bool good = key != NULL && c != NULL &&
		    EVP_DigestVerifyInit(c, NULL, hash, NULL, key) == 1 &&
		    EVP_DigestVerify(c, (const unsigned char *)signature.p, signature.n,
			(const unsigned char *)text.p, text.n) == 1;

	EVP_MD_CTX_free(c);
	EVP_PKEY_free(key);
	return good;
}

/* ---- verdicts ---- */

const struct passkey_fault *
passkey_register(struct arena *a, const struct passkey_site *site,
    const struct passkey_registration *in, struct passkey_state *out)
{
	const struct passkey_fault *fault =
	    check_client_data(a, site, in->client_data, "webauthn.create");

	if (fault == NULL)
		fault = check_authenticator_data(site, in->authenticator_data);
	if (fault == NULL)
		fault = check_credential(in->authenticator_data, in->id);
	if (fault != NULL)
		return fault;
	if (!passkey_key_good(in->public_key, in->algorithm))
		return &bad_key;
	*out = (struct passkey_state){ in->public_key, in->algorithm, 0, false };
	read_state(in->authenticator_data, out);
	return NULL;
}

const struct passkey_fault *
passkey_verify(struct arena *a, const struct passkey_site *site, const struct passkey_assertion *in,
    struct passkey_state *state)
{
	const struct passkey_fault *fault =
	    check_client_data(a, site, in->client_data, "webauthn.get");
	struct buf text = { .a = a };
	unsigned char hash[SHA256_DIGEST_LENGTH];
	int64_t count;

	if (fault == NULL)
		fault = check_authenticator_data(site, in->authenticator_data);
	if (fault != NULL)
		return fault;
	SHA256((const unsigned char *)in->client_data.p, in->client_data.n, hash);
	buf_str(&text, in->authenticator_data);
	buf_add(&text, hash, sizeof(hash));
	if (in->signature.n == 0 || in->signature.n > PASSKEY_SIGNATURE_MAX ||
	    !verify_signature(state, (struct str){ text.p, text.n }, in->signature))
		return &bad_signature;
	count = count_of(in->authenticator_data);
	if ((count != 0 || state->sign_count != 0) && count <= state->sign_count)
		return &passkey_copied;
	read_state(in->authenticator_data, state);
	return NULL;
}
