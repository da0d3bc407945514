/* SPDX-License-Identifier: ISC */
/* surfacectl import dns, whois, certificates: options, messages and the summary.

     reader of the format  --take_record-->  batch  --store_batch, when it is full-->  table record

   Unlike the import of hosts this one has a single thread, which reads, merges and stores in turn.
   A batch that fails ends the import; the batches before it are committed, and running the import
   again repeats them without a change. Messages about bad records end after the first hundred; the
   summary counts all of them. */
#include "config.h"

#include "cli/cli.h"
#include "cli/import/record_store.h"
#include "cli/import/records.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { MESSAGES = 100 };

struct run {
	struct cli *cli;
	struct records rs;
	struct record_batch batch;
	struct record_sum sum;
	struct arena *scratch;
	records_reader *reader;
	const char *file;
	uint64_t bad;
	bool quiet, strict;
	enum db_rc failed; /* of the database */
};

static const struct {
	enum dataset dataset;
	const char *name;
	records_reader *reader;
} formats[] = {
#define FORMAT(dataset, name, reader, help) { DATASET_##dataset, #name, read_##reader },
#include "tbl/formats.h"
#undef FORMAT
};

/* The reader of the format, or of the dataset's first one when *name is STR_NULL; NULL: there is no such format. */
static records_reader *
find_reader(enum dataset d, struct str *name)
{
	for (size_t i = 0; i < COUNT(formats); i++) {
		if (formats[i].dataset != d || (name->p != NULL && !str_is(*name, formats[i].name)))
			continue;
		*name = str_of(formats[i].name);
		return formats[i].reader;
	}
	return NULL;
}

static int
refuse_format(struct run *r)
{
	struct buf b = { .a = r->cli->arena };

	for (size_t i = 0; i < COUNT(formats); i++)
		if (formats[i].dataset == r->rs.dataset)
			buf_printf(&b, "%s%s", b.n == 0 ? "" : ", ", formats[i].name);
	buf_char(&b, '\0');
	return cli_usage(r->cli, "the format must be one of: %s", b.p);
}

/* EXIT_OK, or the status to return after a message. */
static int
parse_options(struct run *r, int argc, char **argv)
{
	struct cli_list words;
	struct str format = STR_NULL;
	struct format_arguments more = { 0 };
	struct cli_option table[5 + FORMAT_OPTIONS + 1] = {
		{ .name = "format", .text = &format },
		{ .name = "source", .text = &r->rs.origin },
		{ .name = "seen", .time = &r->rs.seen },
		{ .name = "quiet", .flag = &r->quiet },
		{ .name = "strict", .flag = &r->strict },
	};

	format_options_rows(&more, table + 5);
	if (!cli_options(r->cli, argc, argv, table, &words, 1, 1))
		return EXIT_USAGE;
	r->reader = find_reader(r->rs.dataset, &format);
	if (r->reader == NULL)
		return refuse_format(r);
	if (r->rs.origin.p != NULL && (r->rs.origin.n == 0 || r->rs.origin.n > 200))
		return cli_usage(r->cli, "--source must have 1 to 200 bytes");
	r->file = words.p[0].p; /* NUL-terminated, as it is an argument */
	return format_options_read(r->cli, format, &more, &r->rs.options);
}

static void
store_batch(struct run *r)
{
	struct record_sum before = r->sum;

	r->failed = record_store(r->cli->db, r->scratch, &r->batch, &r->sum);
	if (r->sum.large > before.large)
		fprintf(stderr, "%s: %jd records left out: they would be larger than %jd bytes\n",
		    r->file, (intmax_t)(r->sum.large - before.large), (intmax_t)LIM_HOST_BYTES);
	r->bad += (uint64_t)(r->sum.large - before.large + r->sum.unreadable - before.unreadable);
	record_batch_clear(&r->batch);
}

static void
report_bad(void *arg, uint64_t line, struct str what)
{
	struct run *r = arg;

	if (r->bad++ < MESSAGES)
		fprintf(stderr, "%s:%ju: %.*s\n", r->file, (uintmax_t)line, (int)what.n, what.p);
	if (r->strict)
		r->rs.stop = true;
}

static bool
take_record(void *arg, const struct record *rec, struct str der)
{
	struct run *r = arg;

	arena_reset(r->scratch);
	if (!record_batch_add(&r->batch, r->scratch, rec, der))
		report_bad(r, r->rs.src->line, STR("the record would be too large"));
	else if (record_batch_full(&r->batch))
		store_batch(r);
	return r->failed == DB_OK;
}

static void
print_summary(const struct run *r)
{
	const struct record_sum *s = &r->sum;

	if (r->cli->json)
		printf("{\"read\":%ju,\"new\":%jd,\"changed\":%jd,\"unchanged\":%jd,\"bad\":%ju,"
		       "\"skipped\":%ju}\n",
		    (uintmax_t)r->rs.read, (intmax_t)s->fresh, (intmax_t)s->changed,
		    (intmax_t)s->unchanged, (uintmax_t)r->bad, (uintmax_t)r->rs.skipped);
	else if (!r->quiet)
		printf("%ju read, %jd new, %jd changed, %jd unchanged, %ju bad, %ju skipped\n",
		    (uintmax_t)r->rs.read, (intmax_t)s->fresh, (intmax_t)s->changed,
		    (intmax_t)s->unchanged, (uintmax_t)r->bad, (uintmax_t)r->rs.skipped);
	fflush(stdout);
}

/* Reads the whole file and stores its batches. */
static int
run_import(struct run *r, int fd)
{
	struct source src;

	source_open(&src, fd, -1);
	r->rs.src = &src;
	r->rs.a = arena_new((size_t)1 << 30);
	r->scratch = arena_new((size_t)1 << 30);
	record_batch_open(&r->batch, r->rs.dataset);
	r->reader(&r->rs);
	if (r->failed == DB_OK)
		store_batch(r);
	record_batch_close(&r->batch);
	arena_free(r->rs.a);
	source_close(&src);
	if (r->failed != DB_OK)
		return cli_fail_db(r->cli, r->failed, "the import ended early; run it again");
	if (src.failed != NULL)
		return cli_fail(EXIT_FAILED, "%s %s", r->file, src.failed);
	return EXIT_OK;
}

int
import_records(struct cli *c, enum dataset d, int argc, char **argv)
{
	struct run r = { .cli = c, .rs = { .dataset = d, .seen = TS_NULL } };
	int rc = parse_options(&r, argc, argv), fd = STDIN_FILENO;

	if (rc != EXIT_OK)
		return rc;
	r.rs.take = take_record;
	r.rs.bad = report_bad;
	r.rs.arg = &r;
	if (strcmp(r.file, "-") == 0)
		r.file = "stdin";
	else
		fd = open(r.file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return cli_fail(EXIT_FAILED, "%s: %s", r.file, strerror(errno));
	rc = run_import(&r, fd);
	if (r.rs.read > 0 || rc == EXIT_OK)
		print_summary(&r);
	db_use(c->db, c->arena, 0);
	arena_free(r.scratch);
	if (fd != STDIN_FILENO)
		close(fd);
	return rc == EXIT_OK && r.bad > 0 ? EXIT_FAILED : rc;
}
