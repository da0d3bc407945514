/* SPDX-License-Identifier: ISC */
/* surfacectl limits: rates and quotas of keys, accounts and groups, and the defaults.

     limit                  own setting                       default
     rate, window           api_key, each alone               meter_default.key_rate, key_window
     search-rate, -window   account, shared by its keys       meter_default.search_rate, search_window
     export-records         account, records a month         meter_default.export_records
     quota                  account, or account_group         meter_default.account_quota, group_quota

   show prints the enforced numbers from the views key_limit, account_limit and group_limit, which
   the meter reads, too. An option of another kind of object is refused with the kind that has it,
   because a limit that has no effect would be noticed much later. */
#include "config.h"

#include "cli/cli.h"

/* The options' texts: a number or "default"; p == NULL: the limit does not change. */
struct wanted {
	struct str key, account, group;
	struct str rate, window, search_rate, search_window, quota, group_quota, export_records;
};

struct key_limits {
	struct uuid uuid;
	struct str prefix;
	int64_t rate, rate_window;
	bool own;
};

static const struct field key_out[] = {
	FIELD(struct key_limits, uuid, 0),
	FIELD(struct key_limits, prefix, 0),
	FIELD(struct key_limits, rate, 0),
	FIELD(struct key_limits, rate_window, 0),
	FIELD(struct key_limits, own, 0),
	FIELD_END,
};

struct account_limits {
	struct uuid uuid;
	struct str name;
	int64_t search_rate, search_window, quota, used, export_records, exported;
	bool own;
};

static const struct field account_out[] = {
	FIELD(struct account_limits, uuid, 0),
	FIELD(struct account_limits, name, 0),
	FIELD(struct account_limits, search_rate, 0),
	FIELD(struct account_limits, search_window, 0),
	FIELD(struct account_limits, quota, 0),
	FIELD(struct account_limits, used, 0),
	FIELD(struct account_limits, export_records, 0),
	FIELD(struct account_limits, exported, 0),
	FIELD(struct account_limits, own, 0),
	FIELD_END,
};

struct group_limits {
	struct uuid uuid;
	struct str name;
	int64_t quota, used;
	bool own;
};

static const struct field group_out[] = {
	FIELD(struct group_limits, uuid, 0),
	FIELD(struct group_limits, name, 0),
	FIELD(struct group_limits, quota, 0),
	FIELD(struct group_limits, used, 0),
	FIELD(struct group_limits, own, 0),
	FIELD_END,
};

struct defaults {
	int64_t key_rate, key_window, search_rate, search_window, account_quota, group_quota,
	    export_records;
};

static const struct field defaults_out[] = {
	FIELD(struct defaults, key_rate, 0),
	FIELD(struct defaults, key_window, 0),
	FIELD(struct defaults, search_rate, 0),
	FIELD(struct defaults, search_window, 0),
	FIELD(struct defaults, account_quota, 0),
	FIELD(struct defaults, group_quota, 0),
	FIELD(struct defaults, export_records, 0),
	FIELD_END,
};

/* own: a limit was set for this object. The month is that of the database's clock. */
#define MONTH_NOW                                                                                  \
	"(extract(year FROM now() AT TIME ZONE 'UTC') * 12"                                        \
	" + extract(month FROM now() AT TIME ZONE 'UTC') - 1)::integer"
#define USED_BY(owner)                                                                             \
	"coalesce((SELECT sum(u.used) FROM quota_used u WHERE u.owner_uuid = " owner               \
	" AND u.month = " MONTH_NOW "), 0)::bigint AS used"
#define IS(row) "(" row ".uuid::text = lower($1) OR " row ".name = $1)"

STMT_LIST(show_key, struct key_limits, key_out,
    "SELECT k.uuid, k.prefix, l.rate, l.rate_window, num_nonnulls(k.rate, k.rate_window) "
    "> 0 AS own"
    " FROM api_key k JOIN key_limit l ON l.key_uuid = k.uuid"
    " WHERE k.uuid::text = lower($1) OR k.prefix = $1");

