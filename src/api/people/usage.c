/* SPDX-License-Identifier: ISC */
/* The usage of a key and its limits (C-070 to C-078, C-785). The counts come from two
   places: those of other hosts from PostgreSQL, as they last stored them (api/people/usage_stored.h), and
   those of this host from the meter's memory, which is exact. So a client of one host sees its own
   last request in the answer. */
#include "config.h"

#include "api/people/access.h"
#include "api/people/people.h"
#include "api/people/usage_priv.h"

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

struct totals {
	int64_t requests;
};

struct usage {
	struct usage_key api_key;
	struct list daily;
	struct usage_freshness freshness;
	struct ts from, to;
	struct usage_month month_to_date;
	struct list quotas;
	struct usage_rate rate_limit;
	struct str timezone;
	struct totals totals;
};

const struct field usage_day_out[] = {
	FIELD(struct usage_day, date, 0),
	FIELD(struct usage_day, requests, 0),
	FIELD(struct usage_day, partial, 0),
	FIELD_END_OF("UsageDay"),
};

const struct field usage_freshness_out[] = {
	FIELD(struct usage_freshness, current_through, 0),
	FIELD(struct usage_freshness, persisted_through, 0),
	FIELD_END_OF("UsageFreshness"),
};

const struct field usage_month_out[] = {
	FIELD(struct usage_month, from, 0),
	FIELD(struct usage_month, to, 0),
	FIELD(struct usage_month, requests, 0),
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

const struct field usage_rate_out[] = {
	FIELD(struct usage_rate, limit, 0),
	FIELD(struct usage_rate, window_seconds, 0),
	FIELD_END_OF("RateLimit"),
};

static const struct field totals_out[] = {
	FIELD(struct totals, requests, 0),
	FIELD_END_OF("UsageTotals"),
};

static const struct field usage_out[] = {
	OBJECT(struct usage, api_key, 0, usage_key_out),
	LIST(struct usage, daily, 0, struct usage_day, usage_day_out, 0, USAGE_WINDOW_MAX),
	OBJECT(struct usage, freshness, 0, usage_freshness_out),
	FIELD(struct usage, from, 0),
	FIELD(struct usage, to, 0),
	OBJECT(struct usage, month_to_date, 0, usage_month_out),
	LIST(struct usage, quotas, 0, struct usage_quota, usage_quota_out, 0, 2),
	OBJECT(struct usage, rate_limit, 0, usage_rate_out),
	FIELD(struct usage, timezone, 0),
	OBJECT(struct usage, totals, 0, totals_out),
	FIELD_END_OF("ApiUsage"),
};

/* ---- stored counts and the counts of this host ---- */

/* Returns the count in the memory of this host, or the stored one when the memory has no slot for
   it. */
static int64_t
count_of_this_host(const struct usage_host *v, enum slot_kind kind, const struct uuid *owner,
    uint32_t period, int64_t stored)
{
	const struct slot *s = v->file == NULL ? NULL : meter_find(v->file, kind, owner, period);

	return s == NULL ? stored : (int64_t)slot_used(s);
}

/* The window and the month begin on different days; the statement covers both. */
static uint32_t
first_day(const struct usage_span *at)
{
	return at->first < at->month_first ? at->first : at->month_first;
}

/* The requests of one day. Keeps the count of this host, for the time after the meter has freed its
   slot. */
static int64_t
count_day(
    const struct req *rq, const struct usage_host *v, struct stored_days *stored, uint32_t day)
{
	int64_t *ours = &stored->ours[day - stored->first];

	*ours = count_of_this_host(v, SLOT_KEY_USAGE, &rq->key->uuid, day, *ours);
	return stored->others[day - stored->first] + *ours;
}

struct usage_freshness
usage_freshness_of(const struct usage_counts *c)
{
	struct usage_freshness f = { c->here.now, c->stored->through };

	if (ts_is_null(f.persisted_through) ||
	    ts_cmp(f.persisted_through, c->here.now) > 0) /* the clocks of hosts differ a little */
		f.persisted_through = c->here.now;
	return f;
}

struct usage_month
usage_month_of(const struct usage_counts *c)
{
	return (struct usage_month){ meter_day_start(c->at.month_first), c->here.now, 0 };
}

/* A day is partial while it runs, and as long as a host may still have requests of it that it has
   not stored. */
struct usage_day *
usage_no_days(struct req *rq, const struct usage_counts *c, const struct usage_freshness *f)
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

/* The window of the answer and the month to date begin on different days, and one loop serves both:

     window 7d on the 3rd     |28 29 30 31  1  2  3|    daily and totals
                                          |1  2  3|    month_to_date
     window 7d on the 20th    |1 ... 13|14 ... 20|      month_to_date from the 1st, daily from the 14th */
static void
put_days(struct req *rq, const struct usage_counts *c, struct usage *u)
{
	struct usage_day *days = usage_no_days(rq, c, &u->freshness);

	for (uint32_t d = first_day(&c->at); d <= c->at.today; d++) {
		int64_t requests = count_day(rq, &c->here, c->days, d);

		if (d >= c->at.month_first)
			u->month_to_date.requests += requests;
		if (d < c->at.first)
			continue;
		days[d - c->at.first].requests = requests;
		u->totals.requests += requests;
	}
	u->daily = (struct list){ days, c->at.today - c->at.first + 1 };
}

static struct usage_quota
quota_of(const struct usage_host *v, enum slot_kind kind, const struct uuid *owner, int64_t limit,
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

struct list
usage_quotas(const struct req *rq, const struct usage_counts *c)
{
	const struct stored_usage *db = c->stored;
	const int64_t *used = db->used.items;
	struct usage_quota *out = ARENA_ARRAY(rq->arena, 2, struct usage_quota);
	size_t n = 0;

	out[n++] =
	    quota_of(&c->here, SLOT_ACCOUNT_QUOTA, &rq->key->account, db->account_quota, used);
	if (db->group_quota >= 0)
		out[n++] = quota_of(&c->here, SLOT_GROUP_QUOTA, &rq->key->group_uuid,
		    db->group_quota, used + USED_EACH);
	return (struct list){ out, n };
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

enum db_rc
usage_read(struct req *rq, int64_t days, struct usage_counts *c)
{
	struct usage_host *v = &c->here;
	enum db_rc rc;

	*v = (struct usage_host){ .file = meter_view(rq->worker->meter), .now = rq->now };
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
	struct usage_counts c;
	enum db_rc rc = usage_read(rq, 1, &c);

	if (rc == DB_OK)
		*out = quota_of(&c.here, SLOT_ACCOUNT_QUOTA, &rq->key->account,
		    c.stored->account_quota, c.stored->used.items);
	return rc;
}

/* Answers the usage of rq->key, which has this rate limit. */
static int
reply_usage(struct req *rq, const struct usage_rate *rate)
{
	struct usage u = { .timezone = STR("UTC"), .rate_limit = *rate };
	struct usage_counts c;
	enum db_rc rc = usage_read(rq, usage_days(rq->params), &c);

	if (rc != DB_OK)
		return fail_db(rq, rc);
	u.to = c.here.now;
	u.from = meter_day_start(c.at.first);
	u.month_to_date = usage_month_of(&c);
	u.api_key = c.stored->api_key;
	u.freshness = usage_freshness_of(&c);
	put_days(rq, &c, &u);
	u.quotas = usage_quotas(rq, &c);
	return reply(rq, 200, "api_usage", usage_out, &u);
}

static int
get_usage(struct req *rq)
{
	struct usage_rate rate = { rq->ticket.limit, rq->ticket.seconds };

	return reply_usage(rq, &rate);
}

/* ---- a key of one's organisation ---- */

STMT(select_key_rate, usage_rate_out,
    "SELECT rate AS \"limit\", rate_window AS window_seconds FROM key_limit WHERE key_uuid = $1");
/* Answers like GET /usage for another key, to a person who may read that key (C-339). */
static int
get_access_key_usage(struct req *rq)
{
	struct key *other = ARENA_NEW(rq->arena, struct key);
	struct access_key seen;
	struct usage_rate rate;
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

static const enum error key_usage_errors[] = { ERR_KEY_NOT_FOUND, ERR_UNSET };

static const struct route usage_routes[] = {
	{
	    ROUTE(GET, "/usage", get_usage),
	    COLUMNS_OF_ANY_KEY,
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
	    .description =
		"The answer that the key itself would get from GET /usage. An owner can ask "
		"for any key, another member for their own.",
	    .result = "The key, its counts and what limits it.",
	},
	ROUTE_END,
};

ROUTES(40, usage);
