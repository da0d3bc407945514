/* SPDX-License-Identifier: ISC */
/* Estimates, where the configuration allows them (C-422). When the facets of all hits
 * are beyond the work limit, the same facets are counted over a sample of the hits, and their
 * counts are multiplied:
 *
 *   hits of the segments     17 18 20 21 25 26 28 ...          rq->total of them, counted exactly
 *   of which the hash of seed, segment and number selects every m-th
 *   sample                      18       25    ...             sampled
 *   count of a value         n in the sample   -->   n * total / sampled
 *
 * Each hit is drawn by itself and not with the block of documents around it: documents are in the
 * order of addresses, so that neighbours have the same network and country, and a sample of blocks
 * would err by much more. n is then binomial, and its relative error at 95 % is below 1.96 /
 * sqrt(n). Values with n < SAMPLE_LEAST are left out; the others are within 36 %, 3.6 standard
 * deviations of the rarest, so that an answer with dozens of them has all of them within it in 95
 * of 100 cases. The seed is the generation: the same query has the same answer until the index
 * changes. */
#include "config.h"

#include "search/index/read/request.h"

enum {
	SAMPLE_LEAST = 100,
	WALK_SHARE = 8 /* hits that are skipped for the work of one value */
};

static uint64_t
mix_seed(uint64_t x)
{
	x ^= x >> 33;
	x *= UINT64_C(0xff51afd7ed558ccd);
	x ^= x >> 33;
	x *= UINT64_C(0xc4ceb9fe1a85ec53);
	return x ^ x >> 33;
}

/* The sample of one segment. The set stays as it is. */
static struct set
sample_set(struct run *r, enum level l, const struct set *from, uint64_t seed, uint64_t every)
{
	struct set_space sp = run_space(r, l);
	struct set out = { .form = SET_WORDS, .words = pool_get(r->pool) };
	uint32_t docs[1024];
	struct set_walk w;
	size_t n;

	memset(out.words, 0, sp.nwords * sizeof(*out.words));
	set_walk_begin(&w, &sp, from, 0);
	while ((n = set_walk_next(&w, docs, COUNT(docs))) > 0 && run_spend(r, n / WALK_SHARE + 1))
		for (size_t i = 0; i < n; i++)
			if (mix_seed(seed ^ docs[i]) % every == 0)
				out.words[docs[i] >> 6] |= UINT64_C(1) << (docs[i] & 63);
	return out;
}

bool
sample_begin(struct request *rq, size_t naggs, struct sample *s)
{
	const struct budget *b = rq->run.budget;
	uint64_t seed = mix_seed(rq->view->state.generation ^ b->sample_seed),
		 half = b->work / 2 + 1;

	if (!b->estimates || rq->all || rq->run.rc != ENGINE_TOO_EXPENSIVE)
		return false;
	*s = (struct sample){ .hits = rq->hits, .total = rq->total };
	s->every = (rq->total * naggs + half - 1) / half + 1;
	rq->run.rc = ENGINE_OK;
	rq->run.work = 0;
	rq->hits = ARENA_ARRAY(rq->run.arena, rq->view->nsegments + 1, struct set);
	rq->total = 0;
	for (size_t i = 0; i < rq->view->nsegments; i++) {
		struct set_space sp;

		rq->run.seg = rq->view->segments[i].seg;
		sp = run_space(&rq->run, rq->level);
		rq->hits[i] = sample_set(
		    &rq->run, rq->level, &s->hits[i], mix_seed(seed + i) << 32, s->every);
		rq->total += set_count(&sp, &rq->hits[i]);
	}
	s->sampled = rq->total;
	return rq->run.rc == ENGINE_OK;
}

void
sample_end(struct request *rq, const struct sample *s)
{
	rq->hits = s->hits;
	rq->total = s->total;
}

void
sample_scale(const struct sample *s, struct group *g)
{
	size_t n = 0;

	while (n < g->nbuckets && g->buckets[n].count >= SAMPLE_LEAST)
		n++;
	g->has_more |= n < g->nbuckets || n == 0;
	g->nbuckets = n;
	g->relation = RELATION_UNKNOWN;
	for (size_t i = 0; i < n; i++) {
		uint64_t *count =
		    &g->buckets[i].count; /* below 2^32, as the total of a segment is */

		*count =
		    s->total / s->sampled * *count + s->total % s->sampled * *count / s->sampled;
	}
}