STMT_LIST(show_account, struct account_limits, account_out,
    "SELECT a.uuid, a.name, l.search_rate, l.search_window, l.quota, " USED_BY(
	"a.uuid") ","
		  " coalesce(a.export_records, d.export_records) AS export_records,"
		  " coalesce((SELECT m.charged FROM export_month m WHERE m.account_uuid = a.uuid"
		  " AND m.month = " MONTH_NOW "), 0)::bigint AS exported,"
		  " num_nonnulls(a.search_rate, a.search_window, a.quota, a.export_records) > 0 AS "
		  "own"
		  " FROM meter_default d, account a JOIN account_limit l ON l.account_uuid = "
		  "a.uuid "
		  "WHERE " IS("a"));

STMT_LIST(show_group, struct group_limits, group_out,
    "SELECT g.uuid, g.name, l.quota, " USED_BY(
	"g.uuid") ", g.quota IS NOT NULL AS own"
		  " FROM account_group g JOIN group_limit l ON l.group_uuid = g.uuid "
		  "WHERE " IS("g"));

STMT_LIST(show_defaults, struct defaults, defaults_out,
    "SELECT key_rate, key_window, search_rate, search_window, account_quota, group_quota, "
    "export_records FROM meter_default");

/* Assigns a column from its parameter, which has three kinds of values:

     null         the option was not given: the column stays
     'default'    the setting is removed: null in the column means the default of meter_default
     a number     the setting

   nullif before the cast keeps 'default' away from the conversion to a number: PostgreSQL may fold
   constants of a CASE before it chooses a branch. */
#define SETTING(column, param, type)                                                               \
	column " = CASE WHEN " param " = 'default' THEN NULL"                                      \
	       " ELSE coalesce(nullif(" param ", 'default')::" type ", " column ") END"
#define NUMBER_OF(column, param, type) column " = coalesce(" param "::text::" type ", " column ")"

STMT(set_key, NULL,
    "UPDATE api_key k SET " SETTING("rate", "$2", "integer") ", " SETTING(
	"rate_window", "$3", "integer") " WHERE k.uuid::text = lower($1) OR k.prefix = $1");

STMT(set_account, NULL,
    "UPDATE account a SET " SETTING("search_rate", "$2", "integer") ", " SETTING(
	"search_window", "$3", "integer") ", " SETTING("quota", "$4",
	"bigint") ", " SETTING("export_records", "$5", "bigint") " WHERE " IS("a"));

STMT(set_group, NULL,
    "UPDATE account_group g SET " SETTING("quota", "$2", "bigint") " WHERE " IS("g"));

STMT(set_defaults, NULL,
    "UPDATE meter_default SET " NUMBER_OF("key_rate", "$1", "integer") ", " NUMBER_OF(
	"key_window", "$2", "integer") ", " NUMBER_OF("search_rate", "$3",
	"integer") ", " NUMBER_OF("search_window", "$4", "integer") ", " NUMBER_OF("account_quota",
	"$5", "bigint") ", " NUMBER_OF("group_quota", "$6",
	"bigint") ", " NUMBER_OF("export_records", "$7", "bigint"));

static int
print_limits(struct cli *c, const struct wanted *w)
{
	if (w->key.p != NULL)
		return cli_one(c, "limits", &show_key, w->key.p, P(w->key));
	if (w->account.p != NULL)
		return cli_one(c, "limits", &show_account, w->account.p, P(w->account));
	if (w->group.p != NULL)
		return cli_one(c, "limits", &show_group, w->group.p, P(w->group));
	return cli_one_row(c, "limits", &show_defaults, "limits", DB_NO_ARGS);
}

static bool
check_target(struct cli *c, const struct wanted *w)
{
	if ((w->key.p != NULL) + (w->account.p != NULL) + (w->group.p != NULL) <= 1)
		return true;
	cli_usage(c, "one of --key, --account and --group, or none for the defaults");
	return false;
}

static int
run_show_limits(struct cli *c, int argc, char **argv)
{
	struct wanted w = { 0 };
	const struct cli_option options[] = {
		{ "key", .text = &w.key },
		{ "account", .text = &w.account },
		{ "group", .text = &w.group },
		{ NULL },
	};
	struct cli_list words;

	if (!cli_options(c, argc, argv, options, &words, 0, 0) || !check_target(c, &w))
		return EXIT_USAGE;
	return print_limits(c, &w);
}

