/* SPDX-License-Identifier: ISC */
/* surfacectl alerts: the inbox of a project. */
#include "config.h"

#include "cli/cli.h"

struct alert_line {
	struct uuid uuid, rule_uuid;
	struct str state, severity, source;
	struct uuid source_uuid;
	int64_t raised_count;
	struct ts created_at, last_raised_at;
	struct str title;
};

static const struct field alert_out[] = {
	FIELD(struct alert_line, uuid, 0),
	FIELD(struct alert_line, rule_uuid, 0),
	FIELD(struct alert_line, state, 0),
	FIELD(struct alert_line, severity, NULLABLE),
	FIELD(struct alert_line, source, 0),
	FIELD(struct alert_line, source_uuid, 0),
	FIELD(struct alert_line, raised_count, 0),
	FIELD(struct alert_line, created_at, 0),
	FIELD(struct alert_line, last_raised_at, 0),
	FIELD(struct alert_line, title, 0),
	FIELD_END,
};

STMT_LIST(list_alerts, struct alert_line, alert_out,
    "SELECT uuid, rule_uuid, state, severity, source, source_uuid, raised_count,"
    " created_at, last_raised_at, title FROM alert"
    " WHERE project_uuid = $1 AND ($2 OR state <> 'closed')"
    " AND ($3::text IS NULL OR rule_uuid::text = lower($3))"
    " ORDER BY created_at DESC, uuid LIMIT 1000");

static const struct command subs[] = {
	{ "list", "--project UUID [--rule UUID] [--all]", "the newest that are not closed, or all",
	    .st = &list_alerts, .lists = "alerts", .of = OF_PROJECT, .flag = "all",
	    .texts = { "rule" } },
	{ NULL },
};

static const struct command alerts_command = { "alerts", .help = "alerts that rules raised",
	.sub = subs };

COMMAND(alerts_command);
