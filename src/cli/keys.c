/* SPDX-License-Identifier: ISC */
/* surfacectl keys: API keys. create and rotate print the secret once; the database has only its
   hash. */
#include "config.h"

#include "cli/setup.h"

/* clang-format off */
#define MEMBERS                                                                                    \
	FIELD(struct key_line, prefix, 0),                                                         \
	FIELD(struct key_line, name, 0),                                                           \
	FIELD(struct key_line, state, 0),                                                          \
	FIELD(struct key_line, account_uuid, 0),                                                   \
	FIELD(struct key_line, owner_uuid, 0),                                                     \
	LIST_OF(struct key_line, scopes, 0, struct str, 0, 0),                                     \
	LIST_OF(struct key_line, projects, 0, struct str, 0, 0),                                   \
	FIELD(struct key_line, created_at, 0),                                                     \
	FIELD(struct key_line, expires_at, NULLABLE),                                              \
	FIELD(struct key_line, revoked_at, NULLABLE),                                              \
	FIELD(struct key_line, last_used_on, NULLABLE),                                            \
	FIELD_END
/* clang-format on */

static const struct field line_out[] = { FIELD(struct key_line, uuid, 0), MEMBERS };
static const struct field created_out[] = { FIELD(struct key_line, uuid, 0),
	FIELD(struct key_line, key, 0), MEMBERS };

#define COLUMNS                                                                                    \
	"uuid, prefix, name, CASE WHEN revoked_at IS NOT NULL THEN 'revoked'"                      \
	" WHEN expires_at <= now() THEN 'expired' ELSE 'active' END AS state,"                     \
	" account_uuid, owner_uuid, scopes::text[] AS scopes, "                                    \
	"coalesce(projects::text[], '{}') AS projects,"                                            \
	" created_at, expires_at, revoked_at,"                                                     \
	" (SELECT max(day)::text FROM usage_daily WHERE key_uuid = uuid AND requests > 0)"         \
	" AS last_used_on"

STMT_LIST(list_keys, struct key_line, line_out,
    "SELECT " COLUMNS
    " FROM api_key WHERE account_uuid = $1 AND kind = 'key' ORDER BY created_at, uuid");

/* $2: the member's UUID or address; null: the account's only owner. No row: no such member, or
   several owners. The aggregate makes one statement of the search and the insertion: HAVING
   count(*) = 1 passes only when exactly one member fits, and (array_agg(uuid))[1] is this member. A
   key always has an owner, since a member who is removed takes the keys along; guessing among
   several owners would give the key to the wrong person. */
STMT(insert_key, line_out,
    "INSERT INTO api_key (account_uuid, owner_uuid, name, prefix, sha256, scopes, "
    "projects, expires_at)"
    " SELECT $1, (array_agg(uuid))[1], $3, $4, $5, $6::text[]::scope_name[], "
    "nullif($7::uuid[], '{}'), $8"
    "  FROM member WHERE account_uuid = $1 AND removed_at IS NULL"
    "   AND (uuid::text = lower($2) OR lower(email) = lower($2) OR ($2 IS NULL AND role "
    "= 'owner'))"
    "  HAVING count(*) = 1 RETURNING " COLUMNS);

STMT(revoke_key, line_out,
    "UPDATE api_key SET revoked_at = coalesce(revoked_at, now())"
    " WHERE kind = 'key' AND (uuid::text = lower($1) OR prefix = $1) RETURNING " COLUMNS);

/* Creates a copy of a key with a new secret; the old key ends at $2, or now. All parts of the
   statement see the rows as they were before it, and the copy relies on that: it reads k.expires_at
   as it was before `old` shortened it, so the new key expires when the old one would have. Scopes
   that the account has lost are not copied: a rotation must not bring back a right. No row: the key
   does not exist, is revoked or has expired. */
STMT(rotate_key, line_out,
    "WITH old AS (UPDATE api_key SET revoked_at = CASE WHEN $2::timestamptz IS NULL THEN "
    "now() END,"
    "  expires_at = CASE WHEN $2 IS NULL THEN expires_at ELSE least(expires_at, $2) END"
    "  WHERE kind = 'key' AND (uuid::text = lower($1) OR prefix = $1) AND revoked_at IS NULL"
    "   AND (expires_at IS NULL OR expires_at > now()) RETURNING uuid)"
    " INSERT INTO api_key (account_uuid, owner_uuid, name, prefix, sha256, scopes, "
    "projects, expires_at,"
    "  rate, rate_window)"
    " SELECT k.account_uuid, k.owner_uuid, k.name, $3, $4, " KEY_SCOPES ","
    "  k.projects, k.expires_at, k.rate, k.rate_window FROM api_key k JOIN old USING "
    "(uuid) RETURNING " COLUMNS);

void
key_warn_once(const struct cli *c)
{
	if (!c->json)
		fputs("surfacectl: keep the key now: it is not stored and cannot be "
		      "shown again\n",
		    stderr);
}

static int
print_created(const struct cli *c, const struct key_line *k)
{
	int status = cli_print(c, "key", created_out, k);

	key_warn_once(c);
	return status;
}

/* A new secret in the arena, and what the database stores of it. */
struct new_secret {
	struct str secret;
	char prefix[KEY_PREFIX_LEN + 1];
	unsigned char hash[KEY_HASH_LEN];
};

static void
make_secret(struct arena *a, struct new_secret *out)
{
	char text[KEY_SECRET_LEN + 1];

	key_make(text, out->prefix, out->hash);
	out->secret = arena_str(a, str_of(text));
}

