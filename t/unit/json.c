/* SPDX-License-Identifier: ISC */
/* src/json: trees, writing, and describing a table. */
#include "config.h"

#include "json/json.h"
#include "json/describe.h"
#include "json/tree.h"
#include "t/unit/tap.h"

#include <float.h>
#include <math.h>

static struct arena *arena;

static struct json_value *
parse(const char *text)
{
	struct json_value *v = json_parse(arena, str_of(text));

	CU_ASSERT_PTR_NOT_NULL_FATAL(v);
	return v;
}

static void
a_tree_has_what_the_text_has(void)
{
	struct json_value *v =
	    parse("{\"s\":\"a\\u00e9\\ud83d\\ude00\\n\\u20ac\",\"t\":true,\"f\":false,\"z\":"
		  "null,"
		  "\"n\":-2.5,\"l\":[1,[2],{\"x\":3}],\"\\u006b\":\"v\",\"e\":{},\"m\":[]}");
	int64_t n = 0;

	CU_ASSERT_EQUAL(json_type(v), JSON_OBJECT);
	CU_ASSERT_EQUAL(json_length(v), 9);
	CU_ASSERT_TRUE(
	    str_is(json_text(json_get(v, "s")), "a\xc3\xa9\xf0\x9f\x98\x80\n\xe2\x82\xac"));
	CU_ASSERT_TRUE(json_bool(json_get(v, "t")));
	CU_ASSERT_FALSE(json_bool(json_get(v, "f")));
	CU_ASSERT_EQUAL(json_type(json_get(v, "z")), JSON_NULL);
	CU_ASSERT_EQUAL(json_num(json_get(v, "n")), -2.5);
	CU_ASSERT_TRUE(str_is(json_text(json_get(v, "k")), "v"));
	CU_ASSERT_EQUAL(json_length(json_get(v, "l")), 3);
	CU_ASSERT_TRUE(json_int(json_at(json_get(v, "l"), 0), &n));
	CU_ASSERT_EQUAL(n, 1);
	CU_ASSERT_TRUE(json_int(json_get(json_at(json_get(v, "l"), 2), "x"), &n));
	CU_ASSERT_EQUAL(n, 3);
	CU_ASSERT_EQUAL(json_length(json_get(v, "e")), 0);
	CU_ASSERT_EQUAL(json_length(json_get(v, "m")), 0);
	CU_ASSERT_PTR_NULL(json_get(v, "absent"));
	CU_ASSERT_PTR_NULL(json_at(json_get(v, "l"), 3));
	CU_ASSERT_PTR_NULL(json_parse(arena, STR("{\"a\":1,\"a\":2}")));
	CU_ASSERT_PTR_NULL(json_parse(arena, STR_NULL));
}

static bool
never(void *arg, struct str name, struct json_value *member)
{
	(void)name;
	(void)member;
	*(int *)arg = -1;
	return true;
}

static void
another_type_answers_nothing(void)
{
	struct json_value *v = parse("[\"5\",5]");
	int64_t n = 7;
	int calls = 0;

	CU_ASSERT_FALSE(json_int(json_at(v, 0), &n));
	CU_ASSERT_EQUAL(json_num(json_at(v, 0)), 0);
	CU_ASSERT_FALSE(json_bool(json_at(v, 0)));
	CU_ASSERT_EQUAL(json_length(json_at(v, 0)), 0);
	CU_ASSERT_PTR_NULL(json_at(json_at(v, 0), 0));
	CU_ASSERT_PTR_NULL(json_get(json_at(v, 0), "5"));
	CU_ASSERT_PTR_NULL(json_text(json_at(v, 1)).p);
	json_each(v, never, &calls);
	CU_ASSERT_EQUAL(calls, 0);
}

static void
absent_member_is_read_as_null(void)
{
	const struct json_value *v = json_get(parse("{}"), "absent");
	struct buf b = { .a = arena };
	int64_t n;
	int calls = 0;

	CU_ASSERT_PTR_NULL_FATAL(v);
	CU_ASSERT_EQUAL(json_type(v), JSON_NULL);
	CU_ASSERT_PTR_NULL(json_text(v).p);
	CU_ASSERT_FALSE(json_int(v, &n));
	CU_ASSERT_EQUAL(json_num(v), 0);
	CU_ASSERT_PTR_NULL(json_lexeme(v).p);
	CU_ASSERT_FALSE(json_bool(v));
	CU_ASSERT_EQUAL(json_length(v), 0);
	CU_ASSERT_PTR_NULL(json_at(v, 0));
	CU_ASSERT_PTR_NULL(json_get(v, "x"));
	CU_ASSERT_PTR_NULL(json_get_text(v, "x").p);
	CU_ASSERT_EQUAL(json_get_time(v, "x").us, TS_NULL.us);
	CU_ASSERT_FALSE(json_get_bool(v, "x"));
	json_each(v, never, &calls);
	CU_ASSERT_EQUAL(calls, 0);
	json_write_value(&b, v, json_write_str);
	CU_ASSERT_TRUE(str_is(buf_done(&b), "null"));
}

