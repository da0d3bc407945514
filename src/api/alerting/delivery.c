/* SPDX-License-Identifier: ISC */
/* Deliveries: the webhooks of an alert or of a test, one for each destination, with the history of
   their attempts. surfaced-alert sends them; the operations here read them, queue one again, or
   queue a test. */
#include "config.h"

#include "api/api.h"
#include "resource/delivery.h"

STMT(select_delivery, delivery_out,
    "SELECT " DELIVERY_COLUMNS " FROM alert_delivery WHERE project_uuid = $1 AND uuid = $2");

STMT_LIST(list_deliveries, struct delivery, delivery_out,
    "SELECT " DELIVERY_COLUMNS " FROM alert_delivery WHERE project_uuid = $1"
    " AND ($5::text IS NULL OR state = $5) AND ($6::uuid IS NULL OR alert_uuid = $6)"
    " AND ($7::uuid IS NULL OR destination_uuid = $7)" PAGE_SQL);

struct retry_result {
	bool due;
};

static const struct field retry_result_out[] = { FIELD(struct retry_result, due, 0), FIELD_END };
STMT(retry_delivery, retry_result_out, "SELECT alert_delivery_retry($1, $2) AS due");

struct test_result {
	struct uuid uuid;
};

static const struct field test_result_out[] = { FIELD(struct test_result, uuid, NULLABLE),
	FIELD_END };
STMT(test_destination, test_result_out, "SELECT alert_destination_test($1, $2) AS uuid");

static int
get_alert_delivery(struct req *rq)
{
	struct delivery d = { .attempts = 0 };
	enum db_rc rc = db_one(rq->db, &select_delivery, &d, P(rq->project), P(rq->path[1]));

	if (rc == DB_OK)
		rc =
		    db_list(rq->db, &list_attempts, &d.history, P(d.uuid), P((int64_t)LIM_HISTORY));
	return reply_found(rq, rc, ERR_ALERT_DELIVERY_NOT_FOUND, &d);
}

static int
retry_alert_delivery(struct req *rq)
{
	struct retry_result r = { false };
	struct delivery d;
	enum db_rc rc = db_one(rq->db, &retry_delivery, &r, P(rq->project), P(rq->path[1]));

	if (rc == DB_OK)
		rc = db_one(rq->db, &select_delivery, &d, P(rq->project), P(rq->path[1]));
	if (rc == DB_OK && str_is(d.state, "delivered"))
		return fail(rq, ERR_ALERT_DELIVERY_STATE_CONFLICT);
	return reply_found(rq, rc, ERR_ALERT_DELIVERY_NOT_FOUND, &d);
}

static int
test_alert_destination(struct req *rq)
{
	static const struct uuid none;
	struct test_result made = { none };
	struct delivery d;
	enum db_rc rc = db_one(rq->db, &test_destination, &made, P(rq->project), P(rq->path[1]));

	if (rc == DB_OK && uuid_cmp(&made.uuid, &none) == 0)
		return fail(rq, ERR_ALERT_DESTINATION_NOT_FOUND);
	if (rc == DB_OK)
		rc = db_one(rq->db, &select_delivery, &d, P(rq->project), P(made.uuid));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	return reply(rq, 202, rq->route->wrapper, rq->route->out, &d);
}

struct delivery_args {
	struct page_args page;
	struct str state;
	struct uuid alert_uuid, destination_uuid;
};

static const struct url_param delivery_params[] = {
	PAGE_PARAMS(struct delivery_args, page),
	FILTER(FIELD_STR, struct delivery_args, state, .values = delivery_states),
	FILTER(FIELD_UUID, struct delivery_args, alert_uuid),
	FILTER(FIELD_UUID, struct delivery_args, destination_uuid),
	URL_PARAM_END,
};

static const enum error get_errors[] = { ERR_ALERT_DELIVERY_NOT_FOUND, ERR_UNSET };
static const enum error retry_errors[] = { ERR_ALERT_DELIVERY_NOT_FOUND,
	ERR_ALERT_DELIVERY_STATE_CONFLICT, ERR_UNSET };
static const enum error test_errors[] = { ERR_ALERT_DESTINATION_NOT_FOUND, ERR_UNSET };

#define DELIVERIES PROJECT "/alerting/deliveries"
#define DELIVERY DELIVERIES "/{delivery_uuid}"
#define DELIVERY_ROW(need, fields) COLUMNS_OF_PROJECT(need, ENTITLEMENT_ALERTING), .out = (fields)

static const struct route delivery_routes[] = {
	{
	    ROUTE_AS(GET, DELIVERIES, "list_alert_deliveries", page_list),
	    DELIVERY_ROW(SCOPE_ALERTS_RULES_VIEW, delivery_out),
	    .st = &list_deliveries,
	    PARAMS(struct delivery_args, delivery_params),
	    .list = "deliveries",
	    .tag = "Alerts",
	    .summary = "List deliveries",
	    .description = "Deliveries that were sent or will be, newest first.",
	},
	{
	    ROUTE(GET, DELIVERY, get_alert_delivery),
	    DELIVERY_ROW(SCOPE_ALERTS_RULES_VIEW, delivery_with_history),
	    .wrapper = "delivery",
	    .errors = get_errors,
	    .tag = "Alerts",
	    .summary = "Get a delivery",
	    .description =
		"failure and http_status_code are those of the last attempt; history has the "
		"last hundred attempts.",
	},
	{
	    ROUTE(POST, DELIVERY "/retry", retry_alert_delivery),
	    DELIVERY_ROW(SCOPE_ALERTS_RULES_MANAGE, delivery_out),
	    .wrapper = "delivery",
	    .errors = retry_errors,
	    .tag = "Alerts",
	    .summary = "Retry a delivery",
	    .description = "A delivery that failed or was silenced is sent again, with the same "
			   "webhook-id. A pending one does not change.",
	},
	{
	    ROUTE(POST, PROJECT "/alerting/destinations/{destination_uuid}/test",
		test_alert_destination),
	    DELIVERY_ROW(SCOPE_ALERTS_RULES_MANAGE, delivery_out),
	    .status = 202,
	    .wrapper = "delivery",
	    .errors = test_errors,
	    .tag = "Alert destinations",
	    .summary = "Test an alert destination",
	    .description =
		"Sends a webhook of the type destination.test to it, even when it is disabled. "
		"The delivery shows the outcome.",
	},
	ROUTE_END,
};

ROUTES(120, delivery);
