/* SPDX-License-Identifier: ISC */
/* The statements of a request to ClickHouse, and the data that a request reads first: the layout,
   the dictionary, the tags. */
#include "config.h"

#include "search/clickhouse/engine_priv.h"
#include "search/clickhouse/layout.h"

#include <inttypes.h>

enum {
	KEEP_US = 1000000,     /* how long layouts and tags are used before they are read again */
	ANSWER_MAX = 16 << 20, /* bytes of an answer */
	WORK_A_ROW = 8,        /* values of the work limit that a row counts as */
	STATEMENT_MAX = 16 << 20, /* bytes of a statement */
	ELEMENTS_MAX = 1000000,   /* parts of a statement */
};

/* ---- statements ---- */

static enum engine_rc
rc_of(enum ch_rc rc)
{
	switch (rc) {
	case CH_OK:
		return ENGINE_OK;
	case CH_TIMEOUT:
		return ENGINE_TIMEOUT;
	case CH_EXPENSIVE:
		return ENGINE_TOO_EXPENSIVE;
	case CH_BUSY:
		return ENGINE_BUSY;
	case CH_UNAVAILABLE:
		return ENGINE_UNAVAILABLE;
	case CH_MISCONFIGURED:
		return ENGINE_MISCONFIGURED;
	case CH_FAILED:
		return ENGINE_FAILED;
	}
	panic("ch_rc %d", (int)rc); /* UNCOVERED: the switch is complete */
}

/* The limits of one statement. ClickHouse counts time in whole seconds. prefer_localhost_replica=0:
   the server queries its own shard in the same way as the others, because ClickHouse 18 would
   otherwise query them one after the other. use_index_for_in_with_subqueries=0: the keys of small
   parts (parts.c) exclude no range of the large ones, so a server need not sort them. */
static const char *
settings_of(const struct ch_request *rq, bool any_rows)
{
	const struct ch_options *o = &rq->engine->options;
	int64_t rest = (rq->budget->deadline - mono_us() + 999999) / 1000000;
	uint64_t limit = rq->budget->work / WORK_A_ROW, rows = limit < 1 ? 1 : limit;

	return arena_printf(rq->arena,
	    "readonly=2&prefer_localhost_replica=0&use_index_for_in_with_subqueries=0"
	    "&max_execution_time=%" PRId64 "&max_rows_to_read=%" PRIu64 "&max_memory_usage=%" PRId64
	    "&max_threads=%" PRId64
	    "&max_result_bytes=%d&buffer_size=%d&max_query_size=%d&max_ast_elements=%d"
	    "&max_expanded_ast_elements=%d",
	    rest < 1 ? 1 : rest, any_rows ? 0 : rows, o->memory, o->threads, ANSWER_MAX, ANSWER_MAX,
	    STATEMENT_MAX, ELEMENTS_MAX, ELEMENTS_MAX)
	    .p;
}

bool
ch_refuse(struct ch_request *rq, enum engine_rc rc, const char *why)
{
	rq->rc = rc;
	log_event(rc == ENGINE_TIMEOUT || rc == ENGINE_TOO_EXPENSIVE ? LOGP_NOTICE : LOGP_ERR,
	    "clickhouse", "dataset=%s refused=\"%s\"", schema_dataset_name(rq->query->dataset),
	    why);
	return false;
}

/* How a statement is run: any_rows, without the limit of rows; partial, without the shards that are
   unavailable. */
struct ch_running {
	bool any_rows, partial;
};

