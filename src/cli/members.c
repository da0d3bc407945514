/* SPDX-License-Identifier: ISC */
/* surfacectl members: people in an organisation, who hold its keys. */
#include "config.h"

#include "cli/setup.h"

/* clang-format off */
#define MEMBER_FIELDS                                                                              \
	FIELD(struct member, uuid, 0),                                                             \
	FIELD(struct member, account_uuid, 0),                                                     \
	FIELD(struct member, name, 0),                                                             \
	FIELD(struct member, email, 0),                                                            \
	FIELD(struct member, role, 0),                                                             \
	FIELD(struct member, all_projects, 0),                                                     \
	FIELD(struct member, created_at, 0),                                                       \
	FIELD(struct member, removed_at, NULLABLE)
/* clang-format on */

static const struct field member_out[] = { MEMBER_FIELDS, FIELD_END };

static const struct field invited_out[] = {
	MEMBER_FIELDS,
	FIELD(struct member, link, OMIT_UNSET),
	FIELD(struct member, token, OMIT_UNSET),
	FIELD(struct member, link_expires_at, 0),
	FIELD_END,
};

#define COLUMNS "uuid, account_uuid, name, email, role, all_projects, created_at, removed_at"

STMT_LIST(list_members, struct member, member_out,
    "SELECT " COLUMNS " FROM member WHERE account_uuid = $1 AND (removed_at IS NULL OR "
    "$2) ORDER BY name, uuid");

STMT_SHARED(insert_member, struct member, member_out,
    "INSERT INTO member (account_uuid, name, email, role, all_projects)"
    " VALUES ($1, $2, $3, $4, $5) RETURNING " COLUMNS);

/* The API refuses the keys of a removed member. */
STMT_LIST(remove_member, struct member, member_out,
    "UPDATE member SET removed_at = coalesce(removed_at, now()) WHERE uuid::text = "
    "lower($1) RETURNING " COLUMNS);

STMT_LIST(limit_member, struct member, member_out,
    "UPDATE member SET all_projects = $2 WHERE uuid::text = lower($1) "
    "RETURNING " COLUMNS);

STMT_LIST(find_unjoined, struct member, member_out,
    "SELECT " COLUMNS " FROM member WHERE uuid::text = lower($1) AND removed_at IS NULL"
    " AND person_uuid IS NULL");

/* Prints a member with a new link. */
static int
print_invited(struct cli *c, struct member *m)
{
	static const struct uuid none;
	struct cli_link link;
	enum db_rc rc = cli_link_make(c, m->uuid, none, &link);
	int status;

	if (rc != DB_OK)
		return cli_fail_db(c, rc, m->name.p);
	m->link = link.link;
	m->token = link.token;
	m->link_expires_at = link.expires_at;
	status = cli_print(c, "member", invited_out, m);
	cli_link_warn(c, &link);
	return status;
}

static int
link_member(struct cli *c, int argc, char **argv)
{
	const struct cli_option options[] = { { NULL } };
	struct cli_list words;
	struct member m;
	enum db_rc rc;

	if (!cli_options(c, argc, argv, options, &words, 1, 1))
		return EXIT_USAGE;
	rc = db_one(c->db, &find_unjoined, &m, P(words.p[0]));
	if (rc == DB_NONE)
		return cli_fail(EXIT_NOT_FOUND,
		    "there is no member %s whom a link could let in: not known, removed, or "
		    "joined already",
		    words.p[0].p);
	return rc == DB_OK ? print_invited(c, &m) : cli_fail_db(c, rc, words.p[0].p);
}

/* Creates an owner. The first member of an account is created here, because no other member can
   invite one yet. */
static int
create_owner(struct cli *c, struct uuid account, struct str name, struct str email)
{
	struct member m;
	enum db_rc rc = db_one(
	    c->db, &insert_member, &m, P(account), P(name), P(email), P(STR("owner")), P(true));

	return rc == DB_OK ? print_invited(c, &m) : cli_fail_db(c, rc, name.p);
}

static int
create_member(struct cli *c, int argc, char **argv)
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
	struct uuid uuid;
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
	if (owner)
		return create_owner(c, uuid, words.p[0], email);
	return cli_one(c, "member", &insert_member, words.p[0].p, P(uuid), P(words.p[0]), P(email),
	    P(STR("member")), P((bool)!limited));
}

static int
set_ceiling(struct cli *c, int argc, char **argv)
{
	const struct cli_option options[] = { { NULL } };
	struct cli_list words;
	bool all;

	if (!cli_options(c, argc, argv, options, &words, 2, 2))
		return EXIT_USAGE;
	all = str_is(words.p[1], "all");
	if (!all && !str_is(words.p[1], "granted"))
		return cli_usage(c, "which projects: all or granted?");
	return cli_one(c, "member", &limit_member, words.p[0].p, P(words.p[0]), P(all));
}

static const struct command subs[] = {
	{ "list", "--account ACCOUNT [--removed]", "list the members of an account",
	    .st = &list_members, .lists = "members", .of = OF_ACCOUNT, .flag = "removed" },
	{ "create", "--account ACCOUNT --email ADDRESS [--owner | --limited] NAME",
	    "a person; --limited: sees granted projects alone; an owner gets a link to join",
	    .run = create_member },
	{ "link", "MEMBER", "a new one-time link by which the person joins; the former one ends",
	    .run = link_member },
	{ "ceiling", "MEMBER all|granted", "which projects the person and their keys see",
	    .run = set_ceiling },
	{ "remove", "MEMBER", "the person's keys stop working; records keep the name",
	    .st = &remove_member, .prints = "member", .words = 1 },
	{ NULL },
};

static const struct command members_command = { "members", .help = "people in organisations",
	.sub = subs };

COMMAND(members_command);
