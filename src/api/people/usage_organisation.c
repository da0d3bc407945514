/* SPDX-License-Identifier: ISC */
/* The usage of an organisation, for the people in it: its days, and those of its busiest keys
   (C-339). */
#include "config.h"

#include "api/people/people.h"
#include "api/people/usage_priv.h"

STMT(select_search_rate, usage_rate_out,
    "SELECT search_rate AS \"limit\", search_window AS window_seconds FROM account_limit"
    " WHERE account_uuid = $1");

struct key_days {
	struct uuid uuid;
	struct str name, key_prefix;
	int64_t requests;
	struct list daily; /* struct usage_day */
};

struct other_keys {
	int64_t keys, requests;
	struct list daily;
};

struct organisation_usage {
	struct list daily, keys, quotas;
	struct other_keys others;
	struct usage_rate search_rate_limit;
	struct usage_month month_to_date;
	struct usage_freshness freshness;
	struct ts from, to;
	struct str timezone;
};

static const struct field key_days_out[] = {
	FIELD(struct key_days, uuid, 0),
	FIELD(struct key_days, name, 0),
	FIELD(struct key_days, key_prefix, 0),
	FIELD(struct key_days, requests, 0),
	LIST(struct key_days, daily, 0, struct usage_day, usage_day_out, 0, USAGE_WINDOW_MAX),
	FIELD_END_OF("KeyUsage"),
};

static const struct field other_keys_out[] = {
	FIELD(struct other_keys, keys, 0),
	FIELD(struct other_keys, requests, 0),
	LIST(struct other_keys, daily, 0, struct usage_day, usage_day_out, 0, USAGE_WINDOW_MAX),
	FIELD_END_OF("OtherKeysUsage"),
};

static const struct field organisation_usage_out[] = {
	LIST(struct organisation_usage, daily, 0, struct usage_day, usage_day_out, 0,
	    USAGE_WINDOW_MAX),
	LIST(struct organisation_usage, keys, 0, struct key_days, key_days_out, 0, LIM_USAGE_KEYS),
	OBJECT(struct organisation_usage, others, 0, other_keys_out),
	LIST(struct organisation_usage, quotas, 0, struct usage_quota, usage_quota_out, 0, 2),
	OBJECT(struct organisation_usage, search_rate_limit, 0, usage_rate_out),
	OBJECT(struct organisation_usage, month_to_date, 0, usage_month_out),
	OBJECT(struct organisation_usage, freshness, 0, usage_freshness_out),
	FIELD(struct organisation_usage, from, 0),
	FIELD(struct organisation_usage, to, 0),
	FIELD(struct organisation_usage, timezone, 0),
	FIELD_END_OF("OrganisationUsage"),
};

struct key_days_row {
	struct uuid uuid; /* all zero: the row of the others */
	struct str name, key_prefix;
	int64_t keys, requests, month;
	struct list daily; /* int64_t */
};

static const struct field key_days_columns[] = {
	FIELD(struct key_days_row, uuid, NULLABLE),
	FIELD(struct key_days_row, name, 0),
	FIELD(struct key_days_row, key_prefix, 0),
	FIELD(struct key_days_row, keys, 0),
	FIELD(struct key_days_row, requests, 0),
	FIELD(struct key_days_row, month, 0),
	LIST_OF(struct key_days_row, daily, 0, int64_t, 0, 0),
	FIELD_END,
};

/* The keys that the person sees and that have requests, the busiest of the window first. Keys after
   the first $5 are summed in one row. $2, $3 and $4 are days: the first of the window, today, and
   the first of the month. */
STMT_LIST(list_key_days, struct key_days_row, key_days_columns,
    "WITH span AS (SELECT date '1970-01-01' + $2::bigint::integer AS first,"
    "  date '1970-01-01' + $3::bigint::integer AS today,"
    "  date '1970-01-01' + $4::bigint::integer AS month),"
    " total AS (SELECT a.uuid, a.name, a.key_prefix,"
    "  coalesce(sum(u.requests) FILTER (WHERE u.day >= span.first), 0) AS requests,"
    "  coalesce(sum(u.requests) FILTER (WHERE u.day >= span.month), 0) AS month"
    "  FROM span CROSS JOIN access_keys($1) AS a JOIN usage_daily u ON u.key_uuid = a.uuid"
    "   AND u.day >= least(span.first, span.month) AND u.day <= span.today"
    "  GROUP BY a.uuid, a.name, a.key_prefix HAVING sum(u.requests) > 0),"
    " placed AS (SELECT total.*, least(row_number() OVER (ORDER BY requests DESC, uuid), $5 + 1)"
    "  AS place FROM total),"
    " grouped AS (SELECT place, array_agg(uuid) AS uuids, min(name) AS name,"
    "  min(key_prefix) AS key_prefix, count(*) AS keys, sum(requests)::bigint AS requests,"
    "  sum(month)::bigint AS month FROM placed GROUP BY place)"
    " SELECT CASE WHEN g.place <= $5 THEN g.uuids[1] END AS uuid, g.name, g.key_prefix, g.keys,"
    "  g.requests, g.month, ARRAY(SELECT coalesce((SELECT sum(u.requests) FROM usage_daily u"
    "   WHERE u.day = d::date AND u.key_uuid = ANY (g.uuids)), 0)::bigint"
    "   FROM generate_series(span.first::timestamp, span.today::timestamp, interval '1 day')"
    "   AS d ORDER BY d) AS daily"
    " FROM grouped g CROSS JOIN span ORDER BY g.place");

