/* SPDX-License-Identifier: ISC */
/* surfacectl import hosts, dns, whois, certificates, open-directories: options, messages and the
   summary.

     pipe.c: thread that reads and parses   --parts-->   this thread: store, messages, progress

     exit status   0   everything was imported
                   1   a record was bad, the file could not be read, or a batch failed
                   4   the database could not be reached, or took too long

   Messages come in the order of the file, each batch's before it is stored. A batch that fails ends
   the import; the batches before it are committed, and running the import again repeats them
   without a change. One transaction for all would lock its rows for hours, and an error at its end
   would lose all of it. */
#include "config.h"

#include <openssl/crypto.h>

#include "cli/cli.h"
#include "cli/enrich.h"
#include "cli/import/format.h"
#include "cli/import/pipe.h"
#include "cli/import/progress.h"
#include "daemon/conf.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { COMMON_OPTIONS = 6, HOST_OPTIONS = 3 };

/* The formats whose records have all services of their host. The reader of nmap refuses the XML of
   masscan, where a host is several elements. */
#define WHOLE_HOSTS " ndjson nmap "
/* The formats whose files may name the ports that were scanned. */
#define SCANS " nmap masscan "

struct run {
	struct cli *cli;
	struct import_pipe_options o;
	const struct format *format; /* NULL: to be guessed */
	struct format_arguments arguments;
	/* a sum for each dataset that is wanted: the command's own and those of --also */
	struct import_sum sums[DATASETS];
	struct import_store *stores[DATASETS]; /* NULL: not wanted */
	struct progress progress;
	uint64_t read, bad, skipped, secrets;
	struct secret_key key;
	char no_key[512]; /* the reason why secrets get no notes */
	bool quiet, plain;
	struct str scanned;      /* --replace-ports */
	struct str account_name; /* of reports: --account */
	struct uuid account;
};

static bool
wants(const struct run *r, enum dataset d)
{
	return r->o.dataset == d || (r->o.also & 1u << d) != 0;
}

/* Whether records of a dataset that is wanted name their sources. */
static bool
have_sources(const struct run *r)
{
	struct str bad;

	for (enum dataset d = 0; d < DATASETS; d++)
		if (wants(r, d) &&
		    record_fields_parse(r->cli->arena, d, STR("source"), &bad) != NULL)
			return true;
	return false;
}

