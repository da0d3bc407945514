/* SPDX-License-Identifier: ISC */
/* access/seal.c: what is signed or sealed opens again for the same use, and nothing else does. */
#include "config.h"

#include "access/seal.h"
#include "t/unit/tap.h"

static const struct ts now = { INT64_C(1800000000) * 1000000 };
static const struct ts later = { INT64_C(1800000300) * 1000000 };
static const struct seal_use use = { "challenge", STR_INIT("somebody") };
static struct arena *a;
static struct signing_keys keys;

static void
set_up(void)
{
	a = arena_new((size_t)256 << 20);
	keys.n = 2;
	signing_key_make(&keys.keys[0]);
	signing_key_make(&keys.keys[1]);
	snprintf(keys.keys[1].kid, sizeof(keys.keys[1].kid), "k");
}

/* The keys after a rotation: a new one before the present ones. */
static struct signing_keys
rotated(void)
{
	struct signing_keys out = { .n = 3 };

	signing_key_make(&out.keys[0]);
	memcpy(out.keys + 1, keys.keys, 2 * sizeof(*keys.keys));
	return out;
}

/* The uses that differ from the right one in one thing. */
static const struct seal_use others[] = {
	{ "challeng", STR_INIT("esomebody") },
	{ "challenge", STR_INIT("somebod") },
	{ "challenge", { NULL, 0 } },
	{ "step", STR_INIT("somebody") },
};

static enum seal_rc
open_at(const struct signing_keys *k, const struct seal_use *u, struct str text, struct ts at)
{
	struct seal_token out = { .expires_at = at };

	return seal_token_open(a, k, u, text, &out);
}

static void
test_tokens(void)
{
	struct signing_keys after, without;
	struct seal_token in = { STR("payload"), later }, out = { .expires_at = now };
	struct str text;

	set_up();
	text = seal_token_make(a, &keys, &use, &in);
	CU_ASSERT_EQUAL(seal_token_open(a, &keys, &use, text, &out), SEAL_GOOD);
	CU_ASSERT_TRUE(str_is(out.payload, "payload"));
	CU_ASSERT_EQUAL(out.expires_at.us, later.us);
	CU_ASSERT_EQUAL(open_at(&keys, &use, text, (struct ts){ later.us - 1 }), SEAL_GOOD);
	CU_ASSERT_EQUAL(open_at(&keys, &use, text, later), SEAL_OLD);
	for (size_t i = 0; i < COUNT(others); i++)
		CU_ASSERT_EQUAL(open_at(&keys, &others[i], text, now), SEAL_BAD);
	after = rotated();
	CU_ASSERT_EQUAL(open_at(&after, &use, text, now), SEAL_GOOD);
	without = (struct signing_keys){ .n = 1, .keys = { after.keys[0] } };
	CU_ASSERT_EQUAL(open_at(&without, &use, text, now), SEAL_BAD);
	memcpy(without.keys[0].kid, keys.keys[0].kid, sizeof(keys.keys[0].kid));
	CU_ASSERT_EQUAL(open_at(&without, &use, text, now), SEAL_BAD);
	arena_free(a);
}

/* Every single character matters, and so does the length. */
static void
test_changed_tokens(void)
{
	struct seal_token in = { STR("payload"), later };
	char text[SEAL_TOKEN_MAX + 1];
	struct str made;

	set_up();
	made = seal_token_make(a, &keys, &use, &in);
	for (size_t i = 0; i < made.n; i++) {
		memcpy(text, made.p, made.n);
		text[i] = text[i] == 'A' ? 'Q' : 'A';
		CU_ASSERT_EQUAL(open_at(&keys, &use, (struct str){ text, made.n }, now), SEAL_BAD);
		CU_ASSERT_EQUAL(open_at(&keys, &use, (struct str){ made.p, i }, now), SEAL_BAD);
	}
	CU_ASSERT_EQUAL(open_at(&keys, &use, arena_printf(a, "%sAAAA", made.p), now), SEAL_BAD);
	arena_free(a);
}

static void
test_longest_token(void)
{
	char payload[SEAL_PAYLOAD_MAX] = { 0 };
	struct seal_token in = { { payload, sizeof(payload) }, later };
	struct str text;

	set_up();
	text = seal_token_make(a, &keys, &use, &in);
	CU_ASSERT_TRUE(text.n <= SEAL_TOKEN_MAX);
	CU_ASSERT_EQUAL(open_at(&keys, &use, text, now), SEAL_GOOD);
	arena_free(a);
}

static void
test_tags(void)
{
	unsigned char tag[SEAL_TAG];
	struct signing_keys after;

	set_up();
	seal_tag(&keys, &use, STR("text"), tag);
	CU_ASSERT_TRUE(seal_tag_is(&keys, &use, STR("text"), tag));
	CU_ASSERT_FALSE(seal_tag_is(&keys, &use, STR("texT"), tag));
	for (size_t i = 0; i < COUNT(others); i++)
		CU_ASSERT_FALSE(seal_tag_is(&keys, &others[i], STR("text"), tag));
	after = rotated();
	CU_ASSERT_TRUE(seal_tag_is(&after, &use, STR("text"), tag));
	tag[SEAL_TAG - 1] ^= 1;
	CU_ASSERT_FALSE(seal_tag_is(&keys, &use, STR("text"), tag));
	arena_free(a);
}

static void
test_secrets(void)
{
	struct secret out, in = { STR("0123456789abcdefghij") };
	struct signing_keys after;
	struct str one, two;
	char text[SEAL_MORE + 20];

	set_up();
	one = seal_secret(a, &keys, &use, in);
	two = seal_secret(a, &keys, &use, in);
	CU_ASSERT_EQUAL(one.n, SEAL_MORE + in.hidden.n);
	CU_ASSERT_FALSE(str_eq(one, two)); /* two nonces */
	CU_ASSERT_PTR_NULL(memmem(one.p, one.n, in.hidden.p, in.hidden.n));
	CU_ASSERT_EQUAL(seal_open(a, &keys, &use, one, &out), SEAL_GOOD);
	CU_ASSERT_TRUE(str_eq(out.hidden, in.hidden));
	for (size_t i = 0; i < COUNT(others); i++)
		CU_ASSERT_EQUAL(seal_open(a, &keys, &others[i], one, &out), SEAL_BAD);
	for (size_t i = 0; i < 8 * one.n; i++) {
		memcpy(text, one.p, one.n);
		text[i / 8] = (char)(text[i / 8] ^ (1 << i % 8));
		CU_ASSERT_EQUAL(
		    seal_open(a, &keys, &use, (struct str){ text, one.n }, &out), SEAL_BAD);
		CU_ASSERT_EQUAL(
		    seal_open(a, &keys, &use, (struct str){ one.p, i / 8 }, &out), SEAL_BAD);
	}
	after = rotated();
	CU_ASSERT_EQUAL(seal_open(a, &after, &use, one, &out), SEAL_OLD);
	CU_ASSERT_TRUE(str_eq(out.hidden, in.hidden));
	arena_free(a);
}

static CU_TestInfo tests[] = {
	{ "a token opens for its use until it ends", test_tokens },
	{ "a token with any character changed is refused", test_changed_tokens },
	{ "the longest token has the promised length", test_longest_token },
	{ "a tag belongs to its text, its use and the keys of the file", test_tags },
	{ "a sealed secret opens for its use, and with an older key as old", test_secrets },
	CU_TEST_INFO_NULL,
};

int
main(void)
{
	return tap_main(tests);
}