static bool
join(void *arg, struct str name, struct json_value *member)
{
	buf_str(arg, name);
	buf_str(arg, json_text(member));
	return !str_is(name, "stop");
}

static void
members_come_in_order(void)
{
	struct buf b = { .a = arena };
	struct buf more = { .a = arena };

	json_each(parse("{\"z\":\"1\",\"a\":\"2\",\"stop\":\"3\",\"b\":\"4\"}"), join, &b);
	CU_ASSERT_TRUE(str_is(buf_done(&b), "z1a2stop3"));
	/* More than are sorted to find duplicates, and than fit the first stack. */
	buf_z(&more, "{");
	for (int i = 0; i < 100; i++)
		buf_printf(&more, "\"%d\":\"\",", 99 - i);
	buf_z(&more, "\"stop\":[1,2,3]}");
	buf_clear(&b);
	json_each(json_parse(arena, buf_done(&more)), join, &b);
	CU_ASSERT_TRUE(str_starts(buf_done(&b), STR("999897")));
	CU_ASSERT_TRUE(str_ends(buf_done(&b), STR("210stop")));
}

static void
a_tree_outlives_its_text(void)
{
	char text[] = "{\"name\":\"value\"}";
	struct json_value *v = parse(text);

	memset(text, 'x', sizeof(text) - 1);
	CU_ASSERT_TRUE(str_is(json_text(json_get(v, "name")), "value"));
}

static void
integers_come_from_the_lexeme(void) /* C-037 */
{
	static const struct {
		const char *text;
		int64_t n;
	} good[] = { { "0", 0 }, { "-0", 0 }, { "-0.0", 0 }, { "0e400", 0 }, { "25.0", 25 },
		{ "25", 25 }, { "2.5e1", 25 }, { "250e-1", 25 }, { "0.0025E+4", 25 },
		{ "1e18", 1000000000000000000 }, { "9007199254740993", 9007199254740993 },
		{ "9223372036854775807", INT64_MAX }, { "-9223372036854775808", INT64_MIN },
		{ "9.223372036854775807e18", INT64_MAX },
		{ "9223372036854775807.000", INT64_MAX } };
	static const char *const bad[] = { "2.5", "1e400", "-1e400", "1e-400", "0.1",
		"25.00000000000000000001", "9223372036854775808", "-9223372036854775809",
		"18446744073709551616", "9e18999999999999999999", "99999999999999999999999", "1e19",
		"1e-99999999999999999999" };
	int64_t n;

	for (size_t i = 0; i < COUNT(good); i++) {
		CU_ASSERT_TRUE(json_int(parse(good[i].text), &n));
		CU_ASSERT_EQUAL(n, good[i].n);
	}
	for (size_t i = 0; i < COUNT(bad); i++)
		CU_ASSERT_FALSE(json_int(parse(bad[i]), &n));
	CU_ASSERT_TRUE(isinf(json_num(parse("1e400"))));
	CU_ASSERT_EQUAL(json_num(parse("[1.5]")), 0);
	CU_ASSERT_EQUAL(json_num(json_at(parse("[1.5,2]"), 0)), 1.5);
}

/* ---- writing ---- */

static struct str
num(double n)
{
	struct buf b = { .a = arena };

	json_write_num(&b, n);
	return buf_done(&b);
}

static struct str
integer(int64_t n)
{
	struct buf b = { .a = arena };

	json_write_int(&b, n);
	return buf_done(&b);
}

static struct str
quoted(struct str s)
{
	struct buf b = { .a = arena };

	json_write_str(&b, s);
	return buf_done(&b);
}

