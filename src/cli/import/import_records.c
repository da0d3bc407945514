/* SPDX-License-Identifier: ISC */
/* surfacectl import dns, whois, certificates, reports, open-directories: options, messages and the summary.

     record_pipe.c: thread that reads and parses   --parts-->   this thread: store, messages, progress

   Messages come in the order of the file, each batch's before it is stored. A batch that fails ends
   the import; the batches before it are committed, and running the import again repeats them without
   a change. */
#include "config.h"

#include "cli/cli.h"
#include "cli/import/format.h"
#include "cli/import/progress.h"
#include "cli/import/record_pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { COMMON_OPTIONS = 5 };

struct run {
	struct cli *cli;
	struct record_pipe_options o;
	const struct format *format; /* NULL: to be guessed */
	struct format_arguments arguments;
	struct record_sum sum;
	struct progress progress;
	uint64_t read, bad, skipped;
	bool quiet;
};

/* EXIT_OK, or the status to return after a message. */
static int
parse_options(struct run *r, int argc, char **argv)
{
	struct cli_list words;
	struct str format = STR("auto");
	struct cli_option table[COMMON_OPTIONS + FORMAT_OPTIONS + 1] = {
		{ .name = "format", .text = &format },
		{ .name = "source", .text = &r->o.origin },
		{ .name = "seen", .time = &r->o.seen },
		{ .name = "quiet", .flag = &r->quiet },
		{ .name = "strict", .flag = &r->o.strict },
	};
	int status;

	format_options_rows(&r->arguments, table + COMMON_OPTIONS);
	if (!cli_options(r->cli, argc, argv, table, &words, 1, 1))
		return EXIT_USAGE;
	r->format = format_option(r->cli, r->o.dataset, format, &status);
	if (status != EXIT_OK)
		return status;
	if (r->o.origin.p != NULL && (r->o.origin.n == 0 || r->o.origin.n > 200))
		return cli_usage(r->cli, "--source must have 1 to 200 bytes");
	r->o.file = words.p[0].p; /* NUL-terminated, as it is an argument */
	return EXIT_OK;
}

static int
open_input(struct run *r)
{
	if (strcmp(r->o.file, "-") == 0)
		r->o.file = "stdin";
	else
		r->o.fd = open(r->o.file, O_RDONLY | O_CLOEXEC);
	if (r->o.fd < 0)
		return cli_fail(EXIT_FAILED, "%s: %s", r->o.file, strerror(errno));
	return EXIT_OK;
}

static void
show_messages(struct run *r, const struct buf *messages)
{
	if (messages->n == 0)
		return;
	progress_hide(&r->progress);
	fwrite(messages->p, 1, messages->n, stderr);
}

static enum db_rc
store_part(struct run *r, struct arena *scratch, struct record_part *part)
{
	struct record_sum before = r->sum;
	enum db_rc rc = record_store(r->cli->db, scratch, &part->batch, &r->sum);
	int64_t large = r->sum.large - before.large;

	if (large > 0)
		buf_printf(&r->sum.messages,
		    "%s: %jd records left out: they would be larger than %jd bytes\n", r->o.file,
		    (intmax_t)large, (intmax_t)LIM_HOST_BYTES);
	show_messages(r, &r->sum.messages);
	buf_clear(&r->sum.messages);
	r->bad += (uint64_t)(large + r->sum.unreadable - before.unreadable);
	return rc;
}

static int
store_all(struct run *r, struct record_pipe *p, struct arena *scratch)
{
	struct record_part *part;
	enum db_rc rc = DB_OK;

	while (rc == DB_OK && (part = record_pipe_next(p)) != NULL) {
		show_messages(r, &part->messages);
		rc = store_part(r, scratch, part);
		r->read += part->read;
		r->bad += part->bad;
		r->skipped += part->skipped;
		progress_draw(&r->progress, r->read, record_pipe_bytes(p));
	}
	progress_end(&r->progress, r->read, record_pipe_bytes(p));
	if (rc != DB_OK)
		return cli_fail_db(r->cli, rc, "the import ended early; run it again");
	if (record_pipe_failed(p) != NULL)
		return cli_fail(EXIT_FAILED, "%s %s", r->o.file, record_pipe_failed(p));
	return EXIT_OK;
}

/* Reads the whole file and stores its batches. */
static int
run_import(struct run *r)
{
	struct record_pipe *p = record_pipe_open(&r->o);
	struct arena *scratch;
	int rc;

	if (r->format == NULL)
		r->format = record_pipe_guess(p);
	if (r->format == NULL && record_pipe_failed(p) != NULL)
		rc = cli_fail(EXIT_FAILED, "%s %s", r->o.file, record_pipe_failed(p));
	else if (r->format == NULL)
		rc = cli_fail(EXIT_FAILED, "%s is in no format known here; name one with --format",
		    r->o.file);
	else
		rc = format_options_read(
		    r->cli, str_of(r->format->name), &r->arguments, record_pipe_format_options(p));
	if (rc == EXIT_OK) {
		scratch = arena_new((size_t)1 << 30);
		progress_begin(&r->progress, !r->quiet && !r->cli->json, r->o.fd);
		record_pipe_start(p, r->format->records);
		rc = store_all(r, p, scratch);
		db_use(r->cli->db, r->cli->arena, 0);
		arena_free(scratch);
	}
	record_pipe_end(p);
	return rc;
}

static void
print_summary(const struct run *r)
{
	const struct record_sum *s = &r->sum;

	if (r->cli->json)
		printf("{\"read\":%ju,\"new\":%jd,\"changed\":%jd,\"unchanged\":%jd,\"bad\":%ju,"
		       "\"skipped\":%ju}\n",
		    (uintmax_t)r->read, (intmax_t)s->fresh, (intmax_t)s->changed,
		    (intmax_t)s->unchanged, (uintmax_t)r->bad, (uintmax_t)r->skipped);
	else if (!r->quiet)
		printf("%ju read, %jd new, %jd changed, %jd unchanged, %ju bad, %ju skipped\n",
		    (uintmax_t)r->read, (intmax_t)s->fresh, (intmax_t)s->changed,
		    (intmax_t)s->unchanged, (uintmax_t)r->bad, (uintmax_t)r->skipped);
	fflush(stdout);
}

int
import_records(struct cli *c, enum dataset d, int argc, char **argv)
{
	struct run r = { .cli = c, .o = { .dataset = d, .seen = TS_NULL, .fd = STDIN_FILENO } };
	int rc = parse_options(&r, argc, argv);

	if (rc == EXIT_OK)
		rc = open_input(&r);
	if (rc != EXIT_OK)
		return rc;
	rc = run_import(&r);
	if (r.read > 0 || rc == EXIT_OK)
		print_summary(&r);
	buf_free(&r.sum.messages);
	if (r.o.fd != STDIN_FILENO)
		close(r.o.fd);
	return rc == EXIT_OK && r.bad > 0 ? EXIT_FAILED : rc;
}
