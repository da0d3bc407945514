/* SPDX-License-Identifier: ISC */
/* access/passkey.c: a passkey is registered and verified (C-319, C-320), and every change of any part is refused. The
   keys are made by OpenSSL here; t/people/passkey.t does the same with a browser. */
#include "config.h"

#include <openssl/evp.h> /* before base.h bans the word rand */
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/x509.h>

#include "access/passkey.h"
#include "t/unit/tap.h"

/* openssl genrsa 4096 | openssl rsa -pubout -outform DER */
static const char rsa_4096[] = "30820222300d06092a864886f70d01010105000382020f003082020a0282020100c"
			       "625a3749ca71fd6fab6703d096db4"
			       "25ba55c02443b20582c9ba16776a5b7c9aaf72a02bff3df58711c63110ee5572e0a"
			       "6a26dce2e4e77d5608c1c8d1fe726"
			       "e49a5e765e1c70cf56cc9b4c7a81a9f73ce11eb08defe125d087282f13ab474c810"
			       "eb93037c47e3e75d6bb83510dd58a"
			       "666b50ccfce9332528eb33f4cdbe188aac7037f64279474034f0a667e382315d38c"
			       "298517cea4f72718b51e424bdf6e9"
			       "c888a6f0633cbee1289cc139e02b98bf46aef0894e28efb5492468a433ce250228c"
			       "d73437962b29cac497eac5f6c0da0"
			       "fb9b9885f09f97c42454b6903d06c7e3d44dd0ac90b8555738144d165c1263190f0"
			       "e089e37595f9c8cb6e3283bde4ce7"
			       "d8c70ab9d90405ac5d86ad0136f558f4a5af25152bd83d1b57a55174fb624793457"
			       "71cf73f30f5ba761155dfc848c982"
			       "8300090e699b966db40f3b168344ff36025ba8713cb6a2eb2d1ead15aafecef373f"
			       "85115c66dbdf464a426ca6ec53750"
			       "2ddb71338c4a38e54b7628d8692a26091cadc625c96dd7800fcd931510119c2ddc0"
			       "849d13b1cb0026a80a8e1d957fa6a"
			       "8765f62e0b0ee90591c6edb7e4b1cdf766dd2450ed743f216c31f364dce360b2ecf"
			       "e4a7a23a9c12217fb59aa96b84b86"
			       "dc6e00f93dbdfb3215861c63c4a06cf203427ba329f681ce89e530618ab050e473b"
			       "b461bf12b6d8762bd4356bf5b1aea"
			       "3ee43b48ecae337df52449c9e2b7c26ae10203010001";

/* openssl genrsa 4104 | openssl rsa -pubout -outform DER */
static const char rsa_4104[] = "30820223300d06092a864886f70d010101050003820210003082020b0282020200d"
			       "9c1bdac3c4ec89ff8d9d2e60cb14c"
			       "ccb7a7c6db73ac1803cfc1cb715bb90d0b23d9be129bea2a2e553ada633ae2bfead"
			       "d70d05aec6986d15953cd2b6317d3"
			       "39c557932286b94c4fd35797e73a2a6c401439864a15c632bd6f22366710e0f034f"
			       "61f10bfd9bb19af65d95d05a05de4"
			       "ed397ba00367b6bed57e09fc886f913d8d15e256d885dcd65becfafbc81a0a724dc"
			       "3ff8037ee585299d63d6047a40379"
			       "cb950cfbf081c704efb6a4ad0509d0bdc2bc400641a32ed9fdcb1df085b39b5ce63"
			       "bfe70ba3379140ab3df70b62c74bc"
			       "c4746d7cf07aedbe85b0183a5f3d06c3244610fe20bc4b46ab48ef18f54ee220ccc"
			       "0e2f540a77290b00549e0fac5f7fb"
			       "455da9bed8f704ccdd08a4d4a670db0336585969d274fd018c750ba4b1c991113bf"
			       "0c615eda928fcef829f456be74c5c"
			       "7574789b103f10f4000420375b19a9c681eaa2361dff37b168fb303b97caae705fd"
			       "66ca7cc83e6d31a4b85e33ddae4cc"
			       "53760704ed830cb7876ac6562e4ab023b1504e12882cf8d52535fad07985c993aa4"
			       "d838b0ca7c837e85969ae1fac9d26"
			       "11fa6e248fe0a0163d6e7102d204638c30f86ec19f64e226ea1457ced7f6b3307f1"
			       "afe04a880d514f7beef6c9c8c1712"
			       "5ed1fbf3a93c74bee39fa6460ba48ef9c02c3b87c239f1c2a24e6bb1565e5fe20ee"
			       "11a88f1d11502e03685dff7216126"
			       "73d129fbaf8c1055b1f47a2194ac615447bf0203010001";

