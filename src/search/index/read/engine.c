/* SPDX-License-Identifier: ISC */
/* The embedded engine: search/engine.h on a mapped index. request.h describes the life of a
 * query. Every worker has one engine and runs one query at a time, so nothing here is locked.
 *
 * The difficulty is that the files belong to another process. surfaced-index publishes a
 * generation every second or so and removes old files, and a file may be damaged while it is
 * mapped. So a worker looks for a new manifest before a request (engine_refresh), keeps the old
 * view when the new one cannot be opened, and answers 503 when a file that it read has changed
 * in the meantime (fail_if_changed): a wrong answer is worse than none. */
#include "config.h"

#include "search/index/format/manifest.h"
#include "search/index/read/request.h"

#include <sys/stat.h>

enum { STAT_EVERY_US = 2000, RETRY_US = 1000000 };

/* The index of one dataset. */
struct served {
	enum dataset dataset;
	char *manifest;
	struct view *view; /* NULL: no generation can be used */
	struct stat seen;  /* the manifest of the view, or the one refused last */
	int64_t next_retry;
	enum segment_check check; /* for the files that are opened next */
	char problem[INDEX_FAULT];
};

struct index_engine {
	char *directory;
	int64_t next_stat;
	struct served of[DATASETS];
	struct words_pool *pool;
	struct scratch ids;
};

/* ---- generations ---- */

static void
close_index(void *state)
{
	struct index_engine *e = state;

	for (int d = 0; d < DATASETS; d++) {
		view_free(e->of[d].view);
		free(e->of[d].manifest);
	}
	pool_free(e->pool);
	free(e->ids.p);
	free(e->directory);
	free(e);
}

/* Opens the published generation. The writer may publish another one, and remove files, after the
   manifest was read and before its files are open: then the manifest has changed, and a second
   attempt finds the newer files. */
static void
open_generation(struct index_engine *e, struct served *v)
{
	struct view *fresh = NULL;

	for (int tries = 0; fresh == NULL && tries < 3; tries++) {
		struct stat before = v->seen;

		v->problem[0] = '\0';
		fresh = view_open(e->directory, v->dataset, v->view, v->check, v->problem);
		if (fresh != NULL || stat(v->manifest, &v->seen) < 0 ||
		    file_same(&before, &v->seen))
			break;
	}
	if (fresh == NULL) {
		log_event(LOGP_ERR, "index", "dataset=%s refused=\"%s\" serving=%llu",
		    schema_dataset_name(v->dataset), v->problem,
		    v->view == NULL ? 0ull : (unsigned long long)v->view->state.generation);
		return;
	}
	view_free(v->view);
	v->view = fresh;
	v->check = SEGMENT_BY_MARK;
	for (size_t i = 0; i < fresh->nsegments; i++) {
		pool_fit(e->pool, index_words(fresh->segments[i].seg->ndocs));
		pool_fit(e->pool, index_words(fresh->segments[i].seg->nnested));
	}
}

/* Changes to the published generation when there is a new one. The manifest is replaced by
 * rename, so file_same notices another generation.
 *
 * `seen` is set to a manifest that was refused, too: opening it again would fail in the same way
 * and verify gigabytes each time. Such a generation is tried again after RETRY_US, because the
 * fault may be in a file that is repaired without a new manifest. */
static void
refresh_dataset(struct index_engine *e, struct served *v, int64_t now)
{
	struct stat st;

	if (stat(v->manifest, &st) < 0)
		return;
	if (file_same(&st, &v->seen) && (v->problem[0] == '\0' || now < v->next_retry))
		return;
	v->seen = st;
	v->next_retry = now + RETRY_US;
	open_generation(e, v);
}

/* Every request calls this, so a stat(2) of each manifest is made at most every STAT_EVERY_US. */
static void
refresh_index(void *state)
{
	struct index_engine *e = state;
	int64_t now = mono_us();

	if (now < e->next_stat)
		return;
	e->next_stat = now + STAT_EVERY_US;
	for (int d = 0; d < DATASETS; d++)
		refresh_dataset(e, &e->of[d], now);
}

static void
status_of_index(const void *state, enum dataset d, struct engine_status *out)
{
	const struct index_engine *e = state;
	const struct served *v = &e->of[schema_source(d)];

	*out = (struct engine_status){ .published_at = TS_NULL };
	if (v->problem[0] != '\0')
		out->problem = v->problem;
	if (v->view == NULL)
		return;
	out->generation = v->view->state.generation;
	out->documents = v->view->documents;
	out->published_at = v->view->state.published_at;
}

