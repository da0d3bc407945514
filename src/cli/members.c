/* SPDX-License-Identifier: ISC */
/* surfacectl members: people in an organisation, who hold its keys. */
#include "config.h"

#include "cli/cli.h"

struct member {
	struct uuid uuid, account_uuid;
	struct str name, email, role;
	bool all_projects;
	struct ts created_at, removed_at;
};

static const struct field member_out[] = {
	FIELD(struct member, uuid, 0),
	FIELD(struct member, account_uuid, 0),
	FIELD(struct member, name, 0),
	FIELD(struct member, email, 0),
	FIELD(struct member, role, 0),
	FIELD(struct member, all_projects, 0),
	FIELD(struct member, created_at, 0),
	FIELD(struct member, removed_at, NULLABLE),
	FIELD_END,
};

#define COLUMNS                                                                          \
	"uuid, account_uuid, name, email, role, all_projects, created_at, removed_at"

static const struct stmt list_members = STMT_LIST(list_members, struct member, member_out,
    "SELECT " COLUMNS " FROM member WHERE account_uuid = $1 AND (removed_at IS NULL OR "
    "$2) ORDER BY name, uuid");

static const struct stmt insert_member = STMT(insert_member, member_out,
    "INSERT INTO member (account_uuid, name, email, role, all_projects)"
    " VALUES ($1, $2, $3, $4, $5) RETURNING " COLUMNS);

/* Their keys stop working with them. */
static const struct stmt remove_member = STMT(remove_member, member_out,
    "UPDATE member SET removed_at = coalesce(removed_at, now()) WHERE uuid::text = "
    "lower($1) RETURNING " COLUMNS);

static const struct stmt limit_member = STMT(limit_member, member_out,
    "UPDATE member SET all_projects = $2 WHERE uuid::text = lower($1) "
    "RETURNING " COLUMNS);

static int
list(struct cli *c, int argc, char **argv)
{
	struct str account = STR_NULL;
	bool removed = false;
	const struct cli_option options[] = {
		{ "account", .text = &account },
		{ "removed", .flag = &removed },
		{ NULL },
	};
	struct cli_list words;
	struct uuid uuid;
	struct list rows;
	enum db_rc rc;
	int status;

	if (!cli_options(c, argc, argv, options, &words, 0, 0))
		return EXIT_USAGE;
	status = cli_account(c, account, &uuid);
	if (status != EXIT_OK)
		return status;
	rc = db_list(c->db, &list_members, &rows, P(uuid), P(removed));
	if (rc != DB_OK)
		return cli_fail_db(c, rc, "members");
	return cli_print_list(c, "members", member_out, rows, sizeof(struct member));
}

static int
create(struct cli *c, int argc, char **argv)
{
	struct str account = STR_NULL, email = STR_NULL;
	bool owner = false, limited = false;
	const struct cli_option options[] = {
		{ "account", .text = &account },
		{ "email", .text = &email },
		{ "owner", .flag = &owner },
		{ "limited", .flag = &limited },
		{ NULL },
	};
	struct cli_list words;
	struct member m;
	struct uuid uuid;
	enum db_rc rc;
	int status;

	if (!cli_options(c, argc, argv, options, &words, 1, 1))
		return EXIT_USAGE;
	if (email.p == NULL)
		return cli_usage(c, "--email is missing");
	if (owner && limited)
		return cli_usage(c, "an owner sees every project: --owner and --limited "
				    "exclude each other");
	status = cli_account(c, account, &uuid);
	if (status != EXIT_OK)
		return status;
	rc = db_one(c->db, &insert_member, &m, P(uuid), P(words.p[0]), P(email),
	    P(owner ? STR("owner") : STR("member")), P((bool)!limited));
	if (rc != DB_OK)
		return cli_fail_db(c, rc, words.p[0].p);
	return cli_print(c, "member", member_out, &m);
}

static int
remove_one(struct cli *c, int argc, char **argv)
{
	const struct cli_option options[] = { { NULL } };
	struct cli_list words;
	struct member m;
	enum db_rc rc;

	if (!cli_options(c, argc, argv, options, &words, 1, 1))
		return EXIT_USAGE;
	rc = db_one(c->db, &remove_member, &m, P(words.p[0]));
	if (rc != DB_OK)
		return cli_fail_db(c, rc, words.p[0].p);
	return cli_print(c, "member", member_out, &m);
}

static int
set_ceiling(struct cli *c, int argc, char **argv)
{
	const struct cli_option options[] = { { NULL } };
	struct cli_list words;
	struct member m;
	enum db_rc rc;
	bool all;

	if (!cli_options(c, argc, argv, options, &words, 2, 2))
		return EXIT_USAGE;
	all = str_is(words.p[1], "all");
	if (!all && !str_is(words.p[1], "granted"))
		return cli_usage(c, "which projects: all or granted?");
	rc = db_one(c->db, &limit_member, &m, P(words.p[0]), P(all));
	if (rc != DB_OK)
		return cli_fail_db(c, rc, words.p[0].p);
	return cli_print(c, "member", member_out, &m);
}

static const struct command subs[] = {
	{ "list", "--account ACCOUNT [--removed]", "who is in an account", .run = list },
	{ "create", "--account ACCOUNT --email ADDRESS [--owner | --limited] NAME",
	    "a person; --limited: sees granted projects alone", .run = create },
	{ "ceiling", "MEMBER all|granted", "which projects the person and their keys see",
	    .run = set_ceiling },
	{ "remove", "MEMBER", "the person's keys stop working; records keep the name",
	    .run = remove_one },
	{ NULL },
};

const struct command members_command = { "members", .help = "people in organisations",
	.sub = subs };