enum db_rc
key_insert(struct cli *c, struct uuid account, const struct key_wanted *w, struct key_line *out)
{
	struct new_secret s;
	enum db_rc rc;

	make_secret(c->arena, &s);
	rc = db_one(c->db, &insert_key, out, P(account), P(w->owner), P(w->name),
	    P(str_of(s.prefix)), P(((struct bytes){ s.hash, sizeof(s.hash) })), P(w->scopes),
	    P(w->projects), P(w->expires));
	out->key = s.secret;
	return rc;
}

static int
create_and_print(struct cli *c, struct str account, const struct key_wanted *w)
{
	struct key_line k;
	struct uuid uuid;
	enum db_rc rc;
	int status = cli_account(c, account, &uuid);

	if (status != EXIT_OK)
		return status;
	rc = key_insert(c, uuid, w, &k);
	if (rc == DB_NONE && w->owner.p == NULL)
		return cli_fail(EXIT_NOT_FOUND,
		    "the account has not exactly one owner: say --member, or"
		    " make one with surfacectl members create --owner");
	if (rc == DB_NONE)
		return cli_fail(EXIT_NOT_FOUND, "the account has no member %s", w->owner.p);
	if (rc != DB_OK)
		return cli_fail_db(c, rc, w->name.p);
	return print_created(c, &k);
}

static int
run_create_key(struct cli *c, int argc, char **argv)
{
	struct key_wanted w = { .expires = TS_NULL };
	struct str account = STR_NULL;
	struct cli_list scopes = { 0 }, projects = { 0 }, words;
	const struct cli_option options[] = {
		{ "account", .text = &account },
		{ "member", .text = &w.owner },
		{ "name", .text = &w.name },
		{ "scope", .list = &scopes },
		{ "project", .list = &projects },
		{ "expires", .time = &w.expires },
		{ NULL },
	};

	if (!cli_options(c, argc, argv, options, &words, 0, 0))
		return EXIT_USAGE;
	if (w.name.p == NULL)
		return cli_usage(c, "--name is missing");
	if (!cli_scopes(c, scopes, &w.scopes))
		return EXIT_USAGE;
	for (size_t i = 0; i < projects.n; i++)
		if (!uuid_parse(projects.p[i], &(struct uuid){ 0 }))
			return cli_usage(c, "--project wants the UUID of a project");
	w.projects = (struct strs){ projects.p, projects.n };
	return create_and_print(c, account, &w);
}

static int
run_revoke_key(struct cli *c, int argc, char **argv)
{
	const struct cli_option options[] = { { NULL } };
	struct cli_list words;
	struct key_line k;
	enum db_rc rc;

	if (!cli_options(c, argc, argv, options, &words, 1, 1))
		return EXIT_USAGE;
	if (words.p[0].n == KEY_SECRET_LEN && str_starts(words.p[0], STR("sfk_")))
		return cli_usage(c,
		    "the argument is a whole key, which others can see on a command "
		    "line; its "
		    "prefix %.*s is enough",
		    KEY_PREFIX_LEN, words.p[0].p);
	rc = db_one(c->db, &revoke_key, &k, P(words.p[0]));
	if (rc == DB_NONE) /* the message must not repeat the argument, which may be a secret */
		return cli_fail(EXIT_NOT_FOUND, "there is no key with this UUID or prefix");
	if (rc != DB_OK)
		return cli_fail_db(c, rc, "keys revoke");
	return cli_print(c, "key", line_out, &k);
}

static int
run_rotate_key(struct cli *c, int argc, char **argv)
{
	struct new_secret s;
	struct ts until = TS_NULL;
	const struct cli_option options[] = { { "until", .time = &until }, { NULL } };
	struct cli_list words;
	struct key_line k;
	enum db_rc rc;

	if (!cli_options(c, argc, argv, options, &words, 1, 1))
		return EXIT_USAGE;
	make_secret(c->arena, &s);
	rc = db_one(c->db, &rotate_key, &k, P(words.p[0]), P(until), P(str_of(s.prefix)),
	    P(((struct bytes){ s.hash, sizeof(s.hash) })));
	k.key = s.secret;
	if (rc == DB_NONE)
		return cli_fail(
		    EXIT_NOT_FOUND, "there is no key with this UUID or prefix that still works");
	if (rc != DB_OK)
		return cli_fail_db(c, rc, "keys rotate");
	return print_created(c, &k);
}

static const struct command subs[] = {
	{ "list", "--account ACCOUNT", "keys of an account, without their secrets",
	    .st = &list_keys, .lists = "keys", .of = OF_ACCOUNT,
	    .narrow = "prefix name state scopes projects expires_at last_used_on" },
	{ "create",
	    "--account ACCOUNT [--member MEMBER] --name NAME [--scope SCOPE|all]... "
	    "[--project UUID]... [--expires WHEN]",
	    "a new key, shown once; no scope unless given; every project of its owner "
	    "unless given",
	    .run = run_create_key },
	{ "rotate", "UUID|PREFIX [--until WHEN]",
	    "a new secret for what the key may do, shown once; the old one stops at "
	    "once, or then",
	    .run = run_rotate_key },
	{ "revoke", "UUID|PREFIX", "it stops working at once and for good", .run = run_revoke_key },
	{ NULL },
};

static const struct command keys_command = { "keys", .help = "API keys", .sub = subs };

COMMAND(keys_command);
