/* SPDX-License-Identifier: ISC */
/* surfacectl import reports: files of other systems and texts. Reports in the format of this
 * program are imported as all records are (cli/import/import.c).
 *
 *   file --reader--> documents --extraction of texts--> report_store, a transaction a report
 *
 * Each file is read completely and by itself: a file that cannot be read is one bad record, and the
 * import continues with the next file. */
#include "config.h"

#include "cli/report/command.h"

#include "cli/import/source.h"
#include "cli/report/guess.h"
#include "cli/report/store.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { FILES = 1000, TEXT_OPTION = 2048 };

#define FILE_BYTES ((size_t)64 << 20)
#define FILE_MEMORY ((size_t)4 << 30)

struct run {
	struct report_run store;
	const struct report_format *format; /* NULL: to be guessed */
	struct report_options options;
	struct str account_name;
	bool strict;
};

/* ---- files ---- */

/* The bytes of a file, unpacked. False after a message. */
static bool
read_whole(const char *path, struct buf *b)
{
	int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	struct source source;
	struct str part;
	bool whole;

	if (fd < 0) {
		cli_fail(EXIT_FAILED, "%s: %s", path, strerror(errno));
		return false;
	}
	source_open(&source, fd, -1);
	while (b->n <= FILE_BYTES && (part = source_chunk(&source)).n > 0)
		buf_add(b, part.p, part.n);
	whole = source.failed == NULL && b->n <= FILE_BYTES;
	if (source.failed != NULL)
		cli_fail(EXIT_FAILED, "%s: %s", path, source.failed);
	else if (!whole)
		cli_fail(EXIT_FAILED, "%s: has more than %zu bytes", path, FILE_BYTES);
	source_close(&source);
	if (fd > STDIN_FILENO)
		close(fd);
	return whole;
}

/* The name of a file without its folders, and without the ending of a compressed file: compressed
   or not, it is the same source of reports. */
static struct str
base_name(const char *path)
{
	static const char *const packed[] = { ".gz", ".zst" };
	const char *slash = strrchr(path, '/');
	struct str name = str_of(slash == NULL ? path : slash + 1);

	if (strcmp(path, "-") == 0)
		return STR("stdin");
	for (size_t i = 0; i < COUNT(packed); i++)
		if (name.n > strlen(packed[i]) && str_ends(name, str_of(packed[i])))
			return (struct str){ name.p, name.n - strlen(packed[i]) };
	return name;
}

/* ---- one file ---- */

/* The name of the first option that describes the report of a text; NULL: none is given. */
static const char *
described_by(const struct report_options *o)
{
	return o->title.p != NULL             ? "title"
	       : o->publisher.p != NULL       ? "publisher"
	       : o->url.p != NULL             ? "url"
	       : !ts_is_null(o->published_at) ? "published-at"
	       : o->tlp.p != NULL             ? "tlp"
	       : o->language.p != NULL        ? "language"
					      : NULL;
}

/* An option without an effect would leave reports that the administrator did not want, such as
   without a marking. */
static void
read_file(const struct run *r, struct report_reading *reading)
{
	const struct report_format *f =
	    r->format != NULL ? r->format : report_format_guess(reading->file, reading->text);
	const char *option = described_by(&r->options);

	if (f == NULL) /* the file has changed, or cannot be read twice */
		f = report_format_find(STR("text"));
	if (option != NULL && !f->describes)
		reading->fault = arena_printf(reading->a,
		    "--%s belongs to --format pdf html text, and this file is %s", option, f->name);
	else
		f->read(reading);
}

static int
import_file(struct run *r, const char *path)
{
	struct arena *a = arena_new(FILE_MEMORY);
	struct buf b = { .a = a };
	struct report_reading reading = { .a = a,
		.file = base_name(path),
		.private = r->account_name.p != NULL,
		.options = r->options };
	int status;

	if (!read_whole(path, &b)) {
		r->store.bad++;
		r->store.read++;
		arena_free(a);
		return EXIT_OK;
	}
	reading.text = buf_done(&b);
	if (str_starts(reading.text, STR("\xef\xbb\xbf")))
		reading.text = (struct str){ reading.text.p + 3, reading.text.n - 3 };
	read_file(r, &reading);
	status = report_run_store(&r->store, path, &reading);
	arena_free(a);
	return status;
}

/* ---- the command ---- */

/* True when the file has our own documents, which another part of this program imports. */
static bool
is_native(struct str format, const char *path)
{
	struct buf head = { .a = NULL };
	struct source source;
	struct str part;
	bool native;
	int fd;

	if (!str_is(format, "auto"))
		return str_is(format, "ndjson");
	/* A pipe cannot be read twice: without --format it has our own documents. */
	fd = strcmp(path, "-") == 0 ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return true;
	source_open(&source, fd, -1);
	while (head.n < REPORT_GUESSED && (part = source_chunk(&source)).n > 0)
		buf_add(&head, part.p, part.n);
	source_close(&source);
	close(fd);
	if (head.n > REPORT_GUESSED)
		head.n = REPORT_GUESSED;
	native = report_format_guess(base_name(path), buf_done(&head)) == NULL;
	buf_free(&head);
	return native;
}