/* Makes the days of one row, and adds them to `sum`. */
static struct list
days_of_row(struct req *rq, const struct usage_counts *c, const struct key_days_row *row,
    struct usage_day *sum)
{
	uint32_t n = c->at.today - c->at.first + 1;
	struct usage_day *days = ARENA_ARRAY(rq->arena, n, struct usage_day);
	const int64_t *requests = row->daily.items;

	for (uint32_t i = 0; i < n; i++) {
		days[i] = sum[i];
		days[i].requests = i < row->daily.n ? requests[i] : 0;
		sum[i].requests += days[i].requests;
	}
	return (struct list){ days, n };
}

static void
put_key_days(struct req *rq, const struct usage_counts *c, const struct list *rows,
    struct organisation_usage *u)
{
	static const struct uuid none;
	const struct key_days_row *row = rows->items;
	struct usage_day *sum = usage_no_days(rq, c, &u->freshness);
	struct key_days *keys = ARENA_ARRAY(rq->arena, rows->n + 1, struct key_days);
	size_t n = 0;

	u->others.daily =
	    (struct list){ usage_no_days(rq, c, &u->freshness), c->at.today - c->at.first + 1 };
	for (size_t i = 0; i < rows->n; i++) {
		struct list daily = days_of_row(rq, c, &row[i], sum);

		u->month_to_date.requests += row[i].month;
		if (uuid_cmp(&row[i].uuid, &none) == 0)
			u->others = (struct other_keys){ row[i].keys, row[i].requests, daily };
		else
			keys[n++] = (struct key_days){ row[i].uuid, row[i].name, row[i].key_prefix,
				row[i].requests, daily };
	}
	u->keys = (struct list){ keys, n };
	u->daily = (struct list){ sum, c->at.today - c->at.first + 1 };
}

/* The counts are the stored ones, which surfaced-meter updates at each flush. */
static int
get_organisation_usage(struct req *rq)
{
	struct organisation_usage u = { .timezone = STR("UTC") };
	struct list rows = { NULL, 0 };
	struct usage_counts c;
	enum db_rc rc = usage_read(rq, usage_days(rq->params), &c);

	if (rc == DB_OK)
		rc = db_one(rq->db, &select_search_rate, &u.search_rate_limit, P(rq->key->account));
	if (rc == DB_OK)
		rc = db_list(rq->db, &list_key_days, &rows, P(rq->key->uuid),
		    P((int64_t)c.at.first), P((int64_t)c.at.today), P((int64_t)c.at.month_first),
		    P((int64_t)LIM_USAGE_KEYS));
	if (rc != DB_OK)
		return rc == DB_NONE ? fail(rq, ERR_ORGANISATION_NOT_FOUND) : fail_db(rq, rc);
	u.quotas = usage_quotas(rq, &c);
	u.freshness = usage_freshness_of(&c);
	u.freshness.current_through = u.freshness.persisted_through;
	u.from = meter_day_start(c.at.first);
	u.to = c.here.now;
	u.month_to_date = usage_month_of(&c);
	put_key_days(rq, &c, &rows, &u);
	return reply(rq, 200, rq->route->wrapper, organisation_usage_out, &u);
}

static const struct route organisation_usage_routes[] = {
	{
	    ROUTE(GET, "/organisation/usage", get_organisation_usage),
	    .scope = SCOPE_MEMBER,
	    COLUMNS_OF_MEMBER,
	    PARAMS(struct usage_args, usage_params),
	    .out = organisation_usage_out,
	    .wrapper = "organisation_usage",
	    .summary = "Get the usage of one's organisation",
	    .description =
		"An owner gets the daily counts of all keys together and of the 20 busiest "
		"keys; another member gets those of their own keys. freshness.current_through "
		"is the end of the counted time.",
	    .result = "The counts, the quotas and the rate limit of searches.",
	},
	ROUTE_END,
};

ROUTES(41, organisation_usage);
