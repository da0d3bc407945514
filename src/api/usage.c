/* SPDX-License-Identifier: ISC */
/* What a key has used and what limits it: SPEC 2.6 and 4.7, C-070 to C-078. Stored counts of other hosts,
   this host's own from its memory, where they are never behind. */
#include "config.h"

#include "api/api.h"

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

/* ---- what the database knows ---- */

static const struct stmt usage_key = STMT(usage_key, key_out,
    "SELECT k.uuid, k.name, k.prefix AS key_prefix, k.owner_uuid, m.name AS owner_name,"
    " ARRAY(SELECT s.scope::text FROM account_scope s WHERE s.account_uuid = "
    "k.account_uuid"
    "  AND s.scope = ANY (k.scopes) ORDER BY 1) AS scopes"
    " FROM api_key k JOIN member m ON m.uuid = k.owner_uuid WHERE k.uuid = $1");

/* ours: of this host's incarnation, as it was stored last. */
struct day_row {
	int64_t day, others, ours;
};

static const struct field day_row_out[] = {
	FIELD(struct day_row, day, 0),
	FIELD(struct day_row, others, 0),
	FIELD(struct day_row, ours, 0),
	FIELD_END,
};

static const struct stmt usage_days = STMT_LIST(usage_days, struct day_row, day_row_out,
    "SELECT (day - date '1970-01-01')::bigint AS day,"
    " coalesce(sum(requests) FILTER (WHERE incarnation <> $2), 0)::bigint AS others,"
    " coalesce(sum(requests) FILTER (WHERE incarnation = $2), 0)::bigint AS ours"
    " FROM usage_daily WHERE key_uuid = $1 AND day >= date '1970-01-01' + "
    "$3::bigint::integer GROUP BY day");

struct quota_row {
	struct uuid owner;
	int64_t quota, others, ours;
};

static const struct field quota_row_out[] = {
	FIELD(struct quota_row, owner, 0),
	FIELD(struct quota_row, quota, 0),
	FIELD(struct quota_row, others, 0),
	FIELD(struct quota_row, ours, 0),
	FIELD_END,
};

/* The account first, then its group if it has one. */
static const struct stmt usage_quotas = STMT_LIST(usage_quotas, struct quota_row,
    quota_row_out,
    "SELECT o.owner, o.quota,"
    " coalesce(sum(u.used) FILTER (WHERE u.incarnation <> $3), 0)::bigint AS others,"
    " coalesce(sum(u.used) FILTER (WHERE u.incarnation = $3), 0)::bigint AS ours"
    " FROM (SELECT 0 AS place, account_uuid AS owner, quota FROM account_limit WHERE "
    "account_uuid = $1"
    "  UNION ALL SELECT 1, group_uuid, quota FROM group_limit WHERE group_uuid = $2) AS o"
    " LEFT JOIN quota_used u ON u.owner_uuid = o.owner AND u.month = $4::bigint::integer"
    " GROUP BY o.place, o.owner, o.quota ORDER BY o.place");

struct persisted {
	struct ts through;
};

static const struct field persisted_out[] = {
	FIELD(struct persisted, through, NULLABLE),
	FIELD_END,
};

/* Nothing is missing of the time before the oldest flush of those that live. */
static const struct stmt usage_persisted = STMT(usage_persisted, persisted_out,
    "SELECT coalesce(min(flushed_through) FILTER (WHERE incarnation = $1"
    " OR last_seen > now() - interval '60 s'), max(flushed_through)) AS through"
    " FROM meter_host WHERE closed_at IS NULL");

/* ---- putting both together ---- */

struct view {
	const struct meter_file *file; /* NULL: this host counts nothing now */
	struct uuid incarnation;
};

/* Its own memory knows better than what it has stored. */
static int64_t
ours_now(const struct view *v, enum slot_kind kind, const struct uuid *owner,
    uint32_t period, int64_t stored)
{
	const struct slot *s =
	    v->file == NULL ? NULL : meter_find(v->file, kind, owner, period);

	return s == NULL ? stored : (int64_t)slot_used(s);
}

struct span {
	uint32_t first, today, month_first; /* days */
};

static int64_t *
count_days(const struct req *rq, const struct view *v, const struct list *rows,
    const struct span *at, uint32_t from)
{
	int64_t *counts = ARENA_ARRAY(rq->arena, at->today - from + 1, int64_t);
	int64_t *stored = ARENA_ARRAY(rq->arena, at->today - from + 1, int64_t);
	const struct day_row *row = rows->items;

	for (size_t i = 0; i < rows->n; i++) {
		if (row[i].day < from || row[i].day > at->today)
			continue; /* a host whose clock is ahead */
		counts[row[i].day - from] = row[i].others;
		stored[row[i].day - from] = row[i].ours;
	}
	for (uint32_t d = from; d <= at->today; d++)
		counts[d - from] +=
		    ours_now(v, SLOT_KEY_USAGE, &rq->key->uuid, d, stored[d - from]);
	return counts;
}

