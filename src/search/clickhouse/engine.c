/* SPDX-License-Identifier: ISC */
/* The engine on ClickHouse: the life of a request.
 *
 *   1. the layout of the dataset, which is read again when it is older than a second
 *   2. the parts that the following statements read (parts.c)
 *   3. the dictionary, when the query has tests of fields in it
 *   4. one statement for a count; for a page two more; for facets one for all fields that have
 *      numbers, one for each other field, and those for values, labels and ties
 *   5. the parts again: when they have changed, the request is repeated from 2
 *
 * The dictionary is read after the list of parts, because the feeder stores the numbers of values
 * before the documents that have them. So the look-up finds the number of every value in the listed
 * parts. A document whose value is new would otherwise be found neither by its old value nor by its
 * new one. The value of a number never changes.
 *
 * When the parts changed in each attempt for which there was time, or cannot be listed, all parts
 * are read with FINAL. Then each statement by itself is exact, but they see the tables at different
 * times: a document that is fed meanwhile may be in the page and not in the total. The dictionary
 * is read again at the end, and the rows too when more of its values pass the tests.
 *
 * A limit that a statement exceeds is an error of ClickHouse, never a smaller answer. When the
 * deadline passes, http.c cancels the statement at the server. */
#include "config.h"

#include "search/clickhouse/engine_priv.h"
#include "daemon/conf.h"
#include "search/clickhouse/layout.h"

enum { TAGS_MEMORY = 64 << 20, STATEMENTS_MEMORY = 256 << 20, ATTEMPTS = 3, FINAL_FACTOR = 6 };

/* ---- requests ---- */

static struct ch_request
request_of(struct ch_engine *e, struct arena *a, const struct query *q, const struct budget *budget)
{
	return (struct ch_request){
		.engine = e, .arena = a, .query = q, .budget = budget, .relation = RELATION_EQ
	};
}

/* Only counts report ENGINE_TOO_EXPENSIVE; other requests report ENGINE_TIMEOUT instead. */
static enum engine_rc
result(const struct ch_request *rq)
{
	return rq->rc == ENGINE_TOO_EXPENSIVE ? ENGINE_TIMEOUT : rq->rc;
}

/* The part of a request that reads rows; it may be called several times. */
typedef bool reading(struct ch_request *rq, void *arg);

/* Reads all parts with FINAL. */
static bool
read_all_parts(struct ch_request *rq, reading *read, void *arg)
{
	ch_begin_attempt(rq);
	if (!ch_look_up(rq))
		return false;
	for (int i = 0; i < ATTEMPTS; i++) {
		size_t known = ch_plan_ids(&rq->plan);

		if (!read(rq, arg) || !ch_look_up(rq))
			return false;
		if (ch_plan_ids(&rq->plan) == known)
			return true;
	}
	return ch_refuse(rq, ENGINE_TIMEOUT, "the dictionary grew during each attempt");
}

/* Reads the rows that the request needs. An attempt is repeated only while there is time for
   another one and for reading all parts, which takes several times as long. */
static bool
read_in_attempts(struct ch_request *rq, reading *read, void *arg)
{
	int64_t start = mono_us(), rest;
	bool same = false;

	for (int i = 0; i < ATTEMPTS; i++) {
		ch_begin_attempt(rq);
		if (!ch_parts_begin(rq))
			return false;
		if (!ch_parts_listed(rq))
			return read_all_parts(rq, read, arg);
		if (!ch_look_up(rq) || !read(rq, arg) || !ch_parts_end(rq, &same))
			return false;
		if (same)
			return true;
		rest = rq->budget->deadline - mono_us();
		if (rest / FINAL_FACTOR < (mono_us() - start) / (i + 1))
			break;
	}
	log_event(LOGP_INFO, "clickhouse", "dataset=%s parts=changed",
	    schema_dataset_name(rq->query->dataset));
	return read_all_parts(rq, read, arg);
}

static bool
read_rows(struct ch_request *rq, reading *read, void *arg)
{
	if (ch_begin(rq) && read_in_attempts(rq, read, arg))
		return true;
	ch_parts_fail(rq);
	return false;
}

static bool
read_count(struct ch_request *rq, void *arg)
{
	return ch_count(rq, arg);
}

