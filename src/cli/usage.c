/* SPDX-License-Identifier: ISC */
/* surfacectl usage: requests by day, as a table or as bars on a terminal; quotas by month. */
#include "config.h"

#include "cli/cli.h"

#include <inttypes.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { DAYS_MAX = 3660, BAR_MIN = 10, COLUMNS = 80, BESIDE_BAR = 26 };

struct day {
	struct str day;
	int64_t requests;
};

static const struct field day_out[] = {
	FIELD(struct day, day, 0),
	FIELD(struct day, requests, 0),
	FIELD_END,
};

/* $1 key, $2 account, $3 group: one of them is not null, and k has the keys that belong to it.
   Every day has a row, also one without requests: generate_series makes the days, and the counts
   are looked up for each. A chart with gaps would look like a chart of busy days alone. An unknown
   key, account or group gives no row at all (EXISTS), which the caller reports as not found. Days
   are those of UTC, as they are counted. */
STMT_LIST(usage_days, struct day, day_out,
    "WITH k AS (SELECT k.uuid FROM api_key k JOIN account a ON a.uuid = k.account_uuid"
    "  LEFT JOIN account_group g ON g.uuid = a.group_uuid"
    "  WHERE k.uuid::text = lower($1) OR k.prefix = $1 OR a.uuid::text = lower($2) OR "
    "a.name = $2"
    "   OR g.uuid::text = lower($3) OR g.name = $3)"
    " SELECT d::date::text AS day, coalesce((SELECT sum(u.requests) FROM usage_daily u"
    "  WHERE u.day = d::date AND u.key_uuid IN (SELECT uuid FROM k)), 0)::bigint AS "
    "requests"
    " FROM generate_series((now() AT TIME ZONE 'UTC')::date - ($4::bigint - 1)::integer,"
    "  (now() AT TIME ZONE 'UTC')::date, '1 day') AS d"
    " WHERE EXISTS (SELECT FROM k) ORDER BY d");

struct month {
	struct str month;
	int64_t used, leased, limit;
};

static const struct field month_out[] = {
	FIELD(struct month, month, 0),
	FIELD(struct month, used, 0),
	FIELD(struct month, leased, 0),
	FIELD(struct month, limit, 0),
	FIELD_END,
};

/* leased: requests that hosts hold, used or not. The limit is the present one. */
STMT_LIST(usage_months, struct month, month_out,
    "SELECT to_char(make_date(q.month / 12, q.month % 12 + 1, 1), 'YYYY-MM') AS month,"
    " coalesce((SELECT sum(u.used) FROM quota_used u"
    "  WHERE u.owner_uuid = q.owner_uuid AND u.month = q.month), 0)::bigint AS used,"
    " q.charged AS leased, o.quota AS \"limit\""
    " FROM quota_month q JOIN (SELECT account_uuid AS uuid, name, l.quota FROM "
    "account_limit l"
    "   JOIN account a ON a.uuid = l.account_uuid WHERE $1::text IS NOT NULL"
    "  UNION ALL SELECT group_uuid, name, l.quota FROM group_limit l"
    "   JOIN account_group g ON g.uuid = l.group_uuid WHERE $2::text IS NOT NULL) AS o "
    "ON o.uuid = q.owner_uuid"
    " WHERE o.uuid::text = lower(coalesce($1, $2)) OR o.name = coalesce($1, $2) ORDER BY "
    "q.month");

static int
columns(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > BESIDE_BAR + BAR_MIN)
		return size.ws_col;
	return COLUMNS;
}

static void
put_bars(const struct list *list)
{
	const struct day *days = list->items;
	int64_t most = 1, room = columns() - BESIDE_BAR;

	for (size_t i = 0; i < list->n; i++)
		if (days[i].requests > most)
			most = days[i].requests;
	for (size_t i = 0; i < list->n; i++) {
		int64_t n = (int64_t)((double)days[i].requests / (double)most * (double)room);

		if (n == 0 && days[i].requests > 0)
			n = 1; /* a small value must not look like 0 */
		printf("%.*s %12" PRId64 " ", (int)days[i].day.n, days[i].day.p, days[i].requests);
		for (int64_t k = 0; k < n; k++)
			putchar('#');
		putchar('\n');
	}
}

static int
print_days(struct cli *c, int argc, char **argv)
{
	struct str key = STR_NULL, account = STR_NULL, group = STR_NULL, given = STR_NULL;
	bool chart = false;
	const struct cli_option options[] = {
		{ "key", .text = &key },
		{ "account", .text = &account },
		{ "group", .text = &group },
		{ "days", .text = &given },
		{ "chart", .flag = &chart },
		{ NULL },
	};
	struct cli_list words;
	struct list rows;
	int64_t n = 30;
	enum db_rc rc;

	if (!cli_options(c, argc, argv, options, &words, 0, 0))
		return EXIT_USAGE;
	if ((key.p != NULL) + (account.p != NULL) + (group.p != NULL) != 1)
		return cli_usage(c, "one of --key, --account and --group");
	if (given.p != NULL && (!str_int64(given, &n) || n < 1 || n > DAYS_MAX))
		return cli_usage(c, "--days wants a number from 1 to %d", DAYS_MAX);
	rc = db_list(c->db, &usage_days, &rows, P(key), P(account), P(group), P(n));
	if (rc != DB_OK)
		return cli_fail_db(c, rc, "usage");
	if (rows.n == 0)
		return cli_fail(
		    EXIT_NOT_FOUND, "there is no such key, or none in that account or group");
	if (c->json || (!chart && !isatty(STDOUT_FILENO)))
		return cli_print_list(c, "days", day_out, rows, sizeof(struct day));
	put_bars(&rows);
	return EXIT_OK;
}

