/* SPDX-License-Identifier: ISC */
/* surfacectl search: which engine answers each dataset, how far its feeder is, and new layouts of
   ClickHouse. */
#include "config.h"

#include "cli/search.h"
#include "daemon/conf.h"
#include "daemon/host.h"
#include "search/engine.h"

/* ---- status ---- */

struct status_row {
	struct str dataset, engine;
	int64_t layout, filling, generation;
	struct ts fed_at;
	double lag_seconds;
};

static const struct field status_out[] = {
	FIELD(struct status_row, dataset, 0),
	FIELD(struct status_row, engine, 0),
	FIELD(struct status_row, layout, 0),
	FIELD(struct status_row, filling, 0),
	FIELD(struct status_row, generation, 0),
	FIELD(struct status_row, fed_at, 0),
	FIELD(struct status_row, lag_seconds, 0),
	FIELD_END,
};

struct fed_row {
	struct ts at;
	double lag;
};

static const struct field fed_out[] = {
	FIELD(struct fed_row, at, 0),
	FIELD(struct fed_row, lag, 0),
	FIELD_END,
};

STMT(read_fed, fed_out,
    "SELECT at, greatest(0, extract(epoch FROM clock_timestamp() - at))::float8 AS lag"
    " FROM search_feed WHERE engine = $1 AND dataset = $2::smallint");

/* The generation is that of the files; surfaced-index notes its freshness in the database, since
   an index without changes publishes nothing. */
static enum db_rc
print_index_status(struct cli *c, struct engine *e, enum dataset d, struct status_row *row)
{
	struct engine_status s;
	struct fed_row fed;
	enum db_rc rc =
	    db_one(c->db, &read_fed, &fed, P(host_index()), P(record_dataset_number(d)));

	engine_status(e, d, &s);
	row->generation = (int64_t)s.generation;
	if (rc == DB_OK) {
		row->fed_at = fed.at;
		row->lag_seconds = fed.lag;
	}
	return rc == DB_NONE ? DB_OK : rc;
}

static bool
print_clickhouse_status(struct ch_cluster *cluster, enum dataset d, struct status_row *row)
{
	struct ch_layouts l;

	if (!ch_layouts_read(cluster, d, &l))
		return false;
	row->layout = l.asked;
	for (size_t i = 0; i < l.n; i++) {
		if (l.row[i].layout == l.asked) {
			row->fed_at.us = l.row[i].at;
			row->lag_seconds = (double)(ts_now().us - l.row[i].at) / (double)SECOND_US;
		}
		if (!l.row[i].filled && row->filling == 0 && l.row[i].layout > l.asked)
			row->filling = l.row[i].layout;
	}
	ch_layouts_free(&l);
	return true;
}

static int
status(struct cli *c, int argc, char **argv)
{
	static const struct cli_option none[] = { { .name = NULL } };
	struct status_row *rows = ARENA_ARRAY(c->arena, DATASETS, struct status_row);
	struct list list = { .items = rows };
	struct ch_cluster *cluster = NULL;
	struct cli_list words;
	struct engine *e;
	int rc = EXIT_OK;

	if (!cli_options(c, argc, argv, none, &words, 0, 0))
		return EXIT_USAGE;
	e = engine_open_index(conf.index_directory);
	engine_refresh(e);
	for (enum dataset d = 0; rc == EXIT_OK && d < DATASETS; d++) {
		struct status_row *row = &rows[list.n++];

		*row = (struct status_row){ .dataset = str_of(record_dataset_name(d)),
			.engine = ch_answers(&conf, d) ? STR("clickhouse") : STR("index"),
			.fed_at = TS_NULL };
		if (!ch_answers(&conf, d)) {
			enum db_rc fed = print_index_status(c, e, d, row);

			rc = fed == DB_OK ? EXIT_OK : cli_fail_db(c, fed, "search_feed");
			continue;
		}
		if (cluster == NULL && (cluster = search_cluster()) == NULL)
			rc = EXIT_FAILED;
		else if (!print_clickhouse_status(cluster, d, row))
			rc = search_fail(cluster);
	}
	if (rc == EXIT_OK)
		rc = cli_print_list(c, "datasets", status_out, list, sizeof(*rows));
	ch_cluster_free(cluster);
	engine_close(e);
	return rc;
}

/* ---- switch ---- */

STMT(want_layout, NULL, "UPDATE search_feed SET refill = true WHERE engine = $1 AND dataset = $2");
STMT(wake_feeder, NULL, "SELECT pg_notify('record_changed', $1::bigint::text)");

/* Requests a new layout from surfaced-index, which fills it beside the present one and then
   switches to it (indexer/clickhouse_priv.h). Searches ask the present layout until then. */
static int
switch_layouts(struct cli *c, int argc, char **argv)
{
	static const struct cli_option none[] = { { .name = NULL } };
	struct cli_list words;
	int64_t number, changed = 0;
	enum dataset d;
	enum db_rc rc;

	if (!cli_options(c, argc, argv, none, &words, 1, 1))
		return EXIT_USAGE;
	d = search_dataset(c, words.p[0]);
	if (d == DATASETS)
		return EXIT_USAGE;
	number = record_dataset_number(d);
	rc = db_do(c->db, &want_layout, &changed,
	    P(arena_printf(c->arena, "clickhouse:%.64s", conf.clickhouse_database)), P(number));
	if (rc == DB_OK && changed == 0)
		return cli_fail(EXIT_NOT_FOUND,
		    "no surfaced-index feeds %s to ClickHouse: its engine_%s is not clickhouse",
		    record_dataset_name(d), record_dataset_name(d));
	if (rc == DB_OK)
		rc = db_do(c->db, &wake_feeder, NULL, P(number));
	if (rc != DB_OK)
		return cli_fail_db(c, rc, "search_feed");
	printf(c->json ? "{\"dataset\":\"%s\",\"requested\":true}\n"
		       : "a new layout of %s was requested; surfacectl search status shows when it "
			 "is asked\n",
	    record_dataset_name(d));
	return EXIT_OK;
}

static const struct command search_subs[] = {
	{ .name = "status",
	    .arguments = "",
	    .help = "show which engine answers each dataset, and how far it is",
	    .run = status },
	{ .name = "switch",
	    .arguments = "DATASET",
	    .help = "fill a new layout in ClickHouse and switch to it",
	    .run = switch_layouts },
	{ .name = "check",
	    .arguments = "DATASET [--sample N]",
	    .help = "compare ClickHouse with the database",
	    .run = search_check },
	{ .name = "export",
	    .arguments = "DATASET QUERY [--fields NAMES] [--format ndjson|csv]",
	    .help = "write all matching documents to standard output",
	    .run = search_export },
	{ .name = NULL },
};

static const struct command search_command = {
	.name = "search",
	.help = "engines that answer searches",
	.sub = search_subs,
};

COMMAND(search_command);
