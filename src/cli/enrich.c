/* SPDX-License-Identifier: ISC */
/* surfacectl enrich hosts: adds the facts of the databases about addresses to stored hosts, after a
   database was installed or renewed. After an interruption the command can be run again: it changes
   only hosts that still lack facts. */
#include "config.h"

#include "cli/enrich.h"
#include "cli/hosts.h"
#include "cli/import/enrich_host.h"
#include "daemon/conf.h"

struct run {
	struct enrich *enrich;
	bool replace, quiet;
};

static void
print_fault(void *arg, const char *what)
{
	(void)arg;
	fprintf(stderr, "surfacectl: %s\n", what);
}

struct enrich *
cli_enrich_open(void)
{
	const struct enrich_files files = { conf.mmdb_asn, conf.mmdb_city,
		{ conf.pfx2as_ipv4, conf.pfx2as_ipv6 } };

	return enrich_open(&files, print_fault, NULL);
}

static enum hosts_verdict
judge_with_databases(void *arg, struct arena *a, struct record *host)
{
	const struct run *r = arg;

	return enrich_host(r->enrich, a, host, r->replace) ? HOSTS_CHANGE : HOSTS_KEEP;
}

static int
enrich_all_hosts(struct cli *c, int argc, char **argv)
{
	struct run r = { .enrich = NULL };
	struct hosts_walk w = { .cli = c, .judge = judge_with_databases, .arg = &r };
	const struct cli_option table[] = {
		{ .name = "replace", .flag = &r.replace },
		{ .name = "quiet", .flag = &r.quiet },
		{ .name = NULL },
	};
	struct cli_list words;
	int status;

	if (!cli_options(c, argc, argv, table, &words, 0, 0))
		return EXIT_USAGE;
	r.enrich = cli_enrich_open();
	if (r.enrich == NULL)
		return cli_fail(EXIT_FAILED, "no database about addresses is open: see mmdb_asn, "
					     "mmdb_city and pfx2as_ipv4 in surfaced.conf(5)");
	status = hosts_walk(&w);
	enrich_close(r.enrich);
	if (status != EXIT_OK)
		return status;
	if (c->json)
		printf("{\"read\":%ju,\"changed\":%ju}\n", (uintmax_t)w.read, (uintmax_t)w.changed);
	else if (!r.quiet)
		printf("%ju read, %ju changed\n", (uintmax_t)w.read, (uintmax_t)w.changed);
	return EXIT_OK;
}

static const struct command subs[] = {
	{ .name = "hosts",
	    .arguments = "[--replace] [--quiet]",
	    .help = "add network and place to stored hosts, from databases about addresses",
	    .run = enrich_all_hosts },
	{ .name = NULL },
};

static const struct command enrich_command = {
	.name = "enrich",
	.help = "add what databases about addresses know",
	.sub = subs,
};

COMMAND(enrich_command);