#define CHALLENGE "AbCdEfGhIjKlMnOpQrStUv"
#define ID "0123456789abcdef0123456789abcdef"

static const struct passkey_site site = { STR_INIT("https://console.example.com:8443"),
	STR_INIT("console.example.com"), STR_INIT(CHALLENGE) };
static struct arena *a;

static struct str
bytes_of_hex(const char *hex)
{
	size_t n = strlen(hex) / 2;
	unsigned char *p = arena_alloc(a, n + 1);

	CU_ASSERT_TRUE_FATAL(hex_parse(str_of(hex), p, n));
	return (struct str){ (char *)p, n };
}

static EVP_PKEY *
make_key(int64_t algorithm, int bits)
{
	EVP_PKEY *key = algorithm == -8   ? EVP_PKEY_Q_keygen(NULL, NULL, "ED25519")
			: algorithm == -7 ? EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256")
					  : EVP_RSA_gen((unsigned)bits);

	CU_ASSERT_PTR_NOT_NULL_FATAL(key);
	return key;
}

static struct str
spki_of(EVP_PKEY *key)
{
	unsigned char *der = NULL;
	int n = i2d_PUBKEY(key, &der);
	struct str out = arena_str(a, (struct str){ (char *)der, (size_t)n });

	OPENSSL_free(der);
	return out;
}

static struct str
client_data(const char *type)
{
	return arena_printf(a,
	    "{\"type\":\"%s\",\"challenge\":\"" CHALLENGE "\",\"origin\":\"https://"
	    "console.example.com:8443\",\"crossOrigin\":false,\"other\":[{}]}",
	    type);
}

/* Authenticator data with these flags and this counter; with the credential when flags say so. */
static struct str
authenticator_data(unsigned flags, uint32_t count)
{
	struct buf b = { .a = a };
	unsigned char hash[SHA256_DIGEST_LENGTH];

	SHA256((const unsigned char *)site.rp_id.p, site.rp_id.n, hash);
	buf_add(&b, hash, sizeof(hash));
	buf_char(&b, (char)flags);
	for (int shift = 24; shift >= 0; shift -= 8)
		buf_char(&b, (char)(count >> shift));
	if (flags & 0x40) {
		buf_add(&b, "0123456789abcdef\0\x20" ID "\xa5", 16 + 2 + 32 + 1);
	}
	return buf_done(&b);
}

static struct str
sign(EVP_PKEY *key, const struct passkey_assertion *of)
{
	EVP_MD_CTX *c = EVP_MD_CTX_new();
	unsigned char hash[SHA256_DIGEST_LENGTH];
	struct buf text = { .a = a };
	size_t n = 1024;
	unsigned char *out = arena_alloc(a, n);

	SHA256((const unsigned char *)of->client_data.p, of->client_data.n, hash);
	buf_str(&text, of->authenticator_data);
	buf_add(&text, hash, sizeof(hash));
	CU_ASSERT_EQUAL_FATAL(EVP_DigestSignInit(c, NULL,
				  EVP_PKEY_is_a(key, "ED25519") ? NULL : EVP_sha256(), NULL, key),
	    1);
	CU_ASSERT_EQUAL_FATAL(EVP_DigestSign(c, out, &n, (const unsigned char *)text.p, text.n), 1);
	EVP_MD_CTX_free(c);
	return (struct str){ (char *)out, n };
}

static struct passkey_assertion
make_assertion(EVP_PKEY *key, unsigned flags, uint32_t count)
{
	struct passkey_assertion out = { client_data("webauthn.get"),
		authenticator_data(flags, count), STR_NULL };

	out.signature = sign(key, &out);
	return out;
}

static const char *
why(const struct passkey_fault *fault)
{
	return fault == NULL ? "good" : fault->why;
}

static const char *
verify(struct passkey_assertion in, struct str spki, int64_t algorithm, int64_t stored)
{
	struct passkey_state state = { spki, algorithm, stored, false };

	return why(passkey_verify(a, &site, &in, &state));
}

static struct passkey_registration
make_registration(EVP_PKEY *key, int64_t algorithm)
{
	return (struct passkey_registration){ client_data("webauthn.create"),
		authenticator_data(0x45, 7), STR(ID), spki_of(key), algorithm };
}

