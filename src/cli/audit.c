/* SPDX-License-Identifier: ISC */
/* surfacectl audit: the changes and their authors, newest first. The audit is written by triggers
   and functions of the database, and by programs for changes that no trigger sees, such as an
   import.

     actor      "os:NAME" for surfacectl; see export_actor in main.c
     before     the row before the change, as JSON without hashes and secrets; null for a new row
     after      the row after it; null for a deleted one
     changed    the names of the members that differ between both, with commas
     request_id   the API's request that made the change */
#include "config.h"

#include "cli/cli.h"
#include "resource/audit.h"

enum { LINES = 50, LINES_MAX = 10000 };

struct line {
	struct ts at;
	struct str actor, program, action, subject_id, changed;
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
	FIELD(struct line, changed, 0),
	FIELD(struct line, before, NULLABLE),
	FIELD(struct line, after, NULLABLE),
	FIELD(struct line, request_id, NULLABLE),
	FIELD_END,
};

/* An actor is stored as "os:ann", "key:PREFIX", "member:UUID" or "role:NAME". A filter may also
   give the name alone, the UUID of a key, or that of a member, which finds the member's keys as
   well. */
STMT_LIST(list_audit, struct line, line_out,
    "SELECT at, actor, program, action, subject_id, account_uuid,"
    " CASE WHEN before IS NULL OR after IS NULL THEN '' ELSE (SELECT coalesce(string_agg(m, ',' ORDER BY m), '')"
    "  FROM jsonb_object_keys(before || after) AS m"
    "  WHERE before -> m IS DISTINCT FROM after -> m) END AS changed,"
    " audit_times(before) AS before, audit_times(after) AS after, request_id FROM audit"
    " WHERE ($1::uuid IS NULL OR account_uuid = $1)"
    "   AND ($3::text IS NULL OR actor IN ($3, 'os:' || $3, 'role:' || $3, 'member:' || lower($3))"
    "     OR actor = ANY (ARRAY(SELECT 'key:' || prefix FROM api_key"
    "       WHERE prefix = $3 OR lower($3) IN (uuid::text, owner_uuid::text))))"
    "   AND ($4::text IS NULL OR action = $4)"
    "   AND ($5::text IS NULL OR subject = $5)"
    "   AND ($6::text IS NULL OR subject_id = $6)"
    "   AND ($7::uuid IS NULL OR audit_project(project_uuid, subject, subject_id, before, after) = "
    "$7)"
    "   AND ($8::timestamptz IS NULL OR at >= $8) AND ($9::timestamptz IS NULL OR at < $9)"
    "   AND ($10::text IS NULL OR request_id = $10)"
    " ORDER BY id DESC LIMIT $2");

struct filters {
	struct str account, actor, action, subject, subject_id, project, request_id, limit;
	struct ts since, until;
	struct uuid account_uuid, project_uuid; /* all zero: any */
	int64_t lines;
};

static bool
is_action(struct str action)
{
	for (size_t i = 0; audit_actions[i] != NULL; i++)
		if (str_is(action, audit_actions[i]))
			return true;
	return false;
}

/* A filter that fits no line by mistake would look like a log without changes. */
static int
check_filters(struct cli *c, struct filters *f)
{
	int status = EXIT_OK;

	if (f->limit.p != NULL &&
	    (!str_int64(f->limit, &f->lines) || f->lines < 1 || f->lines > LINES_MAX))
		return cli_usage(c, "--limit wants a number from 1 to %d", LINES_MAX);
	if (f->action.p != NULL && !is_action(f->action))
		return cli_usage(
		    c, "no change is called %s; openapi.json lists the actions", f->action.p);
	if (!ts_is_null(f->since) && !ts_is_null(f->until) && ts_cmp(f->since, f->until) >= 0)
		return cli_usage(c, "--until must be later than --since");
	if (f->project.p != NULL && !uuid_parse(f->project, &f->project_uuid))
		return cli_usage(c, "--project %s is no UUID", f->project.p);
	if (f->account.p != NULL)
		status = cli_account(c, f->account, &f->account_uuid);
	return status;
}

static int
audit(struct cli *c, int argc, char **argv)
{
	struct filters f = { .since = TS_NULL, .until = TS_NULL, .lines = LINES };
	const struct cli_option options[] = {
		{ "account", .text = &f.account },
		{ "project", .text = &f.project },
		{ "actor", .text = &f.actor },
		{ "action", .text = &f.action },
		{ "subject", .text = &f.subject },
		{ "subject-id", .text = &f.subject_id },
		{ "request-id", .text = &f.request_id },
		{ "since", .past = &f.since },
		{ "until", .past = &f.until },
		{ "limit", .text = &f.limit },
		{ NULL },
	};
	struct cli_list words;
	int status;

	if (!cli_options(c, argc, argv, options, &words, 0, 0))
		return EXIT_USAGE;
	status = check_filters(c, &f);
	if (status != EXIT_OK)
		return status;
	return cli_rows(c, "audit", &list_audit,
	    DB_ARGS(P(f.account_uuid), P(f.lines), P(f.actor), P(f.action), P(f.subject),
		P(f.subject_id), P(f.project_uuid), P(f.since), P(f.until), P(f.request_id)));
}

static const struct command audit_command = {
	.name = "audit",
	.arguments = "[--account ACCOUNT] [--project UUID] [--actor NAME] [--action ACTION] "
		     "[--subject KIND] [--subject-id ID] [--request-id ID] [--since TIME] "
		     "[--until TIME] [--limit N]",
	.help = "the audit log, newest first",
	.narrow = "at actor action subject_id changed request_id",
	.run = audit,
};

COMMAND(audit_command);
