/* SPDX-License-Identifier: ISC */
/* surfacectl sessions: the browser sessions and their state, and the session limits of
   organisations and keys. */
#include "config.h"

#include "cli/cli.h"
#include "resource/session.h"

/* ---- sessions ---- */

STMT_LIST(list_live, struct session, session_row,
    "SELECT " SESSION_ROW_COLUMNS " FROM browser_session s"
    " WHERE account_uuid = $1 AND ($2 OR state <> 'terminal')"
    " ORDER BY s.created_at DESC, s.uuid LIMIT 1000");

STMT_LIST(read_one, struct session, session_row,
    "SELECT " SESSION_ROW_COLUMNS " FROM browser_session s WHERE s.uuid = $1");

STMT_LIST(close_one, struct session_change, session_change_out,
    "SELECT session_close($1, false) AS moved");

/* ---- limits ---- */

STMT_LIST(read_policy, struct session_limits, session_policy_row,
    "SELECT " SESSION_POLICY_COLUMNS " FROM session_policy");

/* A limit whose parameter is null does not change. */
STMT_LIST(set_policy, struct session_limits, session_policy_row,
    "UPDATE session_policy SET"
    " organisation_sessions = coalesce($1::integer, organisation_sessions),"
    " caller_sessions = coalesce($2::integer, caller_sessions),"
    " lifetime_seconds = coalesce($3::integer, lifetime_seconds),"
    " idle_seconds = coalesce($4::integer, idle_seconds),"
    " close_seconds = coalesce($5::integer, close_seconds),"
    " queue_seconds = coalesce($6::integer, queue_seconds) RETURNING " SESSION_POLICY_COLUMNS);

struct limit {
	struct uuid uuid;
	struct str name;
	int64_t active, limit;
	bool own; /* set for this object, not by the policy */
};

static const struct field limit_out[] = {
	FIELD(struct limit, uuid, 0),
	FIELD(struct limit, name, 0),
	FIELD(struct limit, active, 0),
	FIELD(struct limit, limit, 0),
	FIELD(struct limit, own, 0),
	FIELD_END,
};

#define LIMIT_OF(owner, counter, id, standard)                                                     \
	"SELECT o.uuid, o.name, coalesce(n.active, 0) AS active,"                                  \
	" coalesce(n.max_active, p." standard ") AS \"limit\","                                    \
	" n.max_active IS NOT NULL AS own"                                                         \
	" FROM session_policy p CROSS JOIN " owner " o"                                            \
	" LEFT JOIN " counter " n ON n." id " = o.uuid WHERE o.uuid = $1"

STMT_LIST(read_account, struct limit, limit_out,
    LIMIT_OF("account", "session_organisation", "account_uuid", "organisation_sessions"));
STMT_LIST(read_key, struct limit, limit_out,
    LIMIT_OF("api_key", "session_caller", "key_uuid", "caller_sessions"));

STMT(set_account, NULL,
    "INSERT INTO session_organisation (account_uuid, max_active) VALUES ($1, $2)"
    " ON CONFLICT (account_uuid) DO UPDATE SET max_active = excluded.max_active");
STMT(set_key, NULL,
    "INSERT INTO session_caller (key_uuid, max_active) VALUES ($1, $2)"
    " ON CONFLICT (key_uuid) DO UPDATE SET max_active = excluded.max_active");

struct found {
	struct uuid uuid;
};

static const struct field found_out[] = { FIELD(struct found, uuid, 0), FIELD_END };
STMT(find_key, found_out, "SELECT uuid FROM api_key WHERE uuid::text = lower($1) OR prefix = $1");

/* A kind of object with session limits, and its statements. Accounts and keys keep their own limits
   in the same form, in session_organisation and session_caller, beside the number of active
   sessions. A row there with max_active null has no limit of its own: the policy's limit is in
   force. So "default" writes null, and removing the row is never necessary; it would lose the
   number of active sessions. */
struct subject {
	struct uuid uuid;
	const struct stmt *set, *read;
};

