/* SPDX-License-Identifier: ISC */
/* The usage of a key and its limits: SPEC 2.6 and 4.7, C-070 to C-078. The counts come from two
   places: those of other hosts from PostgreSQL, as they last stored them (api/usage_stored.h), and
   those of this host from the meter's memory, which is exact. So a client of one host sees its own
   last request in the answer. */
#include "config.h"

#include "api/access.h"
#include "api/people.h"
#include "api/usage_stored.h"
#include "counting/meter.h"

enum { WINDOW_MAX = 180 };

static const char *const windows[] = { "7d", "30d", "90d", "180d", NULL };

const struct url_param usage_params[] = {
	{
	    .field = { .name = "window",
		.type = FIELD_STR,
		.offset = offsetof(struct usage_args, window),
		.values = windows,
		.help = "Days, today included; 30d when it is absent." },
	},
	URL_PARAM_END,
};

/* ---- the answer ---- */

struct usage_day {
	struct str date;
	int64_t requests;
	bool partial;
};

struct freshness {
	struct ts current_through, persisted_through;
};

struct month_to_date {
	struct ts from, to;
	int64_t requests;
};

struct rate_limit {
	int64_t limit, window_seconds;
};

struct totals {
	int64_t requests;
};

struct usage {
	struct usage_key api_key;
	struct list daily;
	struct freshness freshness;
	struct ts from, to;
	struct month_to_date month_to_date;
	struct list quotas;
	struct rate_limit rate_limit;
	struct str timezone;
	struct totals totals;
};

static const struct field day_out[] = {
	FIELD(struct usage_day, date, 0),
	FIELD(struct usage_day, requests, 0),
	FIELD(struct usage_day, partial, 0),
	FIELD_END_OF("UsageDay"),
};

static const struct field freshness_out[] = {
	FIELD(struct freshness, current_through, 0),
	FIELD(struct freshness, persisted_through, 0),
	FIELD_END_OF("UsageFreshness"),
};

static const struct field month_out[] = {
	FIELD(struct month_to_date, from, 0),
	FIELD(struct month_to_date, to, 0),
	FIELD(struct month_to_date, requests, 0),
	FIELD_END_OF("UsageMonth"),
};

const struct field usage_quota_out[] = {
	FIELD(struct usage_quota, owner_uuid, 0),
	FIELD(struct usage_quota, limit, 0),
	FIELD(struct usage_quota, used, 0),
	FIELD(struct usage_quota, remaining, 0),
	FIELD(struct usage_quota, exhausted, 0),
	FIELD(struct usage_quota, reset_at, 0),
	FIELD_END_OF("UsageQuota"),
};

static const struct field rate_out[] = {
	FIELD(struct rate_limit, limit, 0),
	FIELD(struct rate_limit, window_seconds, 0),
	FIELD_END_OF("RateLimit"),
};

static const struct field totals_out[] = {
	FIELD(struct totals, requests, 0),
	FIELD_END_OF("UsageTotals"),
};

static const struct field usage_out[] = {
	OBJECT(struct usage, api_key, 0, usage_key_out),
	LIST(struct usage, daily, 0, struct usage_day, day_out, 0, WINDOW_MAX),
	OBJECT(struct usage, freshness, 0, freshness_out),
	FIELD(struct usage, from, 0),
	FIELD(struct usage, to, 0),
	OBJECT(struct usage, month_to_date, 0, month_out),
	LIST(struct usage, quotas, 0, struct usage_quota, usage_quota_out, 0, 2),
	OBJECT(struct usage, rate_limit, 0, rate_out),
	FIELD(struct usage, timezone, 0),
	OBJECT(struct usage, totals, 0, totals_out),
	FIELD_END_OF("ApiUsage"),
};

/* ---- stored counts and the counts of this host ---- */

struct host_counts {
	const struct meter_file *file; /* NULL: this host counts nothing now */
	struct uuid incarnation;
	struct ts now; /* by the clock of the quotas */
};

/* Returns the count in the memory of this host, or the stored one when the memory has no slot for
   it. */
static int64_t
count_of_this_host(const struct host_counts *v, enum slot_kind kind, const struct uuid *owner,
    uint32_t period, int64_t stored)
{
	const struct slot *s = v->file == NULL ? NULL : meter_find(v->file, kind, owner, period);

	return s == NULL ? stored : (int64_t)slot_used(s);
}

struct span {
	uint32_t first, today, month_first; /* days */
};

/* The window and the month begin on different days; the statement covers both. */
static uint32_t
first_day(const struct span *at)
{
	return at->first < at->month_first ? at->first : at->month_first;
}

