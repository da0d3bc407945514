/* SPDX-License-Identifier: ISC */
/* The usage of a key and its limits: SPEC 2.6 and 4.7, C-070 to C-078. The counts come from two places: those of
   other hosts from PostgreSQL, as they last stored them (api/usage_stored.h), and those of this host from the meter's
   memory, which is exact. So a client of one host sees its own last request in the answer. */
#include "config.h"

#include "api/api.h"
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

/* Returns the count in the memory of this host, or the stored one when the memory has no slot for it. */
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

/* The requests of one day. Keeps the count of this host, for the time after the meter has freed its slot. */
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

static int
get_usage(struct req *rq)
{
	struct usage u = { .timezone = STR("UTC") };
	struct counts c;
	enum db_rc rc = read_counts(rq, usage_days(rq->params), &c);

	if (rc != DB_OK)
		return fail_db(rq, rc);
	u.to = c.here.now;
	u.from = meter_day_start(c.at.first);
	u.month_to_date.from = meter_day_start(c.at.month_first);
	u.month_to_date.to = c.here.now;
	u.rate_limit.limit = rq->ticket.limit;
	u.rate_limit.window_seconds = rq->ticket.seconds;
	u.api_key = c.stored->api_key;
	put_freshness(&c.here, c.stored, &u);
	put_days(rq, &c.here, c.days, &c.at, &u);
	put_quotas(rq, &c.here, c.stored, &u);
	return reply(rq, 200, "api_usage", usage_out, &u);
}

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
	ROUTE_END,
};

ROUTES(40, usage);
