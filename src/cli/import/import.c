/* SPDX-License-Identifier: ISC */
/* surfacectl import hosts: options, progress and the summary. pipe.c reads and parses in a second
   thread; this file is the first one: it takes batches, stores them (store.c) and prints.

     exit status   0   everything was imported
                   1   a record was bad, the file could not be read, or a batch failed
                   4   the database could not be reached, or took too long

   Messages come in the order of the file, each batch's before it is stored. The line of progress is
   erased before a message and drawn again after it, at most five times a second, and only on a
   terminal. */
#include "config.h"

#include "base/limits.h"
#include "cli/cli.h"
#include "cli/enrich.h"
#include "cli/import/records.h"
#include "cli/import/store.h"
#include "cli/import/pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { REDRAW_US = 200000 };

struct run {
	struct cli *cli;
	struct import_pipe_options o;
	bool quiet, progress, plain;
	uint64_t size; /* bytes of the file; 0: unknown */
	uint64_t read, bad;
	int64_t began, drawn;
	struct import_store store;
};

static const struct {
	const char *name;
	import_reader *reader;
} formats[] = {
	{ "auto", NULL },
	{ "ndjson", import_ndjson },
	{ "nmap", import_nmap },
	{ "masscan", import_masscan },
};

static bool
set_format(struct run *r, struct str name)
{
	for (size_t i = 0; i < COUNT(formats); i++) {
		if (!str_is(name, formats[i].name))
			continue;
		r->o.reader = formats[i].reader;
		return true;
	}
	return false;
}

/* EXIT_OK, or the status to return after a message. */
static int
parse_import_options(struct run *r, int argc, char **argv)
{
	struct cli_list words;
	struct str format = STR("auto");
	const struct cli_option table[] = {
		{ .name = "format", .text = &format },
		{ .name = "quiet", .flag = &r->quiet },
		{ .name = "strict", .flag = &r->o.strict },
		{ .name = "no-enrich", .flag = &r->plain },
		{ .name = NULL },
	};

	if (!cli_options(r->cli, argc, argv, table, &words, 1, 1))
		return EXIT_USAGE;
	if (!set_format(r, format))
		return cli_usage(r->cli, "the format must be auto, ndjson, nmap or masscan");
	r->o.file = words.p[0].p; /* NUL-terminated, as it is an argument */
	return EXIT_OK;
}

