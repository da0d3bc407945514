/* SPDX-License-Identifier: ISC */
/* surfacectl rules: the catalogue of detection rules, and the rules of accounts as YAML. */
#include "config.h"

#include "base/limits.h"
#include "cli/rule/rule_set.h"

#include "detection/unanchored.h"
#include "json/tree.h"

#include <unistd.h>

#define SHIPPED PKGDATADIR "/rules"
#define OF_ADMINISTRATOR SYSCONFDIR "/rules"

/* ---- load ---- */

struct load_counts {
	int64_t fresh, changed, unchanged, deprecated;
};

static const struct field load_out[] = {
	FIELD(struct load_counts, fresh, 0),
	FIELD(struct load_counts, changed, 0),
	FIELD(struct load_counts, unchanged, 0),
	FIELD(struct load_counts, deprecated, 0),
	FIELD_END,
};

STMT(load_catalogue, load_out,
    "SELECT fresh, changed, unchanged, deprecated FROM catalogue_load($1::json)");

static int
load_rules(struct cli *c, struct strs paths, struct load_counts *counts)
{
	struct buf json = { .a = c->arena };
	struct rule_set s;
	enum db_rc rc;
	int status = rule_set_read(c, paths, RULE_OF_CATALOGUE, &s);

	if (status != EXIT_OK)
		return status;
	rule_set_json(&json, &s, RULE_OF_CATALOGUE);
	rc = db_one(c->db, &load_catalogue, counts, P(buf_done(&json)));
	return rc == DB_OK ? EXIT_OK : cli_fail_db(c, rc, "the catalogue");
}

/* Returns the directories of the shipped rules and of the rules of the administrator. */
static struct strs
default_directories(struct cli *c)
{
	static const char *const directories[] = { SHIPPED, OF_ADMINISTRATOR };
	struct str *p = ARENA_ARRAY(c->arena, COUNT(directories), struct str);
	size_t n = 0;

	for (size_t i = 0; i < COUNT(directories); i++)
		if (access(directories[i], F_OK) == 0)
			p[n++] = str_of(directories[i]);
	return (struct strs){ p, n };
}

int
rule_catalogue_load(struct cli *c, const char *dir)
{
	struct str given = str_of(dir);
	struct strs paths = { &given, 1 };
	struct load_counts counts;

	if (dir == NULL) {
		if (access(SHIPPED, F_OK) != 0)
			return EXIT_OK;
		paths = default_directories(c);
	}
	return load_rules(c, paths, &counts);
}

static int
run_load(struct cli *c, int argc, char **argv)
{
	static const struct cli_option none[] = { { NULL } };
	struct load_counts counts;
	struct cli_list words;
	struct strs paths;
	int status;

	if (!cli_options(c, argc, argv, none, &words, 0, 16))
		return EXIT_USAGE;
	paths = words.n > 0 ? (struct strs){ words.p, words.n } : default_directories(c);
	if (paths.n == 0)
		return cli_fail(EXIT_FAILED, "%s does not exist; name a directory", SHIPPED);
	status = load_rules(c, paths, &counts);
	return status == EXIT_OK ? cli_print(c, "load", load_out, &counts) : status;
}

/* ---- check ---- */

struct check_counts {
	int64_t files, rules, derived, samples;
};

static const struct field check_out[] = {
	FIELD(struct check_counts, files, 0),
	FIELD(struct check_counts, rules, 0),
	FIELD(struct check_counts, derived, 0),
	FIELD(struct check_counts, samples, 0),
	FIELD_END,
};

static int
run_check(struct cli *c, int argc, char **argv)
{
	bool catalogue = false;
	struct str against = STR_NULL;
	const struct cli_option options[] = { { "catalogue", .flag = &catalogue },
		{ "against", .text = &against }, { NULL } };
	struct check_counts counts;
	struct cli_list words;
	struct rule_set s;
	int status;

	if (!cli_options(c, argc, argv, options, &words, 1, 10000))
		return EXIT_USAGE;
	status = rule_set_read(c, (struct strs){ words.p, words.n },
	    catalogue ? RULE_OF_CATALOGUE : RULE_OF_ANYBODY, &s);
	if (status != EXIT_OK)
		return status;
	if (against.p != NULL)
		return rule_set_try(c, &s, against.p);
	counts = (struct check_counts){ .files = (int64_t)s.nfiles,
		.rules = (int64_t)(s.n - s.nderived),
		.derived = (int64_t)s.nderived,
		.samples = (int64_t)s.nsamples };
	return cli_print(c, "check", check_out, &counts);
}

