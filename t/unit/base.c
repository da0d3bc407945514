/* SPDX-License-Identifier: ISC */
/* src/base: values, arena, buffers, time. */
#include "config.h"

#include "base/base.h"
#include "base/url.h"
#include "daemon/conf.h"
#include "daemon/conf_check.h"
#include "t/unit/tap.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static void
strings_compare_by_bytes(void)
{
	CU_ASSERT_TRUE(str_eq(STR("a"), STR("a")));
	CU_ASSERT_FALSE(str_eq(STR("a"), STR("ab")));
	CU_ASSERT_TRUE(str_eq(STR_NULL, STR("")));
	CU_ASSERT_TRUE(str_cmp(STR("a"), STR("ab")) < 0);
	CU_ASSERT_TRUE(str_cmp(STR("\xff"), STR("a")) > 0);
	CU_ASSERT_TRUE(str_starts(STR("abc"), STR("ab")));
	CU_ASSERT_TRUE(str_ends(STR("abc"), STR("bc")));
	CU_ASSERT_FALSE(str_ends(STR("c"), STR("bc")));
	CU_ASSERT_TRUE(str_within(STR("a.b"), STR("b")) && str_within(STR("b"), STR("b")));
	CU_ASSERT_FALSE(str_within(STR("ab"), STR("b")) || str_within(STR("b"), STR("a.b")));
}

static void
trim_takes_unicode_white_space(void) /* C-034 */
{
	CU_ASSERT_TRUE(str_is(str_trim(STR(" \t\r\n\v\fa b\xc2\xa0")), "a b"));
	CU_ASSERT_TRUE(str_is(str_trim(STR("\xe2\x80\x80x\xe2\x80\x8a")), "x"));
	CU_ASSERT_TRUE(str_is(str_trim(STR("\xe3\x80\x80")), ""));
	CU_ASSERT_TRUE(str_is(str_trim(STR("\xe2\x80\x8bx")), "\xe2\x80\x8bx")); /* ZWSP stays */
}

static void
a_text_is_cut_between_characters(void)
{
	CU_ASSERT_TRUE(str_is(str_cut_bytes(STR("abc"), 3), "abc"));
	CU_ASSERT_TRUE(str_is(str_cut_bytes(STR("abc"), 2), "ab"));
	CU_ASSERT_TRUE(str_is(str_cut_bytes(STR("a\xc3\xa4"), 2), "a"));
	CU_ASSERT_TRUE(str_is(str_cut_bytes(STR("\xf0\x9f\x98\x80"), 3), ""));
	CU_ASSERT_TRUE(str_is(str_cut(STR("a\xc3\xa4z"), 2), "a\xc3\xa4"));
	CU_ASSERT_TRUE(str_is(str_cut(STR("\xc3\xa4"), 0), ""));
	CU_ASSERT_TRUE(str_is(str_cut(STR("abc"), 4), "abc"));
}

static void
lines_are_taken_off(void)
{
	struct str text = STR("a\n\nb"), line;

	CU_ASSERT_TRUE(str_line(&text, &line) && str_is(line, "a"));
	CU_ASSERT_TRUE(str_line(&text, &line) && line.n == 0);
	CU_ASSERT_TRUE(str_line(&text, &line) && str_is(line, "b"));
	CU_ASSERT_FALSE(str_line(&text, &line));
}

static void
parts_end_at_a_separator(void)
{
	struct str text = STR("a,,"), part;

	CU_ASSERT_TRUE(str_is(str_until(&text, ','), "a") && text.p != NULL);
	part = str_until(&text, ',');
	CU_ASSERT_TRUE(part.p != NULL && part.n == 0 && text.p != NULL);
	part = str_until(&text, ',');
	CU_ASSERT_TRUE(part.p != NULL && part.n == 0);
	CU_ASSERT_PTR_NULL(text.p);
	part = str_until(&text, ',');
	CU_ASSERT_TRUE(part.p == NULL && text.p == NULL);
}

static void
words_are_taken_off(void)
{
	struct str text = STR(" \tone,two  three, "), word;

	CU_ASSERT_TRUE(str_word(&text, " \t,", &word) && str_is(word, "one"));
	CU_ASSERT_TRUE(str_word(&text, " \t,", &word) && str_is(word, "two"));
	CU_ASSERT_TRUE(str_word(&text, " \t,", &word) && str_is(word, "three"));
	CU_ASSERT_FALSE(str_word(&text, " \t,", &word));
	CU_ASSERT_EQUAL(word.n, 0);
}

