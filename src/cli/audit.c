/* SPDX-License-Identifier: ISC */
/* surfacectl audit: the changes and their authors, newest first. The audit is written by triggers
   and functions of the database, and by programs for changes that no trigger sees, such as an
   import.

     actor      "os:NAME" for surfacectl; see export_actor in main.c
     before     the row before the change, as JSON without hashes and secrets; null for a new row
     after      the row after it; null for a deleted one
     request_id   the API's request that made the change */
#include "config.h"

#include "cli/cli.h"

enum { LINES = 50, LINES_MAX = 10000 };

struct line {
	struct ts at;
	struct str actor, program, action, subject_id;
	struct uuid account_uuid;
	struct json before, after;
	struct str request_id;
};

static const struct field line_out[] = {
	FIELD(struct line, at, 0),
	FIELD(struct line, actor, 0),
	FIELD(struct line, program, 0),
	FIELD(struct line, action, 0),
	FIELD(struct line, subject_id, 0),
	FIELD(struct line, account_uuid, NULLABLE),
	FIELD(struct line, before, NULLABLE),
	FIELD(struct line, after, NULLABLE),
	FIELD(struct line, request_id, NULLABLE),
	FIELD_END,
};

STMT_LIST(list_audit, struct line, line_out,
    "SELECT at, actor, program, action, subject_id, account_uuid, before, after, "
    "request_id FROM audit"
    " WHERE $1::uuid IS NULL OR account_uuid = $1 ORDER BY id DESC LIMIT $2");

static int
audit(struct cli *c, int argc, char **argv)
{
	struct str account = STR_NULL, limit = STR_NULL;
	const struct cli_option options[] = {
		{ "account", .text = &account },
		{ "limit", .text = &limit },
		{ NULL },
	};
	struct cli_list words;
	struct uuid uuid = { { 0 } };
	int64_t n = LINES;
	int status;

	if (!cli_options(c, argc, argv, options, &words, 0, 0))
		return EXIT_USAGE;
	if (limit.p != NULL && (!str_int64(limit, &n) || n < 1 || n > LINES_MAX))
		return cli_usage(c, "--limit wants a number from 1 to %d", LINES_MAX);
	if (account.p != NULL) {
		status = cli_account(c, account, &uuid);
		if (status != EXIT_OK)
			return status;
	}
	return cli_rows(c, "audit", &list_audit, DB_ARGS(P(uuid), P(n)));
}

static const struct command audit_command = {
	.name = "audit",
	.arguments = "[--account ACCOUNT] [--limit N]",
	.help = "the audit log, newest first",
	.run = audit,
};

COMMAND(audit_command);