/* ---- import ---- */

struct take_counts {
	int64_t fresh, changed, unchanged, skipped;
};

static const struct field take_out[] = {
	FIELD(struct take_counts, fresh, 0),
	FIELD(struct take_counts, changed, 0),
	FIELD(struct take_counts, unchanged, 0),
	FIELD(struct take_counts, skipped, 0),
	FIELD_END,
};

STMT(take_rules, take_out,
    "SELECT fresh, changed, unchanged, skipped FROM catalogue_take($1, $2::json, $3, $4)");

/* Stores the rules in a transaction that is rolled back when the account then has too many rules
   without an anchor, as the API does. */
static int
take_rules_within_limits(struct cli *c, const struct uuid *owner, struct str json,
    struct str existing, struct take_counts *counts)
{
	const int64_t most = LIM_RULES_OWN;
	size_t before = 0, after = 0;
	enum db_rc rc = db_begin(c->db);
	int status = EXIT_OK;

	if (rc == DB_OK)
		rc = rules_unanchored(c->db, c->arena, owner, ts_now(), &before);
	if (rc == DB_OK)
		rc = db_one(c->db, &take_rules, counts, P(*owner), P(json), P(existing), P(most));
	if (rc == DB_OK)
		rc = rules_unanchored(c->db, c->arena, owner, ts_now(), &after);
	if (rc == DB_OK && after > before && after > LIM_RULES_UNANCHORED)
		status = cli_fail(EXIT_FAILED,
		    "the account would have %zu evaluated rules without an anchor, and may have "
		    "%d: "
		    "ask for a value of a keyword, a number, a name or an address that every match "
		    "must have",
		    after, (int)LIM_RULES_UNANCHORED);
	else if (rc == DB_OK)
		rc = db_commit(c->db);
	if (rc != DB_OK)
		status = cli_fail_db(c, rc, "rules of the account");
	db_rollback(c->db);
	return status;
}

static int
run_rule_import(struct cli *c, int argc, char **argv)
{
	struct str account = STR_NULL, existing = STR("fail");
	const struct cli_option options[] = { { "account", .text = &account },
		{ "on-existing", .text = &existing }, { NULL } };
	struct buf json = { .a = c->arena };
	struct take_counts counts;
	struct cli_list words;
	struct uuid owner;
	struct rule_set s;
	int status;

	if (!cli_options(c, argc, argv, options, &words, 1, 10000))
		return EXIT_USAGE;
	if (!str_is(existing, "skip") && !str_is(existing, "update") && !str_is(existing, "fail"))
		return cli_usage(c, "--on-existing is skip, update or fail");
	status = rule_set_read(c, (struct strs){ words.p, words.n }, RULE_OF_ACCOUNT, &s);
	if (status == EXIT_OK)
		status = cli_account(c, account, &owner);
	if (status != EXIT_OK)
		return status;
	rule_set_json(&json, &s, RULE_OF_ACCOUNT);
	status = take_rules_within_limits(c, &owner, buf_done(&json), existing, &counts);
	return status == EXIT_OK ? cli_print(c, "import", take_out, &counts) : status;
}

/* ---- list, show ---- */

struct rule_line {
	struct uuid id;
	struct str status, severity, dataset;
	int64_t version;
	struct str name;
};

static const struct field rule_line_out[] = {
	FIELD(struct rule_line, id, 0),
	FIELD(struct rule_line, status, 0),
	FIELD(struct rule_line, severity, 0),
	FIELD(struct rule_line, dataset, 0),
	FIELD(struct rule_line, version, 0),
	FIELD(struct rule_line, name, 0),
	FIELD_END,
};

