/* SPDX-License-Identifier: ISC */
/* src/client: text on a terminal, cells. */
#include "config.h"

#include "client/screen.h"
#include "client/value.h"
#include "t/unit/tap.h"

#include <locale.h>

static const struct screen utf8 = { .utf8 = true, .columns = 80 };

static void
shown_is(struct str text, const char *wanted)
{
	struct buf b = { .p = NULL };

	text_show(&b, &utf8, text);
	CU_ASSERT_TRUE(str_is(buf_done(&b), wanted));
	buf_free(&b);
}

static void
harmful_characters_are_escaped(void)
{
	shown_is(STR("a\033[2J\r\nb\t"), "a\\x1b[2J\\r\\nb\\t");
	shown_is(STR("\xc2\x9b"
		     "31m"),
	    "\\x9b31m");
	shown_is(STR("\xe2\x80\xae"), "\\u202e");
	shown_is(STR("\xf3\xa0\x80\x81"), "\\ue0001");
	shown_is(STR("\xff\033"), "\\xff\\x1b"); /* no UTF-8 */
	shown_is(STR("\xcd\x8f\xe1\x85\x9f\xe3\x85\xa4\xef\xb8\x8f"), "\\u034f\\u115f\\u3164\\ufe0f");
	shown_is(STR("日本"), "日本");
}

static void
fitted_is(const char *text, size_t width, bool right, const char *wanted)
{
	struct buf b = { .p = NULL };

	text_fit(&b, &utf8, str_of(text), width, right);
	CU_ASSERT_TRUE(str_is(buf_done(&b), wanted));
	buf_free(&b);
}

static void
text_fits_by_columns(void)
{
	fitted_is("abc", 5, false, "abc  ");
	fitted_is("abc", 5, true, "  abc");
	fitted_is("abcdef", 5, false, "abcd…");
	fitted_is("日本語", 6, false, "日本語");
	fitted_is("日本語", 5, false, "日本…");
	fitted_is("日本語", 4, false, "日… ");
	fitted_is("abc", 0, false, "…");
}

static void
wrapped_is(const char *text, size_t most, const char *wanted)
{
	struct buf b = { .p = NULL };

	text_wrap(&b, &utf8, str_of(text), &(struct wrap){ .width = 8, .indent = 2, .most = most });
	CU_ASSERT_TRUE(str_is(buf_done(&b), wanted));
	buf_free(&b);
}

static void
text_wraps_behind_blanks(void)
{
	wrapped_is("", 9, "");
	wrapped_is("aaa bbb", 9, "aaa bbb");
	wrapped_is("aaa bbb ccc", 9, "aaa bbb \n  ccc");
	wrapped_is("aaaaaaaaaaaa", 9, "aaaaaaaa\n  aaaa");
	wrapped_is("aaaaaaaaaaaaaaaaaaa", 2, "aaaaaaaa\n  aaaaaaa…");
	wrapped_is("日本語日本語", 9, "日本語日\n  本語");
}

static void
a_cell_has_each_value_once(void)
{
	struct arena *a = arena_new(1 << 20);
	struct buf b = { .a = a };
	const struct json_value *v =
	    json_parse(a, STR("{\"s\":[{\"p\":22},{\"p\":2},{\"p\":22},{\"p\":null},{\"t\":{\"n\":["
			      "\"x\",\"y\"]}}]}"));

	value_cell(&b, v, "s.p", ", ");
	CU_ASSERT_TRUE(str_is(buf_done(&b), "22, 2"));
	buf_clear(&b);
	value_cell(&b, v, "s.t.n", ";");
	CU_ASSERT_TRUE(str_is(buf_done(&b), "x;y"));
	buf_clear(&b);
	value_cell(&b, v, "s.q", ";");
	CU_ASSERT_EQUAL(b.n, 0);
	arena_free(a);
}

static void
json_is_printed_without_harm(void)
{
	struct arena *a = arena_new(1 << 20);
	struct buf b = { .a = a };

	json_show(&b, json_parse(a, STR("{\"a\\u001b\":[1.5,9007199254740993,"
					"\"\\\"\\\\\xc2\x9b\xf3\xa0\x80\x81/\",true,null,{}]}")));
	CU_ASSERT_TRUE(str_is(buf_done(&b), "{\"a\\u001b\":[1.5,9007199254740993,"
					    "\"\\\"\\\\\\u009b\\udb40\\udc01/\",true,null,{}]}"));
	arena_free(a);
}

int
main(void)
{
	CU_TestInfo tests[] = {
		{ "characters that a terminal obeys are escaped", harmful_characters_are_escaped },
		{ "text is cut and filled by columns of the screen", text_fits_by_columns },
		{ "text is wrapped behind blanks and within long words", text_wraps_behind_blanks },
		{ "a cell has each value of a path once", a_cell_has_each_value_once },
		{ "JSON is printed without characters that a terminal obeys",
		    json_is_printed_without_harm },
		CU_TEST_INFO_NULL,
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return tap_main(tests);
}