static void
test_algorithms(void)
{
	static const struct {
		int64_t algorithm;
		int bits;
	} rows[] = { { -8, 0 }, { -7, 0 }, { -257, 2048 } };

	a = arena_new((size_t)64 << 20);
	for (size_t i = 0; i < COUNT(rows); i++) {
		EVP_PKEY *key = make_key(rows[i].algorithm, rows[i].bits);
		struct passkey_registration in = make_registration(key, rows[i].algorithm);
		struct passkey_assertion proof = make_assertion(key, 0x1d, 8);
		struct passkey_state state = { 0 };

		CU_ASSERT_STRING_EQUAL(why(passkey_register(a, &site, &in, &state)), "good");
		CU_ASSERT_EQUAL(state.sign_count, 7);
		CU_ASSERT_FALSE(state.backed_up);
		CU_ASSERT_STRING_EQUAL(why(passkey_verify(a, &site, &proof, &state)), "good");
		CU_ASSERT_EQUAL(state.sign_count, 8);
		CU_ASSERT_TRUE(state.backed_up);
		for (size_t j = 0; j < COUNT(rows); j++)
			if (j != i)
				CU_ASSERT_FALSE(passkey_key_good(in.public_key, rows[j].algorithm));
		EVP_PKEY_free(key);
	}
	arena_free(a);
}

static void
test_keys(void)
{
	EVP_PKEY *p256 = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256"),
		 *p384 = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-384"),
		 *k256 = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "secp256k1"),
		 *small = EVP_RSA_gen(1024), *x25519 = EVP_PKEY_Q_keygen(NULL, NULL, "X25519");
	struct str spki, longer;
	char text[200];

	a = arena_new((size_t)64 << 20);
	CU_ASSERT_FALSE(passkey_key_good(spki_of(p384), -7));
	CU_ASSERT_FALSE(passkey_key_good(spki_of(k256), -7));
	CU_ASSERT_FALSE(passkey_key_good(spki_of(small), -257));
	CU_ASSERT_FALSE(passkey_key_good(spki_of(x25519), -8));
	CU_ASSERT_TRUE(passkey_key_good(bytes_of_hex(rsa_4096), -257));
	CU_ASSERT_FALSE(passkey_key_good(bytes_of_hex(rsa_4104), -257));
	spki = spki_of(p256);
	CU_ASSERT_TRUE(passkey_key_good(spki, -7));
	CU_ASSERT_FALSE(passkey_key_good(spki, -35));
	longer = arena_printf(a, "%*s ", (int)spki.n, "");
	memcpy((char *)(uintptr_t)longer.p, spki.p, spki.n);
	CU_ASSERT_FALSE(passkey_key_good(longer, -7)); /* a byte behind it */
	memcpy(text, spki.p, spki.n);
	text[spki.n - 1] = (char)(text[spki.n - 1] ^ 1); /* no point of the curve */
	CU_ASSERT_FALSE(passkey_key_good((struct str){ text, spki.n }, -7));
	for (size_t n = 0; n < spki.n; n++)
		CU_ASSERT_FALSE(passkey_key_good((struct str){ spki.p, n }, -7));
	/* the curve spelled out, and a compressed point */
	EVP_PKEY_set_utf8_string_param(p256, "encoding", "explicit");
	CU_ASSERT_FALSE(passkey_key_good(spki_of(p256), -7));
	EVP_PKEY_free(p256);
	EVP_PKEY_free(p384);
	EVP_PKEY_free(k256);
	EVP_PKEY_free(small);
	EVP_PKEY_free(x25519);
	arena_free(a);
}

/* The points of small order, with either sign, and p + 2, a second encoding of y = 2. OpenSSL accepts them. */
static void
test_weak_ed25519(void)
{
	static const char *const points[] = {
		"0000000000000000000000000000000000000000000000000000000000000000",
		"0000000000000000000000000000000000000000000000000000000000000080",
		"0100000000000000000000000000000000000000000000000000000000000000",
		"0100000000000000000000000000000000000000000000000000000000000080",
		"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
		"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
		"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
		"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
		"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
		"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"efffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	};
	EVP_PKEY *sound = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");

	a = arena_new((size_t)1 << 20);
	for (size_t i = 0; i < COUNT(points); i++) {
		struct str spki =
		    bytes_of_hex(arena_printf(a, "302a300506032b6570032100%s", points[i]).p);

		CU_ASSERT_FALSE(passkey_key_good(spki, -8));
	}
	CU_ASSERT_TRUE(passkey_key_good(spki_of(sound), -8));
	EVP_PKEY_free(sound);
	arena_free(a);
}