/* Opens all files again, after one of them has changed or a page of it could not be read. The
   changed file is verified, and mended where it is damaged. A page that cannot be read does not
   change the mark of its file, so after such a fault every file is verified. */
static void
open_again(struct index_engine *e, struct served *v)
{
	log_event(LOGP_ERR, "index", "dataset=%s changed=%llu next=open",
	    schema_dataset_name(v->dataset), (unsigned long long)v->view->state.generation);
	v->check = view_lost(v->view) ? SEGMENT_MEND : SEGMENT_BY_MARK;
	view_free(v->view);
	v->view = NULL;
	v->next_retry = mono_us() + RETRY_US;
	open_generation(e, v);
}

/* ---- a request ---- */

/* Evaluates the query over all segments, one after the other; each has a set of hits without its
 * dead documents. A file that changed since the last request is noticed here, before any of it
 * is read: the files are opened again.
 *
 * A query for everything (`all`) builds no bitmap: its total follows from the manifest, and
 * facets use the totals of the generation. first_hits removes the dead documents later, when a
 * page is wanted. */
static enum engine_rc
evaluate_query(struct index_engine *e, struct arena *a, const struct query *q,
    const struct budget *b, struct request *rq)
{
	struct served *v = &e->of[schema_source(q->dataset)];

	if (v->view != NULL && !view_intact(v->view))
		open_again(e, v);
	if (v->view == NULL)
		return ENGINE_UNAVAILABLE;
	*rq = (struct request){ .view = v->view, .query = q };
	rq->level = v->dataset == q->dataset ? LEVEL_DOCUMENT : LEVEL_NESTED;
	rq->run =
	    (struct run){ .arena = a, .pool = e->pool, .ids = &e->ids, .budget = b, .now = q->now };
	rq->all = q->root->type == NODE_ALL && rq->level == LEVEL_DOCUMENT;
	rq->hits = ARENA_ARRAY(a, rq->view->nsegments + 1, struct set);
	pool_reset(e->pool);
	for (size_t i = 0; i < rq->view->nsegments; i++) {
		const struct view_segment *vs = &rq->view->segments[i];
		struct set_space sp;

		rq->run.seg = vs->seg;
		sp = run_space(&rq->run, rq->level);
		if (rq->all) {
			rq->hits[i] = set_all(&sp);
			rq->total += sp.limit - vs->ndead;
			continue;
		}
		rq->hits[i] = remove_dead(rq, vs, eval_node(&rq->run, q->root, rq->level));
		rq->total += set_count(&sp, &rq->hits[i]);
	}
	return rq->run.rc;
}

/* Turns success into ENGINE_UNAVAILABLE when a file has changed while the request read it. */
static enum engine_rc
fail_if_changed(const struct request *rq, enum engine_rc rc)
{
	return rc == ENGINE_OK && !view_intact(rq->view) ? ENGINE_UNAVAILABLE : rc;
}

static enum engine_rc
request_result(const struct request *rq)
{
	return fail_if_changed(
	    rq, rq->run.rc == ENGINE_TOO_EXPENSIVE ? ENGINE_TIMEOUT : rq->run.rc);
}

static enum engine_rc
count_by_index(
    void *e, struct arena *a, const struct query *q, const struct budget *b, struct count *out)
{
	struct request rq;
	enum engine_rc rc = evaluate_query(e, a, q, b, &rq);

	if (rc == ENGINE_OK)
		rc = fail_if_changed(&rq, rc);
	if (rc == ENGINE_OK)
		*out = (struct count){ rq.total, RELATION_EQ };
	return rc;
}

/* The facet of the addresses that are keys. Each is one document, so the first buckets are the
   first hits. */
static void
aggregate_addresses(struct request *rq, const struct agg *agg, struct group *out)
{
	struct arena *a = rq->run.arena;
	struct ordered_hit *hits = ARENA_ARRAY(a, agg->limit + 1u, struct ordered_hit);

	out->nbuckets = first_hits(rq, STR_NULL, false, agg->limit, hits);
	out->has_more = rq->total > out->nbuckets;
	out->buckets = ARENA_ARRAY(a, out->nbuckets + 1, struct bucket);
	for (size_t i = 0; i < out->nbuckets; i++) {
		struct bucket *b = &out->buckets[i];

		b->count = 1;
		b->value.type = VALUE_IP;
		b->value.ip.bits = 128;
		segment_ip(rq->view->segments[hits[i].segment].seg, hits[i].doc, b->value.ip.a);
	}
}

/* Counts the hits of a segment whose date has passed, in n[1], and those whose date has not, in
   n[0]. */
