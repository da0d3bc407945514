/* SPDX-License-Identifier: ISC */
/* surfacectl entitlements: the features that are granted to an organisation. */
#include "config.h"

#include "cli/cli.h"

struct line {
	struct str name;
	bool active;
	struct ts created_at, expires_at;
};

static const struct field line_out[] = {
	FIELD(struct line, name, 0),
	FIELD(struct line, active, 0),
	FIELD(struct line, created_at, 0),
	FIELD(struct line, expires_at, NULLABLE),
	FIELD_END,
};

#define COLUMNS                                                                                    \
	"name, expires_at IS NULL OR expires_at > now() AS active, created_at, "                   \
	"expires_at"

STMT_LIST(list_entitlements, struct line, line_out,
    "SELECT " COLUMNS " FROM entitlement WHERE account_uuid = $1 ORDER BY name");

STMT_LIST(grant_entitlement, struct line, line_out,
    "INSERT INTO entitlement (account_uuid, name, expires_at) VALUES ($1, $2, $3)"
    " ON CONFLICT (account_uuid, name) DO UPDATE SET expires_at = excluded.expires_at"
    " RETURNING entitlement.name, entitlement.expires_at IS NULL OR "
    "entitlement.expires_at > now() AS active,"
    " entitlement.created_at, entitlement.expires_at");

STMT_LIST(revoke_entitlement, struct line, line_out,
    "DELETE FROM entitlement WHERE account_uuid = $1 AND name = $2"
    " RETURNING name, false AS active, created_at, expires_at");

struct entitlement_args {
	struct str account, name;
	struct ts expires;
	struct uuid uuid;
};

static int
read_entitlements(struct cli *c, int argc, char **argv, struct entitlement_args *s)
{
	const struct cli_option options[] = {
		{ "account", .text = &s->account },
		{ "expires", .time = &s->expires },
		{ NULL },
	};
	struct cli_list words;

	s->expires = TS_NULL;
	if (!cli_options(c, argc, argv, options, &words, 1, 1))
		return EXIT_USAGE;
	s->name = words.p[0];
	if (entitlement_parse(s->name) == ENTITLEMENT_UNSET)
		return cli_usage(c, "there is no entitlement %s", s->name.p);
	return cli_account(c, s->account, &s->uuid);
}

static int
grant_to_account(struct cli *c, int argc, char **argv)
{
	struct entitlement_args s = { 0 };
	int status = read_entitlements(c, argc, argv, &s);

	if (status != EXIT_OK)
		return status;
	return cli_one(
	    c, "entitlement", &grant_entitlement, s.name.p, P(s.uuid), P(s.name), P(s.expires));
}

static int
revoke_from_account(struct cli *c, int argc, char **argv)
{
	struct entitlement_args s = { 0 };
	int status = read_entitlements(c, argc, argv, &s);

	if (status != EXIT_OK)
		return status;
	return cli_one(c, "entitlement", &revoke_entitlement, s.name.p, P(s.uuid), P(s.name));
}

static const struct command subs[] = {
	{ "list", "--account ACCOUNT", "list the entitlements of an account",
	    .st = &list_entitlements, .lists = "entitlements", .of = OF_ACCOUNT },
	{ "grant", "--account ACCOUNT [--expires WHEN] NAME", "until it is revoked, or until then",
	    .run = grant_to_account },
	{ "revoke", "--account ACCOUNT NAME", "at once", .run = revoke_from_account },
	{ NULL },
};

static const struct command entitlements_command = { "entitlements",
	.help = "features that organisations may use", .sub = subs };

COMMAND(entitlements_command);
