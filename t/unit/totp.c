/* SPDX-License-Identifier: ISC */
/* access/totp.c with the vectors of RFC 6238 and RFC 4226, challenges, and QR codes. */
#include "config.h"

#include "access/challenge.h"
#include "access/qr.h"
#include "access/totp.h"
#include "t/unit/tap.h"

static const struct secret secret = { STR_INIT("12345678901234567890") };

static struct ts
at(int64_t seconds)
{
	return (struct ts){ seconds * 1000000 };
}

/* RFC 6238, appendix B, has eight digits: these are the last six. */
static void
test_vectors(void)
{
	static const struct {
		int64_t time;
		const char *code;
	} rows[] = {
		{ 59, "287082" },
		{ 1111111109, "081804" },
		{ 1111111111, "050471" },
		{ 1234567890, "005924" },
		{ 2000000000, "279037" },
		{ 20000000000, "353130" },
	};
	static const char *const counters[] = { "755224", "287082", "359152", "969429", "338314",
		"254676", "287922", "162583", "399871", "520489" }; /* RFC 4226, appendix D */
	char code[TOTP_DIGITS + 1];

	for (size_t i = 0; i < COUNT(rows); i++) {
		totp_code(secret, rows[i].time / TOTP_STEP, code);
		CU_ASSERT_STRING_EQUAL(code, rows[i].code);
		CU_ASSERT_EQUAL(totp_find(secret, str_of(rows[i].code), at(rows[i].time), 0),
		    rows[i].time / TOTP_STEP);
	}
	for (int i = 0; i < 10; i++) {
		totp_code(secret, i, code);
		CU_ASSERT_STRING_EQUAL(code, counters[i]);
	}
}

static void
test_steps(void)
{
	char code[TOTP_DIGITS + 1];
	int64_t step = 1800000000 / TOTP_STEP;

	for (int64_t d = -3; d <= 3; d++) {
		totp_code(secret, step + d, code);
		CU_ASSERT_EQUAL(totp_find(secret, str_of(code), at(1800000000), 0),
		    d >= -1 && d <= 1 ? step + d : -1);
		CU_ASSERT_EQUAL(
		    totp_find(secret, str_of(code), at(1800000029), step), d == 1 ? step + d : -1);
	}
	totp_code(secret, step, code);
	CU_ASSERT_EQUAL(totp_find(secret, str_of(code), at(1800000000), step - 1), step);
	CU_ASSERT_EQUAL(totp_find(secret, STR(""), at(1800000000), 0), -1);
	CU_ASSERT_EQUAL(totp_find(secret, (struct str){ code, 5 }, at(1800000000), 0), -1);
}

static void
test_uri(void)
{
	struct arena *a = arena_new(1 << 20);
	char base32[TOTP_BASE32 + 1];

	totp_base32(secret, base32);
	CU_ASSERT_STRING_EQUAL(base32, "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
	CU_ASSERT_TRUE(
	    str_is(totp_uri(a, secret, STR("c.example:84"), STR("a+\xc3\xa4&b@x")).hidden,
		"otpauth://totp/c.example%3A84:a%2B%C3%A4%26b%40x"
		"?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=c.example%3A84"));
	arena_free(a);
}

static void
test_challenges(void)
{
	struct arena *a = arena_new(1 << 20);
	struct signing_keys keys = { .n = 1 };
	struct uuid person = uuid_random();
	unsigned char one[CHALLENGE_DIGEST], two[CHALLENGE_DIGEST];

	signing_key_make(&keys.keys[0]);
	for (int made = CHALLENGE_SIGN_IN; made <= CHALLENGE_STEP; made++) {
		struct challenge in = { (enum challenge_kind)made, person, at(300) };
		struct str text = challenge_make(a, &keys, &in), again;

		/* A half-open sign-in is over after its five minutes (C-317). */
		for (int k = CHALLENGE_SIGN_IN; k <= CHALLENGE_STEP; k++) {
			struct challenge out = { (enum challenge_kind)k, person, at(299) };

			CU_ASSERT_EQUAL(
			    challenge_open(a, &keys, text, &out), k == made ? SEAL_GOOD : SEAL_BAD);
			CU_ASSERT_TRUE(memcmp(&out.person, &person, sizeof(person)) == 0);
			out.expires_at = at(300);
			CU_ASSERT_EQUAL(
			    challenge_open(a, &keys, text, &out), k == made ? SEAL_OLD : SEAL_BAD);
		}
		again = challenge_make(a, &keys, &in);
		CU_ASSERT_FALSE(str_eq(text, again));
		challenge_digest(text, one);
		challenge_digest(again, two);
		CU_ASSERT_TRUE(memcmp(one, two, sizeof(one)) != 0);
		in.person = uuid_random();
		in.expires_at = at(1);
		CU_ASSERT_EQUAL(challenge_open(a, &keys, text, &in),
		    made == CHALLENGE_REGISTER ? SEAL_BAD : SEAL_GOOD);
	}
	arena_free(a);
}

/* The three large squares of every code are at its corners. */
static void
test_qr(void)
{
	struct arena *a = arena_new(1 << 20);
	struct strs rows =
	    qr_rows(a, STR("otpauth://totp/x:y?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"));
	char *text = arena_alloc(a, 4000);

	CU_ASSERT_TRUE_FATAL(rows.n > 20 && rows.n <= QR_SIZE_MAX);
	for (size_t y = 0; y < rows.n; y++)
		CU_ASSERT_EQUAL(rows.p[y].n, rows.n);
	CU_ASSERT_TRUE(
	    str_starts(rows.p[0], STR("11111110")) && str_ends(rows.p[0], STR("01111111")));
	CU_ASSERT_TRUE(
	    str_starts(rows.p[1], STR("10000010")) && str_ends(rows.p[1], STR("01000001")));
	CU_ASSERT_TRUE(str_starts(rows.p[rows.n - 1], STR("11111110")));
	memset(text, 'x', 4000);
	CU_ASSERT_EQUAL(qr_rows(a, (struct str){ text, 4000 }).n, 0);
	CU_ASSERT_EQUAL(qr_rows(a, STR("")).n, 0);
	arena_free(a);
}

static CU_TestInfo tests[] = {
	{ "codes are those of RFC 6238 and RFC 4226", test_vectors },
	{ "a code counts one step before and behind, and once (C-317)", test_steps },
	{ "a URI for apps escapes issuer and account", test_uri },
	{ "a challenge opens for its kind, its person and its time", test_challenges },
	{ "a QR code has its squares", test_qr },
	CU_TEST_INFO_NULL,
};

int
main(void)
{
	return tap_main(tests);
}