static void
numbers_are_shortest(void) /* C-121 */
{
	static const double hard[] = { 0.1, 1.0 / 3, 5e-324, DBL_MIN, DBL_MAX, 1e22,
		9007199254740993.0, 123456789.123456789, 2.2250738585072011e-308, -1e-7 };

	CU_ASSERT_TRUE(str_is(integer(INT64_MIN), "-9223372036854775808"));
	CU_ASSERT_TRUE(str_is(integer(INT64_MAX), "9223372036854775807"));
	CU_ASSERT_TRUE(str_is(integer(0), "0"));
	CU_ASSERT_TRUE(str_is(num(0.1), "0.1"));
	CU_ASSERT_TRUE(str_is(num(25), "25"));
	CU_ASSERT_TRUE(str_is(num(-3), "-3"));
	CU_ASSERT_TRUE(str_is(num(-0.0), "-0"));
	CU_ASSERT_TRUE(str_is(num(1e15), "1000000000000000"));
	CU_ASSERT_TRUE(str_is(num(5e-324), "5e-324"));
	CU_ASSERT_TRUE(str_is(num(0.30000000000000004), "0.30000000000000004"));
	for (size_t i = 0; i < COUNT(hard); i++)
		CU_ASSERT_EQUAL(strtod(num(hard[i]).p, NULL), hard[i]);
}

static void
strings_are_escaped(void)
{
	CU_ASSERT_TRUE(str_is(quoted(STR("")), "\"\""));
	CU_ASSERT_TRUE(str_is(quoted(STR_NULL), "\"\""));
	CU_ASSERT_TRUE(str_is(quoted(STR("a\"b\\c</\xc3\xa9")), "\"a\\\"b\\\\c</\xc3\xa9\""));
	CU_ASSERT_TRUE(
	    str_is(quoted(STR("\b\f\n\r\t\0\x1f\x7f")), "\"\\b\\f\\n\\r\\t\\u0000\\u001f\x7f\""));
}

struct part {
	struct str name;
	int64_t size;
};

struct record {
	struct str text, more;
	struct uuid uuid;
	struct ts at;
	int64_t n;
	double ratio;
	bool on;
	struct json raw;
	struct list parts, words, ids, counts, ratios;
	struct part part;
	struct {
		struct str name;
	} tag;
};

static const struct field part_fields[] = {
	TEXT(struct part, name, REQUIRED, 1, 10),
	NUMBER(struct part, size, 0, 1, 100, 25),
	FIELD_END,
};

static const struct field tag_fields[] = {
	{ .name = "name", .type = FIELD_STR },
	FIELD_END,
};

static const struct field no_fields[] = {
	FIELD_END,
};

static const char *const colours[] = { "red", "blue", NULL };

static const struct field nullable[] = {
	FIELD(struct record, text, NULLABLE),
	FIELD(struct record, uuid, NULLABLE),
	FIELD(struct record, at, NULLABLE),
	FIELD(struct record, raw, NULLABLE),
	LIST_OF(struct record, words, NULLABLE, struct str, 0, 0),
	OBJECT(struct record, tag, NULLABLE, tag_fields),
	FIELD_END,
};

static const struct field plain[] = {
	FIELD(struct record, text, 0),
	FIELD(struct record, uuid, 0),
	FIELD(struct record, at, 0),
	FIELD(struct record, n, NULLABLE),
	FIELD(struct record, ratio, 0),
	FIELD(struct record, on, 0),
	FIELD(struct record, raw, 0),
	LIST(struct record, parts, 0, struct part, part_fields, 0, 0),
	LIST_OF(struct record, ids, 0, struct uuid, 0, 0),
	LIST_OF(struct record, counts, 0, int64_t, 0, 0),
	LIST_OF(struct record, ratios, 0, double, 0, 0),
	OBJECT(struct record, tag, 0, tag_fields),
	FIELD_END,
};

static const struct field omitted[] = {
	FIELD(struct record, text, OMIT_UNSET),
	FIELD(struct record, on, OMIT_UNSET),
	LIST_OF(struct record, words, OMIT_UNSET, struct str, 0, 0),
	OBJECT(struct record, tag, OMIT_UNSET, tag_fields),
	OBJECT(struct record, part, OMIT_UNSET, part_fields),
	FIELD_END,
};

static struct str
written(const struct field *fields, const struct record *r)
{
	struct buf b = { .a = arena };
	struct json_fault fault;

	json_write(&b, fields, r);
	CU_ASSERT_TRUE(json_scan(arena, buf_done(&b), 8, &fault));
	return buf_done(&b);
}

