/* SPDX-License-Identifier: ISC */
/* Alert destinations: the URLs that receive webhooks. The secret that signs webhooks is in the
   answer of the operation that created it and in no other. A deleted destination keeps its row for
   the history of deliveries. */
#include "config.h"

#include "address/webhook.h"
#include "api/api.h"
#include "daemon/conf.h"
#include "resource/destination.h"

static const struct field destination_in[] = {
	TEXT(struct destination, name, REQUIRED | TRIM, 1, LIM_NAME),
	TEXT(struct destination, url, REQUIRED, 1, LIM_WEBHOOK_URL),
	SWITCH(struct destination, enabled, 0, true),
	FIELD_END,
};

#define DESTINATION_EXAMPLE                                                                        \
	JSON({ "name" : "On call", "url" : "https://hooks.example.com/surfaced" })

STMT_LIST(select_destination, struct destination, destination_row,
    "SELECT " DESTINATION_COLUMNS " FROM alert_destination"
    " WHERE project_uuid = $1 AND uuid = $2 AND deleted_at IS NULL");

STMT_LIST(list_destinations, struct destination, destination_row,
    "SELECT " DESTINATION_COLUMNS " FROM alert_destination"
    " WHERE project_uuid = $1 AND deleted_at IS NULL" PAGE_SQL);

STMT(update_destination, destination_row,
    "UPDATE alert_destination SET name = $3, url = $4, enabled = $5, updated_at = now()"
    " WHERE project_uuid = $1 AND uuid = $2 AND deleted_at IS NULL RETURNING " DESTINATION_COLUMNS);

STMT(rotate_destination, destination_row,
    "UPDATE alert_destination SET secret = $3, updated_at = now()"
    " WHERE project_uuid = $1 AND uuid = $2 AND deleted_at IS NULL RETURNING " DESTINATION_COLUMNS);

STMT_LIST(delete_destination, struct destination, destination_row,
    "UPDATE alert_destination SET deleted_at = now()"
    " WHERE project_uuid = $1 AND uuid = $2 AND deleted_at IS NULL RETURNING " DESTINATION_COLUMNS);

static int
check_destination(struct req *rq)
{
	const struct destination *in = rq->in;
	const char *fault = webhook_url_fault(in->url, conf.webhook_ports);

	if (!name_visible(in->name))
		return fail_field(rq, "name", "invalid_format", "must not have control characters");
	if (fault != NULL)
		return fail_field(rq, "url", "not_allowed", fault);
	return PASS;
}

/* A secret is in four places: in the arena of this request, in the answer, in the
   row, and with the client. The columns that statements return do not contain it
   (DESTINATION_COLUMNS), and the role surfaced_api may write the column and not
   read it. The handlers therefore put the text that they generated into the record
   after the statement has succeeded. */
static struct str
new_secret(struct req *rq)
{
	char *room = arena_alloc(rq->arena, WEBHOOK_SECRET_LEN + 1);

	webhook_secret_make(room);
	return str_of(room);
}

static int
create_alert_destination(struct req *rq)
{
	const struct destination *in = rq->in;
	struct str secret = new_secret(rq);
	struct destination d = { .secret = STR_NULL };
	enum db_rc rc;

	if (check_destination(rq) != PASS)
		return FAILED;
	rc = db_one(rq->db, &insert_destination, &d, P(rq->project), P(in->name), P(in->url),
	    P(in->enabled), P(secret));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	d.secret = secret;
	return reply_created(rq, &d.uuid, &d);
}

static int
update_alert_destination(struct req *rq)
{
	const struct destination *in = rq->in;
	struct destination d;
	enum db_rc rc;

	if (check_destination(rq) != PASS)
		return FAILED;
	rc = db_one(rq->db, &update_destination, &d, P(rq->project), P(rq->path[1]), P(in->name),
	    P(in->url), P(in->enabled));
	return reply_found(rq, rc, ERR_ALERT_DESTINATION_NOT_FOUND, &d);
}

static int
rotate_alert_destination_secret(struct req *rq)
{
	struct str secret = new_secret(rq);
	struct destination d = { .secret = STR_NULL };
	enum db_rc rc =
	    db_one(rq->db, &rotate_destination, &d, P(rq->project), P(rq->path[1]), P(secret));

	d.secret = secret;
	return reply_found(rq, rc, ERR_ALERT_DESTINATION_NOT_FOUND, &d);
}

static const struct url_param destination_params[] = {
	PAGE_PARAMS(struct page_only, page),
	URL_PARAM_END,
};

static const enum error one_errors[] = { ERR_ALERT_DESTINATION_NOT_FOUND, ERR_UNSET };

#define DESTINATIONS PROJECT "/alerting/destinations"
#define DESTINATION DESTINATIONS "/{destination_uuid}"
#define DESTINATION_ROW(need, fields)                                                              \
	COLUMNS_OF_PROJECT(need, ENTITLEMENT_ALERTING), .out = (fields), .tag = "Alert destinations"

static const struct route destination_routes[] = {
	{
	    ROUTE(POST, DESTINATIONS, create_alert_destination),
	    DESTINATION_ROW(SCOPE_ALERTS_RULES_MANAGE, destination_with_secret),
	    BODY(struct destination, destination_in, BODY_CONFIGURED),
	    .example = DESTINATION_EXAMPLE,
	    .status = 201,
	    .wrapper = "destination",
	    .summary = "Create an alert destination",
	    .description = "A public https URL that webhooks are sent to. The secret that "
			   "signs them is in this answer and in no other.",
	},
	{
	    ROUTE_AS(GET, DESTINATIONS, "list_alert_destinations", page_list),
	    DESTINATION_ROW(SCOPE_ALERTS_RULES_VIEW, destination_out),
	    .st = &list_destinations,
	    PARAMS(struct page_only, destination_params),
	    .list = "destinations",
	    .summary = "List alert destinations",
	    .description = "Newest first.",
	},
	{
	    ROUTE_AS(GET, DESTINATION, "get_alert_destination", record_one),
	    DESTINATION_ROW(SCOPE_ALERTS_RULES_VIEW, destination_out),
	    .st = &select_destination,
	    .wrapper = "destination",
	    .errors = one_errors,
	    .summary = "Get an alert destination",
	    .description = "The answer does not have the secret.",
	},
	{
	    ROUTE(PUT, DESTINATION, update_alert_destination),
	    DESTINATION_ROW(SCOPE_ALERTS_RULES_MANAGE, destination_out),
	    BODY(struct destination, destination_in, BODY_CONFIGURED),
	    .example = DESTINATION_EXAMPLE,
	    .wrapper = "destination",
	    .errors = one_errors,
	    .summary = "Replace an alert destination",
	    .description = "Replaces all members; the secret stays.",
	},
	{
	    ROUTE_AS(DELETE, DESTINATION, "delete_alert_destination", record_one),
	    DESTINATION_ROW(SCOPE_ALERTS_RULES_MANAGE, destination_out),
	    .st = &delete_destination,
	    .wrapper = "destination",
	    .errors = one_errors,
	    .summary = "Delete an alert destination",
	    .description = "It is removed from the rules that named it.",
	},
	{
	    ROUTE(POST, DESTINATION "/rotate-secret", rotate_alert_destination_secret),
	    DESTINATION_ROW(SCOPE_ALERTS_RULES_MANAGE, destination_with_secret),
	    .wrapper = "destination",
	    .errors = one_errors,
	    .summary = "Give an alert destination a new secret",
	    .description =
		"The new secret is in this answer only. The old one is no longer used for "
		"signatures.",
	},
	ROUTE_END,
};

ROUTES(90, destination);
