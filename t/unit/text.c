/* SPDX-License-Identifier: ISC */
/* src/search/text.c: case folding and words. */
#include "config.h"

#include "search/text.h"
#include "t/unit/tap.h"

#include <utf8proc.h>

static struct arena *arena;

static void
join(void *arg, struct str token)
{
	buf_str(arg, token);
	buf_char(arg, '|');
}

static void
words(struct str s, const char *expected)
{
	struct buf b = { .a = arena };

	text_tokens(arena, s, join, &b);
	buf_char(&b, '\0');
	CU_ASSERT_STRING_EQUAL(buf_done(&b).p, expected);
}

static void
folds_case(void)
{
	struct str plain = STR("plain text 1");

	CU_ASSERT_PTR_EQUAL(text_fold(arena, plain).p, plain.p);
	CU_ASSERT_TRUE(str_is(text_fold(arena, STR("HeLLo")), "hello"));
	CU_ASSERT_TRUE(
	    str_is(text_fold(arena, STR("\xc3\x84\xce\xa3\xcf\x82")), "\xc3\xa4\xcf\x83\xcf\x83"));
	CU_ASSERT_TRUE(str_is(text_fold(arena, STR("Stra\xc3\x9f"
						   "e")),
	    "stra\xc3\x9f"
	    "e"));
	CU_ASSERT_TRUE(str_is(text_fold(arena, STR("\xe2\x84\xaa")), "k"));
	CU_ASSERT_TRUE(str_is(text_fold(arena, STR("\xc8\xba")), "\xe2\xb1\xa5")); /* grows */
	CU_ASSERT_TRUE(str_is(text_fold(arena, STR("A\xff\xe2\x82Z")), "a\xff\xe2\x82z"));
	CU_ASSERT_EQUAL(text_fold(arena, STR("")).n, 0);
}

/* Canonical texts of queries rely on it. */
static void
folding_twice_is_folding_once(void)
{
	char text[4];

	for (utf8proc_int32_t c = 0x80; c < 0x110000; c++) {
		struct str s = { text, 0 }, once, twice;

		if (!utf8proc_codepoint_valid(c))
			continue;
		s.n = (size_t)utf8proc_encode_char(c, (utf8proc_uint8_t *)text);
		once = text_fold(arena, s);
		twice = text_fold(arena, once);
		if (!str_eq(once, twice) || once.n > 2 * s.n || str_chars(once) != 1)
			CU_FAIL("a character folds differently the second time");
		arena_reset(arena);
	}
}

static void
tokens_are_letters_digits_and_marks(void)
{
	words(STR(""), "");
	words(STR(" -/. "), "");
	words(STR("HTTP/1.1 200 OK"), "http|1|1|200|ok|");
	words(STR("index_of /login-page"), "index|of|login|page|");
	words(STR("caf\xc3\xa9 na\xc3\xafve"), "caf\xc3\xa9|na\xc3\xafve|");
	words(STR("e\xcc\x81t\xc3\x89"), "e\xcc\x81t\xc3\xa9|"); /* a combining mark */
	words(STR("\xe2\x80\x94x\xe2\x80\x94"), "x|");
	words(STR("\xd9\xa1\xd9\xa2"), "\xd9\xa1\xd9\xa2|"); /* Arabic digits */
	words(STR("a\xff"
		  "b\xe2\x82"),
	    "a|b|");
	words(STR("\xe6\x97\xa5\xe6\x9c\xac"), "\xe6\x97\xa5\xe6\x9c\xac|");
}

static void
each_symbol_is_a_token(void) /* C-417 */
{
	words(STR("\xf0\x9f\x98\x80"), "\xf0\x9f\x98\x80|");
	words(STR("party\xf0\x9f\x98\x80\xf0\x9f\x98\x81now"),
	    "party|\xf0\x9f\x98\x80|\xf0\x9f\x98\x81|now|");
	words(STR("5 \xe2\x82\xac \xc2\xa9 2026"), "5|\xe2\x82\xac|\xc2\xa9|2026|");
	words(STR("a=b <c> $d ^e| ~"), "a|b|c|d|e|");
	words(STR("\xe2\x80\x94 \xe2\x80\xa6 \xc2\xb7"), ""); /* punctuation */
}

int
main(void)
{
	static CU_TestInfo tests[] = {
		{ "case folding maps one character to one", folds_case },
		{ "each symbol beyond ASCII is a token", each_symbol_is_a_token },
		{ "folding twice equals folding once", folding_twice_is_folding_once },
		{ "tokens are runs of letters, digits and marks",
		    tokens_are_letters_digits_and_marks },
		CU_TEST_INFO_NULL,
	};
	int rc;

	arena = arena_new(1 << 20);
	rc = tap_main(tests);
	arena_free(arena);
	return rc;
}