static bool
run_statement(struct ch_request *rq, struct str sql, struct ch_running how, struct ch_rows *rows)
{
	struct ch_engine *e = rq->engine;
	struct ch_answer answer;
	char id[CH_QUERY_ID];
	enum ch_rc rc;

	snprintf(id, sizeof(id), "surfaced-%016" PRIx64 "-%" PRIu64, e->random, ++e->statements);
	rc = ch_http_run(e->http,
	    &(struct ch_statement){ .sql = sql,
		.settings = settings_of(rq, how.any_rows),
		.query_id = id,
		.deadline = rq->budget->deadline,
		.most = ANSWER_MAX,
		.partial = how.partial },
	    &answer);
	if (rc != CH_OK)
		return ch_refuse(rq, rc_of(rc),
		    arena_printf(
			rq->arena, "%s: code %d: %s", ch_rc_name(rc), answer.code, answer.message)
			.p);
	*rows = (struct ch_rows){ .a = rq->arena, .rest = answer.body };
	return true;
}

/* Counts the shards that answer. */
static bool
count_shards(struct ch_request *rq, uint64_t *n)
{
	struct ch_value v[CH_VALUES_MAX];
	struct ch_rows rows;

	*n = 0;
	if (!run_statement(rq, STR("SELECT count() FROM shards FORMAT RowBinary"),
		(struct ch_running){ .partial = true }, &rows))
		return false;
	if (ch_rows_next(&rows, "q", v))
		*n = v[0].n;
	return ch_rows_end(rq, &rows, true);
}

/* With clickhouse_partial, an answer is exact only if all shards answered before and after it. The
   number of shards is a parameter of the operator: if it came from the cluster, a shard that is
   missing in its configuration would not be noticed. */
bool
ch_ask(struct ch_request *rq, struct str sql, struct ch_rows *rows)
{
	uint64_t shards = (uint64_t)rq->engine->options.shards, before, after;
	struct ch_rows kept;

	if (!rq->engine->options.partial)
		return run_statement(rq, sql, (struct ch_running){ .partial = false }, rows);
	if (!count_shards(rq, &before) ||
	    !run_statement(rq, sql, (struct ch_running){ .partial = true }, &kept))
		return false;
	kept.rest = arena_str(rq->arena, kept.rest);
	if (!count_shards(rq, &after))
		return false;
	if (before != shards || after != shards)
		rq->relation = RELATION_GTE;
	*rows = kept;
	return true;
}

/* A part of a dictionary or of the tags would give a wrong answer, not a smaller one: a value whose
   shard is unavailable has no number, and NOT os:Linux would find every Linux host. So
   clickhouse_partial does not apply to these statements. */
bool
ch_ask_all(struct ch_request *rq, struct str sql, struct ch_rows *rows)
{
	return run_statement(rq, sql, (struct ch_running){ .partial = false }, rows);
}

bool
ch_ask_any_rows(struct ch_request *rq, struct str sql, struct ch_rows *rows)
{
	return run_statement(rq, sql, (struct ch_running){ .any_rows = true }, rows);
}

/* All rows of the tables layouts and tags are on the first shard. With clickhouse_partial they are
   read even while another shard is unavailable. When there are no rows, the first shard may be
   unavailable; then the second statement fails. */
static bool
ask_first_shard(struct ch_request *rq, struct str sql, struct ch_rows *rows)
{
	bool partial = rq->engine->options.partial;

	return run_statement(rq, sql, (struct ch_running){ .partial = partial }, rows) &&
	       (!partial || rows->rest.n > 0 ||
		   run_statement(rq, sql, (struct ch_running){ .partial = false }, rows));
}

bool
ch_rows_end(struct ch_request *rq, const struct ch_rows *rows, bool as_expected)
{
	if (!rows->bad && rows->rest.n == 0 && as_expected)
		return true;
	return ch_refuse(rq, ENGINE_FAILED, "the answer is not what the statement asks for");
}

/* ---- layouts and tags ---- */

static bool
read_layout(struct ch_request *rq, enum dataset d)
{
	struct ch_engine *e = rq->engine;
	struct ch_value v[CH_VALUES_MAX];
	struct ch_rows rows;
	unsigned layout = 0;

	if (mono_us() < e->of[d].until)
		return true;
	if (!ask_first_shard(rq, ch_sql_layout(rq->arena, d), &rows))
		return false;
	while (ch_rows_next(&rows, "w", v))
		layout = (unsigned)v[0].n;
	if (!ch_rows_end(rq, &rows, true))
		return false;
	if (layout == 0)
		return ch_refuse(rq, ENGINE_MISCONFIGURED,
		    "no layout has the columns of this release: surfaced-clickhouse(7)");
	e->of[d].layout = layout;
	e->of[d].until = mono_us() + KEEP_US;
	return true;
}

