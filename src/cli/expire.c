/* SPDX-License-Identifier: ISC */
/* surfacectl expire hosts: removes services and hosts whose last_seen is older than a given time. A
   host whose services were all removed is kept until its own last_seen is too old. */
#include "config.h"

#include "cli/hosts.h"
#include "record/ports.h"

struct run {
	struct ts unseen;
	uint64_t services;
};

static bool
was_seen(void *arg, const struct record_object *o)
{
	const struct run *r = arg;
	int64_t last;

	return !record_int(o, "last_seen", &last) || last >= r->unseen.us;
}

static enum hosts_verdict
judge_by_age(void *arg, struct arena *a, struct record *host)
{
	struct run *r = arg;
	size_t n;

	if (!was_seen(r, host->root))
		return HOSTS_REMOVE;
	n = record_nested_keep(a, host, was_seen, r);
	r->services += n;
	return n > 0 ? HOSTS_CHANGE : HOSTS_KEEP;
}

static int
expire_hosts(struct cli *c, int argc, char **argv)
{
	struct run r = { .unseen = TS_NULL };
	struct hosts_walk w = { .cli = c, .judge = judge_by_age, .arg = &r };
	const struct cli_option table[] = {
		{ .name = "unseen", .past = &r.unseen },
		{ .name = "dry-run", .flag = &w.dry },
		{ .name = NULL },
	};
	struct cli_list words;
	int status;

	if (!cli_options(c, argc, argv, table, &words, 0, 0))
		return EXIT_USAGE;
	if (ts_is_null(r.unseen))
		return cli_usage(c, "--unseen is missing: a time such as 30d");
	status = hosts_walk(&w);
	if (status != EXIT_OK)
		return status;
	if (c->json)
		printf("{\"read\":%ju,\"hosts\":%ju,\"services\":%ju,\"dry_run\":%s}\n",
		    (uintmax_t)w.read, (uintmax_t)w.removed, (uintmax_t)r.services,
		    w.dry ? "true" : "false");
	else
		printf("%ju read, %ju hosts and %ju services of other hosts %s\n",
		    (uintmax_t)w.read, (uintmax_t)w.removed, (uintmax_t)r.services,
		    w.dry ? "to be removed" : "removed");
	return EXIT_OK;
}

static const struct command subs[] = {
	{ .name = "hosts",
	    .arguments = "--unseen TIME [--dry-run]",
	    .help = "remove services and hosts that were last seen before a time",
	    .run = expire_hosts },
	{ .name = NULL },
};

static const struct command expire_command = {
	.name = "expire",
	.help = "remove what no import has seen for a time",
	.sub = subs,
};

COMMAND(expire_command);
