/* SPDX-License-Identifier: ISC */
/* surfacectl projects: the projects of an account, and the members who may see or manage them. */
#include "config.h"

#include "cli/cli.h"
#include "resource/project.h"

/* The columns of project_with_account. */
#define COLUMNS PROJECT_COLUMNS ", account_uuid"

struct grant {
	struct uuid project_uuid, member_uuid;
	struct str role;
};

static const struct field grant_out[] = {
	FIELD(struct grant, project_uuid, 0),
	FIELD(struct grant, member_uuid, 0),
	FIELD(struct grant, role, 0),
	FIELD_END,
};

STMT_LIST(list_projects, struct project_record, project_with_account,
    "SELECT " COLUMNS " FROM project WHERE account_uuid = $1 ORDER BY name");

STMT_LIST(insert_project, struct project_record, project_with_account,
    "INSERT INTO project (account_uuid, name) VALUES ($1, $2) RETURNING " COLUMNS);

STMT_LIST(rename_project, struct project_record, project_with_account,
    "UPDATE project SET name = $2 WHERE uuid::text = lower($1) RETURNING " COLUMNS);

STMT_LIST(list_grants, struct grant, grant_out,
    "SELECT project_uuid, member_uuid, role FROM project_member WHERE project_uuid::text "
    "= lower($1)"
    " ORDER BY member_uuid");

static const struct field one_out[] = {
	FIELD(struct grant, project_uuid, 0),
	FIELD_END,
};

STMT_LIST(find_project, struct grant, one_out,
    "SELECT uuid AS project_uuid FROM project WHERE uuid::text = lower($1)");

/* No row: project and member do not exist in the same account. The join by
   account_uuid is the check, so a member of one organisation can never be granted
   a project of another one, whatever UUIDs are typed. Granting again changes the
   role. The role is for people who read it; the rights of a key are its scopes and
   projects (api/surface/project.c). */
STMT(grant_project, grant_out,
    "INSERT INTO project_member (account_uuid, project_uuid, member_uuid, role)"
    " SELECT p.account_uuid, p.uuid, m.uuid, $3 FROM project p JOIN member m USING "
    "(account_uuid)"
    "  WHERE p.uuid::text = lower($1) AND m.uuid::text = lower($2)"
    " ON CONFLICT (project_uuid, member_uuid) DO UPDATE SET role = excluded.role"
    " RETURNING project_uuid, member_uuid, role");

STMT_LIST(revoke_project, struct grant, grant_out,
    "DELETE FROM project_member WHERE project_uuid::text = lower($1) AND "
    "member_uuid::text = lower($2)"
    " RETURNING project_uuid, member_uuid, role");

int
cli_project(struct cli *c, struct str given, struct uuid *out)
{
	struct grant found;
	enum db_rc rc;

	if (given.p == NULL)
		return cli_usage(c, "--project UUID is missing");
	rc = db_one(c->db, &find_project, &found, P(given));
	if (rc == DB_NONE)
		return cli_fail(EXIT_NOT_FOUND, "there is no project %s", given.p);
	if (rc != DB_OK)
		return cli_fail_db(c, rc, given.p);
	*out = found.project_uuid;
	return EXIT_OK;
}

static int
grant_to_member(struct cli *c, int argc, char **argv)
{
	bool manager = false;
	const struct cli_option options[] = { { "manager", .flag = &manager }, { NULL } };
	struct cli_list words;
	struct grant g;
	enum db_rc rc;

	if (!cli_options(c, argc, argv, options, &words, 2, 2))
		return EXIT_USAGE;
	rc = db_one(c->db, &grant_project, &g, P(words.p[0]), P(words.p[1]),
	    P(manager ? STR("manager") : STR("viewer")));
	if (rc == DB_NONE)
		return cli_fail(EXIT_NOT_FOUND, "no account has both this project and this member");
	if (rc != DB_OK)
		return cli_fail_db(c, rc, words.p[0].p);
	return cli_print(c, "grant", grant_out, &g);
}

static const struct command subs[] = {
	{ "list", "--account ACCOUNT", "projects of an account", .st = &list_projects,
	    .lists = "projects", .of = OF_ACCOUNT },
	{ "create", "--account ACCOUNT NAME", "a new project", .st = &insert_project,
	    .prints = "project", .of = OF_ACCOUNT, .words = 1 },
	{ "rename", "PROJECT NAME", "another name", .st = &rename_project, .prints = "project",
	    .words = 2 },
	{ "members", "PROJECT", "list the members who may see the project", .first = &find_project,
	    .st = &list_grants, .lists = "grants", .words = 1 },
	{ "grant", "[--manager] PROJECT MEMBER", "let a member see it, or manage it",
	    .run = grant_to_member },
	{ "revoke", "PROJECT MEMBER", "the opposite", .st = &revoke_project, .prints = "grant",
	    .words = 2 },
	{ NULL },
};

static const struct command projects_command = { "projects", .help = "projects of organisations",
	.sub = subs };

COMMAND(projects_command);
