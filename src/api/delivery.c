/* SPDX-License-Identifier: ISC */
/* What became of alerts at their destinations. */
#include "config.h"

#include "api/api.h"

struct delivery {
	struct uuid uuid, alert_uuid, destination_uuid;
	struct str state, failure;
	int64_t attempts;
	struct json http_status_code;
	struct ts created_at, last_attempt_at, delivered_at;
};

static const char *const states[] = { "pending", "delivered", "failed", "silenced",
	NULL };

static const struct field delivery_out[] = {
	FIELD(struct delivery, uuid, 0),
	FIELD(struct delivery, alert_uuid, 0),
	FIELD(struct delivery, destination_uuid, 0),
	{
	    .name = "state",
	    .type = FIELD_STR,
	    .offset = offsetof(struct delivery, state),
	    .values = states,
	},
	FIELD(struct delivery, attempts, 0),
	FIELD(struct delivery, created_at, 0),
	FIELD(struct delivery, last_attempt_at, NULLABLE),
	FIELD(struct delivery, delivered_at, NULLABLE),
	OPTIONAL(struct delivery, http_status_code, FIELD_INT, NULLABLE, 100, 599),
	FIELD(struct delivery, failure, NULLABLE),
	FIELD_END,
};

#define COLUMNS                                                                          \
	"uuid, alert_uuid, destination_uuid, state, attempts, created_at,"               \
	" last_attempt_at, delivered_at, to_jsonb(http_status_code) AS "                 \
	"http_status_code,"                                                              \
	" failure"

static const struct stmt select_delivery = STMT(select_delivery, delivery_out,
    "SELECT " COLUMNS " FROM alert_delivery WHERE project_uuid = $1 AND uuid = $2");

static const struct stmt list_deliveries =
    STMT_LIST(list_deliveries, struct delivery, delivery_out,
	"SELECT " COLUMNS " FROM alert_delivery WHERE project_uuid = $1"
	" AND ($5::text IS NULL OR state = $5) AND ($6::uuid IS NULL OR alert_uuid = $6)"
	" AND ($7::uuid IS NULL OR destination_uuid = $7)" PAGE_SQL);

static int
get_alert_delivery(struct req *rq)
{
	struct delivery d;
	enum db_rc rc =
	    db_one(rq->db, &select_delivery, &d, P(rq->project), P(rq->path[1]));

	return reply_found(rq, rc, ERR_ALERT_DELIVERY_NOT_FOUND, &d);
}

struct delivery_args {
	struct page_args page;
	struct str state;
	struct uuid alert_uuid, destination_uuid;
};

static const struct url_param delivery_params[] = {
	PAGE_PARAMS(struct delivery_args, page),
	FILTER(FIELD_STR, struct delivery_args, state, .values = states),
	FILTER(FIELD_UUID, struct delivery_args, alert_uuid),
	FILTER(FIELD_UUID, struct delivery_args, destination_uuid),
	URL_PARAM_END,
};

static int
list_alert_deliveries(struct req *rq)
{
	const struct delivery_args *args = rq->params;
	struct page_from from;
	struct list rows;
	enum db_rc rc;

	if (page_begin(rq, &args->page, &from) != PASS)
		return FAILED;
	rc = db_list(rq->db, &list_deliveries, &rows, P(rq->project), PAGE_P(from),
	    P(args->state), P(args->alert_uuid), P(args->destination_uuid));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	return page_reply(rq, &args->page, rows, sizeof(struct delivery));
}

static const enum error get_errors[] = { ERR_ALERT_DELIVERY_NOT_FOUND, ERR_UNSET };

#define DELIVERY_ROW                                                                     \
	.scope = SCOPE_ALERTS_RULES_VIEW, .access = ACCESS_PROJECT,                      \
	.meter = METER_QUOTA, .area = AREA_SERVICE, .entitlement = ENTITLEMENT_ALERTING, \
	.out = delivery_out, .tag = "Alerts"

const struct route delivery_routes[] = {
	{
	    ROUTE(GET, PROJECT "/alerting/deliveries", list_alert_deliveries),
	    DELIVERY_ROW,
	    PARAMS(struct delivery_args, delivery_params),
	    .list = "deliveries",
	    .summary = "List deliveries",
	    .description = "The history of what was sent, newest first.",
	},
	{
	    ROUTE(
		GET, PROJECT "/alerting/deliveries/{delivery_uuid}", get_alert_delivery),
	    DELIVERY_ROW,
	    .wrapper = "delivery",
	    .errors = get_errors,
	    .summary = "Get a delivery",
	    .description = "failure and http_status_code are of the last attempt.",
	},
	ROUTE_END,
};

const struct stmt *const delivery_stmts[] = { &select_delivery, &list_deliveries, NULL };