static int
by_requested_slug(const void *slug, const void *tag)
{
	return str_cmp(*(const struct str *)slug, ((const struct tag *)tag)->slug);
}

const struct tag *
ch_find_tag(const struct ch_engine *e, struct str slug)
{
	return e->ntags == 0
		   ? NULL
		   : bsearch(&slug, e->tags, e->ntags, sizeof(*e->tags), by_requested_slug);
}

static void
add_requested_tag(struct ch_engine *e, const struct ch_value v[CH_VALUES_MAX])
{
	struct arena *a = e->tag_arena;
	struct tag t = { .slug = arena_str(a, v[0].s),
		.name = arena_str(a, v[1].s),
		.classification = arena_str(a, v[2].s) };

	for (size_t i = 0; i < v[3].length && i < LIM_TAG_CATEGORIES; i++)
		t.categories[t.ncategories++] = arena_str(a, v[3].items[i].s);
	e->tags = arena_room(a, e->tags, e->ntags, sizeof(*e->tags));
	e->tags[e->ntags++] = t;
}

bool
ch_read_tags(struct ch_request *rq)
{
	struct ch_engine *e = rq->engine;
	struct ch_value v[CH_VALUES_MAX];
	struct ch_rows rows;

	if (mono_us() < e->tags_until)
		return true;
	if (!ask_first_shard(rq, ch_sql_tags(rq->arena), &rows))
		return false;
	arena_reset(e->tag_arena);
	e->tags = NULL;
	e->ntags = 0;
	while (ch_rows_next(&rows, "sssS", v))
		add_requested_tag(e, v);
	e->tags_until = mono_us() + KEEP_US;
	return ch_rows_end(rq, &rows, true);
}

/* ---- the beginning of a request ---- */

bool
ch_look_up(struct ch_request *rq)
{
	struct str sql = ch_sql_lookup(&rq->plan);
	struct ch_value v[CH_VALUES_MAX];
	struct ch_rows rows;
	size_t n = 0;

	ch_plan_forget(&rq->plan);
	if (sql.p == NULL)
		return true;
	if (!ch_ask_all(rq, sql, &rows))
		return false;
	for (; ch_rows_next(&rows, "bsw", v); n++)
		ch_plan_offer(&rq->plan, (unsigned)v[0].n, v[1].s, (uint32_t)v[2].n);
	if (!ch_rows_end(rq, &rows, true))
		return false;
	if (n > CH_LOOKUP_ROWS || ch_plan_ids(&rq->plan) > CH_LOOKUP_ROWS)
		return ch_refuse(
		    rq, ENGINE_TOO_EXPENSIVE, "expensive: too many values pass the tests");
	return true;
}

bool
ch_begin(struct ch_request *rq)
{
	return read_layout(rq, schema_source(rq->query->dataset));
}

void
ch_begin_attempt(struct ch_request *rq)
{
	struct ch_engine *e = rq->engine;

	arena_reset(e->statement_arena);
	ch_plan_begin(&rq->plan, e->statement_arena, rq->query,
	    e->of[schema_source(rq->query->dataset)].layout, e->options.server.database);
}

bool
ch_count(struct ch_request *rq, uint64_t *n)
{
	struct ch_value v[CH_VALUES_MAX];
	struct ch_rows rows;
	bool one;

	if (!ch_ask(rq, ch_sql_count(&rq->plan), &rows))
		return false;
	one = ch_rows_next(&rows, "q", v);
	*n = one ? v[0].n : 0;
	return ch_rows_end(rq, &rows, one);
}
