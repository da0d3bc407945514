/* SPDX-License-Identifier: ISC */
/* src/json/scan.c: what is JSON here and what is not. */
#include "config.h"

#include "base/limits.h"
#include "json/json.h"
#include "json/tree.h"
#include "t/unit/tap.h"

#include <time.h>

static struct arena *arena;

static struct json_fault
scan(struct str text)
{
	struct json_fault fault;
	bool ok;
	/* Of exactly its size, so that the sanitizers see a read behind it. */
	char *copy = malloc(text.n > 0 ? text.n : 1);

	memcpy(copy, text.p, text.n);
	ok = json_scan(arena, (struct str){ copy, text.n }, LIM_JSON_DEPTH, &fault);
	CU_ASSERT_EQUAL(ok, fault.what == NULL);
	CU_ASSERT_EQUAL(json_parse(arena, (struct str){ copy, text.n }) != NULL, ok);
	arena_reset(arena);
	free(copy);
	return fault;
}

static void
passes(struct str text)
{
	struct json_fault fault = scan(text);

	if (fault.what != NULL)
		printf("# %.*s: %s at %zu\n", (int)text.n, text.p, fault.what, fault.at);
	CU_ASSERT_PTR_NULL(fault.what);
}

static void
fails(struct str text, const char *what, size_t at)
{
	struct json_fault fault = scan(text);

	if (fault.what == NULL || strcmp(fault.what, what) != 0 || fault.at != at)
		printf("# %.*s: %s at %zu\n", (int)text.n, text.p,
		    fault.what == NULL ? "passes" : fault.what, fault.at);
	CU_ASSERT_PTR_NOT_NULL_FATAL(fault.what);
	CU_ASSERT_STRING_EQUAL(fault.what, what);
	CU_ASSERT_EQUAL(fault.at, at);
}

static void
values_pass(void)
{
	passes(STR("null"));
	passes(STR(" \t\r\n[ true , false , null ] \t\r\n"));
	passes(STR("{}"));
	passes(STR("[]"));
	passes(STR("\"\""));
	passes(STR("{\"a\":{\"b\":[{},[],\"\",0]},\"c\":\"d\"}"));
	passes(STR("{ \"a\" : 1 , \"b\" : [ 1 , 2 ] }"));
	passes(STR("\"a text of more than eight bytes, and \\\"escapes\\\" in it\""));
	passes(STR("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000\\uABCD\\uabcd\""));
	passes(STR("\"\x7f\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbb\xbf\""));
}

static void
empty_and_trailing(void) /* C-024 */
{
	fails(STR(""), "unexpected end", 0);
	fails((struct str){ "", 0 }, "unexpected end", 0);
	fails(STR("  "), "unexpected end", 2);
	fails(STR("{} {}"), "data behind the value", 3);
	fails(STR("{}\0"), "data behind the value", 2);
	fails(STR("1 2"), "data behind the value", 2);
	fails(STR("truefalse"), "data behind the value", 4);
	fails(STR("\xef\xbb\xbf{}"), "byte order mark", 0);
	fails(STR("{}\xef\xbb\xbf"), "data behind the value", 2);
}

static void
what_only_some_parsers_take(void) /* C-024 */
{
	fails(STR("NaN"), "unexpected character", 0);
	fails(STR("nan"), "unexpected character", 0);
	fails(STR("Infinity"), "unexpected character", 0);
	fails(STR("-Infinity"), "unexpected character", 1);
	fails(STR("True"), "unexpected character", 0);
	fails(STR("tru"), "unexpected character", 0);
	fails(STR("{}// no"), "data behind the value", 2);
	fails(STR("/* no */{}"), "unexpected character", 0);
	fails(STR("[1,]"), "unexpected character", 3);
	fails(STR("{\"a\":1,}"), "unexpected character", 7);
	fails(STR("[,1]"), "unexpected character", 1);
	fails(STR("[1 2]"), "unexpected character", 3);
	fails(STR("{\"a\" 1}"), "unexpected character", 5);
	fails(STR("{\"a\":1 \"b\":2}"), "unexpected character", 7);
	fails(STR("{'a':1}"), "unexpected character", 1);
	fails(STR("{a:1}"), "unexpected character", 1);
	fails(STR("{\"a\":}"), "unexpected character", 5);
	fails(STR("['a']"), "unexpected character", 1);
	fails(STR("[\v1]"), "unexpected character", 1);
	fails(STR("[\xc2\xa0]"), "unexpected character", 1);
	fails(STR("]"), "unexpected character", 0);
	fails(STR("[1}"), "unexpected character", 2);
	fails(STR("{\"a\":1]"), "unexpected character", 6);
	fails(STR("{\"a\":1"), "unexpected end", 6);
	fails(STR("{\"a\""), "unexpected end", 4);
	fails(STR("{"), "unexpected end", 1);
	fails(STR("[1,"), "unexpected end", 3);
}