static int
open_input(struct run *r)
{
	struct stat st;

	if (strcmp(r->o.file, "-") == 0) {
		r->o.file = "stdin";
		r->o.fd = STDIN_FILENO;
	} else {
		r->o.fd = open(r->o.file, O_RDONLY | O_CLOEXEC);
	}
	if (r->o.fd < 0)
		return cli_fail(EXIT_FAILED, "%s: %s", r->o.file, strerror(errno));
	if (fstat(r->o.fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
		r->size = (uint64_t)st.st_size;
	return EXIT_OK;
}

/* Rewrites one line of progress; only if stderr is a terminal. */
static void
draw_progress(struct run *r, const struct import_pipe *p, bool last)
{
	int64_t now = mono_us();
	double seconds = (double)(now - r->began) / 1e6;

	if (!r->progress || (!last && now - r->drawn < REDRAW_US))
		return;
	r->drawn = now;
	fprintf(stderr, "\r\033[K%ju records, %.0f a second", (uintmax_t)r->read,
	    seconds > 0 ? (double)r->read / seconds : 0);
	if (r->size > 0)
		fprintf(
		    stderr, ", %.0f %%", 100.0 * (double)import_pipe_bytes(p) / (double)r->size);
	if (last)
		fputc('\n', stderr);
	fflush(stderr);
}

static void
show_bad(struct run *r, const struct import_batch *b)
{
	if (b->messages.n == 0)
		return;
	if (r->progress)
		fputs("\r\033[K", stderr);
	fwrite(b->messages.p, 1, b->messages.n, stderr);
}

/* Reports hosts that were too large to merge; their line numbers are no longer known. */
static void
show_large(struct run *r)
{
	const struct import_sum *s = &r->store.sum;

	if (s->large == 0)
		return;
	r->bad += (uint64_t)s->large;
	if (r->progress)
		fputs("\r\033[K", stderr);
	fprintf(stderr,
	    "%s: %jd records left out: the host would be larger than %jd bytes, as "
	    "%.*s\n",
	    r->o.file, (intmax_t)s->large, (intmax_t)LIM_HOST_BYTES, (int)s->example.n,
	    s->example.p);
}

static int
store_all(struct run *r, struct import_pipe *p)
{
	const struct import_batch *b;

	while ((b = import_pipe_next(p)) != NULL) {
		enum db_rc rc;

		show_bad(r, b);
		rc = import_store_batch(&r->store, b);
		if (rc != DB_OK) {
			if (r->progress)
				fputc('\n', stderr);
			return cli_fail_db(r->cli, rc, "the import ended early; run it again");
		}
		r->read += b->read;
		r->bad += b->bad;
		show_large(r);
		draw_progress(r, p, false);
	}
	draw_progress(r, p, true);
	if (import_pipe_failed(p) != NULL)
		return cli_fail(EXIT_FAILED, "%s %s", r->o.file, import_pipe_failed(p));
	return EXIT_OK;
}

static void
print_count(struct buf *b, const char *name, int64_t n)
{
	buf_char(b, b->n == 0 ? '{' : ',');
	json_write_str(b, str_of(name));
	buf_char(b, ':');
	json_write_int(b, n);
}

static void
print_summary(const struct run *r)
{
	const struct import_sum *s = &r->store.sum;
	struct buf b = { .a = r->cli->arena };

	if (r->cli->json) {
		print_count(&b, "read", (int64_t)r->read);
		print_count(&b, "new", s->fresh);
		print_count(&b, "changed", s->changed);
		print_count(&b, "unchanged", s->unchanged);
		print_count(&b, "bad", (int64_t)r->bad);
		print_count(&b, "new_tags", s->tags);
		printf("%.*s}\n", (int)b.n, b.p);
	} else if (!r->quiet) {
		printf("%ju read, %jd new, %jd changed, %jd unchanged, %ju bad\n",
		    (uintmax_t)r->read, (intmax_t)s->fresh, (intmax_t)s->changed,
		    (intmax_t)s->unchanged, (uintmax_t)r->bad);
	}
	fflush(stdout);
}

static int
hosts(struct cli *c, int argc, char **argv)
{
	struct run r = { .cli = c, .began = mono_us() };
	struct import_pipe *p;
	int rc = parse_import_options(&r, argc, argv);

	if (rc == EXIT_OK)
		rc = open_input(&r);
	if (rc != EXIT_OK)
		return rc;
	r.progress = !r.quiet && isatty(STDERR_FILENO);
	r.store = (struct import_store){ .db = c->db, .arena = arena_new((size_t)1 << 30) };
	r.o.enrich = r.plain ? NULL : cli_enrich_open();
	p = import_pipe_start(&r.o);
	rc = store_all(&r, p);
	import_pipe_end(p);
	enrich_close(r.o.enrich);
	if (r.read > 0 || rc == EXIT_OK)
		print_summary(&r);
	db_use(c->db, c->arena, 0);
	arena_free(r.store.arena);
	if (r.o.fd != STDIN_FILENO)
		close(r.o.fd);
	return rc == EXIT_OK && r.bad > 0 ? EXIT_FAILED : rc;
}

static int
dns(struct cli *c, int argc, char **argv)
{
	return import_records(c, DATASET_DNS, argc, argv);
}

static int
whois(struct cli *c, int argc, char **argv)
{
	return import_records(c, DATASET_WHOIS, argc, argv);
}

static int
certificates(struct cli *c, int argc, char **argv)
{
	return import_records(c, DATASET_CERTIFICATES, argc, argv);
}

#define RECORD_ARGUMENTS(formats, more)                                                            \
	"[--format " formats "] [--source NAME] [--seen TIME] " more "[--quiet] [--strict] FILE|-"

static const struct command commands[] = {
	{
	    .name = "hosts",
	    .arguments =
		"[--format auto|ndjson|nmap|masscan] [--no-enrich] [--quiet] [--strict] FILE|-",
	    .help = "import hosts: our own documents, nmap -oX, masscan -oJ",
	    .run = hosts,
	},
	{
	    .name = "dns",
	    .arguments = RECORD_ARGUMENTS("ndjson|cof", ""),
	    .help = "import DNS records: our own documents, passive DNS",
	    .run = dns,
	},
	{
	    .name = "whois",
	    .arguments = RECORD_ARGUMENTS("ndjson", ""),
	    .help = "import registrations of domains: our own documents",
	    .run = whois,
	},
	{
	    .name = "certificates",
	    .arguments = RECORD_ARGUMENTS(
		"ndjson|pem|der|ct|ct-tile", "[--log NAME] [--start N] [--chains] "),
	    .help = "import certificates: our own documents, PEM, DER",
	    .run = certificates,
	},
	{
	    .name = "assets",
	    .arguments = "--project UUID FILE|-",
	    .help = "import a project's inventory, a JSON object a line",
	    .run = import_assets,
	},
	{
	    .name = "services",
	    .arguments = "--project UUID [--format ndjson|nmap] FILE|-",
	    .help = "import services of a project's assets, also from nmap -oX",
	    .run = import_services,
	},
	{
	    .name = "findings",
	    .arguments = "--project UUID FILE|-",
	    .help = "import findings; a resolved one that is seen again reopens",
	    .run = import_findings,
	},
	{ .name = NULL },
};

static const struct command import_command = {
	.name = "import",
	.help = "put scan results into the database",
	.sub = commands,
};

COMMAND(import_command);
