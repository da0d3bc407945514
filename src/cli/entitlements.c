/* SPDX-License-Identifier: ISC */
/* surfacectl entitlements: what an organisation has been given. */
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

#define COLUMNS                                                                          \
	"name, expires_at IS NULL OR expires_at > now() AS active, created_at, "         \
	"expires_at"

static const struct stmt list_entitlements =
    STMT_LIST(list_entitlements, struct line, line_out,
	"SELECT " COLUMNS " FROM entitlement WHERE account_uuid = $1 ORDER BY name");

static const struct stmt grant_entitlement = STMT(grant_entitlement, line_out,
    "INSERT INTO entitlement (account_uuid, name, expires_at) VALUES ($1, $2, $3)"
    " ON CONFLICT (account_uuid, name) DO UPDATE SET expires_at = excluded.expires_at"
    " RETURNING entitlement.name, entitlement.expires_at IS NULL OR "
    "entitlement.expires_at > now() AS active,"
    " entitlement.created_at, entitlement.expires_at");

static const struct stmt revoke_entitlement = STMT(revoke_entitlement, line_out,
    "DELETE FROM entitlement WHERE account_uuid = $1 AND name = $2"
    " RETURNING name, false AS active, created_at, expires_at");

struct said {
	struct str account;
	struct ts expires;
	struct cli_list words;
	struct uuid uuid;
};

static int
read_said(struct cli *c, int argc, char **argv, struct said *s, size_t words)
{
	const struct cli_option options[] = {
		{ "account", .text = &s->account },
		{ "expires", .time = &s->expires },
		{ NULL },
	};

	s->expires = TS_NULL;
	if (!cli_options(c, argc, argv, options, &s->words, words, words))
		return EXIT_USAGE;
	if (words > 0 && entitlement_parse(s->words.p[0]) == ENTITLEMENT_UNSET)
		return cli_usage(c, "there is no entitlement %s", s->words.p[0].p);
	return cli_account(c, s->account, &s->uuid);
}

static int
list(struct cli *c, int argc, char **argv)
{
	struct said s = { 0 };
	struct list rows;
	enum db_rc rc;
	int status = read_said(c, argc, argv, &s, 0);

	if (status != EXIT_OK)
		return status;
	rc = db_list(c->db, &list_entitlements, &rows, P(s.uuid));
	if (rc != DB_OK)
		return cli_fail_db(c, rc, "entitlements");
	return cli_print_list(c, "entitlements", line_out, rows, sizeof(struct line));
}

static int
grant(struct cli *c, int argc, char **argv)
{
	struct said s = { 0 };
	struct line l;
	enum db_rc rc;
	int status = read_said(c, argc, argv, &s, 1);

	if (status != EXIT_OK)
		return status;
	rc = db_one(
	    c->db, &grant_entitlement, &l, P(s.uuid), P(s.words.p[0]), P(s.expires));
	if (rc != DB_OK)
		return cli_fail_db(c, rc, s.words.p[0].p);
	return cli_print(c, "entitlement", line_out, &l);
}

static int
revoke(struct cli *c, int argc, char **argv)
{
	struct said s = { 0 };
	struct line l;
	enum db_rc rc;
	int status = read_said(c, argc, argv, &s, 1);

	if (status != EXIT_OK)
		return status;
	rc = db_one(c->db, &revoke_entitlement, &l, P(s.uuid), P(s.words.p[0]));
	if (rc != DB_OK)
		return cli_fail_db(c, rc, s.words.p[0].p);
	return cli_print(c, "entitlement", line_out, &l);
}

static const struct command subs[] = {
	{ "list", "--account ACCOUNT", "what the account has", .run = list },
	{ "grant", "--account ACCOUNT [--expires WHEN] NAME",
	    "until it is revoked, or until then", .run = grant },
	{ "revoke", "--account ACCOUNT NAME", "at once", .run = revoke },
	{ NULL },
};

const struct command entitlements_command = { "entitlements",
	.help = "what organisations have been given", .sub = subs };