static void
classes_are_of_ascii(void)
{
	char hex[] = "0123456789abcdef0123456789ABCDEF";
	int digits = 0, letters = 0, spaces = 0, hexadecimal = 0;

	for (size_t i = 0; i < sizeof(hex) - 1; i++)
		CU_ASSERT_EQUAL(ascii_hex(hex[i]), (int)i % 16);
	for (int c = -128; c < 128; c++) {
		digits += ascii_digit((char)c);
		letters += ascii_letter((char)c);
		spaces += ascii_space((char)c);
		hexadecimal += ascii_hex((char)c) >= 0;
		CU_ASSERT_EQUAL(
		    ascii_alnum((char)c), ascii_digit((char)c) || ascii_letter((char)c));
	}
	CU_ASSERT_EQUAL(digits, 10);
	CU_ASSERT_EQUAL(letters, 52);
	CU_ASSERT_EQUAL(spaces, 4);
	CU_ASSERT_EQUAL(hexadecimal, 22);
}

static void
ports_have_bounds(void)
{
	int64_t port;

	CU_ASSERT_TRUE(ip_parse_port(STR("1"), &port) && port == 1);
	CU_ASSERT_TRUE(ip_parse_port(STR("65535"), &port) && port == 65535);
	CU_ASSERT_FALSE(ip_parse_port(STR("0"), &port));
	CU_ASSERT_FALSE(ip_parse_port(STR("65536"), &port));
	CU_ASSERT_FALSE(ip_parse_port(STR("80x"), &port));
}

static void
lower_is_ascii_alone(void) /* C-034: U+212A KELVIN SIGN stays */
{
	char room[8];

	CU_ASSERT_TRUE(str_is(str_lower_ascii(room, STR("A\xe2\x84\xaaZ")), "a\xe2\x84\xaaz"));
}

static void
case_changes_copy_only_when_needed(void)
{
	struct arena *a = arena_new(1024);
	struct str low = STR("a-1"), up = STR("A-1");

	CU_ASSERT_PTR_EQUAL(arena_lower(a, low).p, low.p);
	CU_ASSERT_PTR_EQUAL(arena_upper(a, up).p, up.p);
	CU_ASSERT_TRUE(str_is(arena_lower(a, up), "a-1"));
	CU_ASSERT_TRUE(str_is(arena_upper(a, low), "A-1"));
	arena_free(a);
}

static void
a_list_in_an_arena_grows_at_powers_of_two(void)
{
	struct arena *a = arena_new(1 << 16);
	int *p = NULL;

	for (int i = 0; i < 100; i++) {
		p = arena_room(a, p, (size_t)i, sizeof(*p));
		p[i] = i;
	}
	for (int i = 0; i < 100; i++)
		CU_ASSERT_EQUAL(p[i], i);
	arena_free(a);
}

static void
utf8_is_strict(void) /* C-024 */
{
	static const struct str bad[] = {
		STR_INIT("\xc0\xaf"),
		STR_INIT("\xe0\x80\xaf"),
		STR_INIT("\xed\xa0\x80"),
		STR_INIT("\xf4\x90\x80\x80"),
		STR_INIT("\xf5\x80\x80\x80"),
		STR_INIT("\x80"),
		STR_INIT("\xe2\x82"),
		STR_INIT("\xc3("),
	};

	for (size_t i = 0; i < COUNT(bad); i++)
		CU_ASSERT_EQUAL(str_utf8_bad(bad[i]), 0);
	CU_ASSERT_EQUAL(str_utf8_bad(STR("a\xf0\x9f\x98\x80\xef\xbf\xbf")), 8);
	CU_ASSERT_EQUAL(str_utf8_bad(STR("ab\xff")), 2);
	CU_ASSERT_EQUAL(str_chars(STR("a\xf0\x9f\x98\x80\xc3\xa9")), 3);
}

