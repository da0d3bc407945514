/* SPDX-License-Identifier: ISC */
/* surfacectl groups: groups of accounts that share a quota. */
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

STMT_LIST(list_groups, struct group, group_out,
    "SELECT g.uuid, g.name, (SELECT count(*) FROM account a WHERE a.group_uuid = g.uuid) "
    "AS accounts,"
    " g.created_at FROM account_group g ORDER BY g.name");

STMT_LIST(insert_group, struct group, group_out,
    "INSERT INTO account_group (name) VALUES ($1) RETURNING uuid, name, 0::bigint AS "
    "accounts, created_at");

STMT_LIST(delete_group, struct group, group_out,
    "DELETE FROM account_group WHERE uuid::text = lower($1) OR name = $1"
    " RETURNING uuid, name, 0::bigint AS accounts, created_at");

static const struct command subs[] = {
	{ "list", NULL, "every group", .st = &list_groups, .lists = "groups" },
	{ "create", "NAME", "a new group", .st = &insert_group, .prints = "group", .words = 1 },
	{ "delete", "GROUP", "a group without accounts", .st = &delete_group, .prints = "group",
	    .words = 1 },
	{ NULL },
};

static const struct command groups_command = { "groups",
	.help = "groups of accounts that share a quota", .sub = subs };

COMMAND(groups_command);
