/* SPDX-License-Identifier: ISC */
/* surfacectl extract: the indicators of one text, without a database. */
#include "config.h"

#include "cli/cli.h"
#include "extract/extract.h"

#include <errno.h>

enum { TEXT_MAX = 8 << 20 };

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

/* Reads a file, or stdin for "-", up to one byte more than a text may have. */
static bool
read_extracted_text(const char *path, struct buf *out)
{
	FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	char part[16384];
	size_t n;
	bool ok;

	if (in == NULL)
		return false;
	while (out->n <= TEXT_MAX && (n = fread(part, 1, sizeof(part), in)) > 0)
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

static int
run_extract(struct cli *c, int argc, char **argv)
{
	struct extract_input in = { 0 };
	const struct cli_option options[] = {
		{ "url", .text = &in.url },
		{ "publisher", .text = &in.publisher },
		{ NULL },
	};
	struct extract_output out;
	struct cli_list words;
	struct buf text = { .a = c->arena };

	if (!cli_options(c, argc, argv, options, &words, 1, 1))
		return EXIT_USAGE;
	if (!read_extracted_text(words.p[0].p, &text))
		return cli_fail(
		    EXIT_FAILED, "%s cannot be read: %s", words.p[0].p, strerror(errno));
	if (text.n > TEXT_MAX)
		return cli_fail(EXIT_FAILED, "%s has more than %d bytes", words.p[0].p, TEXT_MAX);
	in.text = buf_done(&text);
	out = extract(c->arena, &in);
	print_lines(c, &out);
	if (out.truncated)
		fprintf(
		    stderr, "surfacectl: the text has more indicators than a report may have\n");
	return EXIT_OK;
}

static const struct command extract_command = { "extract", "[--url URL] [--publisher NAME] FILE|-",
	"indicators in a report of plain text or Markdown", .run = run_extract,
	.narrow = "type value disposition confidence section" };

COMMAND(extract_command);