static void
integers_keep_their_bounds(void) /* C-121 */
{
	int64_t v = 0;

	CU_ASSERT_TRUE(str_int64(STR("-9223372036854775808"), &v) && v == INT64_MIN);
	CU_ASSERT_TRUE(str_int64(STR("9223372036854775807"), &v) && v == INT64_MAX);
	CU_ASSERT_FALSE(str_int64(STR("9223372036854775808"), &v));
	CU_ASSERT_FALSE(str_int64(STR("-9223372036854775809"), &v));
	CU_ASSERT_FALSE(str_int64(STR(""), &v));
	CU_ASSERT_FALSE(str_int64(STR("-"), &v));
	CU_ASSERT_FALSE(str_int64(STR("1 "), &v));
}

static void
hexadecimal_has_one_spelling(void)
{
	unsigned char bytes[2] = { 0x0a, 0xf9 }, back[2];
	char text[5];

	hex_print(text, bytes, 2);
	CU_ASSERT_STRING_EQUAL(text, "0af9");
	CU_ASSERT_TRUE(hex_parse(str_of(text), back, 2) && memcmp(bytes, back, 2) == 0);
	CU_ASSERT_FALSE(hex_parse(STR("0AF9"), back, 2));
	CU_ASSERT_FALSE(hex_parse(STR("0af"), back, 2));
	CU_ASSERT_FALSE(hex_parse(STR("0af\0"), back, 2));
	CU_ASSERT_FALSE(hex_parse(STR("0af90"), back, 2));
}

static void
base64url_has_one_spelling(void)
{
	char text[16];
	unsigned char bytes[8];
	size_t n;

	for (size_t len = 0; len <= 5; len++) {
		size_t out =
		    base64url_print(text, (const unsigned char *)"\xff\xee\x01\x02\x03", len);

		CU_ASSERT_TRUE(
		    base64url_parse((struct str){ text, out }, bytes, 8, &n) && n == len);
		CU_ASSERT_EQUAL(memcmp(bytes, "\xff\xee\x01\x02\x03", len), 0);
	}
	CU_ASSERT_FALSE(base64url_parse(STR("_x"), bytes, 8, &n)); /* spare bits */
	CU_ASSERT_FALSE(base64url_parse(STR("a"), bytes, 8, &n));
	CU_ASSERT_FALSE(base64url_parse(STR("aa=="), bytes, 8, &n));
	CU_ASSERT_FALSE(base64url_parse(STR("aaaaaaaaaaaaaaaa"), bytes, 8, &n));
}

static void
base64_has_one_spelling(void)
{
	static const struct {
		const char *text, *bytes;
	} good[] = { { "", "" }, { "Zg==", "f" }, { "Zm8=", "fo" }, { "Zm9v", "foo" },
		{ "Zm9vYg==", "foob" }, { "+/+/", "\xfb\xff\xbf" } };
	static const char *const bad[] = { "Z", "Zg", "Zg=", "Zh==", "Zm9=", "Zm8",
		"====", "Z===", "Zg==Zg==", "Z g=", "_-_-", "Zm9v\n", "Zm\377v" };
	unsigned char bytes[8];
	size_t n;

	for (size_t i = 0; i < COUNT(good); i++) {
		CU_ASSERT_TRUE(base64_parse(str_of(good[i].text), bytes, sizeof(bytes), &n));
		CU_ASSERT_EQUAL(n, strlen(good[i].bytes));
		CU_ASSERT_EQUAL(memcmp(bytes, good[i].bytes, n), 0);
	}
	for (size_t i = 0; i < COUNT(bad); i++)
		CU_ASSERT_FALSE(base64_parse(str_of(bad[i]), bytes, sizeof(bytes), &n));
	CU_ASSERT_TRUE(base64_parse(STR("Zm9vYg=="), bytes, 4, &n));
	CU_ASSERT_FALSE(base64_parse(STR("Zm9vYg=="), bytes, 3, &n));
}

static void
uuids_read_any_case_and_write_lower(void) /* C-020 */
{
	struct uuid u, v = uuid_random();
	char text[UUID_LEN + 1];

	CU_ASSERT_TRUE(uuid_parse(STR("0123ABCD-89ef-4aBc-8def-0123456789AB"), &u));
	uuid_print(&u, text);
	CU_ASSERT_STRING_EQUAL(text, "0123abcd-89ef-4abc-8def-0123456789ab");
	CU_ASSERT_FALSE(uuid_parse(STR("0123abcd089ef-4abc-8def-0123456789a"), &u));
	CU_ASSERT_FALSE(uuid_parse(STR("0123abcd-89ef-4abc-8def-0123456789ag"), &u));
	CU_ASSERT_FALSE(uuid_parse(STR("{123abcd-89ef-4abc-8def-0123456789a}"), &u));
	CU_ASSERT_FALSE(uuid_parse(STR("0123abcd-89ef-4abc-8def-0123456789a"), &u));
	CU_ASSERT_EQUAL(v.b[6] >> 4, 4);
	CU_ASSERT_NOT_EQUAL(uuid_cmp(&u, &v), 0);
}