/* The requests of one day. Keeps the count of this host, for the time after the meter has freed its
   slot. */
static int64_t
count_day(
    const struct req *rq, const struct host_counts *v, struct stored_days *stored, uint32_t day)
{
	int64_t *ours = &stored->ours[day - stored->first];

	*ours = count_of_this_host(v, SLOT_KEY_USAGE, &rq->key->uuid, day, *ours);
	return stored->others[day - stored->first] + *ours;
}

static void
put_freshness(const struct host_counts *v, const struct stored_usage *db, struct usage *u)
{
	u->freshness.current_through = v->now;
	u->freshness.persisted_through = db->through;
	if (ts_is_null(db->through) ||
	    ts_cmp(db->through, v->now) > 0) /* the clocks of hosts differ a little */
		u->freshness.persisted_through = v->now;
}

/* The window of the answer and the month to date begin on different days, and one loop serves both:

     window 7d on the 3rd     |28 29 30 31  1  2  3|    daily and totals
                                          |1  2  3|    month_to_date
     window 7d on the 20th    |1 ... 13|14 ... 20|      month_to_date from the 1st, daily from the 14th

   A day is partial while it runs, and as long as a host may still have requests of it that it has
   not stored. */
static void
put_days(const struct req *rq, const struct host_counts *v, struct stored_days *stored,
    const struct span *at, struct usage *u)
{
	uint32_t n = at->today - at->first + 1;
	struct usage_day *days = ARENA_ARRAY(rq->arena, n, struct usage_day);
	char text[TS_LEN + 1];

	for (uint32_t d = first_day(at); d <= at->today; d++) {
		int64_t requests = count_day(rq, v, stored, d);
		struct usage_day *day;

		if (d >= at->month_first)
			u->month_to_date.requests += requests;
		if (d < at->first)
			continue;
		day = &days[d - at->first];
		ts_print(meter_day_start(d), text);
		day->date = arena_str(rq->arena, (struct str){ text, 10 });
		day->requests = requests;
		day->partial = d == at->today ||
			       ts_cmp(u->freshness.persisted_through, meter_day_start(d + 1)) < 0;
		u->totals.requests += requests;
	}
	u->daily = (struct list){ days, n };
}

static struct usage_quota
quota_of(const struct host_counts *v, enum slot_kind kind, const struct uuid *owner, int64_t limit,
    const int64_t *stored)
{
	uint32_t month = meter_month(v->now);
	struct usage_quota q = { .owner_uuid = *owner, .limit = limit };

	q.used = stored[USED_OTHERS] + count_of_this_host(v, kind, owner, month, stored[USED_OURS]);
	q.remaining = q.limit > q.used ? q.limit - q.used : 0;
	q.exhausted = q.used >= q.limit;
	q.reset_at = meter_month_start(month + 1);
	return q;
}

static void
put_quotas(const struct req *rq, const struct host_counts *v, const struct stored_usage *db,
    struct usage *u)
{
	const int64_t *used = db->used.items;
	struct usage_quota *out = ARENA_ARRAY(rq->arena, 2, struct usage_quota);
	size_t n = 0;

	out[n++] = quota_of(v, SLOT_ACCOUNT_QUOTA, &rq->key->account, db->account_quota, used);
	if (db->group_quota >= 0)
		out[n++] = quota_of(
		    v, SLOT_GROUP_QUOTA, &rq->key->group_uuid, db->group_quota, used + USED_EACH);
	u->quotas = (struct list){ out, n };
}

int64_t
usage_days(const struct usage_args *args)
{
	struct str window = args->window;
	int64_t days = 30;

	if (window.n > 0 && !str_int64((struct str){ window.p, window.n - 1 }, &days))
		panic("window %.*s is not in the list", (int)window.n, window.p);
	return days;
}

struct counts {
	struct host_counts here;
	struct span at;
	const struct stored_usage *stored;
	struct stored_days *days;
};

/* Reads what is stored and finds the counts of this host. The window is the last `days` days. */
static enum db_rc
read_counts(struct req *rq, int64_t days, struct counts *c)
{
	struct host_counts *v = &c->here;
	enum db_rc rc;

	*v = (struct host_counts){ .file = meter_view(rq->worker->meter), .now = rq->now };
	if (v->file != NULL) {
		v->incarnation = v->file->head->incarnation;
		v->now = meter_time(v->file, boot_us());
	}
	c->at.today = meter_day(v->now);
	c->at.first = c->at.today - (uint32_t)days + 1;
	c->at.month_first = meter_day(meter_month_start(meter_month(v->now)));
	rc = usage_stored_read(rq,
	    &(struct stored_want){ .incarnation = v->incarnation,
		.first = first_day(&c->at),
		.today = c->at.today,
		.month = meter_month(v->now) },
	    &c->stored, &c->days);
	if (rc == DB_NONE)
		panic("the authenticated key has no row");
	return rc;
}