static int
print_months(struct cli *c, int argc, char **argv)
{
	struct str account = STR_NULL, group = STR_NULL;
	const struct cli_option options[] = {
		{ "account", .text = &account },
		{ "group", .text = &group },
		{ NULL },
	};
	struct cli_list words;
	struct list rows;
	enum db_rc rc;

	if (!cli_options(c, argc, argv, options, &words, 0, 0))
		return EXIT_USAGE;
	if ((account.p != NULL) + (group.p != NULL) != 1)
		return cli_usage(c, "one of --account and --group");
	rc = db_list(c->db, &usage_months, &rows, P(account), P(group));
	if (rc != DB_OK)
		return cli_fail_db(c, rc, "usage");
	return cli_print_list(c, "months", month_out, rows, sizeof(struct month));
}

/* ---- the largest users ---- */

struct top_key {
	struct str key, name, account;
	int64_t requests;
	double percent;
};

static const struct field top_key_out[] = {
	FIELD(struct top_key, key, 0),
	FIELD(struct top_key, name, 0),
	FIELD(struct top_key, account, 0),
	FIELD(struct top_key, requests, 0),
	FIELD(struct top_key, percent, 0),
	FIELD_END,
};

struct top_account {
	struct str account;
	int64_t keys, requests;
	double percent;
};

static const struct field top_account_out[] = {
	FIELD(struct top_account, account, 0),
	FIELD(struct top_account, keys, 0),
	FIELD(struct top_account, requests, 0),
	FIELD(struct top_account, percent, 0),
	FIELD_END,
};

/* percent: the share of all requests. */
#define TOP_FROM                                                                                   \
	" FROM usage_daily u JOIN api_key k ON k.uuid = u.key_uuid"                                \
	" JOIN account a ON a.uuid = k.account_uuid"                                               \
	" WHERE u.day > (now() AT TIME ZONE 'UTC')::date - $1::bigint::integer"
#define TOP_SUMS                                                                                   \
	"sum(u.requests)::bigint AS requests,"                                                     \
	" round(100 * sum(u.requests) / greatest(sum(sum(u.requests)) OVER (), 1), 1)"             \
	"::double precision AS percent"

STMT_LIST(top_keys, struct top_key, top_key_out,
    "SELECT k.prefix AS key, k.name, a.name AS account, " TOP_SUMS TOP_FROM
    " GROUP BY k.uuid, a.uuid ORDER BY 4 DESC, 1 LIMIT 20");

STMT_LIST(top_accounts, struct top_account, top_account_out,
    "SELECT a.name AS account, count(DISTINCT k.uuid) AS keys, " TOP_SUMS TOP_FROM
    " GROUP BY a.uuid ORDER BY 3 DESC, 1 LIMIT 20");

static int
print_top_users(struct cli *c, int argc, char **argv)
{
	struct str by = STR("account"), given = STR_NULL;
	const struct cli_option options[] = {
		{ "by", .text = &by },
		{ "days", .text = &given },
		{ NULL },
	};
	struct cli_list words;
	int64_t n = 30;

	if (!cli_options(c, argc, argv, options, &words, 0, 0))
		return EXIT_USAGE;
	if (given.p != NULL && (!str_int64(given, &n) || n < 1 || n > DAYS_MAX))
		return cli_usage(c, "--days wants a number from 1 to %d", DAYS_MAX);
	if (str_is(by, "key"))
		return cli_rows(c, "keys", &top_keys, DB_ARGS(P(n)));
	if (str_is(by, "account"))
		return cli_rows(c, "accounts", &top_accounts, DB_ARGS(P(n)));
	return cli_usage(c, "--by wants key or account");
}

static const struct command subs[] = {
	{ "days", "--key UUID|PREFIX | --account ACCOUNT | --group GROUP [--days N] [--chart]",
	    "requests a day; bars on a terminal, or with --chart", .run = print_days },
	{ "months", "--account ACCOUNT | --group GROUP", "show the used part of the monthly quota",
	    .run = print_months },
	{ "top", "[--by key|account] [--days N]",
	    "the twenty that made most requests, of the last 30 days unless given",
	    .run = print_top_users, .narrow = "key name account keys requests percent" },
	{ NULL },
};

static const struct command usage_command = { "usage", .help = "what was counted", .sub = subs };

COMMAND(usage_command);
