/* SPDX-License-Identifier: ISC */
/* surfacectl import hosts: options, progress and the summary. pipe.c reads and parses in a second
   thread; this file is the first one: it takes batches, stores them (store.c) and prints.

     exit status   0   everything was imported
                   1   a record was bad, the file could not be read, or a batch failed
                   4   the database could not be reached, or took too long

   Messages come in the order of the file, each batch's before it is stored. */
#include "config.h"

#include "base/limits.h"
#include "cli/cli.h"
#include "cli/enrich.h"
#include "cli/import/format.h"
#include "cli/import/pipe.h"
#include "cli/import/progress.h"
#include "cli/import/store.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

struct run {
	struct cli *cli;
	struct import_pipe_options o;
	bool quiet, plain;
	struct progress progress;
	uint64_t read, bad;
	struct import_store store;
};

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

	const struct format *f;
	int status;

	if (!cli_options(r->cli, argc, argv, table, &words, 1, 1))
		return EXIT_USAGE;
	r->o.file = words.p[0].p; /* NUL-terminated, as it is an argument */
	f = format_option(r->cli, DATASET_HOSTS, format, &status);
	r->o.reader = f == NULL ? NULL : f->hosts;
	return status;
}

static int
open_input(struct run *r)
{
	if (strcmp(r->o.file, "-") == 0) {
		r->o.file = "stdin";
		r->o.fd = STDIN_FILENO;
	} else {
		r->o.fd = open(r->o.file, O_RDONLY | O_CLOEXEC);
	}
	if (r->o.fd < 0)
		return cli_fail(EXIT_FAILED, "%s: %s", r->o.file, strerror(errno));
	return EXIT_OK;
}

static void
show_bad(struct run *r, const struct import_batch *b)
{
	if (b->messages.n == 0)
		return;
	progress_hide(&r->progress);
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
	progress_hide(&r->progress);
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
			progress_end(&r->progress, r->read, import_pipe_bytes(p));
			return cli_fail_db(r->cli, rc, "the import ended early; run it again");
		}
		r->read += b->read;
		r->bad += b->bad;
		show_large(r);
		progress_draw(&r->progress, r->read, import_pipe_bytes(p));
	}
	progress_end(&r->progress, r->read, import_pipe_bytes(p));
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
	struct run r = { .cli = c };
	struct import_pipe *p;
	int rc = parse_import_options(&r, argc, argv);

	if (rc == EXIT_OK)
		rc = open_input(&r);
	if (rc != EXIT_OK)
		return rc;
	progress_begin(&r.progress, !r.quiet && !c->json, r.o.fd);
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

static int
reports(struct cli *c, int argc, char **argv)
{
	return import_records(c, DATASET_REPORTS, argc, argv);
}

static int
open_directories(struct cli *c, int argc, char **argv)
{
	return import_records(c, DATASET_DIRECTORIES, argc, argv);
}

#define ARGUMENTS(more) "[--format NAME] " more "[--quiet] [--strict] FILE|-"
#define RECORD_ARGUMENTS(more) ARGUMENTS("[--source NAME] [--seen TIME] " more)

static const struct command commands[] = {
	{
	    .name = "hosts",
	    .arguments = ARGUMENTS("[--no-enrich] "),
	    .help = "import hosts: our own documents, nmap -oX, masscan -oJ",
	    .run = hosts,
	    .more_help = format_print_help,
	},
	{
	    .name = "dns",
	    .arguments = RECORD_ARGUMENTS("[--type TYPE] [--authorities] "),
	    .help = "import DNS records: our own documents and those of resolvers and passive DNS",
	    .run = dns,
	    .more_help = format_print_help,
	},
	{
	    .name = "whois",
	    .arguments = RECORD_ARGUMENTS(""),
	    .help = "import registrations of domains: our own documents, RDAP, WhoisXML",
	    .run = whois,
	    .more_help = format_print_help,
	},
	{
	    .name = "certificates",
	    .arguments = RECORD_ARGUMENTS("[--log NAME] [--start N] [--chains] "),
	    .help = "import certificates: our own documents, PEM, DER, logs, certstream, tlsx",
	    .run = certificates,
	    .more_help = format_print_help,
	},
	{
	    .name = "reports",
	    .arguments = RECORD_ARGUMENTS(""),
	    .help = "import threat reports with their indicators: our own documents",
	    .run = reports,
	    .more_help = format_print_help,
	},
	{
	    .name = "open-directories",
	    .arguments = RECORD_ARGUMENTS("[--url URL] "),
	    .help = "import open directories: our own documents, nginx's autoindex",
	    .run = open_directories,
	    .more_help = format_print_help,
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
	.more_help = format_print_help,
};

COMMAND(import_command);
