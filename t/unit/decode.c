/* SPDX-License-Identifier: ISC */
/* src/json/decode.c: a body by its table, and everything wrong with one. */
#include "config.h"

#include "base/limits.h"
#include "json/json.h"
#include "t/unit/refusing.h"
#include "t/unit/tap.h"

#define NOW ((struct ts){ 1234567 })

static struct arena *arena;
static struct decoded how;

struct group {
	struct str field;
	int64_t limit;
};

struct aggregate {
	struct str query;
	struct list aggregations;
};

static const struct field group_in[] = {
	TEXT(struct group, field, REQUIRED | TRIM | LOWER | BYTES_TOO, 1, LIM_AGGREGATE_FIELD),
	NUMBER(struct group, limit, 0, 1, LIM_AGGREGATE_LIMIT, LIM_AGGREGATE_LIMIT_DEFAULT),
	FIELD_END,
};

static const struct field aggregate_in[] = {
	TEXT(struct aggregate, query, BYTES_TOO, 0, LIM_QUERY),
	LIST(struct aggregate, aggregations, REQUIRED, struct group, group_in, 1, LIM_AGGREGATIONS),
	FIELD_END,
};

struct viewport {
	int64_t width, height;
	struct ts at, seen;
};

struct all {
	struct str text, colour;
	struct uuid uuid;
	struct ts at, now;
	int64_t n, free;
	double ratio, share;
	bool on;
	struct json raw;
	struct list words, uuids;
	struct viewport viewport;
};

static const struct field viewport_in[] = {
	NUMBER(struct viewport, width, REQUIRED, 320, 3840, 1280),
	NUMBER(struct viewport, height, REQUIRED, 240, 2160, 720),
	FIELD(struct viewport, at, 0),
	FIELD(struct viewport, seen, DEFAULT_NOW),
	FIELD_END,
};

static const char *const colours[] = { "red", "blue", NULL };

static const struct field all_in[] = {
	TEXT(struct all, text, NULLABLE | TRIM, 2, 4),
	{ .name = "colour",
	    .type = FIELD_STR,
	    .flags = LOWER,
	    .offset = offsetof(struct all, colour),
	    .values = colours },
	FIELD(struct all, uuid, NULLABLE),
	FIELD(struct all, at, NULLABLE),
	FIELD(struct all, now, DEFAULT_NOW | NULLABLE),
	NUMBER(struct all, n, NULLABLE, -5, 5, 3),
	FIELD(struct all, free, 0),
	FIELD(struct all, ratio, 0),
	NUMBER(struct all, share, 0, 0, 1, 0),
	FIELD(struct all, on, 0),
	FIELD(struct all, raw, NULLABLE),
	LIST_OF(struct all, words, TRIM, struct str, 0, 1),
	LIST_OF(struct all, uuids, 0, struct uuid, 2, 3),
	OBJECT(struct all, viewport, 0, viewport_in),
	FIELD_END,
};

static enum json_rc
decode(const struct field *fields, struct str body, void *out)
{
	return json_decode(arena, body, fields, NOW, out, &how);
}

static enum json_rc
decode_all(const char *body, struct all *out)
{
	*out = (struct all){ .on = false };
	return decode(all_in, str_of(body), out);
}

/* "code field; code field": what is wrong with a body. */
static const char *
wrong(const struct field *fields, struct str body, void *out)
{
	struct buf b = { .a = arena };
	enum json_rc rc = decode(fields, body, out);

	if (rc == JSON_INVALID)
		return how.fault.what;
	CU_ASSERT_EQUAL(rc == JSON_FIELDS, how.nerrors > 0);
	for (size_t i = 0; i < how.nerrors; i++) {
		buf_printf(&b, "%s%s ", i > 0 ? "; " : "", how.errors[i].code.p);
		buf_str(&b, how.errors[i].field);
		CU_ASSERT_TRUE(how.errors[i].message.n > 0 && how.errors[i].message.n <= 512);
	}
	buf_char(&b, '\0');
	return buf_done(&b).p;
}

static void
aggregate_is(const char *body, const char *expected)
{
	struct aggregate in = { .query = STR_NULL };
	const char *got = wrong(aggregate_in, str_of(body), &in);

	if (strcmp(got, expected) != 0)
		printf("# %s: %s\n", body, got);
	CU_ASSERT_STRING_EQUAL(got, expected);
}

