/* SPDX-License-Identifier: ISC */
/* surfacectl alerts: the inbox of a project. */
#include "config.h"

#include "cli/cli.h"
#include "resource/alert.h"

STMT_LIST(list_alerts, struct alert, alert_out,
    "SELECT " ALERT_COLUMNS " FROM alert"
    " WHERE project_uuid = $1 AND ($2 OR state <> 'closed')"
    " AND ($3::text IS NULL OR rule_uuid::text = lower($3))"
    " ORDER BY created_at DESC, uuid LIMIT 1000");

static const struct command subs[] = {
	{ "list", "--project UUID [--rule UUID] [--all]", "the newest that are not closed, or all",
	    .st = &list_alerts, .lists = "alerts", .of = OF_PROJECT, .flag = "all",
	    .texts = { "rule" },
	    .narrow = "uuid rule_uuid state severity source raised_count created_at last_raised_at "
		      "title" },
	{ NULL },
};

static const struct command alerts_command = { "alerts", .help = "alerts that rules raised",
	.sub = subs };

COMMAND(alerts_command);
