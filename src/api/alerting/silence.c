/* SPDX-License-Identifier: ISC */
/* Alert silences (C-079 to C-083, C-770 to C-772). A silence has no stored state: it follows from its
   times and the clock of the database, so nothing has to run when a silence begins or ends. */
#include "config.h"

#include "api/api.h"

struct silence {
	struct uuid uuid, rule_uuid;
	struct str reason, state;
	struct ts starts_at, ends_at, created_at, cancelled_at;
};

static const struct field silence_in[] = {
	FIELD(struct silence, rule_uuid, REQUIRED),
	TEXT(struct silence, reason, REQUIRED | TRIM | PROSE, 1, LIM_SILENCE_REASON),
	FIELD(struct silence, starts_at, DEFAULT_NOW),
	FIELD(struct silence, ends_at, REQUIRED),
	FIELD_END,
};

static const char *const states[] = { "pending", "active", "expired", "cancelled", NULL };

/* Describes the columns of the statements and the members of the answer. */
static const struct field silence_out[] = {
	FIELD(struct silence, uuid, 0),
	FIELD(struct silence, rule_uuid, 0),
	FIELD(struct silence, reason, 0),
	FIELD(struct silence, starts_at, 0),
	FIELD(struct silence, ends_at, 0),
	FIELD(struct silence, created_at, 0),
	FIELD(struct silence, cancelled_at, NULLABLE),
	ONE_OF(struct silence, state, 0, states, "Derived from the times."),
	FIELD_END_OF("AlertSilence"),
};

#define COLUMNS                                                                                    \
	"s.uuid, s.rule_uuid, s.reason, s.starts_at, s.ends_at, s.created_at,"                     \
	" s.cancelled_at, alert_silence_state(s, now()) AS state"

/* Returns no row when the project has no such rule. */
STMT(insert_silence, silence_out,
    "INSERT INTO alert_silence AS s (project_uuid, rule_uuid, reason, starts_at, ends_at)"
    " SELECT project_uuid, uuid, $3, $4, $5 FROM alert_rule"
    "  WHERE project_uuid = $1 AND uuid = $2 AND deleted_at IS NULL"
    " RETURNING " COLUMNS);

STMT_LIST(select_silence, struct silence, silence_out,
    "SELECT " COLUMNS " FROM alert_silence s WHERE project_uuid = $1 AND uuid = $2");

STMT_LIST(list_silences, struct silence, silence_out,
    "SELECT " COLUMNS " FROM alert_silence s WHERE project_uuid = $1"
    " AND ($5::text IS NULL OR alert_silence_state(s, now()) = $5)"
    " AND ($6::uuid IS NULL OR rule_uuid = $6)" PAGE_SQL);

/* Returns no row when the silence does not exist or has expired; a cancelled silence stays
   unchanged, so a repeated DELETE is answered like the first.

     state       cancelled_at   clock                      DELETE
     pending     null           before starts_at           sets cancelled_at: the silence never begins
     active      null           before ends_at             sets cancelled_at
     cancelled   set            any                        unchanged
     expired     null           ends_at or later           no row: silence_expired

   The clock is that of the database, as for the state itself. */
STMT(cancel_silence, silence_out,
    "UPDATE alert_silence s SET cancelled_at = coalesce(cancelled_at, now())"
    " WHERE project_uuid = $1 AND uuid = $2"
    "  AND (cancelled_at IS NOT NULL OR ends_at > now())"
    " RETURNING " COLUMNS);

/* Returns the same date one year later, 28 February for the 29th; there is no date after the year
   9999. */
static struct ts
year_after(struct ts t)
{
	char text[TS_LEN + 1];
	struct ts out;
	int year;

	ts_print(t, text);
	year = (text[0] - '0') * 1000 + (text[1] - '0') * 100 + (text[2] - '0') * 10 +
	       (text[3] - '0') + 1;
	for (int i = 3, rest = year; i >= 0; i--, rest /= 10)
		text[i] = (char)('0' + rest % 10);
	if (year <= 9999 && ts_parse(str_of(text), &out))
		return out;
	text[8] = '2';
	text[9] = '8';
	if (year <= 9999 && ts_parse(str_of(text), &out))
		return out;
	return (struct ts){ INT64_MAX };
}