static void
all_is(const char *body, const char *expected)
{
	struct all in = { .on = false };
	const char *got = wrong(all_in, str_of(body), &in);

	if (strcmp(got, expected) != 0)
		printf("# %s: %s\n", body, got);
	CU_ASSERT_STRING_EQUAL(got, expected);
}

static void
a_body_becomes_a_struct(void) /* C-033, C-034, C-037, C-039 */
{
	struct aggregate in = { .query = STR_NULL };
	const struct group *g;

	CU_ASSERT_EQUAL(decode(aggregate_in,
			    STR(" {\"aggregations\":[{\"field\":\" "
				"Services.PORT\\u00a0\",\"limit\":25.0},"
				"{\"limit\":1e2,\"field\":\"\xe2\x84\xaa\"},{\"field\":"
				"\"asn\"}],\"query\":\"\"} "),
			    &in),
	    JSON_OK);
	CU_ASSERT_EQUAL(how.nerrors, 0);
	CU_ASSERT_PTR_NOT_NULL(in.query.p);
	CU_ASSERT_EQUAL(in.query.n, 0);
	CU_ASSERT_EQUAL_FATAL(in.aggregations.n, 3);
	g = in.aggregations.items;
	CU_ASSERT_TRUE(str_is(g[0].field, "services.port"));
	CU_ASSERT_EQUAL(g[0].limit, 25);
	CU_ASSERT_TRUE(str_is(g[1].field, "\xe2\x84\xaa"));
	CU_ASSERT_EQUAL(g[1].limit, 100);
	CU_ASSERT_EQUAL(g[2].limit, LIM_AGGREGATE_LIMIT_DEFAULT);
}

static void
every_type_is_read(void)
{
	struct all in;
	struct uuid u;

	CU_ASSERT_EQUAL(
	    decode_all("{\"text\":\" \\u00e9\\u00e9\\u00e9\\u00e9 \",\"colour\":\"RED\","
		       "\"uuid\":\"ABCDEF00-0000-0000-0000-000000000000\","
		       "\"at\":\"1970-01-01T01:00:01+01:00\",\"now\":\"1970-01-01T00:00:00Z\","
		       "\"n\":-5,\"free\":-9223372036854775808,\"ratio\":1e-3,\"share\":1,"
		       "\"on\":true,"
		       "\"raw\":{\"a\": [1e400, null]},\"words\":[\" w \"],"
		       "\"uuids\":[\"ABCDEF00-0000-0000-0000-000000000000\","
		       "\"ABCDEF00-0000-0000-0000-000000000001\"],"
		       "\"viewport\":{\"width\":3840,\"height\":240}}",
		&in),
	    JSON_OK);
	CU_ASSERT_TRUE(str_is(in.text, "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"));
	CU_ASSERT_TRUE(str_is(in.colour, "red"));
	CU_ASSERT_TRUE(uuid_parse(STR("abcdef00-0000-0000-0000-000000000000"), &u));
	CU_ASSERT_EQUAL(uuid_cmp(&in.uuid, &u), 0);
	CU_ASSERT_EQUAL(in.at.us, 1000000);
	CU_ASSERT_EQUAL(in.now.us, 0);
	CU_ASSERT_EQUAL(in.n, -5);
	CU_ASSERT_EQUAL(in.free, INT64_MIN);
	CU_ASSERT_EQUAL(in.ratio, 1e-3);
	CU_ASSERT_EQUAL(in.share, 1);
	CU_ASSERT_TRUE(in.on);
	CU_ASSERT_TRUE(str_is(in.raw.text, "{\"a\": [1e400, null]}"));
	CU_ASSERT_TRUE(str_is(*(struct str *)in.words.items, "w"));
	CU_ASSERT_EQUAL(in.uuids.n, 2);
	CU_ASSERT_EQUAL(in.viewport.width, 3840);
}