static void
a_record_is_written_by_its_table(void) /* C-120: one precision, UTC */
{
	struct part parts[] = { { STR_INIT("a"), 1 }, { STR_INIT("b"), 2 } };
	struct uuid ids[] = { { { 0x0f } }, { { 0xf0 } } };
	int64_t counts[] = { 1, 2 };
	double ratios[] = { 0.5 };
	struct record r = { .text = STR("x"),
		.uuid = ids[0],
		.at = { 1500000 },
		.n = 1000000000000000000,
		.ratio = 0.25,
		.on = true,
		.raw = { STR("{\"a\": [1]}") },
		.parts = { parts, 2 },
		.ids = { ids, 2 },
		.counts = { counts, 2 },
		.ratios = { ratios, 1 },
		.tag = { STR("t") } };

	CU_ASSERT_TRUE(str_is(written(plain, &r),
	    "{\"text\":\"x\",\"uuid\":\"0f000000-0000-0000-0000-000000000000\","
	    "\"at\":\"1970-01-01T00:00:01.500000Z\",\"n\":1000000000000000000,\"ratio\":"
	    "0.25,"
	    "\"on\":true,\"raw\":{\"a\": [1]},\"parts\":[{\"name\":\"a\",\"size\":1},"
	    "{\"name\":\"b\",\"size\":2}],\"ids\":[\"0f000000-0000-0000-0000-"
	    "000000000000\","
	    "\"f0000000-0000-0000-0000-000000000000\"],\"counts\":[1,2],\"ratios\":[0.5],"
	    "\"tag\":{\"name\":\"t\"}}"));
}

static void
a_record_gets_more_members(void)
{
	static const struct field text[] = { FIELD(struct record, text, 0), FIELD_END };
	static const struct field count[] = { FIELD(struct record, n, 0), FIELD_END };
	struct record r = { .text = STR("x"), .n = 7 };
	struct buf b = { .a = arena };

	json_write(&b, text, &r);
	json_write_more(&b, count, &r);
	CU_ASSERT_TRUE(str_is(buf_done(&b), "{\"text\":\"x\",\"n\":7}"));
}

/* Texts that end with a bracket or a colon do not look like the beginning of a list or a value. */
static void
members_get_commas(void)
{
	struct buf b = { .a = arena };

	json_begin(&b, '{');
	json_member_begin(&b, "list", '[');
	json_item_str(&b, "a{");
	json_item_str(&b, "b:");
	json_begin(&b, '{');
	buf_z(&b, "}]");
	json_member_int(&b, "n", -1);
	json_member_str(&b, "text", "\"");
	json_member_strs(&b, "none", (const char *const[]){ NULL });
	buf_char(&b, '}');
	CU_ASSERT_TRUE(str_is(
	    buf_done(&b), "{\"list\":[\"a{\",\"b:\",{}],\"n\":-1,\"text\":\"\\\"\",\"none\":[]}"));
	CU_ASSERT_STRING_EQUAL(JSON([ null, "x\"" ]), "[ null, \"x\\\"\" ]");
}

static void
unset_is_null_or_left_out(void) /* C-120 */
{
	struct record r = { .at = TS_NULL };
	struct str words[] = { STR_INIT("w") };

	CU_ASSERT_TRUE(str_is(written(nullable, &r), "{\"text\":null,\"uuid\":null,\"at\":null,"
						     "\"raw\":null,\"words\":null,\"tag\":null}"));
	CU_ASSERT_TRUE(str_is(written(plain, &r),
	    "{\"text\":\"\",\"uuid\":null,\"at\":null,\"n\":0,\"ratio\":0,\"on\":false,"
	    "\"raw\":null,\"parts\":[],\"ids\":[],\"counts\":[],\"ratios\":[],"
	    "\"tag\":{\"name\":\"\"}}"));
	CU_ASSERT_TRUE(
	    str_is(written(omitted, &r), "{\"on\":false,\"part\":{\"name\":\"\",\"size\":0}}"));
	CU_ASSERT_TRUE(str_is(written(no_fields, &r), "{}"));
	r.words = (struct list){ words, 1 };
	r.tag.name = STR("t");
	CU_ASSERT_TRUE(
	    str_is(written(omitted, &r), "{\"on\":false,\"words\":[\"w\"],\"tag\":{\"name\":\"t\"},"
					 "\"part\":{\"name\":\"\",\"size\":0}}"));
}

/* ---- describing ---- */