/* Finds the account or, with --key, the key. */
static int
find_subject(struct cli *c, struct str account, struct str key, struct subject *out)
{
	struct found f;
	enum db_rc rc;

	if (key.p == NULL)
		return cli_account(c, account, &out->uuid);
	rc = db_one(c->db, &find_key, &f, P(key));
	if (rc == DB_NONE) /* the message must not repeat the argument, which may be a secret */
		return cli_fail(EXIT_NOT_FOUND, "there is no key with this UUID or prefix");
	if (rc != DB_OK)
		return cli_fail_db(c, rc, "sessions limits");
	*out = (struct subject){ f.uuid, &set_key, &read_key };
	return EXIT_OK;
}

static bool
is_limit(struct str s)
{
	int64_t n;

	return s.p == NULL || (str_int64(s, &n) && n >= 0 && n <= INT32_MAX);
}

static int
limit_subject(struct cli *c, struct str account, struct str key, struct str max)
{
	struct subject s = { .set = &set_account, .read = &read_account };
	enum db_rc rc = DB_OK;
	int status;

	if (!str_is(max, "default") && !is_limit(max))
		return cli_usage(c, "--max wants a number, or \"default\"");
	status = find_subject(c, account, key, &s);
	if (status != EXIT_OK)
		return status;
	if (max.p != NULL)
		rc = db_do(
		    c->db, s.set, NULL, P(s.uuid), P(str_is(max, "default") ? STR_NULL : max));
	if (rc != DB_OK)
		return cli_fail_db(c, rc, "sessions limits");
	return cli_one(c, "limit", s.read, "sessions limits", P(s.uuid));
}

struct wanted {
	struct str organisation, caller, lifetime, idle, close, queue;
};

static int
limit_all(struct cli *c, const struct wanted *w)
{
	const struct str given[] = { w->organisation, w->caller, w->lifetime, w->idle, w->close,
		w->queue };
	bool any = false, good = true;

	for (size_t i = 0; i < COUNT(given); i++) {
		any |= given[i].p != NULL;
		good &= is_limit(given[i]);
	}
	if (!good)
		return cli_usage(c, "limits are whole numbers, times are seconds");
	if (!any)
		return cli_one_row(c, "policy", &read_policy, "sessions limits", DB_NO_ARGS);
	return cli_one(c, "policy", &set_policy, "sessions limits", P(w->organisation),
	    P(w->caller), P(w->lifetime), P(w->idle), P(w->close), P(w->queue));
}

static int
limits(struct cli *c, int argc, char **argv)
{
	struct wanted w = { .organisation = STR_NULL };
	struct str account = STR_NULL, key = STR_NULL, max = STR_NULL;
	const struct cli_option options[] = { { "account", .text = &account },
		{ "key", .text = &key }, { "max", .text = &max },
		{ "organisation", .text = &w.organisation }, { "caller", .text = &w.caller },
		{ "lifetime", .text = &w.lifetime }, { "idle", .text = &w.idle },
		{ "close", .text = &w.close }, { "queue", .text = &w.queue }, { NULL } };
	struct cli_list words;

	if (!cli_options(c, argc, argv, options, &words, 0, 0))
		return EXIT_USAGE;
	if (account.p != NULL && key.p != NULL)
		return cli_usage(c, "--account or --key, not both");
	if (account.p != NULL || key.p != NULL)
		return limit_subject(c, account, key, max);
	if (max.p != NULL)
		return cli_usage(c, "--max wants --account or --key");
	return limit_all(c, &w);
}

static const struct command subs[] = {
	{ "list", "--account ACCOUNT [--all]", "the newest that are not terminal, or all",
	    .st = &list_live, .lists = "sessions", .of = OF_ACCOUNT, .flag = "all",
	    .narrow = "uuid project_uuid key_uuid state terminal_reason egress_country start_url "
		      "created_at expires_at terminal_at host epoch lease_until" },
	{ "close", "UUID", "as a manager of its project does", .first = &close_one, .st = &read_one,
	    .prints = "session", .of = OF_UUID_WORD, .words = 1 },
	{ "limits",
	    "[--account ACCOUNT|--key UUID|PREFIX [--max N|default]] | [--organisation "
	    "N] "
	    "[--caller N] [--lifetime S] [--idle S] [--close S] [--queue S]",
	    "shows or changes what one may have at once; without one, what all have",
	    .run = limits },
	{ NULL },
};

static const struct command sessions_command = { "sessions", .help = "browser sessions",
	.sub = subs };

COMMAND(sessions_command);