/* EXIT_OK, or the status to return after a message. */
static int
parse_options(struct run *r, int argc, char **argv)
{
	struct cli_list words;
	struct str format = STR("auto"), also = STR_NULL;
	struct cli_option table[COMMON_OPTIONS + HOST_OPTIONS + FORMAT_OPTIONS + 1] = {
		{ .name = "format", .text = &format },
		{ .name = "also", .text = &also },
		{ .name = "source", .text = &r->o.origin },
		{ .name = "seen", .time = &r->o.seen },
		{ .name = "quiet", .flag = &r->quiet },
		{ .name = "strict", .flag = &r->o.strict },
		{ .name = "no-enrich", .flag = &r->plain },
		{ .name = "replace-ports", .text = &r->scanned },
		{ .name = "authoritative", .flag = &r->o.authoritative },
	};
	/* the options of reports overwrite those of hosts, and those of formats what is left */
	size_t common = COMMON_OPTIONS;
	int status;

	if (r->o.dataset == DATASET_HOSTS)
		common += HOST_OPTIONS;
	if (r->o.dataset == DATASET_REPORTS)
		table[common++] =
		    (struct cli_option){ .name = "account", .text = &r->account_name };
	format_options_rows(&r->arguments, table + common);
	if (!cli_options(r->cli, argc, argv, table, &words, 1, 1))
		return EXIT_USAGE;
	r->format = format_option(r->cli, r->o.dataset, format, &status);
	if (status != EXIT_OK)
		return status;
	status = format_also_option(r->cli, r->o.dataset, also, &r->o.also);
	if (status != EXIT_OK)
		return status;
	if (r->o.origin.p != NULL && (r->o.origin.n == 0 || r->o.origin.n > 200))
		return cli_usage(r->cli, "--source must have 1 to 200 bytes");
	if (r->o.origin.p != NULL && !have_sources(r))
		return cli_usage(r->cli, "--source is of no use here: records of %s have no source",
		    record_dataset_name(r->o.dataset));
	if (r->scanned.p != NULL)
		r->o.scanned = record_ports_parse(r->cli->arena, r->scanned);
	if (r->scanned.p != NULL && r->o.authoritative)
		return cli_usage(r->cli, "--authoritative and --replace-ports exclude one another");
	if (r->scanned.p != NULL && r->o.scanned == NULL)
		return cli_usage(
		    r->cli, "--replace-ports wants ports such as 22,80,8000-8100,53/udp");
	r->o.file = words.p[0].p; /* NUL-terminated, as it is an argument */
	if (r->account_name.p != NULL)
		return cli_account(r->cli, r->account_name, &r->account);
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
store_batch(struct run *r, enum dataset d, const struct import_batch *b)
{
	struct import_sum *sum = &r->sums[d], before = *sum;
	enum db_rc rc = import_store_batch(r->stores[d], b, sum);
	int64_t large = sum->large - before.large;

	if (large > 0)
		buf_printf(&sum->messages,
		    "%s: %jd records left out: they would be larger than %jd bytes\n", r->o.file,
		    (intmax_t)large, (intmax_t)LIM_HOST_BYTES);
	show_messages(r, &sum->messages);
	buf_clear(&sum->messages);
	r->bad += (uint64_t)(large + sum->unreadable - before.unreadable);
	return rc;
}

/* Reports a failed batch with the message of the connection that failed. */
static int
fail_store(const struct run *r, const struct import_store *st, enum db_rc rc)
{
	struct cli c = *r->cli;

	c.db = import_store_failed(st);
	return cli_fail_db(&c, rc, "the import ended early; run it again");
}

/* Stores the batches of a part. EXIT_OK, or the status to return after a message. */
static int
store_part(struct run *r, const struct import_part *part)
{
	for (enum dataset d = 0; d < DATASETS; d++) {
		enum db_rc rc = wants(r, d) ? store_batch(r, d, &part->batches[d]) : DB_OK;

		if (rc != DB_OK) {
			progress_hide(&r->progress);
			return fail_store(r, r->stores[d], rc);
		}
	}
	return EXIT_OK;
}

static int
store_all(struct run *r, struct import_pipe *p)
{
	struct import_part *part;
	int status = EXIT_OK;

	while (status == EXIT_OK && (part = import_pipe_next(p)) != NULL) {
		show_messages(r, &part->messages);
		status = store_part(r, part);
		r->read += part->read;
		r->bad += part->bad;
		r->skipped += part->skipped;
		r->secrets += part->secrets;
		progress_draw(&r->progress, r->read, import_pipe_bytes(p));
	}
	progress_end(&r->progress, r->read, import_pipe_bytes(p));
	if (status == EXIT_OK && import_pipe_failed(p) != NULL)
		return cli_fail(EXIT_FAILED, "%s %s", r->o.file, import_pipe_failed(p));
	return status;
}

/* Checks the options that depend on the format. Where a record has one port of a host, the second
   record of a host would remove the service of the first one, so --replace-ports is refused. */
static int
read_format_options(struct run *r, struct import_pipe *p)
{
	struct str format = str_of(r->format->name);

	for (enum dataset d = 0; d < DATASETS; d++)
		if ((r->o.also & 1u << d) != 0 && !format_feeds(r->format, d))
			return cli_usage(r->cli, "--also %s: %.*s has no records of them",
			    record_dataset_name(d), (int)format.n, format.p);
	if (r->o.authoritative && !format_is_in(SCANS, format))
		return cli_usage(r->cli, "--authoritative belongs to --format%.*s",
		    (int)strlen(SCANS) - 1, SCANS);
	if (r->o.scanned != NULL && !format_is_in(WHOLE_HOSTS, format))
		return cli_usage(r->cli, "--replace-ports belongs to --format%.*s",
		    (int)strlen(WHOLE_HOSTS) - 1, WHOLE_HOSTS);
	return format_options_read(r->cli, format, &r->arguments, import_pipe_format_options(p));
}

/* Reads the whole file and stores its batches. */
static int
run_import(struct run *r)
{
	const struct format_foreign *foreign = NULL;
	struct import_pipe *p;
	int rc;

	if (secret_key_read(conf.fingerprint_file, &r->key, r->no_key, sizeof(r->no_key)))
		r->o.key = &r->key;
	p = import_pipe_open(&r->o);

	if (r->format == NULL) {
		foreign = import_pipe_foreign(p);
		r->format = foreign != NULL ? NULL : import_pipe_guess(p);
	}
	if (r->format == NULL && import_pipe_failed(p) != NULL)
		rc = cli_fail(EXIT_FAILED, "%s %s", r->o.file, import_pipe_failed(p));
	else if (foreign != NULL)
		rc = cli_fail(EXIT_FAILED, "%s is %s, which is not read; %s", r->o.file,
		    foreign->name, foreign->advice);
	else if (r->format == NULL)
		rc = cli_fail(EXIT_FAILED,
		    "%s is in no format known here; name one with --format: %s", r->o.file,
		    format_names(r->cli, r->o.dataset));
	else
		rc = read_format_options(r, p);
	if (rc == EXIT_OK) {
		for (enum dataset d = 0; d < DATASETS; d++)
			if (wants(r, d))
				r->stores[d] = import_store_open(d, r->cli->db, r->cli->conninfo);
		if (r->account_name.p != NULL)
			import_store_account(r->stores[r->o.dataset], &r->account);
		progress_begin(&r->progress, !r->quiet && !r->cli->json, r->o.fd);
		import_pipe_start(p, r->format->records);
		rc = store_all(r, p);
		db_use(r->cli->db, r->cli->arena, 0);
		for (enum dataset d = 0; d < DATASETS; d++)
			if (wants(r, d))
				import_store_close(r->stores[d]);
	}
	import_pipe_end(p);
	return rc;
}

/* The counts of the datasets of --also: a line each, or the object "also" of the summary. */
static void
print_also(const struct run *r)
{
	const char *before = ",\"also\":{";

	for (enum dataset d = 0; d < DATASETS; d++) {
		const struct import_sum *s = &r->sums[d];

		if (!wants(r, d) || d == r->o.dataset)
			continue;
		printf(r->cli->json ? "%s\"%s\":{\"new\":%jd,\"changed\":%jd,\"unchanged\":%jd}"
				    : "%s%s: %jd new, %jd changed, %jd unchanged\n",
		    r->cli->json ? before : "", record_dataset_name(d), (intmax_t)s->fresh,
		    (intmax_t)s->changed, (intmax_t)s->unchanged);
		before = ",";
	}
	if (r->cli->json && r->o.also != 0)
		putchar('}');
}

static void
print_summary(const struct run *r)
{
	const struct import_sum *s = &r->sums[r->o.dataset];

	if (r->cli->json) {
		printf("{\"read\":%ju,\"new\":%jd,\"changed\":%jd,\"unchanged\":%jd,\"bad\":%ju,"
		       "\"skipped\":%ju,\"new_tags\":%jd",
		    (uintmax_t)r->read, (intmax_t)s->fresh, (intmax_t)s->changed,
		    (intmax_t)s->unchanged, (uintmax_t)r->bad, (uintmax_t)r->skipped,
		    (intmax_t)r->sums[DATASET_HOSTS].tags);
		print_also(r);
		puts("}");
	} else if (!r->quiet) {
		printf("%ju read, %jd new, %jd changed, %jd unchanged, %ju bad, %ju skipped\n",
		    (uintmax_t)r->read, (intmax_t)s->fresh, (intmax_t)s->changed,
		    (intmax_t)s->unchanged, (uintmax_t)r->bad, (uintmax_t)r->skipped);
		print_also(r);
	}
	fflush(stdout);
}

int
import_dataset(struct cli *c, enum dataset d, int argc, char **argv)
{
	struct run r = { .cli = c, .o = { .dataset = d, .seen = TS_NULL, .fd = STDIN_FILENO } };
	int rc = parse_options(&r, argc, argv);

	if (rc == EXIT_OK)
		rc = open_input(&r);
	if (rc != EXIT_OK)
		return rc;
	if (wants(&r, DATASET_HOSTS) && !r.plain)
		r.o.enrich = cli_enrich_open();
	rc = run_import(&r);
	enrich_close(r.o.enrich);
	if (r.read > 0 || rc == EXIT_OK)
		print_summary(&r);
	if (r.secrets > 0 && r.o.key == NULL)
		fprintf(stderr,
		    "%ju secrets were masked, but nothing will report them: %s; surfacectl doctor "
		    "says how to "
		    "make the file\n",
		    (uintmax_t)r.secrets, r.no_key);
	OPENSSL_cleanse(&r.key, sizeof(r.key));
	for (size_t i = 0; i < COUNT(r.sums); i++)
		buf_free(&r.sums[i].messages);
	if (r.o.fd != STDIN_FILENO)
		close(r.o.fd);
	return rc == EXIT_OK && r.bad > 0 ? EXIT_FAILED : rc;
}
