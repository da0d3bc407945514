/* SPDX-License-Identifier: ISC */
/* src/cli/import/json_values.c: an input is split into its JSON values, wherever the pieces that are read begin and
   end. Each input is read twice: as a file, and from a socket that returns one byte at a time. */
#include "config.h"

#include "cli/import/json_values.h"
#include "cli/import/source.h"
#include "t/unit/tap.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

/* The values, a line each with the line of the input: "1 {...}"; broken and too long ones without their text. */
static struct buf
split(int fd, const char *member)
{
	struct buf out = { .a = NULL };
	enum json_values_next how;
	struct json_values v;
	struct source src;
	struct str text;

	source_open(&src, fd, -1);
	json_values_open(&v, &src, member);
	while ((how = json_values_next(&v, &text)) != JSON_VALUES_END) {
		buf_printf(&out, "%ju ", (uintmax_t)v.line);
		if (how == JSON_VALUE)
			for (size_t i = 0; i < text.n; i++)
				buf_char(&out, text.p[i] == '\n' ? '~' : text.p[i]);
		else
			buf_z(&out, how == JSON_VALUE_BROKEN ? "broken" : "too long");
		buf_char(&out, '\n');
	}
	json_values_close(&v);
	source_close(&src);
	close(fd);
	return out;
}

static int
file_of(struct str text)
{
	int fd = memfd_create("values", MFD_CLOEXEC);

	if (fd < 0 || write(fd, text.p, text.n) != (ssize_t)text.n || lseek(fd, 0, SEEK_SET) != 0)
		panic("no memfd");
	return fd;
}

/* A reader gets one message at a time, and each message is one byte. */
static int
bytes_of(struct str text)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) != 0)
		panic("no socketpair");
	for (size_t i = 0; i < text.n; i++)
		if (send(pair[1], text.p + i, 1, MSG_DONTWAIT) != 1)
			panic("the socket takes %zu messages only", i);
	close(pair[1]);
	return pair[0];
}

static bool
gives(const char *input, const char *member, const char *values)
{
	struct buf whole = split(file_of(str_of(input)), member);
	struct buf bytes = split(bytes_of(str_of(input)), member);
	bool same = str_is(buf_done(&whole), values) && str_is(buf_done(&bytes), values);

	if (!same)
		printf("# file:\n%.*s# bytes:\n%.*s", (int)whole.n, whole.p, (int)bytes.n, bytes.p);
	buf_free(&whole);
	buf_free(&bytes);
	return same;
}

static void
values_may_stand_in_any_white_space(void)
{
	CU_ASSERT_TRUE(gives("", NULL, ""));
	CU_ASSERT_TRUE(gives(" \r\n\t\n", NULL, ""));
	CU_ASSERT_TRUE(
	    gives("{\"a\":1}\n{\"a\":2}\r\n\n{}", NULL, "1 {\"a\":1}\n2 {\"a\":2}\n4 {}\n"));
	CU_ASSERT_TRUE(gives(
	    "{\"a\":1}{\"a\":2} {\"a\":[3]}", NULL, "1 {\"a\":1}\n1 {\"a\":2}\n1 {\"a\":[3]}\n"));
	CU_ASSERT_TRUE(gives("{\n \"a\": \"}\\\"{\"\n}\n{\n\"b\":\n{\n\"c\": 1\n}\n}\n", NULL,
	    "1 {~ \"a\": \"}\\\"{\"~}\n4 {~\"b\":~{~\"c\": 1~}~}\n"));
}

static void
arrays_are_split_into_elements(void)
{
	CU_ASSERT_TRUE(gives("[]", NULL, ""));
	CU_ASSERT_TRUE(gives("[{\"a\":1},{\"a\":[2]}]\n", NULL, "1 {\"a\":1}\n1 {\"a\":[2]}\n"));
	CU_ASSERT_TRUE(gives("[\n{\"a\":1},\n{\"a\":2}\n,\n{\"a\":3}", NULL,
	    "2 {\"a\":1}\n3 {\"a\":2}\n5 {\"a\":3}\n"));
	CU_ASSERT_TRUE(
	    gives("[{}]\n[{\"a\":1}]{\"b\":2}", NULL, "1 {}\n2 {\"a\":1}\n2 {\"b\":2}\n"));
	CU_ASSERT_TRUE(gives("[\n{\n\"a\": [\n{\n\"b\": 1\n}\n]\n},\n{\n\"a\": 2\n}\n]\n", NULL,
	    "2 {~\"a\": [~{~\"b\": 1~}~]~}\n9 {~\"a\": 2~}\n"));
	CU_ASSERT_TRUE(gives("[7, \"a,]b\", null]", NULL, "1 7\n1 \"a,]b\"\n1 null\n"));
}

