/* SPDX-License-Identifier: ISC */
/* surfacectl accounts: organisations, their state, and the scopes that their keys may have.

     account_scope    the ceiling of all keys: a key has a scope when its row and its account have it
     entitlement      the features that are granted, perhaps until a date
     state            a suspended account keeps everything, and its keys stop working

   A new account has all scopes and the entitlement "search", so that a first key works without
   further commands; --bare leaves both out. Commands take an account by its name or its UUID
   (cli_account). */
#include "config.h"

#include "cli/setup.h"

static const struct field account_out[] = {
	FIELD(struct account, uuid, 0),
	FIELD(struct account, name, 0),
	FIELD(struct account, state, 0),
	FIELD(struct account, group_uuid, NULLABLE),
	LIST_OF(struct account, scopes, 0, struct str, 0, 0),
	LIST_OF(struct account, entitlements, 0, struct str, 0, 0),
	FIELD(struct account, created_at, 0),
	FIELD_END,
};

struct account_line {
	struct uuid uuid;
	struct str name, state, account_group;
	struct ts created_at;
};

static const struct field line_out[] = {
	FIELD(struct account_line, uuid, 0),
	FIELD(struct account_line, name, 0),
	FIELD(struct account_line, state, 0),
	FIELD(struct account_line, account_group, NULLABLE),
	FIELD(struct account_line, created_at, 0),
	FIELD_END,
};

struct found {
	struct uuid uuid;
};

static const struct field found_out[] = { FIELD(struct found, uuid, 0), FIELD_END };

STMT_LIST(list_accounts, struct account_line, line_out,
    "SELECT a.uuid, a.name, a.state, g.name AS account_group, a.created_at"
    " FROM account a LEFT JOIN account_group g ON g.uuid = a.group_uuid ORDER BY a.name");

STMT_SHARED(show_account, struct account, account_out,
    "SELECT a.uuid, a.name, a.state, a.group_uuid,"
    " ARRAY(SELECT s.scope::text FROM account_scope s WHERE s.account_uuid = a.uuid "
    "ORDER BY 1) AS scopes,"
    " ARRAY(SELECT e.name::text FROM entitlement e WHERE e.account_uuid = a.uuid"
    "  AND (e.expires_at IS NULL OR e.expires_at > now()) ORDER BY 1) AS entitlements, "
    "a.created_at"
    " FROM account a WHERE a.uuid = $1");

STMT(find_account, found_out,
    "SELECT uuid FROM account WHERE uuid::text = lower($1) OR name = $1"
    " ORDER BY uuid::text = lower($1) DESC LIMIT 1");

/* No row: the requested group does not exist. The statement must insert in two cases and not in the
   third, for which a plain LEFT JOIN to the group is not enough:

     $2 is null          the LEFT JOIN finds no group: one row, with group_uuid null
     $2 names a group    one row, with its UUID
     $2 names none       the WHERE clause removes the row, and nothing is inserted

   (SELECT) AS one is a row without columns, which the LEFT JOIN keeps. */
STMT(insert_account, found_out,
    "INSERT INTO account (name, group_uuid)"
    " SELECT $1, g.uuid FROM (SELECT) AS one LEFT JOIN account_group g ON g.uuid::text = "
    "lower($2) OR g.name = $2"
    "  WHERE $2 IS NULL OR g.uuid IS NOT NULL RETURNING uuid");

STMT(allow_scopes, NULL,
    "INSERT INTO account_scope (account_uuid, scope) SELECT $1, s FROM "
    "unnest($2::text[]) AS s"
    " ON CONFLICT DO NOTHING");

STMT(deny_scopes, NULL,
    "DELETE FROM account_scope WHERE account_uuid = $1 AND scope = ANY ($2::text[])");

STMT(grant_entitlements, NULL,
    "INSERT INTO entitlement (account_uuid, name) SELECT $1, e FROM unnest($2::text[]) "
    "AS e");

STMT_LIST(suspend_account, struct found, found_out,
    "UPDATE account SET state = 'suspended' WHERE uuid = $1 RETURNING uuid");
STMT_LIST(activate_account, struct found, found_out,
    "UPDATE account SET state = 'active' WHERE uuid = $1 RETURNING uuid");