static enum engine_rc
count_by_clickhouse(
    void *e, struct arena *a, const struct query *q, const struct budget *b, struct count *out)
{
	struct ch_request rq = request_of(e, a, q, b);
	uint64_t n;

	if (read_rows(&rq, read_count, &n))
		*out = (struct count){ n, rq.relation };
	return rq.rc;
}

struct wanted_groups {
	const struct agg *aggs;
	size_t n;
	struct group *out;
};

static bool
read_groups(struct ch_request *rq, void *arg)
{
	const struct wanted_groups *w = arg;

	for (size_t i = 0; i < w->n; i++)
		w->out[i] = (struct group){ .field = w->aggs[i].field, .relation = RELATION_EQ };
	return ch_aggregate(rq, w->aggs, w->n, w->out);
}

static enum engine_rc
aggregate_by_clickhouse(void *e, struct arena *a, const struct query *q, const struct budget *b,
    const struct agg *aggs, size_t naggs, struct group *out)
{
	struct ch_request rq = request_of(e, a, q, b);
	struct wanted_groups w = { aggs, naggs, out };

	if (read_rows(&rq, read_groups, &w))
		for (size_t i = 0; i < naggs; i++)
			out[i].relation = rq.relation;
	return result(&rq);
}

struct wanted_page {
	const struct page_request *want;
	struct page *out;
};

static bool
read_page(struct ch_request *rq, void *arg)
{
	const struct wanted_page *w = arg;
	uint64_t total;

	*w->out = (struct page){ .nhits = 0 };
	if (!ch_count(rq, &total) || !ch_search(rq, w->want, w->out))
		return false;
	w->out->total = (struct count){ total, rq->relation };
	return true;
}

static enum engine_rc
search_clickhouse(void *e, struct arena *a, const struct query *q, const struct budget *b,
    const struct page_request *want, struct page *out)
{
	struct ch_request rq = request_of(e, a, q, b);
	struct wanted_page w = { want, out };

	*out = (struct page){ .nhits = 0 };
	(void)read_rows(&rq, read_page, &w);
	return result(&rq);
}

/* ---- the engine ---- */

static void
refresh_nothing(void *state)
{
	(void)state;
}

static void
status_of_clickhouse(const void *state, enum dataset d, struct engine_status *out)
{
	const struct ch_engine *e = state;

	*out = (struct engine_status){ .published_at = TS_NULL,
		.generation = e->of[schema_source(d)].layout };
}

static void
close_clickhouse(void *state)
{
	struct ch_engine *e = state;

	for (enum dataset d = 0; d < DATASETS; d++)
		ch_part_memory_clear(&e->of[d].parts);
	ch_http_close(e->http);
	arena_free(e->tag_arena);
	arena_free(e->statement_arena);
	free(e);
}

static const struct engine_kind clickhouse_kind = {
	.close = close_clickhouse,
	.refresh = refresh_nothing,
	.status = status_of_clickhouse,
	.aggregate = aggregate_by_clickhouse,
	.count = count_by_clickhouse,
	.search = search_clickhouse,
};

void
ch_engine_use(struct engine *engine, const struct ch_options *o, const bool datasets[DATASETS])
{
	struct ch_engine *e = mem_zero(sizeof(*e));
	struct uuid random = uuid_random();

	memcpy(&e->random, &random, sizeof(e->random));
	e->options = *o;
	e->http = ch_http_open(&o->server);
	e->tag_arena = arena_new(TAGS_MEMORY);
	e->statement_arena = arena_new(STATEMENTS_MEMORY);
	(void)engine_with(engine, &clickhouse_kind, e, datasets);
}

void
ch_engine_join(struct engine *e)
{
	struct ch_options o = { .server = { conf.clickhouse_url, conf.clickhouse_user,
				    conf.clickhouse_password_file, conf.clickhouse_database,
				    conf.clickhouse_ca_file },
		.threads = conf.clickhouse_threads,
		.memory = conf.clickhouse_memory,
		.partial = strcmp(conf.clickhouse_partial, "yes") == 0,
		.shards = conf.clickhouse_shards };
	bool datasets[DATASETS], any = false;

	for (enum dataset d = 0; d < DATASETS; d++) {
		datasets[d] = ch_answers(&conf, d);
		any |= datasets[d];
	}
	if (any)
		ch_engine_use(e, &o, datasets);
}
