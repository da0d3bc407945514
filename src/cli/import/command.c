/* SPDX-License-Identifier: ISC */
/* surfacectl import: its commands. */
#include "config.h"

#include "cli/cli.h"
#include "cli/import/domain_lists.h"
#include "cli/import/format.h"
#include "cli/report/command.h"

static int
hosts(struct cli *c, int argc, char **argv)
{
	return import_dataset(c, DATASET_HOSTS, argc, argv);
}

static int
dns(struct cli *c, int argc, char **argv)
{
	return import_dataset(c, DATASET_DNS, argc, argv);
}

static int
whois(struct cli *c, int argc, char **argv)
{
	return import_dataset(c, DATASET_WHOIS, argc, argv);
}

static int
certificates(struct cli *c, int argc, char **argv)
{
	return import_dataset(c, DATASET_CERTIFICATES, argc, argv);
}

static int
native_reports(struct cli *c, int argc, char **argv)
{
	return import_dataset(c, DATASET_REPORTS, argc, argv);
}

static int
reports(struct cli *c, int argc, char **argv)
{
	return import_report_files(c, argc, argv, native_reports);
}

static void
print_report_help(const struct command *cmd)
{
	format_print_help(cmd);
	puts("\nmore formats of reports (--format):");
	import_report_formats();
}

static int
open_directories(struct cli *c, int argc, char **argv)
{
	return import_dataset(c, DATASET_DIRECTORIES, argc, argv);
}

#define ARGUMENTS(more) "[--format NAME] " more "[--quiet] [--strict] FILE|-"
#define RECORD_ARGUMENTS(more) ARGUMENTS("[--also DATASETS] [--seen TIME] " more)

static const struct command commands[] = {
	{
	    .name = "hosts",
	    .arguments = RECORD_ARGUMENTS("[--no-enrich] [--replace-ports LIST | --authoritative] "
					  "[--port PORT] [--columns NAMES] "),
	    .help = "import hosts: our own documents and the output of scanners",
	    .run = hosts,
	    .more_help = format_print_help,
	},
	{
	    .name = "dns",
	    .arguments = RECORD_ARGUMENTS("[--source NAME] [--type TYPE] [--authorities] "),
	    .help = "import DNS records: our own documents and those of resolvers and passive DNS",
	    .run = dns,
	    .more_help = format_print_help,
	},
	{
	    .name = "whois",
	    .arguments = RECORD_ARGUMENTS("[--domain NAME] "),
	    .help = "import registrations of domains: our own documents, RDAP, WhoisXML",
	    .run = whois,
	    .more_help = format_print_help,
	},
	{
	    .name = "certificates",
	    .arguments = RECORD_ARGUMENTS("[--log NAME] [--start N] [--chains] "),
	    .help = "import certificates: our own documents, PEM, DER, logs, scanners",
	    .run = certificates,
	    .more_help = format_print_help,
	},
	{
	    .name = "reports",
	    .arguments = "[--format NAME] [--account ACCOUNT] [--title TEXT] [--publisher TEXT] "
			 "[--url URL] [--published-at TIME] [--tlp LEVEL] [--language TAG] "
			 "[--also DATASETS] [--seen TIME] [--quiet] [--strict] FILE...|-",
	    .help = "import threat reports: our own documents, STIX, MISP, HTML, PDF, text",
	    .run = reports,
	    .more_help = print_report_help,
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
	    .help = "import findings; one that is seen again reopens, and absent ones are cleared",
	    .run = import_findings,
	},
	{
	    .name = "content",
	    .arguments = "--project UUID FILE|-",
	    .help = "search captured pages for secrets: a JSON object a line, or WARC",
	    .run = import_content,
	},
	{
	    .name = "taxii",
	    .arguments =
		"[--account ACCOUNT] [--collection NAME] [--type LIST] [--added-after TIME] "
		"[--limit N] [--credentials FILE] [--ca FILE] [--timeout SECONDS] "
		"[--patience SECONDS] [--quiet] URL",
	    .help = "import the reports of a collection of a TAXII 2.1 server",
	    .run = import_taxii,
	},
	{
	    .name = "vocabulary",
	    .arguments = "--kind KIND [--ambiguous ALIAS]... FILE|-",
	    .help = "import names that extraction looks for in reports: a galaxy of MISP",
	    .run = import_vocabulary,
	},
	{
	    .name = "benign",
	    .arguments = "[--licence TEXT] FILE|-",
	    .help = "import harmless values, which are no indicators: a warning list of MISP",
	    .run = import_benign,
	},
	{
	    .name = "takeovers",
	    .arguments = "FILE|-",
	    .help = "import providers whose names may be claimed: fingerprints.json of "
		    "can-i-take-over-xyz",
	    .run = import_takeovers,
	},
	{
	    .name = "cloud-prefixes",
	    .arguments = "FILE|-",
	    .help = "import addresses of a cloud provider, from the file that it publishes",
	    .run = import_cloud_prefixes,
	},
	{
	    .name = "rankings",
	    .arguments = "[--list NAME] FILE|-",
	    .help = "import a ranking of domains, whose names are rarely look-alikes: Tranco, "
		    "Umbrella, Majestic",
	    .run = import_rankings,
	},
	{
	    .name = "parked-name-servers",
	    .arguments = "FILE|-",
	    .help = "import name servers of parked domains, a name or domain a line",
	    .run = import_parked_name_servers,
	},
	{ .name = NULL },
};

STMT(count_import, NULL, "SELECT import_ended($1, $2)");

/* Counts the import for the metrics (surfaced-meter(8)). A file that was read to its end may have
   had bad records; cli_fail has then printed nothing. */
static void
count_ended(struct cli *c, const struct command *cmd, int status)
{
	struct str result = status == EXIT_OK  ? STR("complete")
			    : cli_has_failed() ? STR("failed")
					       : STR("bad");

	if (status == EXIT_USAGE)
		return;
	if (db_do(c->db, &count_import, NULL, P(str_of(cmd->name)), P(result)) != DB_OK)
		fprintf(stderr, "surfacectl: the metrics do not count this import\n");
}

static const struct command import_command = {
	.name = "import",
	.help = "put scan results into the database",
	.sub = commands,
	.more_help = format_print_help,
	.ended = count_ended,
};

COMMAND(import_command);