static void
absent_members_have_defaults(void)
{
	struct all in;

	CU_ASSERT_EQUAL(decode_all("{}", &in), JSON_OK);
	CU_ASSERT_PTR_NULL(in.text.p);
	CU_ASSERT_TRUE(ts_is_null(in.at));
	CU_ASSERT_EQUAL(in.now.us, NOW.us);
	CU_ASSERT_EQUAL(in.n, 3);
	CU_ASSERT_EQUAL(in.free, 0);
	CU_ASSERT_PTR_NULL(in.raw.text.p);
	CU_ASSERT_EQUAL(in.viewport.width, 1280);
	CU_ASSERT_EQUAL(in.viewport.height, 720);
	CU_ASSERT_TRUE(ts_is_null(in.viewport.at));
	CU_ASSERT_EQUAL(in.viewport.seen.us, NOW.us);
	CU_ASSERT_EQUAL(
	    decode_all("{\"text\":null,\"uuid\":null,\"at\":null,\"now\":null,\"n\":null,"
		       "\"raw\":null}",
		&in),
	    JSON_OK);
	CU_ASSERT_PTR_NULL(in.text.p);
	CU_ASSERT_TRUE(ts_is_null(in.now));
	CU_ASSERT_EQUAL(in.n, 3);
}

static void
numbers_keep_their_lexeme(void) /* C-037: json-c would saturate or round these */
{
	struct all in;

	CU_ASSERT_EQUAL(decode_all("{\"raw\":[null,{\"x\":[18446744073709551616]}],\"words\":[],"
				   "\"free\":9007199254740993.0,\"ratio\":123456789012345678901}",
			    &in),
	    JSON_OK);
	CU_ASSERT_EQUAL(in.free, 9007199254740993);
	CU_ASSERT_EQUAL(in.ratio, 123456789012345678901.0);
	CU_ASSERT_TRUE(str_is(in.raw.text, "[null,{\"x\":[18446744073709551616]}]"));
	all_is("{\"free\":18446744073709551616}", "out_of_range free");
	all_is("{\"free\":-9223372036854775809}", "out_of_range free");
	all_is("{\"free\":9223372036854775808}", "out_of_range free");
	all_is("{\"free\":1e400}", "out_of_range free");
	all_is("{\"n\":1e400}", "out_of_range n");
	all_is("{\"free\":2.5}", "invalid_type free");
	all_is("{\"ratio\":1e400}", "out_of_range ratio");
	all_is("{\"share\":1.0001}", "out_of_range share");
	all_is("{\"share\":-1}", "out_of_range share");
}

static void
no_object_is_a_field_error(void) /* C-024, C-025 */
{
	aggregate_is("[]", "invalid_type ");
	aggregate_is("\"a\"", "invalid_type ");
	aggregate_is(" null", "invalid_type ");
	aggregate_is("1", "invalid_type ");
	aggregate_is("{}", "required aggregations");
	aggregate_is("", "unexpected end");
	aggregate_is("{\"aggregations\":[],\"aggregations\":[]}", "duplicate key");
	aggregate_is("{\"x\":{\"y\":1,\"y\":1}}", "duplicate key");
	CU_ASSERT_EQUAL(how.fault.at, 12);
}

static void
lists_are_bounded(void) /* C-032 */
{
	aggregate_is("{\"aggregations\":[]}", "too_short aggregations");
	aggregate_is("{\"aggregations\":{}}", "invalid_type aggregations");
	aggregate_is("{\"aggregations\":null}", "invalid_type aggregations");
	aggregate_is("{\"aggregations\":[1,1,1,1,1,1,1,1,1]}", "too_long aggregations");
	aggregate_is("{\"aggregations\":[1,null,[],{}]}",
	    "invalid_type aggregations[0]; invalid_type aggregations[1]; "
	    "invalid_type aggregations[2]; required aggregations[3].field");
}

static void
limits_are_integers(void) /* C-037 */
{
	static const char *const types[] = { "\"25\"", "true", "2.5", "null", "[]" };
	static const char *const ranges[] = { "0", "101", "-1", "1e400", "18446744073709551617" };
	char body[128];

	for (size_t i = 0; i < COUNT(types); i++) {
		snprintf(body, sizeof(body), "{\"aggregations\":[{\"field\":\"a\",\"limit\":%s}]}",
		    types[i]);
		aggregate_is(body, "invalid_type aggregations[0].limit");
	}
	for (size_t i = 0; i < COUNT(ranges); i++) {
		snprintf(body, sizeof(body), "{\"aggregations\":[{\"field\":\"a\",\"limit\":%s}]}",
		    ranges[i]);
		aggregate_is(body, "out_of_range aggregations[0].limit");
	}
}

