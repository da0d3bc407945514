/* SPDX-License-Identifier: ISC */
/* surfacectl groups: accounts that share a quota. */
#include "config.h"

#include "cli/cli.h"

struct group {
	struct uuid uuid;
	struct str name;
	int64_t accounts;
	struct ts created_at;
};

static const struct field group_out[] = {
	FIELD(struct group, uuid, 0),
	FIELD(struct group, name, 0),
	FIELD(struct group, accounts, 0),
	FIELD(struct group, created_at, 0),
	FIELD_END,
};

static const struct stmt list_groups = STMT_LIST(list_groups, struct group, group_out,
    "SELECT g.uuid, g.name, (SELECT count(*) FROM account a WHERE a.group_uuid = g.uuid) "
    "AS accounts,"
    " g.created_at FROM account_group g ORDER BY g.name");

static const struct stmt insert_group = STMT(insert_group, group_out,
    "INSERT INTO account_group (name) VALUES ($1) RETURNING uuid, name, 0::bigint AS "
    "accounts, created_at");

static const struct stmt delete_group = STMT(delete_group, group_out,
    "DELETE FROM account_group WHERE uuid::text = lower($1) OR name = $1"
    " RETURNING uuid, name, 0::bigint AS accounts, created_at");

static int
list(struct cli *c, int argc, char **argv)
{
	const struct cli_option options[] = { { NULL } };
	struct cli_list words;
	struct list rows;
	enum db_rc rc;

	if (!cli_options(c, argc, argv, options, &words, 0, 0))
		return EXIT_USAGE;
	rc = db_rows(c->db, &list_groups, &rows, DB_NO_ARGS);
	if (rc != DB_OK)
		return cli_fail_db(c, rc, "groups");
	return cli_print_list(c, "groups", group_out, rows, sizeof(struct group));
}

static int
one(struct cli *c, int argc, char **argv, const struct stmt *st)
{
	const struct cli_option options[] = { { NULL } };
	struct cli_list words;
	struct group g;
	enum db_rc rc;

	if (!cli_options(c, argc, argv, options, &words, 1, 1))
		return EXIT_USAGE;
	rc = db_one(c->db, st, &g, P(words.p[0]));
	if (rc != DB_OK)
		return cli_fail_db(c, rc, words.p[0].p);
	return cli_print(c, "group", group_out, &g);
}

static int
create(struct cli *c, int argc, char **argv)
{
	return one(c, argc, argv, &insert_group);
}

static int delete (struct cli *c, int argc, char **argv)
{
	return one(c, argc, argv, &delete_group);
}

static const struct command subs[] = {
	{ "list", NULL, "every group", .run = list },
	{ "create", "NAME", "a new group", .run = create },
	{ "delete", "GROUP", "a group without accounts", .run = delete },
	{ NULL },
};

const struct command groups_command = { "groups",
	.help = "groups of accounts that share a quota", .sub = subs };