enum db_rc
usage_account_quota(struct req *rq, struct usage_quota *out)
{
	struct counts c;
	enum db_rc rc = read_counts(rq, 1, &c);

	if (rc == DB_OK)
		*out = quota_of(&c.here, SLOT_ACCOUNT_QUOTA, &rq->key->account,
		    c.stored->account_quota, c.stored->used.items);
	return rc;
}

/* Answers the usage of rq->key, which has this rate limit. */
static int
reply_usage(struct req *rq, const struct rate_limit *rate)
{
	struct usage u = { .timezone = STR("UTC"), .rate_limit = *rate };
	struct counts c;
	enum db_rc rc = read_counts(rq, usage_days(rq->params), &c);

	if (rc != DB_OK)
		return fail_db(rq, rc);
	u.to = c.here.now;
	u.from = meter_day_start(c.at.first);
	u.month_to_date.from = meter_day_start(c.at.month_first);
	u.month_to_date.to = c.here.now;
	u.api_key = c.stored->api_key;
	put_freshness(&c.here, c.stored, &u);
	put_days(rq, &c.here, c.days, &c.at, &u);
	put_quotas(rq, &c.here, c.stored, &u);
	return reply(rq, 200, "api_usage", usage_out, &u);
}

static int
get_usage(struct req *rq)
{
	struct rate_limit rate = { rq->ticket.limit, rq->ticket.seconds };

	return reply_usage(rq, &rate);
}

/* ---- people: a key of their organisation, and all of them ---- */

STMT(select_key_rate, rate_out,
    "SELECT rate AS \"limit\", rate_window AS window_seconds FROM key_limit WHERE key_uuid = $1");
STMT(select_search_rate, rate_out,
    "SELECT search_rate AS \"limit\", search_window AS window_seconds FROM account_limit"
    " WHERE account_uuid = $1");

/* Answers like GET /usage for another key, to a person who may read that key (C-339). */
static int
get_access_key_usage(struct req *rq)
{
	struct key *other = ARENA_NEW(rq->arena, struct key);
	struct access_key seen;
	struct rate_limit rate;
	enum db_rc rc = access_key_read(rq, &rq->path[0], &seen);

	if (rc == DB_OK)
		rc = db_one(rq->db, &select_key_rate, &rate, P(seen.uuid));
	if (rc != DB_OK)
		return rc == DB_NONE ? fail(rq, ERR_KEY_NOT_FOUND) : fail_db(rq, rc);
	*other = *rq->key;
	other->uuid = seen.uuid;
	rq->key = other;
	return reply_usage(rq, &rate);
}

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
	struct rate_limit search_rate_limit;
	struct month_to_date month_to_date;
	struct freshness freshness;
	struct ts from, to;
	struct str timezone;
};

static const struct field key_days_out[] = {
	FIELD(struct key_days, uuid, 0),
	FIELD(struct key_days, name, 0),
	FIELD(struct key_days, key_prefix, 0),
	FIELD(struct key_days, requests, 0),
	LIST(struct key_days, daily, 0, struct usage_day, day_out, 0, WINDOW_MAX),
	FIELD_END_OF("KeyUsage"),
};

static const struct field other_keys_out[] = {
	FIELD(struct other_keys, keys, 0),
	FIELD(struct other_keys, requests, 0),
	LIST(struct other_keys, daily, 0, struct usage_day, day_out, 0, WINDOW_MAX),
	FIELD_END_OF("OtherKeysUsage"),
};