static const struct field described[] = {
	{ .name = "text",
	    .type = FIELD_STR,
	    .flags = REQUIRED,
	    .lo = 1,
	    .hi = 5,
	    .help = "a \"text\"" },
	{ .name = "colour", .type = FIELD_STR, .flags = NULLABLE, .values = colours },
	FIELD(struct record, uuid, REQUIRED),
	FIELD(struct record, at, NULLABLE),
	NUMBER(struct record, n, 0, 0, 65535, 25),
	FIELD(struct record, ratio, 0),
	FIELD(struct record, on, 0),
	{ .name = "raw", .type = FIELD_RAW, .help = "anything" },
	FIELD(struct record, raw, 0),
	LIST(struct record, parts, REQUIRED, struct part, part_fields, 1, 8),
	{ .name = "words", .type = FIELD_LIST, .item = FIELD_STR, .values = colours, .hi = 3 },
	OBJECT(struct record, tag, NULLABLE, no_fields),
	FIELD_END,
};

static void
a_table_describes_itself(void)
{
	struct buf b = { .a = arena };
	struct json_fault fault;

	json_describe(&b, part_fields, false, NULL);
	CU_ASSERT_TRUE(str_is(buf_done(&b),
	    "{\"type\":\"object\",\"properties\":{"
	    "\"name\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":10},"
	    "\"size\":{\"type\":\"integer\",\"format\":\"int64\",\"minimum\":1,"
	    "\"maximum\":100,"
	    "\"default\":25}},\"required\":[\"name\",\"size\"]}"));
	buf_clear(&b);
	json_describe(&b, no_fields, true, NULL);
	CU_ASSERT_TRUE(str_is(buf_done(&b),
	    "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}"));
	CU_ASSERT_TRUE(json_scan(arena, buf_done(&b), 16, &fault));
}

static void
every_type_is_described(void)
{
	struct buf b = { .a = arena };

	json_describe(&b, described, true, NULL);
	CU_ASSERT_TRUE(str_is(buf_done(&b),
	    "{\"type\":\"object\",\"properties\":{"
	    "\"text\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":5,"
	    "\"description\":\"a \\\"text\\\"\"},"
	    "\"colour\":{\"type\":[\"string\",\"null\"],\"enum\":[\"red\",\"blue\",null]}"
	    ","
	    "\"uuid\":{\"type\":\"string\",\"format\":\"uuid\"},"
	    "\"at\":{\"type\":[\"string\",\"null\"],\"format\":\"date-time\"},"
	    "\"n\":{\"type\":\"integer\",\"format\":\"int64\",\"minimum\":0,\"maximum\":"
	    "65535,"
	    "\"default\":25},"
	    "\"ratio\":{\"type\":\"number\",\"format\":\"double\"},"
	    "\"on\":{\"type\":\"boolean\"},"
	    "\"raw\":{\"description\":\"anything\"},\"raw\":{},"
	    "\"parts\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":"
	    "{"
	    "\"name\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":10},"
	    "\"size\":{\"type\":\"integer\",\"format\":\"int64\",\"minimum\":1,"
	    "\"maximum\":100,"
	    "\"default\":25}},\"required\":[\"name\"],\"additionalProperties\":false},"
	    "\"minItems\":1,\"maxItems\":8},"
	    "\"words\":{\"type\":\"array\",\"items\":{\"type\":\"string\","
	    "\"enum\":[\"red\",\"blue\"]},\"maxItems\":3},"
	    "\"tag\":{\"type\":[\"object\",\"null\"],\"properties\":{},"
	    "\"additionalProperties\":false}},"
	    "\"required\":[\"text\",\"uuid\",\"parts\"],\"additionalProperties\":"
	    "false}"));
}

static CU_TestInfo tests[] = {
	{ "a tree has the values of its text", a_tree_has_what_the_text_has },
	{ "a value of another type is not returned", another_type_answers_nothing },
	{ "every accessor takes an absent member as null", absent_member_is_read_as_null },
	{ "members are returned in their order", members_come_in_order },
	{ "a tree outlives its text", a_tree_outlives_its_text },
	{ "integers are read from the lexeme", integers_come_from_the_lexeme },
	{ "numbers are written in their shortest form", numbers_are_shortest },
	{ "control characters and quotes are escaped in strings", strings_are_escaped },
	{ "a record is written by its table", a_record_is_written_by_its_table },
	{ "an unset member is null or left out", unset_is_null_or_left_out },
	{ "members of a second table follow those of the first", a_record_gets_more_members },
	{ "members without a table get their commas", members_get_commas },
	{ "a table describes itself as a schema", a_table_describes_itself },
	{ "every type of member is described", every_type_is_described },
	CU_TEST_INFO_NULL,
};

int
main(void)
{
	int failed;

	arena = arena_new(16 << 20);
	failed = tap_main(tests);
	arena_free(arena);
	return failed;
}