/* Checks an option. here: the chosen kind of object has this limit; owners: the kinds that have it,
   for the message; defaults: "default" is allowed, as it is everywhere but for the defaults
   themselves. */
static bool
check_limit(struct cli *c, const char *option, struct str value, const char *owners, bool here,
    bool defaults)
{
	int64_t n;

	if (value.p == NULL)
		return true;
	if (!here)
		cli_usage(c, "--%s is a limit of %s", option, owners);
	else if ((!defaults && str_is(value, "default")) || (str_int64(value, &n) && n >= 0))
		return true;
	else
		cli_usage(c, "--%s wants a number%s", option, defaults ? "" : " or \"default\"");
	return false;
}

#define KEYS "a key (--key)"
#define ACCOUNTS "an account (--account)"

static bool
check_limits(struct cli *c, const struct wanted *w)
{
	bool key = w->key.p != NULL, account = w->account.p != NULL, group = w->group.p != NULL;
	bool defaults = !key && !account && !group;

	return check_limit(c, "rate", w->rate, KEYS, key || defaults, defaults) &&
	       check_limit(c, "window", w->window, KEYS, key || defaults, defaults) &&
	       check_limit(
		   c, "search-rate", w->search_rate, ACCOUNTS, account || defaults, defaults) &&
	       check_limit(
		   c, "search-window", w->search_window, ACCOUNTS, account || defaults, defaults) &&
	       check_limit(c, "export-records", w->export_records, ACCOUNTS, account || defaults,
		   defaults) &&
	       check_limit(c, "quota", w->quota,
		   "an account (--account) or a group (--group), whose keys share it", !key,
		   defaults) &&
	       check_limit(c, "group-quota", w->group_quota, "the defaults; a group has --quota",
		   defaults, defaults);
}

static enum db_rc
change(struct cli *c, const struct wanted *w, int64_t *n)
{
	if (w->key.p != NULL)
		return db_do(c->db, &set_key, n, P(w->key), P(w->rate), P(w->window));
	if (w->account.p != NULL)
		return db_do(c->db, &set_account, n, P(w->account), P(w->search_rate),
		    P(w->search_window), P(w->quota), P(w->export_records));
	if (w->group.p != NULL)
		return db_do(c->db, &set_group, n, P(w->group), P(w->quota));
	return db_do(c->db, &set_defaults, n, P(w->rate), P(w->window), P(w->search_rate),
	    P(w->search_window), P(w->quota), P(w->group_quota), P(w->export_records));
}

static int
run_set_limits(struct cli *c, int argc, char **argv)
{
	struct wanted w = { 0 };
	const struct cli_option options[] = {
		{ "key", .text = &w.key },
		{ "account", .text = &w.account },
		{ "group", .text = &w.group },
		{ "rate", .text = &w.rate },
		{ "window", .text = &w.window },
		{ "search-rate", .text = &w.search_rate },
		{ "search-window", .text = &w.search_window },
		{ "quota", .text = &w.quota },
		{ "group-quota", .text = &w.group_quota },
		{ "export-records", .text = &w.export_records },
		{ NULL },
	};
	struct cli_list words;
	int64_t n = 0;
	enum db_rc rc;

	if (!cli_options(c, argc, argv, options, &words, 0, 0) || !check_target(c, &w) ||
	    !check_limits(c, &w))
		return EXIT_USAGE;
	rc = change(c, &w, &n);
	if (rc != DB_OK)
		return cli_fail_db(c, rc, "limits");
	if (n == 0)
		return cli_fail(EXIT_NOT_FOUND, "there is no such key, account or group");
	return print_limits(c, &w);
}

static const struct command subs[] = {
	{ "show", "[--key UUID|PREFIX | --account ACCOUNT | --group GROUP]",
	    "show the enforced limits; without an option, the defaults", .run = run_show_limits },
	{ "set",
	    "[--key UUID|PREFIX | --account ACCOUNT | --group GROUP] [--rate N] "
	    "[--window SECONDS]"
	    " [--search-rate N] [--search-window SECONDS] [--quota N] [--group-quota N]"
	    " [--export-records N]",
	    "N requests a window, or a month; \"default\" takes a setting back",
	    .run = run_set_limits },
	{ NULL },
};

static const struct command limits_command = { "limits", .help = "rates and quotas", .sub = subs };

COMMAND(limits_command);