static void
count_passed(struct request *rq, const struct schema_field *date, size_t i, uint64_t n[2])
{
	struct run *r = &rq->run;
	const struct terms *t;
	struct set_space sp;
	uint32_t docs[1024];
	struct set_walk w;
	size_t k;

	r->seg = rq->view->segments[i].seg;
	t = segment_terms(r->seg, date, PART_VALUES);
	sp = run_space(r, LEVEL_DOCUMENT);
	if (rq->all)
		rq->hits[i] = remove_dead(rq, &rq->view->segments[i], rq->hits[i]);
	if (!terms_have_dates(t))
		return;
	set_walk_begin(&w, &sp, &rq->hits[i], 0);
	while ((k = set_walk_next(&w, docs, COUNT(docs))) > 0 && run_spend(r, k))
		for (size_t d = 0; d < k; d++)
			if (terms_date(t, docs[d]) != INT64_MIN)
				n[terms_date(t, docs[d]) < rq->query->now.us]++;
}

/* The facet of a boolean that says whether the time of a date has passed. It has at most two
   buckets. */
static void
aggregate_passed(struct request *rq, const struct agg *agg, struct group *out)
{
	uint64_t n[2] = { 0, 0 };
	size_t first;

	if (!view_has(rq->view, agg->field->passed)) {
		rq->run.rc = ENGINE_UNAVAILABLE;
		return;
	}
	for (size_t i = 0; i < rq->view->nsegments && rq->run.rc == ENGINE_OK; i++)
		count_passed(rq, agg->field->passed, i, n);
	first = n[1] > n[0];
	out->buckets = ARENA_ARRAY(rq->run.arena, 2, struct bucket);
	for (size_t i = 0; i < 2; i++) {
		size_t which = i == 0 ? first : !first;

		if (n[which] == 0)
			continue;
		if (out->nbuckets == agg->limit)
			out->has_more = true;
		else
			out->buckets[out->nbuckets++] =
			    (struct bucket){ .value = { .type = VALUE_BOOLEAN, .b = which },
				    .count = n[which] };
	}
}

/* The facets of a view are those of the source's fields, counted at the level of its hits. */
static const struct agg *
facets_of_source(struct arena *a, const struct agg *aggs, size_t n)
{
	struct agg *out = ARENA_ARRAY(a, n + 1, struct agg);

	for (size_t i = 0; i < n; i++) {
		out[i] = aggs[i];
		out[i].field = aggs[i].field->of != NULL ? aggs[i].field->of : aggs[i].field;
	}
	return out;
}

static void
aggregate_others(struct request *rq, const struct agg *agg, struct group *out)
{
	bool address = agg->field == schema_address(agg->field->dataset);

	if (address && rq->level == LEVEL_NESTED)
		nested_addresses(rq, agg, out);
	else if (address)
		aggregate_addresses(rq, agg, out);
	else if (agg->field->passed != NULL)
		aggregate_passed(rq, agg, out);
}

static void
reset_groups(const struct agg *aggs, size_t naggs, struct group *out)
{
	for (size_t i = 0; i < naggs; i++)
		out[i] = (struct group){ .field = aggs[i].field, .relation = RELATION_EQ };
}

/* Counts the facets over a sample of the hits. Those of an address are the first hits and need no
   sample. */
static void
aggregate_sample(struct request *rq, struct sample *s, const struct agg *own,
    const struct agg *aggs, size_t naggs, struct group *out)
{
	reset_groups(aggs, naggs, out);
	aggregate_terms(rq, own, naggs, out);
	for (size_t i = 0; i < naggs; i++)
		if (own[i].field != schema_address(own[i].field->dataset)) {
			aggregate_others(rq, &own[i], &out[i]);
			sample_scale(s, &out[i]);
		}
	sample_end(rq, s);
	for (size_t i = 0; i < naggs; i++)
		if (own[i].field == schema_address(own[i].field->dataset))
			aggregate_others(rq, &own[i], &out[i]);
}

static enum engine_rc
aggregate_by_index(void *e, struct arena *a, const struct query *q, const struct budget *budget,
    const struct agg *aggs, size_t naggs, struct group *out)
{
	struct sample sample;
	struct request rq;
	enum engine_rc rc = evaluate_query(e, a, q, budget, &rq);
	const struct agg *own = facets_of_source(a, aggs, naggs);

	if (rc == ENGINE_UNAVAILABLE)
		return rc;
	reset_groups(aggs, naggs, out);
	if (rq.run.rc != ENGINE_OK || rq.view->nsegments == 0)
		return request_result(&rq);
	aggregate_terms(&rq, own, naggs, out);
	for (size_t i = 0; i < naggs; i++)
		aggregate_others(&rq, &own[i], &out[i]);
	if (sample_begin(&rq, naggs, &sample))
		aggregate_sample(&rq, &sample, own, aggs, naggs, out);
	return request_result(&rq);
}