/* {"aggregations":[{"field":"..."}]} with the unit n times. */
static void
field_of(const char *unit, int n, const char *expected)
{
	struct buf b = { .a = arena };

	buf_z(&b, "{\"aggregations\":[{\"field\":\"");
	for (int i = 0; i < n; i++)
		buf_z(&b, unit);
	buf_z(&b, "\"}]}");
	buf_char(&b, '\0');
	aggregate_is(buf_done(&b).p, expected);
}

static void
texts_are_bounded(void) /* C-033, C-038 */
{
	field_of("a", 128, "");
	field_of("a", 129, "too_long aggregations[0].field");
	field_of("\xc3\xa9", 64, "");
	field_of("\xc3\xa9", 65, "too_long aggregations[0].field");
	field_of(" ", 128, "too_short aggregations[0].field");
	field_of(" ", 129, "too_long aggregations[0].field"); /* as sent */
	field_of("", 0, "too_short aggregations[0].field");
	field_of("\\u0000", 1, "invalid_format aggregations[0].field");
	all_is("{\"text\":\" a \"}", "too_short text");
	all_is("{\"text\":\"abcde\"}", "too_long text");
}

static void
nul_in_a_name_is_an_unknown_member(void) /* C-029 */
{
	aggregate_is("{\"\\u0000\":1,\"aggregations\":[{\"field\":\"ip\"}]}", "unknown_field ");
	aggregate_is("{\"\\u0000\":1,\"\":2,\"aggregations\":[{\"field\":\"ip\"}]}",
	    "unknown_field ; unknown_field ");
	aggregate_is("{\"query\\u0000\":1,\"aggregations\":[{\"field\":\"ip\",\"a\\u0000\":1,"
		     "\"a\\u0000\\u0000\":1}]}",
	    "unknown_field ; unknown_field aggregations[0]; unknown_field "
	    "aggregations[0]");
	aggregate_is("{\"query\":\"\\\\u0000\",\"aggregations\":[{\"field\":\"ip\"}]}", "");
	aggregate_is("{\"query\":\"\\\\\\u0000\",\"aggregations\":[{\"field\":\"ip\"}]}",
	    "invalid_format query");
	all_is("{\"viewport\":{\"\\u0000\":1}}",
	    "required viewport.width; required viewport.height; unknown_field viewport");
}

static void
all_faults_in_one_answer(void) /* C-098 */
{
	all_is("{\"zz\":1,\"text\":1,\"colour\":\"green\",\"uuid\":\"x\",\"at\":\"2026-"
	       "01-02\","
	       "\"now\":5,\"n\":\"1\",\"free\":null,\"ratio\":\"1\",\"on\":1,\"raw\":1,"
	       "\"words\":[1],\"uuids\":[1,\"\"],\"viewport\":{\"width\":1,\"depth\":1}}",
	    "invalid_type text; not_allowed colour; invalid_format uuid; invalid_format "
	    "at; "
	    "invalid_type now; invalid_type n; invalid_type free; invalid_type ratio; "
	    "invalid_type on; invalid_type words[0]; invalid_type uuids[0]; "
	    "invalid_format uuids[1]; out_of_range viewport.width; required "
	    "viewport.height; "
	    "unknown_field zz; unknown_field viewport.depth");
	all_is("{\"viewport\":[],\"words\":[\"a\",\"b\"],\"uuid\":{}}",
	    "invalid_type uuid; too_long words; invalid_type viewport");
	all_is("{\"uuids\":\"\",\"words\":[null]}", "invalid_type words[0]; invalid_type uuids");
	all_is("{\"uuids\":[\"\"]}", "too_short uuids");
}