STMT(set_group, found_out,
    "UPDATE account a SET group_uuid = g.uuid"
    " FROM (SELECT) AS one LEFT JOIN account_group g ON g.uuid::text = lower($2) OR "
    "g.name = $2"
    " WHERE a.uuid = $1 AND ($2 = 'none' OR g.uuid IS NOT NULL) RETURNING a.uuid");

int
cli_account(struct cli *c, struct str given, struct uuid *out)
{
	struct found f;
	enum db_rc rc;

	if (given.p == NULL)
		return cli_usage(c, "--account NAME or UUID is missing");
	rc = db_one(c->db, &find_account, &f, P(given));
	if (rc == DB_NONE)
		return cli_fail(EXIT_NOT_FOUND, "there is no account %s", given.p);
	if (rc != DB_OK)
		return cli_fail_db(c, rc, given.p);
	*out = f.uuid;
	return EXIT_OK;
}

bool
cli_scopes(struct cli *c, struct cli_list given, struct strs *out)
{
	struct str *names = ARENA_ARRAY(c->arena, given.n + SCOPE_COUNT, struct str);
	size_t n = 0;

	for (size_t i = 0; i < given.n; i++) {
		if (str_is(given.p[i], "all")) {
			n = 0;
			for (unsigned s = SCOPE_FIRST; s < SCOPE_COUNT; s++)
				names[n++] = str_of(scope_name((enum scope)s));
			break;
		}
		if (scope_parse(given.p[i]) == SCOPE_UNSET) {
			cli_usage(c, "there is no scope %s", given.p[i].p);
			return false;
		}
		names[n++] = given.p[i];
	}
	*out = (struct strs){ names, n };
	return true;
}

bool
cli_entitlements(struct cli *c, struct cli_list given)
{
	for (size_t i = 0; i < given.n; i++) {
		if (entitlement_parse(given.p[i]) == ENTITLEMENT_UNSET) {
			cli_usage(c, "there is no entitlement %s", given.p[i].p);
			return false;
		}
	}
	return true;
}

static int
print_account(struct cli *c, struct uuid uuid)
{
	return cli_one(c, "account", &show_account, "account", P(uuid));
}

/* Parses the arguments of a command whose first word is the account. */
static int
account_words(struct cli *c, int argc, char **argv, size_t more_min, size_t more_max,
    struct cli_list *words, struct uuid *account)
{
	const struct cli_option options[] = { { NULL } };

	if (!cli_options(c, argc, argv, options, words, 1 + more_min, 1 + more_max))
		return EXIT_USAGE;
	return cli_account(c, words->p[0], account);
}

enum db_rc
account_insert(struct db *db, const struct account_wanted *w, struct uuid *out)
{
	struct found f;
	enum db_rc rc = db_one(db, &insert_account, &f, P(w->name), P(w->group));

	if (rc == DB_OK)
		rc = db_do(db, &allow_scopes, NULL, P(f.uuid), P(w->scopes));
	if (rc == DB_OK)
		rc = db_do(db, &grant_entitlements, NULL, P(f.uuid), P(w->entitlements));
	if (rc == DB_OK)
		*out = f.uuid;
	return rc;
}

/* Creates the account with its scopes and entitlements in one transaction: an account without its
   scopes would look complete, and each of its keys would be refused. db_rollback after a commit
   does nothing, so it is called in every case. */
static enum db_rc
insert_in_transaction(struct cli *c, const struct account_wanted *w, struct uuid *out)
{
	enum db_rc rc = db_begin(c->db);

	if (rc == DB_OK)
		rc = account_insert(c->db, w, out);
	if (rc == DB_OK)
		rc = db_commit(c->db);
	db_rollback(c->db);
	return rc;
}

