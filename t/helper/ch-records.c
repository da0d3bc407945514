/* SPDX-License-Identifier: ISC */
/* The engine on ClickHouse with the random records of every dataset: its answers to random queries against those of looking
   at every record, on the servers of a world (t/search/clickhouse-records.t).

   usage: ch-records URL FOLDER DATASET QUERIES
   FOLDER has the files password-USER of the feeder and of the engine (t/helper/clickhouse.sh). */
#include "config.h"

#include "search/clickhouse/engine.h"
#include "search/clickhouse/row.h"
#include "search/clickhouse/schema.h"
#include "t/unit/random_record.h"
#include "t/unit/record_world.h"
#include "t/unit/tap.h"

static struct ch_server feeder = { .user = "surfaced_index",
	.database = "surfaced",
	.ca_file = "" },
			searcher = {
				.user = "surfaced_search", .database = "surfaced", .ca_file = ""
			};
static enum dataset dataset;
static unsigned queries;

struct fed {
	struct ch_http *http;
	struct ch_dict *dict;
	struct ch_encoder *encoder;
	struct arena *a;
	uint64_t ver;
	struct str *keys; /* that have been fed and not deleted */
	size_t nkeys;
};

static void
insert(struct fed *f, const char *table, const char *format, struct str rows)
{
	struct ch_answer answer;

	if (rows.n > 0 &&
	    ch_http_run(f->http,
		&(struct ch_statement){
		    .sql = arena_printf(f->a, "INSERT INTO %s FORMAT %s", table, format),
		    .data = rows,
		    .settings = "insert_distributed_sync=1",
		    .query_id = "",
		    .deadline = mono_us() + 60000000,
		    .most = 65536 },
		&answer) != CH_OK)
		panic("%s: %s", table, answer.message);
}

static bool
is_live(const struct world *w, struct str key)
{
	for (size_t i = 0; i < w->ndocs; i++)
		if (str_eq(w->docs[i].key, key))
			return true;
	return false;
}

/* Sends all documents as they are now, and those that are gone. */
static void
feed(struct fed *f, const struct world *w)
{
	char rows[CH_NAME], dict[CH_NAME], err[CH_FAULT];
	struct buf b = { .a = f->a };
	struct ch_block block = { .rows = 0 };

	f->ver++;
	ch_table_name(dataset, 1, CH_ROWS, rows);
	ch_table_name(dataset, 1, CH_DICT, dict);
	for (size_t i = 0; i < w->ndocs; i++) {
		if (!ch_encode(f->encoder, f->dict, w->docs[i].json, err))
			panic("%s", err);
		ch_write_block(f->encoder,
		    &(struct ch_version){ .key = w->docs[i].key, .ver = f->ver }, &block);
	}
	for (size_t i = 0; i < f->nkeys; i++)
		if (!is_live(w, f->keys[i]))
			ch_write_block(
			    f->encoder, &(struct ch_version){ f->keys[i], f->ver, true }, &block);
	ch_end_block(f->encoder, &block, &b);
	ch_free_block(f->encoder, &block);
	insert(f, dict, "RowBinary", buf_done(ch_dict_fresh(f->dict)));
	buf_clear(ch_dict_fresh(f->dict));
	insert(f, rows, "Native", buf_done(&b));
	f->keys = ARENA_ARRAY(f->a, w->ndocs + 1, struct str);
	f->nkeys = w->ndocs;
	for (size_t i = 0; i < w->ndocs; i++)
		f->keys[i] = w->docs[i].key;
}

static void
begin_feed(struct fed *f, const struct world *w)
{
	struct buf b = { .a = w->n.a };

	*f = (struct fed){ .http = ch_http_open(&feeder),
		.dict = ch_dict_new(dataset),
		.encoder = ch_encoder_new(dataset),
		.a = w->n.a };
	ch_encoder_tags(f->encoder, w->n.tags.items, w->n.tags.n);
	ch_put_text(&b, str_of(schema_dataset_name(dataset)));
	ch_put_number(&b, 1, 4);
	ch_put_number(&b, ch_schema_number(dataset), 8);
	ch_put_number(&b, 1, 8);
	insert(f, "layouts", "RowBinary", buf_done(&b));
}

static struct engine *
open_engine(const struct world *w)
{
	struct engine *e = engine_open_index(w->directory);
	bool datasets[DATASETS];

	for (enum dataset d = 0; d < DATASETS; d++)
		datasets[d] = schema_source(d) == dataset;
	ch_engine_use(e,
	    &(struct ch_options){
		.server = searcher, .threads = 2, .memory = 1 << 30, .shards = 2 },
	    datasets);
	return e;
}

static void
compare_all(struct world *w, struct fed *f)
{
	plenty = (struct budget){ mono_us() + INT64_C(3600) * 1000000, UINT64_MAX };
	feed(f, w);
	compare_many(w, queries);
	if (dataset == DATASET_HOSTS)
		compare_services(w, queries);
}

static void
records_are_found(void)
{
	struct world w;
	struct fed f;

	world_begin_with(&w, dataset, 40 + dataset);
	random_seed = 88172645463325252u + dataset;
	begin_feed(&f, &w);
	w.rival = open_engine(&w);
	add_records(&w, 2);
	compare_all(&w, &f);
	add_records(&w, 7);
	add_records(&w, 5);
	remove_records(&w, 9);
	compare_all(&w, &f);
	engine_close(w.rival);
	ch_http_close(f.http);
	ch_encoder_free(f.encoder);
	ch_dict_free(f.dict);
	world_end(&w);
}

int
main(int argc, char **argv)
{
	static CU_TestInfo tests[] = {
		{ "ClickHouse answers random queries exactly (C-419)", records_are_found },
		CU_TEST_INFO_NULL,
	};

	static char room[2][4096];

	if (argc != 5)
		panic("usage: ch-records URL FOLDER DATASET QUERIES");
	feeder.url = searcher.url = argv[1];
	snprintf(room[0], sizeof(room[0]), "%s/password-surfaced_index", argv[2]);
	snprintf(room[1], sizeof(room[1]), "%s/password-surfaced_search", argv[2]);
	feeder.password_file = room[0];
	searcher.password_file = room[1];
	for (enum dataset d = 0; d < DATASETS; d++)
		if (strcmp(schema_dataset_name(d), argv[3]) == 0)
			dataset = d;
	queries = (unsigned)atoi(argv[4]);
	return tap_main(tests);
}
