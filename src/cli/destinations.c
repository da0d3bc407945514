/* SPDX-License-Identifier: ISC */
/* surfacectl destinations: the webhooks that get a project's alerts.

   The secret that signs the webhooks is printed by create and rotate and by no other command. The
   database stores it for surfaced-alert, which needs it for each webhook, but surfaced_admin has no
   right to read the column. rotate is the answer to a lost or known secret: the old one signs
   nothing from then on. A deleted destination keeps its row for the history of its deliveries. */
#include "config.h"

#include "cli/cli.h"
#include "daemon/conf.h"
#include "resource/destination.h"

STMT_LIST(list_destinations, struct destination, destination_row,
    "SELECT " DESTINATION_COLUMNS " FROM alert_destination"
    " WHERE project_uuid = $1 AND deleted_at IS NULL ORDER BY created_at DESC, uuid");

STMT_LIST(read_destination, struct destination, destination_row,
    "SELECT " DESTINATION_COLUMNS " FROM alert_destination"
    " WHERE uuid::text = lower($1) AND deleted_at IS NULL");

STMT(rotate_destination, destination_row,
    "UPDATE alert_destination SET secret = $2, updated_at = now()"
    " WHERE uuid::text = lower($1) AND deleted_at IS NULL RETURNING " DESTINATION_COLUMNS);

#define TURN(on)                                                                                   \
	"UPDATE alert_destination SET enabled = " on ", updated_at = now()"                        \
	" WHERE uuid::text = lower($1) AND deleted_at IS NULL RETURNING " DESTINATION_COLUMNS

STMT_LIST(enable_destination, struct destination, destination_row, TURN("true"));

STMT_LIST(disable_destination, struct destination, destination_row, TURN("false"));

STMT_LIST(delete_destination, struct destination, destination_row,
    "UPDATE alert_destination SET deleted_at = now()"
    " WHERE uuid::text = lower($1) AND deleted_at IS NULL RETURNING " DESTINATION_COLUMNS);

struct tested {
	struct uuid delivery_uuid;
};

static const struct field tested_out[] = { FIELD(struct tested, delivery_uuid, 0), FIELD_END };

STMT_LIST(test_destination, struct tested, tested_out,
    "SELECT alert_destination_test(project_uuid, uuid) AS delivery_uuid FROM "
    "alert_destination"
    " WHERE uuid::text = lower($1) AND deleted_at IS NULL");

static int
create_destination(struct cli *c, int argc, char **argv)
{
	struct str project = STR_NULL, url = STR_NULL;
	const struct cli_option options[] = { { "project", .text = &project },
		{ "url", .text = &url }, { NULL } };
	char secret[WEBHOOK_SECRET_LEN + 1];
	struct destination line;
	struct cli_list words;
	const char *fault;
	struct uuid uuid;
	enum db_rc rc;
	int status;

	if (!cli_options(c, argc, argv, options, &words, 1, 1))
		return EXIT_USAGE;
	fault = webhook_url_fault(url, conf.webhook_ports);
	if (fault != NULL)
		return cli_usage(c, "--url %s", fault);
	status = cli_project(c, project, &uuid);
	if (status != EXIT_OK)
		return status;
	webhook_secret_make(secret);
	rc = db_one(c->db, &insert_destination, &line, P(uuid), P(words.p[0]), P(url),
	    P((bool)true), P(str_of(secret)));
	if (rc != DB_OK)
		return cli_fail_db(c, rc, words.p[0].p);
	line.secret = str_of(secret);
	return cli_print(c, "destination", destination_row_with_secret, &line);
}

static int
rotate_destination_secret(struct cli *c, int argc, char **argv)
{
	const struct cli_option options[] = { { NULL } };
	char secret[WEBHOOK_SECRET_LEN + 1];
	struct destination line;
	struct cli_list words;
	enum db_rc rc;

	if (!cli_options(c, argc, argv, options, &words, 1, 1))
		return EXIT_USAGE;
	webhook_secret_make(secret);
	rc = db_one(c->db, &rotate_destination, &line, P(words.p[0]), P(str_of(secret)));
	if (rc != DB_OK)
		return cli_fail_db(c, rc, words.p[0].p);
	line.secret = str_of(secret);
	return cli_print(c, "destination", destination_row_with_secret, &line);
}

static const struct command subs[] = {
	{ "list", "--project UUID", "newest first", .st = &list_destinations,
	    .lists = "destinations", .of = OF_PROJECT },
	{ "show", "UUID", "one of them, without its secret", .st = &read_destination,
	    .prints = "destination", .words = 1 },
	{ "create", "--project UUID --url URL NAME",
	    "a public https URL; shows the secret that signs, once", .run = create_destination },
	{ "rotate", "UUID", "another secret, shown once", .run = rotate_destination_secret },
	{ "enable", "UUID", "send it alerts", .st = &enable_destination, .prints = "destination",
	    .words = 1 },
	{ "disable", "UUID", "the opposite", .st = &disable_destination, .prints = "destination",
	    .words = 1 },
	{ "delete", "UUID", "rules no longer name it", .st = &delete_destination,
	    .prints = "destination", .words = 1 },
	{ "test", "UUID", "sends it a webhook that says it is a test", .st = &test_destination,
	    .prints = "test", .words = 1 },
	{ NULL },
};

static const struct command destinations_command = { "destinations",
	.help = "where alerts are sent", .sub = subs };

COMMAND(destinations_command);