static void
same_instant(const char *text, const char *printed)
{
	char out[TS_LEN + 1];
	struct ts t;

	CU_ASSERT_TRUE_FATAL(ts_parse(str_of(text), &t));
	ts_print(t, out);
	CU_ASSERT_STRING_EQUAL(out, printed);
}

static void
timestamps_read_any_offset_and_write_z(void) /* C-081, C-120 */
{
	static const char *const bad[] = {
		"2026-01-02T03:04:05",
		"2026-01-02",
		"2026-02-29T00:00:00Z",
		"2026-13-01T00:00:00Z",
		"2026-01-01T24:00:00Z",
		"2026-01-01T00:00:60Z",
		"2026-01-01T00:00:00.Z",
		"2026-01-01T00:00:00+0100",
		"2026-01-01T00:00:00Z ",
		"0000-01-01T00:00:00Z",
		"0001-01-01T00:00:00+00:01",
		"9999-12-31T23:59:59-00:01",
		"9999-12-31T23:59:60Z",
		"2016-12-30T23:59:60Z",
		"2016-12-31T22:59:60Z",
		"2016-12-31T23:59:61Z",
		"",
	};
	struct ts t;

	same_instant("2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000000Z");
	same_instant("2026-01-01T00:30:00.5+01:00", "2025-12-31T23:30:00.500000Z");
	same_instant("2024-02-29T23:59:59.1234567-23:59", "2024-03-01T23:58:59.123456Z");
	same_instant("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000000Z");
	same_instant("9999-12-31T23:59:59.999999z", "9999-12-31T23:59:59.999999Z");
	/* leap seconds, in UTC and in another zone */
	same_instant("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000000Z");
	same_instant("2017-01-01T08:59:60.5+09:00", "2017-01-01T00:00:00.500000Z");
	for (size_t i = 0; i < COUNT(bad); i++)
		CU_ASSERT_FALSE(ts_parse(str_of(bad[i]), &t));
	CU_ASSERT_TRUE(ts_parse_date(STR("1970-01-02"), &t) && t.us == 86400000000);
	CU_ASSERT_FALSE(ts_parse_date(STR("1970-01-02T"), &t));
}

static void
note(void *arg)
{
	struct buf *b = arg;

	buf_char(b, (char)('0' + b->n));
}

static void
an_arena_zeroes_defers_and_resets(void)
{
	struct arena *a = arena_new(1 << 20);
	struct buf order = { 0 }, text = { .a = a };
	unsigned char *p;

	for (int round = 0; round < 3; round++) {
		p = arena_alloc(a, 1000);
		CU_ASSERT_EQUAL(p[0] | p[999], 0);
		memset(p, 0xff, 1000);
		arena_defer(a, note, &order);
		arena_reset(a);
	}
	CU_ASSERT_TRUE(str_is(buf_done(&order), "012"));
	buf_printf(&text, "%d", 7);
	for (int i = 0; i < 100; i++)
		buf_z(&text, "0123456789");
	CU_ASSERT_EQUAL(text.n, 1001);
	CU_ASSERT_TRUE(str_is(arena_printf(a, "%s-%d", "x", 1), "x-1"));
	buf_free(&order);
	arena_free(a);
}