static void
repeated_items_of_a_set_are_refused(void) /* C-338 */
{
	struct set {
		struct list words, uuids, numbers, groups;
	};
	static const struct field set_in[] = {
		LIST_OF(struct set, words, TRIM | LOWER | DISTINCT, struct str, 0, 9),
		LIST_OF(struct set, uuids, DISTINCT, struct uuid, 0, 9),
		LIST_OF(struct set, numbers, DISTINCT, int64_t, 0, 9),
		LIST(struct set, groups, DISTINCT, struct group, group_in, 0, 9),
		FIELD_END,
	};
	static const struct {
		const char *text, *faults;
	} rows[] = {
		{ "{\"words\":[\"a\",\"b\"],\"numbers\":[1,2,0]}", "" },
		{ "{\"words\":[\"a\",\"b\",\" A \",\"b\"]}",
		    "duplicate words[2]; duplicate words[3]" },
		{ "{\"words\":[\"a\",\"a\",\"a\"]}", "duplicate words[1]; duplicate words[2]" },
		{ "{\"numbers\":[7,0,7]}", "duplicate numbers[2]" },
		{ "{\"uuids\":[\"0b8e4c9e-7a56-4a3e-9d0a-1d4c3f6b2a11\","
		  "\"0B8E4C9E-7A56-4A3E-9D0A-1D4C3F6B2A11\"]}",
		    "duplicate uuids[1]" },
		{ "{\"groups\":[{\"field\":\"a\",\"limit\":1},{\"field\":\"a\",\"limit\":2},"
		  "{\"field\":\"b\",\"limit\":1}]}",
		    "duplicate groups[1].field" },
		/* an item that is wrong anyway repeats nothing */
		{ "{\"words\":[1,1],\"uuids\":[\"x\",\"x\"]}",
		    "invalid_type words[0]; invalid_type words[1]; invalid_format uuids[0]; "
		    "invalid_format uuids[1]" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct set in = { { NULL, 0 }, { NULL, 0 }, { NULL, 0 }, { NULL, 0 } };
		const char *got = wrong(set_in, str_of(rows[i].text), &in);

		if (strcmp(got, rows[i].faults) != 0)
			printf("# %s: %s\n", rows[i].text, got);
		CU_ASSERT_STRING_EQUAL(got, rows[i].faults);
	}
}

static void
unknown_members_are_named_when_it_is_safe(void) /* C-028, C-029 */
{
	struct buf b = { .a = arena };

	aggregate_is("{\"aggregations\":[{\"field\":\"a\",\"x\":null},3],\"Query\":\"\"}",
	    "invalid_type aggregations[1]; unknown_field aggregations[0].x; "
	    "unknown_field Query");
	aggregate_is("{\"aggregations\":[{\"field\":\"a\",\"\":null,\"\\u0007\":1,"
		     "\"\xc3\xa9\":1}]}",
	    "unknown_field aggregations[0]; unknown_field aggregations[0]; "
	    "unknown_field aggregations[0]");
	buf_z(&b, "{\"aggregations\":[{\"field\":\"a\"}],\"");
	for (int i = 0; i < 129; i++)
		buf_z(&b, "x");
	buf_z(&b, "\":1}");
	buf_char(&b, '\0');
	aggregate_is(buf_done(&b).p, "unknown_field ");
}

static void
messages_never_repeat_what_was_sent(void)
{
	struct all in;

	CU_ASSERT_EQUAL(
	    decode_all("{\"colour\":\"s3cret\",\"text\":\"s3cret\",\"uuid\":\"s3cret\"}", &in),
	    JSON_FIELDS);
	CU_ASSERT_EQUAL_FATAL(how.nerrors, 3);
	CU_ASSERT_TRUE(str_is(how.errors[0].message, "must have at most 4 characters"));
	CU_ASSERT_TRUE(str_is(how.errors[1].message, "must be one of red, blue"));
	CU_ASSERT_TRUE(str_is(how.errors[2].message, "must be a UUID"));
	CU_ASSERT_EQUAL(decode_all("{\"words\":[1,2],\"uuids\":[],\"n\":9}", &in), JSON_FIELDS);
	CU_ASSERT_EQUAL_FATAL(how.nerrors, 3);
	CU_ASSERT_TRUE(str_is(how.errors[0].message, "must be from -5 to 5"));
	CU_ASSERT_TRUE(str_is(how.errors[1].message, "must have at most 1 item"));
	CU_ASSERT_TRUE(str_is(how.errors[2].message, "must have at least 2 items"));
}

static void
errors_are_capped(void)
{
	struct buf b = { .a = arena };
	struct all in;

	buf_z(&b, "{\"words\":1");
	for (int i = 0; i < 1000; i++)
		buf_printf(&b, ",\"x%d\":null", i);
	buf_z(&b, "}");
	in = (struct all){ .on = false };
	CU_ASSERT_EQUAL(decode(all_in, buf_done(&b), &in), JSON_FIELDS);
	CU_ASSERT_EQUAL(how.nerrors, 64);
	CU_ASSERT_TRUE(str_is(how.errors[0].field, "words"));
	CU_ASSERT_TRUE(str_is(how.errors[1].field, "x0"));
}

static void
depth_and_length_are_bounded(void) /* C-030 */
{
	struct buf b = { .a = arena };
	struct all in = { .on = false };

	buf_z(&b, "{\"raw\":");
	for (int i = 1; i < LIM_JSON_DEPTH; i++)
		buf_z(&b, "[");
	for (int i = 1; i < LIM_JSON_DEPTH; i++)
		buf_z(&b, "]");
	buf_z(&b, "}");
	CU_ASSERT_EQUAL(decode(all_in, buf_done(&b), &in), JSON_OK);
	buf_clear(&b);
	for (int i = 0; i < LIM_JSON_DEPTH; i++)
		buf_z(&b, "{\"raw\":");
	buf_z(&b, "[");
	CU_ASSERT_EQUAL(decode(all_in, buf_done(&b), &in), JSON_INVALID);
	CU_ASSERT_STRING_EQUAL(how.fault.what, "nested too deeply");
	CU_ASSERT_EQUAL(decode(all_in, (struct str){ "{}", (size_t)1 << 31 }, &in), JSON_INVALID);
	CU_ASSERT_STRING_EQUAL(how.fault.what, "too long");
}

static void
many_values_are_found_again(void) /* more than the first room for spans */
{
	struct buf b = { .a = arena };
	struct all in = { .on = false };

	buf_z(&b, "{\"raw\":[0");
	for (int i = 1; i < 5000; i++)
		buf_printf(&b, ",%d", i);
	buf_z(&b, "],\"free\":18}");
	CU_ASSERT_EQUAL(decode(all_in, buf_done(&b), &in), JSON_OK);
	CU_ASSERT_EQUAL(in.free, 18);
	CU_ASSERT_TRUE(str_ends(in.raw.text, STR("4998,4999]")));
}

/* json-c 0.18 refuses these bytes and this number when it is strict. */
static void
json_c_need_not_be_strict(void)
{
	struct all in;

	CU_ASSERT_EQUAL(decode_all("{\"text\":\"\xc3\xa9\xf0\x9f\x90\xa7\"} ", &in), JSON_OK);
	CU_ASSERT_TRUE(str_is(in.text, "\xc3\xa9\xf0\x9f\x90\xa7"));
	all_is("{\"free\":18446744073709551617}", "out_of_range free");
	all_is("{\"n\":-18446744073709551617}", "out_of_range n");
	all_is("{\"\xc3\xa9\":1}", "unknown_field ");
}

static void
refusal_by_json_c_is_no_fault_of_the_client(void)
{
	struct all in;
	enum json_rc rc;

	jsonc_refuses = true;
	rc = decode_all("{\"text\":\"abc\"}", &in);
	jsonc_refuses = false;
	CU_ASSERT_EQUAL(rc, JSON_REFUSED);
	CU_ASSERT_EQUAL(how.nerrors, 0);
	CU_ASSERT_STRING_EQUAL(how.fault.what, "not understood by json-c");
}

static CU_TestInfo tests[] = {
	{ "a body is decoded into a struct", a_body_becomes_a_struct },
	{ "values of every type are decoded", every_type_is_read },
	{ "absent members get their defaults", absent_members_have_defaults },
	{ "numbers keep their lexeme", numbers_keep_their_lexeme },
	{ "a body that is no object is a field error", no_object_is_a_field_error },
	{ "lists above their limit are refused", lists_are_bounded },
	{ "repeated items of a set are refused", repeated_items_of_a_set_are_refused },
	{ "a limit must be an integer in range", limits_are_integers },
	{ "texts above their limit are refused", texts_are_bounded },
	{ "a name with U+0000 is an unknown member", nul_in_a_name_is_an_unknown_member },
	{ "one answer contains all faults", all_faults_in_one_answer },
	{ "unknown members are named if their names are safe",
	    unknown_members_are_named_when_it_is_safe },
	{ "messages never repeat the client's input", messages_never_repeat_what_was_sent },
	{ "the number of reported errors is limited", errors_are_capped },
	{ "depth and length of a body are limited", depth_and_length_are_bounded },
	{ "each of many values is found again", many_values_are_found_again },
	{ "bytes above 0x7f and numbers beyond 64 bits reach the table",
	    json_c_need_not_be_strict },
	{ "a refusal by json-c is no fault of the client",
	    refusal_by_json_c_is_no_fault_of_the_client },
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