/* One bit of any part, and any shorter part. */
static void
test_changes(void)
{
	static const int64_t algorithms[] = { -8, -7 };

	for (size_t k = 0; k < COUNT(algorithms); k++) {
		EVP_PKEY *key = make_key(algorithms[k], 0);
		struct passkey_assertion good;
		struct str *parts[3], spki;

		a = arena_new((size_t)256 << 20);
		good = make_assertion(key, 0x05, 9);
		spki = spki_of(key);
		parts[0] = &good.client_data;
		parts[1] = &good.authenticator_data;
		parts[2] = &good.signature;
		CU_ASSERT_STRING_EQUAL(verify(good, spki, algorithms[k], 0), "good");
		for (size_t p = 0; p < COUNT(parts); p++) {
			struct str right = *parts[p];

			for (size_t i = 0; i < 8 * right.n; i++) {
				char *other = arena_alloc(a, right.n);

				memcpy(other, right.p, right.n);
				other[i / 8] = (char)(other[i / 8] ^ (1 << i % 8));
				*parts[p] = (struct str){ other, right.n };
				CU_ASSERT_STRING_NOT_EQUAL(
				    verify(good, spki, algorithms[k], 0), "good");
			}
			for (size_t n = 0; n < right.n; n++) {
				*parts[p] = (struct str){ right.p, n };
				CU_ASSERT_STRING_NOT_EQUAL(
				    verify(good, spki, algorithms[k], 0), "good");
			}
			*parts[p] = right;
		}
		CU_ASSERT_STRING_EQUAL(verify(good, spki, algorithms[k], 0), "good");
		EVP_PKEY_free(key);
		arena_free(a);
	}
}

/* Rightly signed, and still refused for the one thing that is wrong. */
static void
test_client_data(void)
{
#define DATA(type, challenge, origin, more)                                                        \
	"{\"type\":" type ",\"challenge\":" challenge ",\"origin\":" origin more "}"
#define GET "\"webauthn.get\""
#define OURS "\"https://console.example.com:8443\""
#define RIGHT "\"" CHALLENGE "\""
	static const struct {
		const char *data, *why;
	} rows[] = {
		{ DATA(GET, RIGHT, OURS, ""), "good" },
		{ DATA(GET, RIGHT, OURS, ",\"crossOrigin\":false,\"topOrigin\":1"), "good" },
		{ DATA("\"webauthn.create\"", RIGHT, OURS, ""), "its type" },
		{ DATA("[" GET "]", RIGHT, OURS, ""), "its type" },
		{ DATA(GET, "\"AbCdEfGhIjKlMnOpQrStUw\"", OURS, ""), "its challenge" },
		{ DATA(GET, "\"\"", OURS, ""), "its challenge" },
		{ DATA(GET, "1", OURS, ""), "its challenge" },
		{ DATA(GET, RIGHT, "\"https://console.example.com\"", ""), "its origin" },
		{ DATA(GET, RIGHT, "\"http://console.example.com:8443\"", ""), "its origin" },
		{ DATA(GET, RIGHT, "\"https://console.example.com:8443/\"", ""), "its origin" },
		{ DATA(GET, RIGHT, "\"https://console.example.com:8443.evil.example\"", ""),
		    "its origin" },
		{ DATA(GET, RIGHT, OURS, ",\"crossOrigin\":true"), "a frame in another site" },
		{ DATA(GET, RIGHT, OURS, ",\"crossOrigin\":\"false\""), "a frame in another site" },
		{ DATA(GET, RIGHT, OURS, ",\"origin\":" OURS), "no client data" },
		{ DATA(GET, RIGHT, OURS, "") "x", "no client data" },
		{ "\xef\xbb\xbf" DATA(GET, RIGHT, OURS, ""), "no client data" },
		{ "{}", "its type" },
		{ "[]", "no client data" },
		{ "", "no client data" },
	};
	EVP_PKEY *key = make_key(-8, 0);

	a = arena_new((size_t)64 << 20);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct passkey_assertion in = { str_of(rows[i].data), authenticator_data(0x05, 1),
			STR_NULL };
		const char *found;

		in.signature = sign(key, &in);
		found = verify(in, spki_of(key), -8, 0);
		if (strcmp(found, rows[i].why) != 0)
			printf("# %s: %s\n", rows[i].data, found);
		CU_ASSERT_STRING_EQUAL(found, rows[i].why);
	}
	EVP_PKEY_free(key);
	arena_free(a);
}

