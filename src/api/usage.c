/* SPDX-License-Identifier: ISC */
/* The usage of a key and its limits: SPEC 2.6 and 4.7, C-070 to C-078. The counts come from two places: those of
   other hosts from PostgreSQL, as they last stored them, and those of this host from the meter's memory, which is
   exact. So a client of one host sees its own last request in the answer. */
#include "config.h"

#include "api/api.h"
#include "counting/meter.h"

enum { WINDOW_MAX = 180 };

struct usage_args {
	struct str window;
};

static const char *const windows[] = { "7d", "30d", "90d", "180d", NULL };

static const struct url_param usage_params[] = {
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

struct usage_key {
	struct uuid uuid;
	struct str name, key_prefix;
	struct uuid owner_uuid;
	struct str owner_name;
	struct list scopes;
};

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

struct usage_quota {
	struct uuid owner_uuid;
	int64_t limit, used, remaining;
	bool exhausted;
	struct ts reset_at;
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

static const struct field key_out[] = {
	FIELD(struct usage_key, uuid, 0),
	FIELD(struct usage_key, name, 0),
	FIELD(struct usage_key, key_prefix, 0),
	FIELD(struct usage_key, owner_uuid, 0),
	FIELD(struct usage_key, owner_name, 0),
	LIST_OF(struct usage_key, scopes, 0, struct str, 0, 0),
	FIELD_END_OF("UsageKey"),
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

static const struct field quota_out[] = {
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
	OBJECT(struct usage, api_key, 0, key_out),
	LIST(struct usage, daily, 0, struct usage_day, day_out, 0, WINDOW_MAX),
	OBJECT(struct usage, freshness, 0, freshness_out),
	FIELD(struct usage, from, 0),
	FIELD(struct usage, to, 0),
	OBJECT(struct usage, month_to_date, 0, month_out),
	LIST(struct usage, quotas, 0, struct usage_quota, quota_out, 0, 2),
	OBJECT(struct usage, rate_limit, 0, rate_out),
	FIELD(struct usage, timezone, 0),
	OBJECT(struct usage, totals, 0, totals_out),
	FIELD_END_OF("ApiUsage"),
};

/* ---- the stored counts ---- */

/* Positions in stored_usage.used: the account has the first USED_EACH counts, the group the next. */
enum { USED_OTHERS, USED_OURS, USED_EACH };

/* The one row of usage_stored: an answer costs one round trip. days, day_others and day_ours are parallel lists. ours
   are the counts that this host's incarnation stored last. */
struct stored_usage {
	struct usage_key api_key;
	struct ts through;
	struct list days, day_others, day_ours;
	int64_t account_quota, group_quota; /* -1: there is no group */
	struct list used;                   /* by USED_... */
};

static const struct field stored_out[] = {
	OBJECT(struct stored_usage, api_key, 0, key_out),
	FIELD(struct stored_usage, through, NULLABLE),
	LIST_OF(struct stored_usage, days, 0, int64_t, 0, 0),
	LIST_OF(struct stored_usage, day_others, 0, int64_t, 0, 0),
	LIST_OF(struct stored_usage, day_ours, 0, int64_t, 0, 0),
	FIELD(struct stored_usage, account_quota, 0),
	FIELD(struct stored_usage, group_quota, 0),
	LIST_OF(struct stored_usage, used, 0, int64_t, 0, 0),
	FIELD_END,
};

/* through: no count before this time is missing; it is the oldest last flush among the hosts that run. */
STMT(usage_stored, stored_out,
    "SELECT k.uuid, k.name, k.prefix AS key_prefix, k.owner_uuid, m.name AS owner_name,"
    " ARRAY(SELECT s.scope::text FROM account_scope s WHERE s.account_uuid = "
    "k.account_uuid AND s.scope = ANY (k.scopes) ORDER BY 1) AS scopes,"
    " h.through, d.days, d.day_others, d.day_ours,"
    " (SELECT quota FROM account_limit WHERE account_uuid = $4) AS account_quota,"
    " coalesce((SELECT quota FROM group_limit WHERE group_uuid = $5), -1) AS group_quota,"
    " (SELECT ARRAY["
    "   coalesce(sum(used) FILTER (WHERE owner_uuid = $4 AND incarnation <> $2), 0),"
    "   coalesce(sum(used) FILTER (WHERE owner_uuid = $4 AND incarnation = $2), 0),"
    "   coalesce(sum(used) FILTER (WHERE owner_uuid = $5 AND incarnation <> $2), 0),"
    "   coalesce(sum(used) FILTER (WHERE owner_uuid = $5 AND incarnation = $2), "
    "0)]::bigint[]"
    "  FROM quota_used WHERE owner_uuid IN ($4, $5) AND month = $6::bigint::integer) AS "
    "used"
    " FROM api_key k JOIN member m ON m.uuid = k.owner_uuid"
    " CROSS JOIN (SELECT coalesce(min(flushed_through) FILTER (WHERE incarnation = $2"
    "  OR last_seen > now() - interval '60 s'), max(flushed_through)) AS through"
    "  FROM meter_host WHERE closed_at IS NULL) h"
    " CROSS JOIN (SELECT coalesce(array_agg(day), '{}') AS days,"
    "  coalesce(array_agg(others), '{}') AS day_others, coalesce(array_agg(ours), '{}') "
    "AS "
    "day_ours"
    "  FROM (SELECT (day - date '1970-01-01')::bigint AS day,"
    "   coalesce(sum(requests) FILTER (WHERE incarnation <> $2), 0)::bigint AS others,"
    "   coalesce(sum(requests) FILTER (WHERE incarnation = $2), 0)::bigint AS ours"
    "   FROM usage_daily WHERE key_uuid = $1 AND day >= date '1970-01-01' + "
    "$3::bigint::integer GROUP BY day) AS counted) d"
    " WHERE k.uuid = $1");

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

static int64_t *
count_days(const struct req *rq, const struct host_counts *v, const struct stored_usage *db,
    const struct span *at, uint32_t from)
{
	int64_t *counts = ARENA_ARRAY(rq->arena, at->today - from + 1, int64_t);
	int64_t *stored = ARENA_ARRAY(rq->arena, at->today - from + 1, int64_t);
	const int64_t *day = db->days.items, *others = db->day_others.items,
		      *ours = db->day_ours.items;

	for (size_t i = 0; i < db->days.n; i++) {
		if (day[i] < from || day[i] > at->today)
			continue; /* a day that was counted while the database's clock was ahead */
		counts[day[i] - from] = others[i];
		stored[day[i] - from] = ours[i];
	}
	for (uint32_t d = from; d <= at->today; d++)
		counts[d - from] +=
		    count_of_this_host(v, SLOT_KEY_USAGE, &rq->key->uuid, d, stored[d - from]);
	return counts;
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

static void
put_days(const struct req *rq, const struct host_counts *v, const struct stored_usage *db,
    const struct span *at, struct usage *u)
{
	uint32_t from = first_day(at), n = at->today - at->first + 1;
	struct usage_day *days = ARENA_ARRAY(rq->arena, n, struct usage_day);
	int64_t *counts = count_days(rq, v, db, at, from);
	char text[TS_LEN + 1];

	for (uint32_t i = 0; i < n; i++) {
		struct ts end = meter_day_start(at->first + i + 1);

		ts_print(meter_day_start(at->first + i), text);
		days[i].date = arena_str(rq->arena, (struct str){ text, 10 });
		days[i].requests = counts[at->first + i - from];
		days[i].partial =
		    at->first + i == at->today || ts_cmp(u->freshness.persisted_through, end) < 0;
		u->totals.requests += days[i].requests;
	}
	for (uint32_t d = at->month_first; d <= at->today; d++)
		u->month_to_date.requests += counts[d - from];
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

static int64_t
window_days(struct str window)
{
	int64_t days = 30;

	if (window.n > 0 && !str_int64((struct str){ window.p, window.n - 1 }, &days))
		panic("window %.*s is not in the list", (int)window.n, window.p);
	return days;
}

static int
get_usage(struct req *rq)
{
	const struct usage_args *args = rq->params;
	struct host_counts v = { .file = meter_view(rq->worker->meter) };
	struct usage u = { .timezone = STR("UTC") };
	struct stored_usage db;
	struct span at;
	enum db_rc rc;

	v.now = rq->now;
	if (v.file != NULL) {
		v.incarnation = v.file->head->incarnation;
		v.now = meter_time(v.file, boot_us());
	}
	u.to = v.now;
	at.today = meter_day(v.now);
	at.first = at.today - (uint32_t)window_days(args->window) + 1;
	u.month_to_date.from = meter_month_start(meter_month(v.now));
	at.month_first = meter_day(u.month_to_date.from);
	u.month_to_date.to = v.now;
	u.from = meter_day_start(at.first);
	u.rate_limit.limit = rq->ticket.limit;
	u.rate_limit.window_seconds = rq->ticket.seconds;
	rc = db_one(rq->db, &usage_stored, &db, P(rq->key->uuid), P(v.incarnation),
	    P((int64_t)first_day(&at)), P(rq->key->account), P(rq->key->group_uuid),
	    P((int64_t)meter_month(v.now)));
	if (rc == DB_NONE)
		panic("the authenticated key has no row");
	if (rc != DB_OK)
		return fail_db(rq, rc);
	u.api_key = db.api_key;
	put_freshness(&v, &db, &u);
	put_days(rq, &v, &db, &at, &u);
	put_quotas(rq, &v, &db, &u);
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