static void
elements_of_a_member_are_values(void)
{
	CU_ASSERT_TRUE(
	    gives("{\"entries\":[{\"a\":1}, {\"b\":[2]}],\"x\":{\"y\":[3]}}\n{\"entries\":[]}",
		"entries", "1 {\"a\":1}\n1 {\"b\":[2]}\n"));
	CU_ASSERT_TRUE(gives("[{\"n\": 1, \"entries\" :\n[{}]},{\"e\":{\"entries\":[4]}}]",
	    "entries", "2 {}\n2 {\"e\":{\"entries\":[4]}}\n"));
	CU_ASSERT_TRUE(gives("{\"entries\":{\"a\":[1]}}{\"a\":\"entries\",\"b\":[2]}", "entries",
	    "1 {\"entries\":{\"a\":[1]}}\n1 {\"a\":\"entries\",\"b\":[2]}\n"));
	CU_ASSERT_TRUE(
	    gives("{\"entries\":[{\"a\":1},{\"b\"", "entries", "1 {\"a\":1}\n1 broken\n"));
	CU_ASSERT_TRUE(gives("{\"entries\":[{\"a\":1},", "entries", "1 {\"a\":1}\n1 broken\n"));
}

/* The zeros behind the name in memory must not be compared with those of the file. */
static void
zeros_in_a_name_match_no_member(void)
{
	static const char member[] = "a\0\0";
	struct buf out = split(file_of(STR("{\"a\0\0\":[1]}\n")), member);

	CU_ASSERT_TRUE(str_eq(buf_done(&out), STR("1 {\"a\0\0\":[1]}\n")));
	buf_free(&out);
}

static void
a_broken_value_costs_itself(void)
{
	CU_ASSERT_TRUE(gives("{\"a\":\"cut off\n{\"a\":2}\n", NULL, "1 broken\n2 {\"a\":2}\n"));
	CU_ASSERT_TRUE(gives("{\"a\":[{\"b\":1},\n{\"a\":2}\n", NULL, "1 broken\n2 {\"a\":2}\n"));
	CU_ASSERT_TRUE(gives("{\n\"a\": 1,\n{\n\"a\": 2\n}\n", NULL, "1 broken\n3 {~\"a\": 2~}\n"));
	CU_ASSERT_TRUE(
	    gives("hello, [world]\n{\"a\":2}\n}\n", NULL, "1 hello, [world]\n2 {\"a\":2}\n3 }\n"));
	CU_ASSERT_TRUE(gives(
	    "[\n{\"a\":[\n{\"a\":2},\n{\"a\":3}]\n", NULL, "2 broken\n3 {\"a\":2}\n4 {\"a\":3}\n"));
}