static void
test_authenticator_data(void)
{
	static const struct {
		unsigned flags;
		uint32_t count;
		int64_t stored;
		const char *why;
	} rows[] = {
		{ 0x05, 0, 0, "good" },
		{ 0x05, 1, 0, "good" },
		{ 0x1d, 2, 1, "good" },
		{ 0x05, 0xffffffff, 0xfffffffe, "good" },
		{ 0x01, 1, 0, "the person was not verified" },
		{ 0x04, 1, 0, "the person was not verified" },
		{ 0x15, 1, 0, "its flags" }, /* backed up, and not to be backed up */
		{ 0x05, 1, 1, "its counter did not grow: the passkey may have been copied" },
		{ 0x05, 1, 2, "its counter did not grow: the passkey may have been copied" },
		{ 0x05, 0, 1, "its counter did not grow: the passkey may have been copied" },
	};
	struct passkey_assertion in;
	struct passkey_site other = site;
	struct passkey_state state = { 0 };
	EVP_PKEY *key = make_key(-8, 0);

	a = arena_new((size_t)64 << 20);
	for (size_t i = 0; i < COUNT(rows); i++)
		CU_ASSERT_STRING_EQUAL(verify(make_assertion(key, rows[i].flags, rows[i].count),
					   spki_of(key), -8, rows[i].stored),
		    rows[i].why);
	in = make_assertion(key, 0x05, 1);
	other.rp_id = STR("example.com");
	state = (struct passkey_state){ spki_of(key), -8, 0, false };
	CU_ASSERT_STRING_EQUAL(why(passkey_verify(a, &other, &in, &state)), "another site");
	other = site;
	other.origin = STR_NULL;
	in.client_data =
	    STR("{\"type\":\"webauthn.get\",\"challenge\":\"" CHALLENGE "\",\"origin\":\"\"}");
	in.signature = sign(key, &in);
	CU_ASSERT_STRING_EQUAL(why(passkey_verify(a, &other, &in, &state)), "its origin");
	EVP_PKEY_free(key);
	arena_free(a);
}

static void
test_registrations(void)
{
	EVP_PKEY *key = make_key(-7, 0);
	struct passkey_registration good, in;
	struct passkey_state state;

	a = arena_new((size_t)64 << 20);
	in = good = make_registration(key, -7);
	in.client_data = client_data("webauthn.get");
	CU_ASSERT_STRING_EQUAL(why(passkey_register(a, &site, &in, &state)), "its type");
	in = good;
	in.id = STR("0123456789abcdef0123456789abcdeg");
	CU_ASSERT_STRING_EQUAL(
	    why(passkey_register(a, &site, &in, &state)), "not the id in authenticator_data");
	in.id = (struct str){ good.id.p, 31 };
	CU_ASSERT_STRING_EQUAL(
	    why(passkey_register(a, &site, &in, &state)), "not the id in authenticator_data");
	in = good;
	in.authenticator_data = authenticator_data(0x05, 0);
	CU_ASSERT_STRING_EQUAL(why(passkey_register(a, &site, &in, &state)), "has no credential");
	in.authenticator_data = authenticator_data(0x41, 0);
	CU_ASSERT_STRING_EQUAL(
	    why(passkey_register(a, &site, &in, &state)), "the person was not verified");
	for (size_t n = 0; n < good.authenticator_data.n; n++) {
		in.authenticator_data = (struct str){ good.authenticator_data.p, n };
		CU_ASSERT_STRING_EQUAL(why(passkey_register(a, &site, &in, &state)), "its length");
	}
	in = good;
	in.public_key.n--;
	CU_ASSERT_STRING_EQUAL(
	    why(passkey_register(a, &site, &in, &state)), "not a key that a passkey may have");
	CU_ASSERT_STRING_EQUAL(passkey_register(a, &site, &in, &state)->member, "public_key");
	CU_ASSERT_STRING_EQUAL(why(passkey_register(a, &site, &good, &state)), "good");
	EVP_PKEY_free(key);
	arena_free(a);
}

static CU_TestInfo tests[] = {
	{ "Ed25519, P-256 and RSA keys of 2048 bits register and sign in (C-320)",
	    test_algorithms },
	{ "keys of other curves, sizes and forms are refused (C-320)", test_keys },
		{ "an Ed25519 key of small order or of a second encoding is refused", test_weak_ed25519 },
	{ "an assertion with any bit changed or byte missing is refused (C-319)",
	    test_changes },
	{ "signed client data of another type, challenge or origin are refused (C-319)",
	    test_client_data },
	{ "signed authenticator data without a verified person or a growing counter are refused",
	    test_authenticator_data },
	{ "a registration with another id, data or key is refused", test_registrations },
	CU_TEST_INFO_NULL,
};

int
main(void)
{
	return tap_main(tests);
}