static void
numbers(void)
{
	static const char *const good[] = { "0", "-0", "10", "1.5", "-0.0", "1e400", "1E+2", "1e-2",
		"0e0", "123456789012345678901234567890", "0.000", "1.0e00" };

	for (size_t i = 0; i < COUNT(good); i++)
		passes(str_of(good[i]));
	fails(STR("012"), "data behind the value", 1);
	fails(STR("-012"), "data behind the value", 2);
	fails(STR("00"), "data behind the value", 1);
	fails(STR("1."), "unexpected end", 2);
	fails(STR(".5"), "unexpected character", 0);
	fails(STR("+1"), "unexpected character", 0);
	fails(STR("-"), "unexpected end", 1);
	fails(STR("1e"), "unexpected end", 2);
	fails(STR("1e+"), "unexpected end", 3);
	fails(STR("[1.e2]"), "unexpected character", 3);
	fails(STR("0x10"), "data behind the value", 1);
	fails(STR("1_000"), "data behind the value", 1);
}

static void
strings_are_strict(void)
{
	fails(STR("\""), "unexpected end", 1);
	fails(STR("\"abc"), "unexpected end", 4);
	fails(STR("\"a\nb\""), "control character in a string", 2);
	fails(STR("\"a\0b\""), "control character in a string", 2);
	fails(STR("\"longer than eight\x1f\""), "control character in a string", 18);
	fails(STR("\"\\x41\""), "invalid escape", 1);
	fails(STR("\"\\'\""), "invalid escape", 1);
	fails(STR("\"\\\0\""), "invalid escape", 1);
	fails(STR("\"\\"), "unexpected end", 2);
	fails(STR("\"\\u12"), "invalid escape", 1);
	fails(STR("\"\\u12g4\""), "invalid escape", 1);
	fails(STR("\"\\u 123\""), "invalid escape", 1);
	fails(STR("{\"\\q\":1}"), "invalid escape", 2);
}

static void
utf8_is_strict(void) /* C-024 */
{
	fails(STR("\"\x80\""), "invalid UTF-8", 1);
	fails(STR("\"a\xc0\xaf\""), "invalid UTF-8", 2);
	fails(STR("\"\xe0\x80\xaf\""), "invalid UTF-8", 1);
	fails(STR("\"\xed\xa0\x80\""), "invalid UTF-8", 1); /* a surrogate */
	fails(STR("\"\xf4\x90\x80\x80\""), "invalid UTF-8", 1);
	fails(STR("\"\xc3\xa9\xff\""), "invalid UTF-8", 3);
	fails(STR("\"\xe2\x82\""), "invalid UTF-8", 1);
	fails(STR("\"\xe2\x82"), "invalid UTF-8", 1);
	fails(STR("{\"\xc3\":1}"), "invalid UTF-8", 2);
}

static void
surrogates_come_in_pairs(void) /* C-024 */
{
	passes(STR("\"\\ud83d\\ude00\\uD83D\\uDE00\""));
	fails(STR("\"\\ud83d\""), "lone surrogate", 1);
	fails(STR("\"\\ud83d\\u0041\""), "lone surrogate", 1);
	fails(STR("\"\\ud83d\\ud83d\\ude00\""), "lone surrogate", 1);
	fails(STR("\"\\ud83d\\n12345\""), "lone surrogate", 1);
	fails(STR("\"\\ud83d      \""), "lone surrogate", 1);
	fails(STR("\"\\ud83d\\uzzzz\""), "lone surrogate", 1);
	fails(STR("\"\\ude00\\ud83d\""), "lone surrogate", 1);
}

static void
duplicate_keys(void) /* C-026, C-027 */
{
	fails(STR("{\"a\":1,\"a\":1}"), "duplicate key", 7);
	fails(STR("{\"a\":1,\"\\u0061\":1}"), "duplicate key", 7);
	fails(STR("{\"\\u00e9\":1,\"\xc3\xa9\":1}"), "duplicate key", 12);
	fails(STR("{\"\\ud83d\\ude00\":1,\"\xf0\x9f\x98\x80\":1}"), "duplicate key", 18);
	fails(STR("{\"\\\"\\/\\b\\n\":1,\"\\u0022/\\u0008\\u000a\":1}"), "duplicate key", 14);
	fails(STR("{\"x\":[{\"b\":{\"long key\":1,\"long key\":2}}]}"), "duplicate key", 25);
	fails(STR("{\"\":1,\"\":2}"), "duplicate key", 6);
	passes(STR("{\"a\":{\"a\":{\"a\":[{\"a\":1},{\"a\":1}]}},\"A\":1,\"b\":{\"a\":1}}"));
	fails(STR("{\"a\\u0000\":1}"), "U+0000 in a key", 1);
}

