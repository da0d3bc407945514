/* SPDX-License-Identifier: ISC */
/* surfacectl deliveries: the webhooks of alerts to their destinations, with every attempt.
   surfaced-alert sends them; the commands here read its rows.

     pending      waits for its first or next attempt
     delivered    a destination has answered with success
     failed       the last attempt was made; retry queues it again, with the same webhook-id
     silenced     not sent because of a silence; retry sends it all the same */
#include "config.h"

#include "base/limits.h"
#include "cli/cli.h"
#include "resource/delivery.h"

STMT_LIST(list_deliveries, struct delivery, delivery_out,
    "SELECT " DELIVERY_COLUMNS " FROM alert_delivery WHERE project_uuid = $1"
    " AND ($2::text IS NULL OR state = $2)"
    " AND ($3::text IS NULL OR alert_uuid::text = lower($3))"
    " AND ($4::text IS NULL OR destination_uuid::text = lower($4))"
    " ORDER BY created_at DESC, uuid LIMIT 1000");

STMT_LIST(read_delivery, struct delivery, delivery_out,
    "SELECT " DELIVERY_COLUMNS " FROM alert_delivery WHERE uuid::text = lower($1)");

struct retried {
	bool due; /* the time of the next attempt has come */
};

static const struct field retried_out[] = { FIELD(struct retried, due, 0), FIELD_END };
STMT_LIST(retry_delivery, struct retried, retried_out,
    "SELECT alert_delivery_retry(project_uuid, uuid) OR state <> 'delivered' AS due"
    " FROM alert_delivery WHERE uuid::text = lower($1)");

static int
show_delivery(struct cli *c, int argc, char **argv)
{
	const struct cli_option options[] = { { NULL } };
	struct delivery line;
	struct cli_list words;
	enum db_rc rc;

	if (!cli_options(c, argc, argv, options, &words, 1, 1))
		return EXIT_USAGE;
	rc = db_one(c->db, &read_delivery, &line, P(words.p[0]));
	if (rc == DB_OK)
		rc = db_list(c->db, &list_attempts, &line.history, P(line.uuid), P(INT64_MAX));
	if (rc != DB_OK)
		return cli_fail_db(c, rc, words.p[0].p);
	if (c->json)
		return cli_print(c, "delivery", delivery_with_history, &line);
	cli_print(c, "delivery", delivery_out, &line);
	putchar('\n');
	return cli_print_list(c, "history", attempt_out, line.history, sizeof(struct attempt));
}

static const struct command subs[] = {
	{ "list", "--project UUID [--state STATE] [--alert UUID] [--destination UUID]",
	    "the newest", .st = &list_deliveries, .lists = "deliveries", .of = OF_PROJECT,
	    .texts = { "state", "alert", "destination" },
	    .narrow =
		"uuid kind alert_uuid destination_uuid state attempts created_at last_attempt_at "
		"http_status_code failure" },
	{ "show", "UUID", "one, with every attempt", .run = show_delivery },
	{ "retry", "UUID", "one that failed or was silenced, with the same id",
	    .first = &retry_delivery, .refused = "it has been made", .st = &read_delivery,
	    .prints = "delivery", .words = 1 },
	{ NULL },
};

static const struct command deliveries_command = { "deliveries",
	.help = "deliveries of alerts to their destinations", .sub = subs };

COMMAND(deliveries_command);