static const struct field organisation_usage_out[] = {
	LIST(struct organisation_usage, daily, 0, struct usage_day, day_out, 0, WINDOW_MAX),
	LIST(struct organisation_usage, keys, 0, struct key_days, key_days_out, 0, LIM_USAGE_KEYS),
	OBJECT(struct organisation_usage, others, 0, other_keys_out),
	LIST(struct organisation_usage, quotas, 0, struct usage_quota, usage_quota_out, 0, 2),
	OBJECT(struct organisation_usage, search_rate_limit, 0, rate_out),
	OBJECT(struct organisation_usage, month_to_date, 0, month_out),
	OBJECT(struct organisation_usage, freshness, 0, freshness_out),
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
days_of_row(
    struct req *rq, const struct counts *c, const struct key_days_row *row, struct usage_day *sum)
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

/* The days of the window without requests. */
static struct usage_day *
empty_days(struct req *rq, const struct counts *c, const struct freshness *f)
{
	uint32_t n = c->at.today - c->at.first + 1;
	struct usage_day *days = ARENA_ARRAY(rq->arena, n, struct usage_day);
	char text[TS_LEN + 1];

	for (uint32_t i = 0; i < n; i++) {
		uint32_t d = c->at.first + i;

		ts_print(meter_day_start(d), text);
		days[i].date = arena_str(rq->arena, (struct str){ text, 10 });
		days[i].requests = 0;
		days[i].partial =
		    d == c->at.today || ts_cmp(f->persisted_through, meter_day_start(d + 1)) < 0;
	}
	return days;
}

static void
put_key_days(
    struct req *rq, const struct counts *c, const struct list *rows, struct organisation_usage *u)
{
	static const struct uuid none;
	const struct key_days_row *row = rows->items;
	struct usage_day *sum = empty_days(rq, c, &u->freshness);
	struct key_days *keys = ARENA_ARRAY(rq->arena, rows->n + 1, struct key_days);
	size_t n = 0;

	u->others.daily =
	    (struct list){ empty_days(rq, c, &u->freshness), c->at.today - c->at.first + 1 };
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
	struct usage parts = { .timezone = STR("UTC") };
	struct list rows = { NULL, 0 };
	struct counts c;
	enum db_rc rc = read_counts(rq, usage_days(rq->params), &c);

	if (rc == DB_OK)
		rc = db_one(rq->db, &select_search_rate, &u.search_rate_limit, P(rq->key->account));
	if (rc == DB_OK)
		rc = db_list(rq->db, &list_key_days, &rows, P(rq->key->uuid),
		    P((int64_t)c.at.first), P((int64_t)c.at.today), P((int64_t)c.at.month_first),
		    P((int64_t)LIM_USAGE_KEYS));
	if (rc != DB_OK)
		return rc == DB_NONE ? fail(rq, ERR_ORGANISATION_NOT_FOUND) : fail_db(rq, rc);
	put_freshness(&c.here, c.stored, &parts);
	put_quotas(rq, &c.here, c.stored, &parts);
	u.quotas = parts.quotas;
	u.freshness = parts.freshness;
	u.freshness.current_through = u.freshness.persisted_through;
	u.from = meter_day_start(c.at.first);
	u.to = c.here.now;
	u.month_to_date.from = meter_day_start(c.at.month_first);
	u.month_to_date.to = c.here.now;
	put_key_days(rq, &c, &rows, &u);
	return reply(rq, 200, rq->route->wrapper, organisation_usage_out, &u);
}

static const enum error key_usage_errors[] = { ERR_KEY_NOT_FOUND, ERR_UNSET };

static const struct route usage_routes[] = {
	{
	    ROUTE(GET, "/usage", get_usage),
	    .scope = SCOPE_ANY,
	    .access = ACCESS_ACCOUNT,
	    .meter = METER_RATE,
	    .area = AREA_SERVICE,
	    .entitlement = ENTITLEMENT_ANY,
	    PARAMS(struct usage_args, usage_params),
	    .out = usage_out,
	    .wrapper = "api_usage",
	    .tag = "API usage",
	    .summary = "Get API-key usage",
	    .description = "Daily request counts of the authenticated key, and the shared "
			   "quotas that can limit it. Subject to the rate limit; consumes "
			   "no quota.",
	    .result = "The key, its counts and what limits it.",
	},
	{
	    ROUTE(GET, "/access/keys/{key_uuid}/usage", get_access_key_usage),
	    .scope = SCOPE_MEMBER,
	    COLUMNS_OF_MEMBER,
	    PARAMS(struct usage_args, usage_params),
	    .out = usage_out,
	    .wrapper = "api_usage",
	    .errors = key_usage_errors,
	    .summary = "Get the usage of a key",
	    .description = "The answer that the key itself gets of GET /usage: of any key for an "
			   "owner, of their own for another member.",
	    .result = "The key, its counts and what limits it.",
	},
	{
	    ROUTE(GET, "/organisation/usage", get_organisation_usage),
	    .scope = SCOPE_MEMBER,
	    COLUMNS_OF_MEMBER,
	    PARAMS(struct usage_args, usage_params),
	    .out = organisation_usage_out,
	    .wrapper = "organisation_usage",
	    .summary = "Get the usage of one's organisation",
	    .description = "Daily counts of all keys together and of the 20 busiest, for an "
			   "owner; of their own keys for another member. Counted through "
			   "freshness.current_through.",
	    .result = "The counts, the quotas and the rate limit of searches.",
	},
	ROUTE_END,
};

ROUTES(40, usage);
