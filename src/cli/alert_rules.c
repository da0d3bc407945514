/* SPDX-License-Identifier: ISC */
/* surfacectl alert-rules: the alert rules of a project. A rule has a source (finding or service), a
   query in the language of surfaced-query(7), for findings a least severity, and the destinations
   of its alerts. The query is parsed here, so that a mistake is found by its author; surfaced-alert
   parses it again when it evaluates a change. insert_rule checks the destinations in the same
   statement (resource/rule.h). */
#include "config.h"

#include "base/limits.h"
#include "cli/cli.h"
#include "resource/rule.h"
#include "search/query.h"

STMT_LIST(list_rules, struct rule, rule_row,
    "SELECT " RULE_COLUMNS " FROM alert_rule WHERE project_uuid = $1 AND deleted_at IS NULL"
    " ORDER BY created_at DESC, uuid");

STMT_LIST(read_rule, struct rule, rule_row,
    "SELECT " RULE_COLUMNS " FROM alert_rule WHERE uuid::text = lower($1)"
    " AND deleted_at IS NULL");

#define TURN(on)                                                                                   \
	"UPDATE alert_rule SET enabled = " on ", updated_at = now()"                               \
	" WHERE uuid::text = lower($1) AND deleted_at IS NULL RETURNING " RULE_COLUMNS

STMT_LIST(enable_rule, struct rule, rule_row, TURN("true"));

STMT_LIST(disable_rule, struct rule, rule_row, TURN("false"));

STMT_LIST(delete_rule, struct rule, rule_row,
    "UPDATE alert_rule SET deleted_at = now()"
    " WHERE uuid::text = lower($1) AND deleted_at IS NULL RETURNING " RULE_COLUMNS);

struct wanted {
	struct str project, source, severity, query;
	struct cli_list destinations;
};

static int
check_new_rule(struct cli *c, struct wanted *w)
{
	bool findings = str_is(w->source, "finding");
	struct query_fault fault;
	struct query query;

	if (!findings && !str_is(w->source, "service"))
		return cli_usage(c, "--source is finding or service");
	if (!findings && w->severity.p != NULL)
		return cli_usage(c, "--severity is of findings alone");
	if (findings && w->severity.p == NULL)
		w->severity = STR("info");
	if (w->query.n > LIM_QUERY)
		return cli_usage(c, "--query has at most %d characters", (int)LIM_QUERY);
	if (!query_parse(c->arena, schema_of_source(w->source), w->query, ts_now(), &query, &fault))
		return cli_usage(c, "--query, character %u: %.*s", fault.at, (int)fault.message.n,
		    fault.message.p);
	for (size_t i = 0; i < w->destinations.n; i++) {
		struct uuid uuid;

		if (!uuid_parse(w->destinations.p[i], &uuid))
			return cli_usage(c, "--destination wants the UUID of one");
	}
	return EXIT_OK;
}

static int
run_create_rule(struct cli *c, int argc, char **argv)
{
	struct wanted w = { .query = STR("") };
	const struct cli_option options[] = { { "project", .text = &w.project },
		{ "source", .text = &w.source }, { "severity", .text = &w.severity },
		{ "query", .text = &w.query }, { "destination", .list = &w.destinations },
		{ NULL } };
	struct rule line;
	struct cli_list words;
	struct uuid project;
	enum db_rc rc;
	int status;

	if (!cli_options(c, argc, argv, options, &words, 1, 1))
		return EXIT_USAGE;
	status = check_new_rule(c, &w);
	if (status == EXIT_OK)
		status = cli_project(c, w.project, &project);
	if (status != EXIT_OK)
		return status;
	rc = db_one(c->db, &insert_rule, &line, P(project), P(uuid_random()), P(words.p[0]),
	    P(w.source), P(w.severity), P(w.query),
	    P(((struct strs){ w.destinations.p, w.destinations.n })), P((bool)true));
	if (rc == DB_NONE)
		return cli_fail(EXIT_NOT_FOUND, "the project does not have such a --destination");
	if (rc != DB_OK)
		return cli_fail_db(c, rc, words.p[0].p);
	return cli_print(c, "rule", rule_row, &line);
}

static const struct command subs[] = {
	{ "list", "--project UUID", "newest first", .st = &list_rules, .lists = "rules",
	    .of = OF_PROJECT },
	{ "show", "UUID", "one of them", .st = &read_rule, .prints = "rule", .words = 1 },
	{ "create",
	    "--project UUID --source finding|service [--severity SEVERITY] [--query "
	    "QUERY] [--destination UUID]... NAME",
	    "create a rule and choose its destinations", .run = run_create_rule },
	{ "enable", "UUID", "let it raise alerts", .st = &enable_rule, .prints = "rule",
	    .words = 1 },
	{ "disable", "UUID", "the opposite", .st = &disable_rule, .prints = "rule", .words = 1 },
	{ "delete", "UUID", "its alerts and silences stay", .st = &delete_rule, .prints = "rule",
	    .words = 1 },
	{ NULL },
};

static const struct command alert_rules_command = { "alert-rules",
	.help = "rules that raise alerts", .sub = subs };

COMMAND(alert_rules_command);