static int
read_report_options(struct run *r, struct str format)
{
	const struct report_options *o = &r->options;
	const struct str texts[] = { o->title, o->publisher, o->url, o->tlp, o->language };

	for (size_t i = 0; i < COUNT(texts); i++)
		if (texts[i].p != NULL && (texts[i].n == 0 || texts[i].n > TEXT_OPTION))
			return cli_usage(r->store.cli,
			    "the texts of a report must have 1 to %d bytes", TEXT_OPTION);
	r->format = report_format_find(format);
	if (r->format == NULL && !str_is(format, "auto"))
		return cli_usage(r->store.cli,
		    "the format must be one of: auto, ndjson, stix, misp, pdf, html, text");
	if (r->format != NULL && !r->format->describes && described_by(o) != NULL)
		return cli_usage(
		    r->store.cli, "--%s belongs to --format pdf html text", described_by(o));
	if (o->url.p != NULL && !str_starts(o->url, STR("http://")) &&
	    !str_starts(o->url, STR("https://")))
		return cli_usage(r->store.cli, "--url must begin with http:// or https://");
	if (r->account_name.p == NULL)
		return EXIT_OK;
	r->store.private = true;
	return cli_account(r->store.cli, r->account_name, &r->store.account);
}

/* The command line as it was given, and how the files of our own documents are imported. */
struct line {
	int argc;
	char **argv;
	struct cli_list words;
	bool *native; /* for each word */
	int (*import)(struct cli *, int, char **);
};

/* Imports one file of our own documents with the options that were given; words are views of
   argv. */
static int
import_native(struct cli *c, const struct line *line, size_t file)
{
	char **argv = ARENA_ARRAY(c->arena, (size_t)line->argc + 1, char *);
	int n = 0;

	for (int i = 0; i < line->argc; i++) {
		bool is_word = false;

		for (size_t j = 0; j < line->words.n; j++)
			is_word = is_word || (j != file && line->argv[i] == line->words.p[j].p);
		if (!is_word)
			argv[n++] = line->argv[i];
	}
	return line->import(c, n, argv);
}

/* Files in their order. Our own documents have a summary for each file, the others one together. */
static int
run_files(struct run *r, const struct line *line)
{
	int status = EXIT_OK;
	bool bad = false, others = false;

	for (size_t i = 0; i < line->words.n && status == EXIT_OK; i++) {
		if (line->native[i]) {
			status = import_native(r->store.cli, line, i);
			bad = bad || status == EXIT_FAILED;
			if (status == EXIT_FAILED)
				status = EXIT_OK;
		} else {
			others = true;
			status = import_file(r, line->words.p[i].p);
		}
		bad = bad || r->store.bad > 0;
		if (r->strict && bad)
			break;
	}
	if (others)
		report_run_end(&r->store);
	return status == EXIT_OK && bad ? EXIT_FAILED : status;
}

/* The number of files with our own documents. */
static size_t
count_native(struct cli *c, struct str format, struct line *line)
{
	size_t n = 0;

	line->native = ARENA_ARRAY(c->arena, line->words.n, bool);
	for (size_t i = 0; i < line->words.n; i++) {
		line->native[i] = is_native(format, line->words.p[i].p);
		n += line->native[i];
	}
	return n;
}

int
import_report_files(struct cli *c, int argc, char **argv, int (*native)(struct cli *, int, char **))
{
	struct run r = { .store.cli = c, .options = { .published_at = TS_NULL } };
	struct str format = STR("auto"), also = STR_NULL;
	struct ts seen = TS_NULL;
	struct line line = { .argc = argc, .argv = argv, .import = native };
	size_t natives;
	const struct cli_option table[] = {
		{ .name = "format", .text = &format },
		{ .name = "also", .text = &also },
		{ .name = "seen", .time = &seen },
		{ .name = "quiet", .flag = &r.store.quiet },
		{ .name = "strict", .flag = &r.strict },
		{ .name = "account", .text = &r.account_name },
		{ .name = "title", .text = &r.options.title },
		{ .name = "publisher", .text = &r.options.publisher },
		{ .name = "url", .text = &r.options.url },
		{ .name = "published-at", .time = &r.options.published_at },
		{ .name = "tlp", .text = &r.options.tlp },
		{ .name = "language", .text = &r.options.language },
		{ .name = NULL },
	};
	int status;

	if (!cli_options(c, argc, argv, table, &line.words, 1, FILES))
		return EXIT_USAGE;
	natives = count_native(c, format, &line);
	if (natives > 0 && described_by(&r.options) != NULL)
		return cli_usage(c,
		    "--%s belongs to --format pdf html text, and a file has our own documents",
		    described_by(&r.options));
	if (natives < line.words.n && (also.p != NULL || !ts_is_null(seen)))
		return cli_usage(
		    c, "--%s belongs to --format ndjson", also.p != NULL ? "also" : "seen");
	if (natives == line.words.n)
		return run_files(&r, &line);
	status = read_report_options(&r, format);
	return status != EXIT_OK ? status : run_files(&r, &line);
}

void
import_report_formats(void)
{
	for (const struct report_format *f = report_format_next(NULL); f != NULL;
	     f = report_format_next(f))
		printf("  %-12s %s\n", f->name, f->help);
}