static int
read_persisted(struct req *rq, const struct view *v, struct usage *u)
{
	struct persisted p;
	enum db_rc rc = db_one(rq->db, &usage_persisted, &p, P(v->incarnation));

	if (rc != DB_OK)
		return fail_db(rq, rc);
	u->freshness.current_through = rq->now;
	u->freshness.persisted_through = p.through;
	if (ts_is_null(p.through) ||
	    ts_cmp(p.through, rq->now) > 0) /* another host's clock is ahead */
		u->freshness.persisted_through = rq->now;
	return PASS;
}

static int
read_days(struct req *rq, const struct view *v, const struct span *at, struct usage *u)
{
	uint32_t from = at->first < at->month_first ? at->first : at->month_first;
	uint32_t n = at->today - at->first + 1;
	struct usage_day *days = ARENA_ARRAY(rq->arena, n, struct usage_day);
	char text[TS_LEN + 1];
	struct list rows;
	int64_t *counts;
	enum db_rc rc = db_list(rq->db, &usage_days, &rows, P(rq->key->uuid),
	    P(v->incarnation), P((int64_t)from));

	if (rc != DB_OK)
		return fail_db(rq, rc);
	counts = count_days(rq, v, &rows, at, from);
	for (uint32_t i = 0; i < n; i++) {
		struct ts end = meter_day_start(at->first + i + 1);

		ts_print(meter_day_start(at->first + i), text);
		days[i].date = arena_str(rq->arena, (struct str){ text, 10 });
		days[i].requests = counts[at->first + i - from];
		days[i].partial = at->first + i == at->today ||
				  ts_cmp(u->freshness.persisted_through, end) < 0;
		u->totals.requests += days[i].requests;
	}
	for (uint32_t d = at->month_first; d <= at->today; d++)
		u->month_to_date.requests += counts[d - from];
	u->daily = (struct list){ days, n };
	return PASS;
}

static int
read_quotas(struct req *rq, const struct view *v, struct usage *u)
{
	uint32_t month = meter_month(rq->now);
	const struct quota_row *row;
	struct usage_quota *out;
	struct list rows;
	enum db_rc rc = db_list(rq->db, &usage_quotas, &rows, P(rq->key->account),
	    P(rq->key->group_uuid), P(v->incarnation), P((int64_t)month));

	if (rc != DB_OK)
		return fail_db(rq, rc);
	row = rows.items;
	out = ARENA_ARRAY(rq->arena, rows.n, struct usage_quota);
	for (size_t i = 0; i < rows.n; i++) {
		enum slot_kind kind = uuid_cmp(&row[i].owner, &rq->key->account) == 0
					  ? SLOT_ACCOUNT_QUOTA
					  : SLOT_GROUP_QUOTA;

		out[i].owner_uuid = row[i].owner;
		out[i].limit = row[i].quota;
		out[i].used =
		    row[i].others + ours_now(v, kind, &row[i].owner, month, row[i].ours);
		out[i].remaining =
		    out[i].limit > out[i].used ? out[i].limit - out[i].used : 0;
		out[i].exhausted = out[i].used >= out[i].limit;
		out[i].reset_at = meter_month_start(month + 1);
	}
	u->quotas = (struct list){ out, rows.n };
	return PASS;
}

static int64_t
window_days(struct str window)
{
	int64_t days = 30;

	if (window.n > 0 && !str_int64((struct str){ window.p, window.n - 1 }, &days))
		panic("a window that is none of the list");
	return days;
}

static int
get_usage(struct req *rq)
{
	const struct usage_args *args = rq->params;
	struct view v = { .file = meter_view(rq->worker->meter) };
	struct span at = { .today = meter_day(rq->now) };
	struct usage u = { .timezone = STR("UTC"), .to = rq->now };
	enum db_rc rc;

	if (v.file != NULL)
		v.incarnation = v.file->head->incarnation;
	at.first = at.today - (uint32_t)window_days(args->window) + 1;
	u.month_to_date.from = meter_month_start(meter_month(rq->now));
	at.month_first = meter_day(u.month_to_date.from);
	u.month_to_date.to = rq->now;
	u.from = meter_day_start(at.first);
	u.rate_limit.limit = rq->ticket.limit;
	u.rate_limit.window_seconds = rq->ticket.seconds;
	rc = db_one(rq->db, &usage_key, &u.api_key, P(rq->key->uuid));
	if (rc == DB_NONE)
		panic("the key is not there");
	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (read_persisted(rq, &v, &u) != PASS || read_days(rq, &v, &at, &u) != PASS ||
	    read_quotas(rq, &v, &u) != PASS)
		return FAILED;
	return reply(rq, 200, "api_usage", usage_out, &u);
}

const struct route usage_routes[] = {
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
	    .description =
		"Daily request counts of the authenticated key, and the shared "
		"quotas that can limit it. Subject to the rate limit; consumes "
		"no quota.",
	    .result = "The key, its counts and what limits it.",
	},
	ROUTE_END,
};

const struct stmt *const usage_stmts[] = { &usage_key, &usage_days, &usage_quotas,
	&usage_persisted, NULL };