/* "k0": 0, "k1": 0 ...; with one more at the end. */
static struct str
many(struct buf *b, int n, const char *last)
{
	buf_clear(b);
	buf_z(b, "{");
	for (int i = 0; i < n; i++)
		buf_printf(b, "\"k%d\":{\"k\":[{}]},", i);
	buf_printf(b, "\"%s\":0}", last);
	return buf_done(b);
}

static void
twice(struct str text)
{
	struct json_fault fault = scan(text);

	CU_ASSERT_TRUE(fault.what != NULL && strcmp(fault.what, "duplicate key") == 0);
}

static void
many_keys(void) /* C-026: with any number of them */
{
	struct buf b = { .a = NULL };

	for (int n = 14; n < 20; n++) {
		passes(many(&b, n, "k"));
		twice(many(&b, n, "k3"));
		twice(many(&b, n, "\\u006b0"));
	}
	passes(many(&b, 3000, "k"));
	twice(many(&b, 3000, "k1777"));
	buf_free(&b);
}

/* A megabyte of names that differ in the middle alone and so share the cheap comparison. */
static void
no_names_make_it_slow(void)
{
	struct buf b = { .a = NULL };
	struct json_fault fault;
	clock_t began;

	buf_z(&b, "{");
	for (int i = 0; b.n < 1 << 20; i++)
		buf_printf(&b, "\"same%05dsame\":0,", i);
	buf_z(&b, "\"\":0}");
	began = clock();
	CU_ASSERT_TRUE(json_scan(arena, buf_done(&b), LIM_JSON_DEPTH, &fault));
	/* Of its own time, however busy the machine; quadratic would be minutes. */
	CU_ASSERT_TRUE((clock() - began) / CLOCKS_PER_SEC < 5);
	buf_free(&b);
	arena_reset(arena);
}

static void
depth_is_bounded(void) /* C-030 */
{
	struct json_fault fault;
	struct buf b = { .a = NULL };

	CU_ASSERT_TRUE(json_scan(arena, STR("1"), 0, &fault));
	CU_ASSERT_FALSE(json_scan(arena, STR("[]"), 0, &fault));
	CU_ASSERT_TRUE(json_scan(arena, STR("[{\"a\":1},{}]"), 2, &fault));
	CU_ASSERT_FALSE(json_scan(arena, STR("[{\"a\":1},{\"a\":[]}]"), 2, &fault));
	CU_ASSERT_STRING_EQUAL(fault.what, "nested too deeply");
	CU_ASSERT_EQUAL(fault.at, 14);
	for (int i = 0; i < 100000; i++)
		buf_z(&b, "[");
	fails(buf_done(&b), "nested too deeply", LIM_JSON_DEPTH);
	buf_free(&b);
}

static void
length_is_bounded(void)
{
	struct json_fault fault;

	/* Refused by its length before a byte is read. */
	CU_ASSERT_FALSE(json_scan(arena, (struct str){ "1", (size_t)UINT32_MAX + 1 }, 1, &fault));
	CU_ASSERT_STRING_EQUAL(fault.what, "too long");
}

static CU_TestInfo tests[] = {
	{ "valid JSON values are accepted", values_pass },
	{ "empty, trailing and BOM bytes are refused", empty_and_trailing },
	{ "extensions of some parsers are refused", what_only_some_parsers_take },
	{ "numbers follow the grammar of JSON", numbers },
	{ "strings follow the grammar of JSON", strings_are_strict },
	{ "invalid UTF-8 in strings is refused", utf8_is_strict },
	{ "surrogates must come in pairs", surrogates_come_in_pairs },
	{ "duplicate keys are refused at every depth", duplicate_keys },
	{ "duplicates among many keys are found", many_keys },
	{ "no choice of names makes the scan slow", no_names_make_it_slow },
	{ "the depth of a value is limited", depth_is_bounded },
	{ "the length of a text is limited", length_is_bounded },
	CU_TEST_INFO_NULL,
};

int
main(void)
{
	int failed;

	arena = arena_new((size_t)64 << 20);
	failed = tap_main(tests);
	arena_free(arena);
	return failed;
}