static void
a_broken_element_costs_itself(void)
{
	/* brackets that are missing, in lists on one line */
	CU_ASSERT_TRUE(gives("[{\"a\":[1},{\"b\":2}]", NULL, "1 {\"a\":[1}\n1 {\"b\":2}\n"));
	CU_ASSERT_TRUE(
	    gives("[{\"a\":{\"c\":1,{\"b\":2}},{\"d\":3}]", NULL, "1 broken\n1 {\"d\":3}\n"));
	CU_ASSERT_TRUE(
	    gives("[{\"a\":1,{\"b\":2},{\"c\":3}]", NULL, "1 broken\n1 {\"b\":2}\n1 {\"c\":3}\n"));
	CU_ASSERT_TRUE(gives("[{\"a\":1,{\"b\":2}},{\"c\":3}]\n{\"d\":4}", NULL,
	    "1 broken\n1 {\"b\":2}\n1 {\"c\":3}\n2 {\"d\":4}\n"));
	CU_ASSERT_TRUE(gives("[{\"a\":1]\n{\"b\":2}", NULL, "1 broken\n2 {\"b\":2}\n"));
	CU_ASSERT_TRUE(gives("{\"entries\":[{\"a\":1,{\"b\":2}],\"c\":3}{\"d\":4}", "entries",
	    "1 broken\n1 {\"b\":2}\n1 {\"d\":4}\n"));
	/* an indented list */
	CU_ASSERT_TRUE(
	    gives("[\n  {\n    \"a\": [\n  {\n    \"b\": 1\n  },\n  {\n    \"c\": 2\n  }\n]\n",
		NULL, "2 broken\n4 {~    \"b\": 1~  }\n7 {~    \"c\": 2~  }\n"));
	CU_ASSERT_TRUE(
	    gives("[\n  {\n    \"a\": \"x,\n    \"b\": 1\n  },\n  {\n    \"c\": 2\n  }\n]\n", NULL,
		"2 {~    \"a\": \"x,~    \"b\": 1~  }\n6 {~    \"c\": 2~  }\n"));
}

static void
byte_order_marks_are_skipped(void)
{
	CU_ASSERT_TRUE(gives("\xef\xbb\xbf{\"a\":1}", NULL, "1 {\"a\":1}\n"));
	CU_ASSERT_TRUE(gives("\xef\xbb\xbf[{\"a\":1}]\n\xef\xbb\xbf[{\"a\":2}]\n", NULL,
	    "1 {\"a\":1}\n2 {\"a\":2}\n"));
}

static struct buf
split_long(const char *before, const char *after, const char *member)
{
	struct buf text = { .a = NULL }, out;

	buf_z(&text, before);
	for (size_t i = 0; i < IMPORT_LINE / 8; i++)
		buf_z(&text, "\"0123456789abc\",");
	buf_z(&text, after);
	out = split(file_of(buf_done(&text)), member);
	buf_free(&text);
	return out;
}

static void
values_are_bounded_and_lines_are_not(void)
{
	struct buf out = split_long("{\"a\":[", "1]}\n{\"b\":1}\n", NULL);

	CU_ASSERT_TRUE(str_is(buf_done(&out), "1 too long\n2 {\"b\":1}\n"));
	buf_free(&out);
	out = split_long("[{\"a\":[", "\n1]},{\"b\":1}]\n", NULL);
	CU_ASSERT_TRUE(str_is(buf_done(&out), "1 too long\n2 {\"b\":1}\n"));
	buf_free(&out);
	out = split_long("{\"a\":[", "\n{\"b\":1}\n", NULL);
	CU_ASSERT_TRUE(str_is(buf_done(&out), "1 too long\n2 {\"b\":1}\n"));
	buf_free(&out);
	/* a line of more than IMPORT_LINE bytes, whose elements are short */
	out = split_long("[", "\"end\"]", NULL);
	CU_ASSERT_TRUE(
	    out.n > (size_t)IMPORT_LINE && str_ends(buf_done(&out), STR("\n1 \"end\"\n")));
	buf_free(&out);
	out = split_long("{\"entries\":[", "\"end\"]}", "entries");
	CU_ASSERT_TRUE(
	    out.n > (size_t)IMPORT_LINE && str_ends(buf_done(&out), STR("\n1 \"end\"\n")));
	buf_free(&out);
}

static CU_TestInfo tests[] = {
	{ "JSON values may stand in any white space", values_may_stand_in_any_white_space },
	{ "an array is split into its elements", arrays_are_split_into_elements },
	{ "the elements of a named member are values", elements_of_a_member_are_values },
	{ "a name with zeros is not the named member", zeros_in_a_name_match_no_member },
	{ "a broken value costs only itself", a_broken_value_costs_itself },
	{ "a broken element of a list costs only itself", a_broken_element_costs_itself },
	{ "a byte order mark is skipped before a value", byte_order_marks_are_skipped },
	{ "a value is bounded and a line is not", values_are_bounded_and_lines_are_not },
	CU_TEST_INFO_NULL,
};

int
main(void)
{
	return tap_main(tests);
}
