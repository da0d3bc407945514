/* SPDX-License-Identifier: ISC */
/* surfacectl extract: the indicators of one text, HTML or PDF, without a database. */
#include "config.h"

#include "cli/cli.h"
#include "cli/report/guess.h"
#include "extract/extract.h"

#include <errno.h>

enum { FILE_MAX = 64 << 20 };

#define FILE_MEMORY ((size_t)4 << 30)

struct line {
	struct str type, value, disposition;
	int64_t confidence, occurrences;
	bool defanged;
	struct str section, context, ignored_by;
};

static const struct field line_out[] = {
	FIELD(struct line, type, 0),
	FIELD(struct line, value, 0),
	FIELD(struct line, disposition, 0),
	FIELD(struct line, confidence, 0),
	FIELD(struct line, occurrences, 0),
	FIELD(struct line, defanged, 0),
	FIELD(struct line, section, NULLABLE),
	FIELD(struct line, context, NULLABLE),
	FIELD(struct line, ignored_by, NULLABLE),
	FIELD_END,
};

/* Reads a file, or stdin for "-", up to one byte more than it may have. */
static bool
read_extracted_text(const char *path, struct buf *out)
{
	FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	char part[16384];
	size_t n;
	bool ok;

	if (in == NULL)
		return false;
	while (out->n <= FILE_MAX && (n = fread(part, 1, sizeof(part), in)) > 0)
		buf_add(out, part, n);
	ok = ferror(in) == 0;
	if (in != stdin)
		fclose(in);
	return ok;
}

static struct line
line_of_indicator(const struct indicator *i)
{
	static const char *const dispositions[] = { "indicator", "mention", "ignored" };

	return (struct line){ i->type, i->value, str_of(dispositions[i->disposition]),
		i->confidence, i->occurrences, i->defanged, i->section, i->context, i->ignored_by };
}

static void
print_lines(struct cli *c, const struct extract_output *o)
{
	struct line *lines = ARENA_ARRAY(c->arena, o->n + 1, struct line);
	struct buf b = { .a = c->arena };

	for (size_t i = 0; i < o->n; i++)
		lines[i] = line_of_indicator(&o->indicators[i]);
	if (!c->json) {
		cli_print_list(
		    c, "indicators", line_out, (struct list){ lines, o->n }, sizeof(*lines));
		return;
	}
	for (size_t i = 0; i < o->n; i++) {
		buf_clear(&b);
		json_write(&b, line_out, &lines[i]);
		buf_char(&b, '\n');
		fwrite(b.p, 1, b.n, stdout);
	}
}

/* Converts the file as import reports does, and extracts its indicators in the memory of the call. */
static int
extract_file(struct cli *c, struct arena *a, const char *path, struct extract_input *in)
{
	struct report_reading r = {
		.a = a, .file = str_of(path), .options = { .published_at = TS_NULL }
	};
	const struct report_format *f;
	struct extract_output out;
	struct buf bytes = { .a = a };

	if (!read_extracted_text(path, &bytes))
		return cli_fail(EXIT_FAILED, "%s cannot be read: %s", path, strerror(errno));
	if (bytes.n > FILE_MAX)
		return cli_fail(EXIT_FAILED, "%s has more than %d bytes", path, FILE_MAX);
	r.text = buf_done(&bytes);
	f = report_format_guess(r.file, r.text);
	if (f == NULL || !f->describes)
		f = report_format_find(STR("text"));
	f->read(&r);
	if (r.n == 0)
		return cli_fail(EXIT_FAILED, "%s: %.*s", path, (int)r.fault.n,
		    r.fault.p == NULL ? "" : r.fault.p);
	in->text = r.docs[0].text;
	out = extract(a, in);
	print_lines(c, &out);
	if (out.truncated)
		fprintf(
		    stderr, "surfacectl: the text has more indicators than a report may have\n");
	return EXIT_OK;
}

static int
run_extract(struct cli *c, int argc, char **argv)
{
	struct extract_input in = { 0 };
	const struct cli_option options[] = {
		{ "url", .text = &in.url },
		{ "publisher", .text = &in.publisher },
		{ NULL },
	};
	struct cli_list words;
	struct arena *a;
	int status;

	if (!cli_options(c, argc, argv, options, &words, 1, 1))
		return EXIT_USAGE;
	a = arena_new(FILE_MEMORY);
	status = extract_file(c, a, words.p[0].p, &in);
	arena_free(a);
	return status;
}

static const struct command extract_command = { "extract", "[--url URL] [--publisher NAME] FILE|-",
	"indicators in a report of plain text, Markdown, HTML or PDF", .run = run_extract,
	.narrow = "type value disposition confidence section" };

COMMAND(extract_command);