static int
create_account(struct cli *c, int argc, char **argv)
{
	static const struct str all[] = { STR_INIT("all") }, search[] = { STR_INIT("search") };
	struct cli_list words, scopes = { 0 }, entitlements = { 0 };
	struct account_wanted w = { 0 };
	bool bare = false, if_missing = false;
	const struct cli_option options[] = {
		{ "group", .text = &w.group },
		{ "scope", .list = &scopes },
		{ "entitlement", .list = &entitlements },
		{ "bare", .flag = &bare },
		{ "if-missing", .flag = &if_missing },
		{ NULL },
	};
	struct uuid uuid;
	enum db_rc rc;

	if (!cli_options(c, argc, argv, options, &words, 1, 1))
		return EXIT_USAGE;
	w.name = words.p[0];
	if (scopes.n == 0 && !bare)
		scopes.p[scopes.n++] = all[0];
	w.entitlements = (struct strs){ entitlements.p, entitlements.n };
	if (entitlements.n == 0 && !bare)
		w.entitlements = (struct strs){ search, COUNT(search) };
	if (!cli_entitlements(c, entitlements) || !cli_scopes(c, scopes, &w.scopes))
		return EXIT_USAGE;
	rc = insert_in_transaction(c, &w, &uuid);
	if (rc == DB_CONFLICT && if_missing)
		return cli_account(c, w.name, &uuid) == EXIT_OK ? print_account(c, uuid)
								: EXIT_FAILED;
	if (rc == DB_NONE)
		return cli_fail(EXIT_NOT_FOUND, "there is no group %s", w.group.p);
	if (rc != DB_OK)
		return cli_fail_db(c, rc, w.name.p);
	return print_account(c, uuid);
}

static int
change_scopes(struct cli *c, int argc, char **argv, const struct stmt *st)
{
	struct cli_list words, given;
	struct strs scopes;
	struct uuid account;
	int status = account_words(c, argc, argv, 1, SCOPE_COUNT, &words, &account);
	enum db_rc rc;

	if (status != EXIT_OK)
		return status;
	given = (struct cli_list){ words.p + 1, words.n - 1 };
	if (!cli_scopes(c, given, &scopes))
		return EXIT_USAGE;
	rc = db_do(c->db, st, NULL, P(account), P(scopes));
	if (rc != DB_OK)
		return cli_fail_db(c, rc, words.p[0].p);
	return print_account(c, account);
}

static int
allow_account_scopes(struct cli *c, int argc, char **argv)
{
	return change_scopes(c, argc, argv, &allow_scopes);
}

static int
deny_account_scopes(struct cli *c, int argc, char **argv)
{
	return change_scopes(c, argc, argv, &deny_scopes);
}

static int
move_account(struct cli *c, int argc, char **argv)
{
	struct cli_list words;
	struct uuid account;
	struct found f;
	int status = account_words(c, argc, argv, 1, 1, &words, &account);
	enum db_rc rc;

	if (status != EXIT_OK)
		return status;
	rc = db_one(c->db, &set_group, &f, P(account), P(words.p[1]));
	if (rc == DB_NONE)
		return cli_fail(EXIT_NOT_FOUND, "there is no group %s", words.p[1].p);
	if (rc != DB_OK)
		return cli_fail_db(c, rc, words.p[0].p);
	return print_account(c, account);
}

static const struct command subs[] = {
	{ "list", NULL, "every account", .st = &list_accounts, .lists = "accounts" },
	{ "show", "ACCOUNT", "one account with its scopes and entitlements", .st = &show_account,
	    .prints = "account", .of = OF_ACCOUNT_WORD, .words = 1 },
	{ "create",
	    "[--group GROUP] [--scope SCOPE]... [--entitlement NAME]... [--bare] "
	    "[--if-missing] NAME",
	    "a new account; it allows every scope and has search unless told otherwise",
	    .run = create_account },
	{ "suspend", "ACCOUNT", "its keys get 403 from now on", .first = &suspend_account,
	    .st = &show_account, .prints = "account", .of = OF_ACCOUNT_WORD, .words = 1 },
	{ "activate", "ACCOUNT", "the opposite", .first = &activate_account, .st = &show_account,
	    .prints = "account", .of = OF_ACCOUNT_WORD, .words = 1 },
	{ "allow", "ACCOUNT SCOPE...", "scopes its keys may hold", .run = allow_account_scopes },
	{ "deny", "ACCOUNT SCOPE...", "every key of the account loses them at once",
	    .run = deny_account_scopes },
	{ "move", "ACCOUNT GROUP|none", "into a group", .run = move_account },
	{ NULL },
};

static const struct command accounts_command = { "accounts", .help = "organisations", .sub = subs };

COMMAND(accounts_command);