static void
configuration_names_file_and_line(void)
{
	static struct conf defaults; /* keeps texts reachable that conf_load never frees */
	char name[] = "/tmp/conf.XXXXXX", err[256];
	int fd = mkstemp(name);
	FILE *f = fdopen(fd, "w");

	fputs("# comment\n\nworker_requests = 5\nrequest_budget = 1\n", f);
	fclose(f);
	CU_ASSERT_TRUE(conf_load("surfaced", NULL, err, sizeof(err)));
	CU_ASSERT_EQUAL(conf.request_budget, 10000);
	defaults = conf;
	CU_ASSERT_FALSE(conf_load("surfaced", name, err, sizeof(err)));
	CU_ASSERT_PTR_NOT_NULL(strstr(err, ":4: bad value for request_budget"));
	CU_ASSERT_EQUAL(conf.worker_requests, 100000); /* a bad file changes nothing */
	f = fopen(name, "w");
	fputs("worker_requests = 5\nuser = \xff\n", f);
	fclose(f);
	CU_ASSERT_FALSE(conf_load("surfaced", name, err, sizeof(err)));
	CU_ASSERT_PTR_NOT_NULL(strstr(err, ":2: not UTF-8"));
	CU_ASSERT_PTR_NULL(strstr(err, "worker_requests")); /* the line before has no share in it */
	f = fopen(name, "w");
	fwrite("user = a\0b\n", 1, 11, f);
	fclose(f);
	CU_ASSERT_FALSE(conf_load("surfaced", name, err, sizeof(err)));
	CU_ASSERT_PTR_NOT_NULL(strstr(err, ":1: a NUL in it"));
	f = fopen(name, "w");
	fputs("database = dbname=x\nindex_poll = 50\n", f);
	fclose(f);
	CU_ASSERT_TRUE(conf_load("surfaced-index", name, err, sizeof(err)));
	CU_ASSERT_EQUAL(conf.index_poll, 50);
	CU_ASSERT_NOT_EQUAL(memcmp(&conf, &defaults, sizeof(conf)), 0);
	CU_ASSERT_FALSE(conf_load("surfaced-meter", name, err, sizeof(err)));
	CU_ASSERT_PTR_NOT_NULL(
	    strstr(err, ":2: index_poll is a parameter of another program: surfaced-index"));
	remove(name);
	CU_ASSERT_FALSE(conf_load("surfaced", "/", err, sizeof(err)));
	CU_ASSERT_PTR_NOT_NULL(strstr(err, "/: Is a directory"));
}

static void
values_with_a_grammar_are_checked(void)
{
	static const struct {
		bool (*check)(struct str value);
		const char *good[6], *bad[8];
	} rows[] = {
		{ conf_check_path, { "", "/", "/run/x" }, { "run", "./x" } },
		{ conf_check_ports, { "", "443", "443 1024-65535", "80,443, 8000-8000" },
		    { "https", "0", "65536", "443-", "-443", "9-8", "443 x" } },
		{ conf_check_origins,
		    { "", "self", "self https://viewer.example.com", "http://localhost:8080",
			"https://[2001:db8::1]:8443" },
		    { "viewer.example.com", "https://", "https://a/b", "*", "https://a:0",
			"null" } },
		{ conf_check_url,
		    { "", "https://api.example.com", "https://api.example.com:8443/",
			"https://a/b" },
		    { "http://a", "api.example.com", "https://", "https:///x", "https://a:x" } },
		{ conf_check_endpoint,
		    { "", "example.com:443", "192.0.2.1:80", "[2001:db8::1]:443" },
		    { "example.com", ":443", "example.com:", "example.com:65536", "a b:1",
			"2001:db8::1:443" } },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		for (size_t j = 0; j < COUNT(rows[i].good) && rows[i].good[j] != NULL; j++)
			CU_ASSERT_TRUE(rows[i].check(str_of(rows[i].good[j])));
		for (size_t j = 0; j < COUNT(rows[i].bad) && rows[i].bad[j] != NULL; j++)
			CU_ASSERT_FALSE(rows[i].check(str_of(rows[i].bad[j])));
	}
}

static void
a_file_is_read_whole_or_not(void)
{
	char name[] = "/tmp/file.XXXXXX";
	int fd = mkstemp(name);
	struct buf b = { 0 };

	for (int i = 0; i < 20000; i++)
		CU_ASSERT_EQUAL_FATAL(write(fd, "ab", 2), 2);
	close(fd);
	CU_ASSERT_TRUE(file_read(name, 40000, &b));
	CU_ASSERT_TRUE(b.n == 40000 && b.p[39999] == 'b');
	CU_ASSERT_FALSE(file_read(name, 39999, &b));
	CU_ASSERT_EQUAL(errno, EFBIG);
	remove(name);
	CU_ASSERT_FALSE(file_read(name, 40000, &b));
	CU_ASSERT_EQUAL(errno, ENOENT);
	CU_ASSERT_FALSE(file_read("/tmp", 40000, &b));
	CU_ASSERT_EQUAL(errno, EISDIR);
	buf_free(&b);
}