/* ---- search ---- */

static void
add_nested(
    struct request *rq, const struct set *matched, const struct ordered_hit *m, struct hit *hit)
{
	const struct segment *seg = rq->view->segments[m->segment].seg;
	uint32_t from = seg->first[m->doc], to = seg->first[m->doc + 1];

	if (from > to || to > seg->nnested || to - from > LIM_HOST_SERVICES)
		return; /* the file is damaged, or has changed: request_result() detects that */
	if (!run_spend(&rq->run, to - from))
		return;
	hit->nested = ARENA_ARRAY(rq->run.arena, to - from + 1, struct nested_key);
	for (uint32_t i = from; i < to; i++)
		if (set_has(matched, i))
			read_nested_key(
			    rq->run.arena, rq->view->dataset, seg, i, &hit->nested[hit->nnested++]);
}

/* Adds the matching nested documents to the hits. This goes by segment, because a query is
   evaluated on one at a time. */
static void
match_nested(struct request *rq, const struct ordered_hit *m, struct page *out)
{
	for (size_t s = 0; s < rq->view->nsegments && rq->run.rc == ENGINE_OK; s++) {
		struct set matched = set_none();
		bool wanted = false;

		for (size_t i = 0; i < out->nhits; i++)
			wanted |= m[i].segment == s;
		rq->run.seg = rq->view->segments[s].seg;
		if (!wanted || !eval_matched(&rq->run, rq->query->root, &matched))
			continue;
		for (size_t i = 0; i < out->nhits; i++)
			if (m[i].segment == s)
				add_nested(rq, &matched, &m[i], &out->hits[i]);
		pool_put(rq->run.pool, matched.words);
	}
}

/* The number of hits that fit into a page: hits with tens of thousands of nested documents end the
   page early. */
static size_t
hits_that_fit(const struct request *rq, const struct ordered_hit *m, size_t n)
{
	uint64_t nested = 0;

	for (size_t i = 0; i < n; i++) {
		const struct segment *seg = rq->view->segments[m[i].segment].seg;

		nested += seg->first[m[i].doc + 1] - seg->first[m[i].doc];
		if (i > 0 && nested > LIM_PAGE_SERVICES)
			return i;
	}
	return n;
}

static enum engine_rc
search_index(void *e, struct arena *a, const struct query *q, const struct budget *budget,
    const struct page_request *want, struct page *out)
{
	struct request rq;
	struct ordered_hit *m;
	enum engine_rc rc = evaluate_query(e, a, q, budget, &rq);
	size_t n;

	if (rc != ENGINE_OK)
		return rc == ENGINE_UNAVAILABLE ? rc : request_result(&rq);
	*out = (struct page){ .total = { rq.total, RELATION_EQ } };
	if (rq.level == LEVEL_NESTED) {
		nested_page(&rq, want, out);
		return request_result(&rq);
	}
	m = ARENA_ARRAY(a, want->limit + UINT64_C(2), struct ordered_hit);
	n = first_hits(&rq, want->after, false, want->limit + UINT64_C(1), m);
	out->nhits = hits_that_fit(&rq, m, n > want->limit ? want->limit : n);
	out->has_more = n > out->nhits;
	out->hits = ARENA_ARRAY(a, out->nhits + 1, struct hit);
	for (size_t i = 0; i < out->nhits; i++) {
		struct segment_key key;

		(void)segment_key(rq.view->segments[m[i].segment].seg, m[i].doc, &key);
		out->hits[i].key = arena_str(a, segment_key_str(&key));
	}
	match_nested(&rq, m, out);
	return request_result(&rq);
}

/* ---- */

static const struct engine_kind index_kind = {
	.close = close_index,
	.refresh = refresh_index,
	.status = status_of_index,
	.aggregate = aggregate_by_index,
	.count = count_by_index,
	.search = search_index,
};

struct engine *
engine_open_index(const char *directory)
{
	struct index_engine *e = mem_zero(sizeof(*e));
	bool all[DATASETS];

	e->directory = mem_text(directory);
	e->pool = pool_new();
	for (int d = 0; d < DATASETS; d++) {
		char manifest[4096];

		all[d] = true;
		manifest_path(directory, (enum dataset)d, 0, manifest, sizeof(manifest));
		e->of[d].dataset = (enum dataset)d;
		e->of[d].check = SEGMENT_BY_MARK;
		e->of[d].manifest = mem_text(manifest);
	}
	refresh_index(e);
	return engine_with(NULL, &index_kind, e, all);
}
