/* SPDX-License-Identifier: ISC */
/* pdf_text: lines, columns, running heads and broken values from the places of words. */
#include "config.h"

#include "cli/report/pdf_text.h"
#include "t/unit/tap.h"

static struct arena *arena;

/* A word of ten units height and five a letter, at x and y. */
static void
add(struct buf *b, double x, double y, const char *text)
{
	buf_printf(b, "<word xMin=\"%.2f\" yMin=\"%.2f\" xMax=\"%.2f\" yMax=\"%.2f\">%s</word>\n",
	    x, y, x + 5 * (double)strlen(text), y + 10, text);
}

static void
add_page(struct buf *b)
{
	buf_z(b, "<page width=\"600.0\" height=\"800.0\">\n");
}

static void
text_is(struct buf *b, const char *wanted)
{
	struct str text = pdf_text(arena, buf_done(b));

	if (!str_is(text, wanted))
		fprintf(stderr, "got:\n%.*s\nwanted:\n%s\n", (int)text.n, text.p, wanted);
	CU_ASSERT_TRUE(str_is(text, wanted));
	buf_free(b);
}

static void
lines_and_columns(void)
{
	struct buf b = { 0 };

	add_page(&b);
	add(&b, 50, 100, "Domains");
	add(&b, 50, 130, "evil[.]com");
	add(&b, 150, 130, "a &amp; b");
	add(&b, 230, 130, "c");
	add(&b, 50, 142, "bad[.]org");
	text_is(&b, "Domains\n\nevil[.]com  a & b  c\nbad[.]org\n");
}

static void
running_heads(void)
{
	struct buf b = { 0 };

	for (int page = 1; page <= 2; page++) {
		add_page(&b);
		add(&b, 50, 20, "Foo");
		add(&b, 70, 20, "www.foo.com");
		add(&b, 300, 20, page == 1 ? "1" : "2");
		add(&b, 50, 400, page == 1 ? "one" : "two");
	}
	text_is(&b, "one\n\ntwo\n");
}

static void
broken_values(void)
{
	struct buf b = { 0 };

	add_page(&b);
	add(&b, 50, 100, "hxxps://lumen-");
	add(&b, 50, 112, "sable19[.]site/pan");
	add(&b, 50, 124, "el");
	add(&b, 50, 150, "0123456789abcdef01");
	add(&b, 50, 162, "23456789abcdef");
	text_is(&b, "hxxps://lumen-sable19[.]site/panel\n\n0123456789abcdef0123456789abcdef\n");
}

static void
whole_values(void)
{
	struct buf b = { 0 };

	add_page(&b);
	add(&b, 50, 100, "longest-name[.]com");
	add(&b, 50, 112, "other[.]org");
	add(&b, 50, 124, "hxxp://a[.]com/x");
	add(&b, 50, 136, "hxxp://b[.]com/x");
	add(&b, 50, 148, "Senders");
	text_is(
	    &b, "longest-name[.]com\nother[.]org\nhxxp://a[.]com/x\nhxxp://b[.]com/x\nSenders\n");
}

int
main(void)
{
	CU_TestInfo tests[] = {
		{ "gaps between words are columns and paragraphs", lines_and_columns },
		{ "running heads and numbers of pages are left out", running_heads },
		{ "the lines of a value that its column has broken are joined", broken_values },
		{ "whole values below one another stay apart", whole_values },
		CU_TEST_INFO_NULL,
	};
	int failed;

	arena = arena_new(64 << 20);
	failed = tap_main(tests);
	arena_free(arena);
	return failed;
}