static int
create_alert_silence(struct req *rq)
{
	const struct silence *in = rq->in;
	struct silence s;
	enum db_rc rc;

	if (ts_cmp(in->ends_at, rq->now) <= 0)
		return fail_field(rq, "ends_at", "out_of_range", "must be in the future");
	if (ts_cmp(in->ends_at, in->starts_at) <= 0)
		return fail_field(rq, "ends_at", "out_of_range", "must be later than starts_at");
	if (ts_cmp(in->ends_at, year_after(in->starts_at)) > 0)
		return fail_field(
		    rq, "ends_at", "out_of_range", "must be at most one year after starts_at");
	rc = db_one(rq->db, &insert_silence, &s, P(rq->project), P(in->rule_uuid), P(in->reason),
	    P(in->starts_at), P(in->ends_at));
	if (rc == DB_NONE)
		return fail(rq, ERR_ALERT_RULE_NOT_FOUND);
	if (rc != DB_OK)
		return fail_db(rq, rc);
	return reply_created(rq, &s.uuid, &s);
}

static int
cancel_alert_silence(struct req *rq)
{
	struct silence s;
	enum db_rc rc = db_one(rq->db, &cancel_silence, &s, P(rq->project), P(rq->path[1]));

	if (rc == DB_NONE) {
		rc = db_one(rq->db, &select_silence, &s, P(rq->project), P(rq->path[1]));
		if (rc == DB_OK)
			return fail(rq, ERR_SILENCE_EXPIRED);
	}
	return reply_found(rq, rc, ERR_SILENCE_NOT_FOUND, &s);
}

struct silence_args {
	struct page_args page;
	struct str state;
	struct uuid rule_uuid;
};

static const struct url_param silence_params[] = {
	PAGE_PARAMS(struct silence_args, page),
	FILTER(FIELD_STR, struct silence_args, state, .values = states),
	FILTER(FIELD_UUID, struct silence_args, rule_uuid),
	URL_PARAM_END,
};

static const enum error create_errors[] = { ERR_ALERT_RULE_NOT_FOUND, ERR_UNSET };
static const enum error get_errors[] = { ERR_SILENCE_NOT_FOUND, ERR_UNSET };
static const enum error cancel_errors[] = { ERR_SILENCE_NOT_FOUND, ERR_SILENCE_EXPIRED, ERR_UNSET };

#define SILENCES PROJECT "/alerting/silences"
#define SILENCE SILENCES "/{silence_uuid}"
#define SILENCE_ROW(need)                                                                          \
	COLUMNS_OF_PROJECT(need, ENTITLEMENT_ALERTING), .out = silence_out, .tag = "Alert silences"

/* clang-format off */
#define SILENCE_EXAMPLE JSON({ "rule_uuid": "3f0b6a52-5d0c-4c3a-9a55-0f6d1c2b7e91", "reason": "Planned maintenance", \
	"starts_at": "2099-01-01T22:00:00Z", "ends_at": "2099-01-02T04:00:00Z" })
/* clang-format on */

static const struct route silence_routes[] = {
	{
	    ROUTE(POST, SILENCES, create_alert_silence),
	    SILENCE_ROW(SCOPE_ALERTS_SILENCES_MANAGE),
	    BODY(struct silence, silence_in, BODY_CONFIGURED),
	    .example = SILENCE_EXAMPLE,
	    .status = 201,
	    .wrapper = "silence",
	    .errors = create_errors,
	    .summary = "Silence an alert rule",
	    .description =
		"Between starts_at (default: now) and ends_at, at most a year, alerts of the "
		"rule send no notification; they still reach the inbox.",
	},
	{
	    ROUTE_AS(GET, SILENCES, "list_alert_silences", page_list),
	    SILENCE_ROW(SCOPE_ALERTS_SILENCES_VIEW),
	    .st = &list_silences,
	    PARAMS(struct silence_args, silence_params),
	    .list = "silences",
	    .summary = "List alert silences",
	    .description = "Newest first.",
	},
	{
	    ROUTE_AS(GET, SILENCE, "get_alert_silence", record_one),
	    SILENCE_ROW(SCOPE_ALERTS_SILENCES_VIEW),
	    .st = &select_silence,
	    .wrapper = "silence",
	    .errors = get_errors,
	    .summary = "Get an alert silence",
	    .description = "Cancelled and expired silences can be read, too.",
	},
	{
	    ROUTE(DELETE, SILENCE, cancel_alert_silence),
	    SILENCE_ROW(SCOPE_ALERTS_SILENCES_MANAGE),
	    .wrapper = "silence",
	    .errors = cancel_errors,
	    .summary = "Cancel an alert silence",
	    .description =
		"The silence ends now, or never begins if it was pending. Cancelling it again "
		"changes nothing.",
	},
	ROUTE_END,
};

ROUTES(100, silence);