/* $1: an account, by name or UUID; null: the catalogue. */
STMT_LIST(list_detection_rules, struct rule_line, rule_line_out,
    "SELECT id, status, severity, dataset, version, name FROM rule"
    " WHERE deleted_at IS NULL AND account_uuid IS NOT DISTINCT FROM"
    " (SELECT uuid FROM account WHERE name = $1 OR uuid::text = lower($1))"
    " AND ($1::text IS NULL) = (account_uuid IS NULL) ORDER BY name, id");

struct rule_detail {
	struct uuid uuid, id, account_uuid;
	int64_t version;
	struct str name, description, author, licence, dataset, scope, query, exclude, severity;
	struct list tags, techniques, reference_urls, false_positives;
	struct str status;
	bool applies_tags;
	struct json produces, tests;
	struct str content_sha256;
	struct ts created_at, updated_at;
};

static const struct field rule_detail_out[] = {
	FIELD(struct rule_detail, uuid, 0),
	FIELD(struct rule_detail, id, 0),
	FIELD(struct rule_detail, account_uuid, NULLABLE),
	FIELD(struct rule_detail, version, 0),
	FIELD(struct rule_detail, name, 0),
	FIELD(struct rule_detail, description, 0),
	FIELD(struct rule_detail, author, NULLABLE),
	FIELD(struct rule_detail, licence, NULLABLE),
	FIELD(struct rule_detail, dataset, 0),
	FIELD(struct rule_detail, scope, 0),
	FIELD(struct rule_detail, query, 0),
	FIELD(struct rule_detail, exclude, 0),
	FIELD(struct rule_detail, severity, 0),
	LIST_OF(struct rule_detail, tags, 0, struct str, 0, 0),
	LIST_OF(struct rule_detail, techniques, 0, struct str, 0, 0),
	LIST_OF(struct rule_detail, reference_urls, 0, struct str, 0, 0),
	LIST_OF(struct rule_detail, false_positives, 0, struct str, 0, 0),
	FIELD(struct rule_detail, status, 0),
	FIELD(struct rule_detail, applies_tags, 0),
	FIELD(struct rule_detail, produces, NULLABLE),
	FIELD(struct rule_detail, tests, 0),
	FIELD(struct rule_detail, content_sha256, NULLABLE),
	FIELD(struct rule_detail, created_at, 0),
	FIELD(struct rule_detail, updated_at, 0),
	FIELD_END,
};

/* A rule of the catalogue comes before those of accounts that have its id. */
STMT_LIST(show_rule, struct rule_detail, rule_detail_out,
    "SELECT uuid, id, account_uuid, version, name, description, author, licence, dataset, scope, "
    "query,"
    " exclude, severity, tags, techniques, reference_urls, false_positives, status, applies_tags,"
    " produces, tests, content_sha256, created_at, updated_at FROM rule"
    " WHERE deleted_at IS NULL AND (uuid::text = lower($1) OR id::text = lower($1))"
    " ORDER BY account_uuid NULLS FIRST LIMIT 1");

static const struct command subs[] = {
	{ "load", "[DIRECTORY]...", "make the rules below these directories the catalogue",
	    .run = run_load },
	{ "check", "[--catalogue] [--against HOSTS.ndjson] FILE|DIRECTORY...",
	    "parse rules and judge their samples, without a database", .run = run_check },
	{ "list", "[--account NAME]", "the catalogue, or the rules of an account",
	    .st = &list_detection_rules, .lists = "rules", .texts = { "account" } },
	{ "show", "ID", "a rule, by its id or uuid", .st = &show_rule, .prints = "rule",
	    .words = 1 },
	{ "import", "--account NAME [--on-existing skip|update|fail] FILE|DIRECTORY|-...",
	    "store rules of an account, all or none", .run = run_rule_import },
	{ "export", "--account NAME [ID]...", "rules of an account as YAML, as import takes them",
	    .run = rule_export },
	{ NULL },
};

static const struct command rules_command = { "rules",
	.help = "detection rules and their catalogue", .sub = subs };

COMMAND(rules_command);
