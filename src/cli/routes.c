/* SPDX-License-Identifier: ISC */
/* surfacectl routes: the proxies through which browsers reach the Internet from a chosen
   country. */
#include "config.h"

#include "cli/cli.h"
#include "daemon/conf.h"
#include "resource/egress_route.h"

#include <unistd.h>

STMT_LIST(list_routes, struct egress_route, egress_route_row,
    "SELECT " EGRESS_ROUTE_COLUMNS " FROM egress_route ORDER BY country, created_at, uuid");

STMT_LIST(insert_route, struct egress_route, egress_route_row,
    "INSERT INTO egress_route (country, kind, host, port, credential)"
    " VALUES ($1, $2, $3, nullif($4::integer, 0), $5) RETURNING " EGRESS_ROUTE_COLUMNS);

#define TURN(on)                                                                                   \
	"UPDATE egress_route SET enabled = " on                                                    \
	" WHERE uuid::text = lower($1) RETURNING " EGRESS_ROUTE_COLUMNS

STMT_LIST(enable_route, struct egress_route, egress_route_row, TURN("true"));

STMT_LIST(disable_route, struct egress_route, egress_route_row, TURN("false"));

/* A route that a session has used cannot be removed, only switched off. */
STMT_LIST(delete_route, struct egress_route, egress_route_row,
    "DELETE FROM egress_route WHERE uuid::text = lower($1) RETURNING " EGRESS_ROUTE_COLUMNS);

static int
add_route(struct cli *c, int argc, char **argv)
{
	struct str kind = STR("direct"), host = STR_NULL, port = STR_NULL, credential = STR_NULL;
	const struct cli_option options[] = { { "kind", .text = &kind }, { "host", .text = &host },
		{ "port", .text = &port }, { "credential", .text = &credential }, { NULL } };
	struct cli_list words;
	int64_t n = 0;

	if (!cli_options(c, argc, argv, options, &words, 1, 1))
		return EXIT_USAGE;
	if (country_name(words.p[0]) == NULL)
		return cli_usage(
		    c, "there is no country %s: ISO 3166-1 alpha-2, as GB", words.p[0].p);
	if (port.p != NULL && !ip_parse_port(port, &n))
		return cli_usage(c, "--port wants a number from 1 to 65535");
	if (str_is(kind, "direct") ? host.p != NULL || n != 0 : host.p == NULL || n == 0)
		return cli_usage(c, "--host and --port belong to --kind connect and socks5");
	return cli_one(c, "route", &insert_route, words.p[0].p, P(words.p[0]), P(kind), P(host),
	    P(n), P(credential));
}

/* ---- probes: the database holds a request, which a dispatcher hands to surfaced-egress ---- */

enum { PROBE_TRIES = 200, PROBE_LOOK_US = 100000 };

STMT(want_probe, egress_route_row,
    "UPDATE egress_route SET probe_target = $2 WHERE uuid::text = lower($1)"
    " RETURNING " EGRESS_ROUTE_COLUMNS);

STMT(read_probed, egress_route_row,
    "SELECT " EGRESS_ROUTE_COLUMNS " FROM egress_route WHERE uuid::text = lower($1)"
    " AND probe_target IS NULL");

STMT(
    forget_probe, NULL, "UPDATE egress_route SET probe_target = NULL WHERE uuid::text = lower($1)");

/* A probe is a request in a row, because surfacectl may run on another host than surfaced-egress:

     surfacectl                     egress_route.probe_target           dispatcher
     want_probe: sets it       -->  HOST:PORT; a trigger notifies  -->  asks surfaced-egress to connect
     read_probed: finds null   <--  null, with answered, ms, why   <--  writes the result

   The row is read every PROBE_LOOK_US, PROBE_TRIES times: twenty seconds. forget_probe then takes
   the request back, so that a dispatcher that starts a day later does not make a forgotten
   probe. */
static enum db_rc
await_probe(struct cli *c, struct str uuid, struct egress_route *out)
{
	enum db_rc rc = DB_NONE;

	for (int i = 0; i < PROBE_TRIES && rc == DB_NONE; i++) {
		usleep(PROBE_LOOK_US);
		rc = db_one(c->db, &read_probed, out, P(uuid));
	}
	return rc;
}

static int
probe_route(struct cli *c, int argc, char **argv)
{
	struct str target = str_of(conf.route_target);
	const struct cli_option options[] = { { "target", .text = &target }, { NULL } };
	struct cli_list words;
	struct egress_route line;
	enum db_rc rc;

	if (!cli_options(c, argc, argv, options, &words, 1, 1))
		return EXIT_USAGE;
	if (target.n == 0)
		return cli_usage(c, "--target HOST:PORT says what the route is tried with, "
				    "as route_target of the configuration does");
	rc = db_one(c->db, &want_probe, &line, P(words.p[0]), P(target));
	if (rc != DB_OK)
		return cli_fail_db(c, rc, words.p[0].p);
	rc = await_probe(c, words.p[0], &line);
	if (rc == DB_NONE) {
		rc = db_do(c->db, &forget_probe, NULL, P(words.p[0]));
		return rc != DB_OK
			   ? cli_fail_db(c, rc, words.p[0].p)
			   : cli_fail(EXIT_FAILED, "no dispatcher has probed the route; check that "
						   "surfaced-dispatch and surfaced-egress run");
	}
	if (rc != DB_OK)
		return cli_fail_db(c, rc, words.p[0].p);
	(void)cli_print(c, "route", egress_route_row, &line);
	return line.answered ? EXIT_OK : EXIT_FAILED;
}

static const struct command subs[] = {
	{ "list", NULL, "every route and whether it last answered", .st = &list_routes,
	    .lists = "routes" },
	{ "add",
	    "[--kind direct|connect|socks5] [--host HOST --port PORT] [--credential "
	    "NAME] COUNTRY",
	    "a way to a country; the credential is a file of surfaced-egress", .run = add_route },
	{ "probe", "[--target HOST:PORT] UUID", "try it now: 1 when it does not answer",
	    .run = probe_route },
	{ "enable", "UUID", "let sessions have it", .st = &enable_route, .prints = "route",
	    .words = 1 },
	{ "disable", "UUID", "the opposite; running sessions keep it", .st = &disable_route,
	    .prints = "route", .words = 1 },
	{ "delete", "UUID", "one that no session has had", .st = &delete_route, .prints = "route",
	    .words = 1 },
	{ NULL },
};

static const struct command routes_command = { "routes",
	.help = "ways of browsers to their countries", .sub = subs };

COMMAND(routes_command);