static void
urls_are_split_at_the_host(void)
{
	static const struct {
		struct str url;
		const char *authority, *rest, *host;
		bool scheme;
	} rows[] = {
		{ STR_INIT("http://www.a.org:80/x"), "www.a.org:80", "/x", "www.a.org", true },
		{ STR_INIT("www.a.org:80/x"), "www.a.org:80", "/x", "www.a.org", false },
		{ STR_INIT("http://u:p@a.org:80/b@c"), "u:p@a.org:80", "/b@c", "a.org", true },
		{ STR_INIT("http://u@b@a.org?x"), "u@b@a.org", "?x", "a.org", true },
		{ STR_INIT("http://a.org\\@b.org/"), "a.org", "\\@b.org/", "a.org", true },
		{ STR_INIT("a.org/?u=http://b.org"), "a.org", "/?u=http://b.org", "a.org", false },
		{ STR_INIT("https://u@[2001:db8::1]:443"), "u@[2001:db8::1]:443", "", "2001:db8::1",
		    true },
		{ STR_INIT("2001:db8::1"), "2001:db8::1", "", "2001:db8::1", false },
		{ STR_INIT("http://[::1"), "[::1", "", "[::1", true },
		{ STR_INIT("http:///x"), "", "/x", "", true },
		{ STR_INIT("http:/"), "http:", "/", "http", false },
		{ STR_INIT("//a.org"), "", "//a.org", "", false },
		{ STR_INIT("u@"), "u@", "", "", false },
		{ STR_INIT(""), "", "", "", false },
	};
	struct str authority, rest;

	for (size_t i = 0; i < COUNT(rows); i++) {
		CU_ASSERT_EQUAL(url_split(rows[i].url, &authority, &rest), rows[i].scheme);
		CU_ASSERT_TRUE(str_is(authority, rows[i].authority));
		CU_ASSERT_TRUE(str_is(rest, rows[i].rest));
		CU_ASSERT_TRUE(str_is(url_host(authority), rows[i].host));
	}
	CU_ASSERT_FALSE(url_split(STR_NULL, &authority, &rest));
	CU_ASSERT_EQUAL(url_host(authority).n, 0);
}

int
main(void)
{
	static CU_TestInfo tests[] = {
		{ "strings compare by their bytes", strings_compare_by_bytes },
		{ "trim removes Unicode white space", trim_takes_unicode_white_space },
		{ "a long text is cut between characters", a_text_is_cut_between_characters },
		{ "lines are read one after another", lines_are_taken_off },
		{ "a separator at the end of a list precedes an empty part",
		    parts_end_at_a_separator },
		{ "words are read one after another without their separators",
		    words_are_taken_off },
		{ "classes of characters contain those of ASCII alone", classes_are_of_ascii },
		{ "a port is a number from 1 to 65535", ports_have_bounds },
		{ "lower changes ASCII letters only", lower_is_ascii_alone },
		{ "a text that already has the wanted case is not copied",
		    case_changes_copy_only_when_needed },
		{ "a list in an arena keeps its elements while it grows",
		    a_list_in_an_arena_grows_at_powers_of_two },
		{ "the check of UTF-8 refuses every invalid sequence", utf8_is_strict },
		{ "integers outside their bounds are refused", integers_keep_their_bounds },
		{ "hexadecimal digits have one accepted spelling", hexadecimal_has_one_spelling },
		{ "base64url has one accepted spelling", base64url_has_one_spelling },
		{ "base64 has one accepted spelling", base64_has_one_spelling },
		{ "UUIDs are read in any case and written in lower case",
		    uuids_read_any_case_and_write_lower },
		{ "timestamps are read with any offset and written with Z",
		    timestamps_read_any_offset_and_write_z },
		{ "an arena zeroes memory, defers calls and resets",
		    an_arena_zeroes_defers_and_resets },
		{ "faults of the configuration name file and line",
		    configuration_names_file_and_line },
		{ "configuration values with a grammar are checked when the file is read",
		    values_with_a_grammar_are_checked },
		{ "a file is read whole or not at all", a_file_is_read_whole_or_not },
		{ "a URL is split into authority, host and the rest", urls_are_split_at_the_host },
		CU_TEST_INFO_NULL,
	};

	return tap_main(tests);
}
