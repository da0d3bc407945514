/* SPDX-License-Identifier: ISC */
/* Queries of a view: its documents are the nested documents of another dataset, the services of
 * hosts. There are no files of it. The tree is evaluated at the level of nested documents, where a
 * field of the host is true of all of its services (eval_owned):
 *
 *   country_code:DE   hosts 0 2                 -> services 0 1 4     of the hosts 0 1 2, which own 0 1 | 2 3 | 4
 *   port:22           services 0 3 4
 *   both              services 0 4              -> the key of host 0 and the port and transport of service 0, ...
 *
 * Facets have no columns at this level. A field of the services is counted by its postings: every
 * pair of term and service is looked at, which costs as much as the field has values, and no byte
 * of the index. A field of the host is counted by the column of the host, once for each service
 * that is a hit. */
#include "config.h"

#include "search/index/format/postings.h"
#include "search/index/read/facet.h"
#include "search/index/read/request.h"

enum { SPEND_EVERY = 4096 };

/* ---- facets ---- */

static uint32_t
ordinal_of(const struct ordinals *o, size_t segment, uint32_t id)
{
	return ordinals_clamp(o, o->map[segment] == NULL ? id : o->map[segment][id]);
}

static void
count_postings(struct run *r, const struct set *hits, const struct terms *t, size_t segment,
    const struct ordinals *o, uint32_t *sum)
{
	struct set_space sp = run_space(r, LEVEL_NESTED);
	uint64_t *words = set_as_words(&sp, hits), spent = 0;

	for (uint32_t id = 0; id < t->n; id++) {
		struct posting p;

		if (!posting_open(t, LEVEL_NESTED, id, r->seg->nnested, &p))
			continue;
		sum[ordinal_of(o, segment, id)] += posting_count(&p, words);
		spent += p.n + UINT64_C(1);
		if (spent >= SPEND_EVERY && !run_spend(r, spent))
			break;
		spent = spent >= SPEND_EVERY ? 0 : spent;
	}
	pool_put(r->pool, words);
}

/* Counts the values of the host of each hit. Hits of one host are neighbours. */
static void
count_owners(struct run *r, const struct set *hits, const struct terms *t, size_t segment,
    const struct ordinals *o, uint32_t *sum)
{
	struct set_space sp = run_space(r, LEVEL_NESTED);
	uint32_t batch[1024];
	struct set_walk w;
	size_t n;

	set_walk_begin(&w, &sp, hits, 0);
	while ((n = set_walk_next(&w, batch, COUNT(batch))) > 0 && run_spend(r, n * t->column.k))
		for (size_t i = 0; i < n; i++) {
			uint32_t doc = segment_owner(r->seg, batch[i]);

			if (doc >= r->seg->ndocs)
				continue;
			r->ids->n = 0;
			facet_terms(t, doc, r->ids);
			for (size_t k = 0; k < r->ids->n; k++)
				sum[ordinal_of(o, segment, r->ids->p[k])]++;
		}
}

void
nested_count(struct request *rq, size_t segment, const struct schema_field *f,
    const struct ordinals *o, uint32_t *sum)
{
	struct run *r = &rq->run;
	const struct terms *t;

	r->seg = rq->view->segments[segment].seg;
	t = segment_terms(r->seg, f, PART_VALUES);
	if (f->nested)
		count_postings(r, &rq->hits[segment], t, segment, o, sum);
	else if (t->column.ids != NULL)
		count_owners(r, &rq->hits[segment], t, segment, o, sum);
}

/* ---- the facet of addresses ---- */

/* The best buckets so far, the best one first. */
struct best {
	struct bucket *b;
	size_t n, limit;
	uint64_t seen;
};

static void
offer_address(struct best *best, const struct segment *seg, uint32_t doc, uint64_t count)
{
	struct bucket b = { .count = count, .value = { .type = VALUE_IP, .ip.bits = 128 } };
	size_t at = best->n;

	best->seen++;
	segment_ip(seg, doc, b.value.ip.a);
	while (at > 0 && (best->b[at - 1].count < count ||
			     (best->b[at - 1].count == count &&
				 ip_cmp(best->b[at - 1].value.ip.a, b.value.ip.a) > 0)))
		at--;
	if (at == best->limit)
		return;
	if (best->n < best->limit)
		best->n++;
	memmove(best->b + at + 1, best->b + at, (best->n - at - 1) * sizeof(b));
	best->b[at] = b;
}

/* Counts the hits of each host of the segment, which are neighbours. */
static void
offer_addresses(struct run *r, const struct set *hits, struct best *best)
{
	struct set_space sp = run_space(r, LEVEL_NESTED);
	uint32_t batch[1024], doc = UINT32_MAX;
	uint64_t count = 0;
	struct set_walk w;
	size_t n;

	set_walk_begin(&w, &sp, hits, 0);
	while ((n = set_walk_next(&w, batch, COUNT(batch))) > 0 && run_spend(r, n))
		for (size_t i = 0; i < n; i++) {
			uint32_t owner = segment_owner(r->seg, batch[i]);

			if (owner != doc && doc < r->seg->ndocs)
				offer_address(best, r->seg, doc, count);
			count = owner != doc ? 1 : count + 1;
			doc = owner;
		}
	if (doc < r->seg->ndocs)
		offer_address(best, r->seg, doc, count);
}

/* Each host is alive in one segment only, so its services are counted where they are. */
void
nested_addresses(struct request *rq, const struct agg *agg, struct group *out)
{
	struct best best = { .limit = agg->limit };
	struct run *r = &rq->run;

	best.b = ARENA_ARRAY(r->arena, agg->limit + 1u, struct bucket);
	for (size_t s = 0; s < rq->view->nsegments && r->rc == ENGINE_OK; s++) {
		r->seg = rq->view->segments[s].seg;
		offer_addresses(r, &rq->hits[s], &best);
	}
	out->buckets = best.b;
	out->nbuckets = best.n;
	out->has_more = best.seen > best.n;
}

/* ---- pages ---- */

/* The documents that own the hits, as hits: the hits themselves stay valid. */
static void
hits_to_owners(struct request *rq, const struct set *hits)
{
	struct run *r = &rq->run;

	for (size_t i = 0; i < rq->view->nsegments; i++) {
		struct set copy = hits[i];
		struct set_space sp;

		r->seg = rq->view->segments[i].seg;
		sp = run_space(r, LEVEL_NESTED);
		if (copy.form == SET_WORDS) {
			copy.words = pool_get(r->pool);
			memcpy(copy.words, hits[i].words, sp.nwords * sizeof(*copy.words));
		} else if (copy.form == SET_LIST) {
			copy.list = ARENA_ARRAY(r->arena, copy.n + 1, uint32_t);
			memcpy(copy.list, hits[i].list, copy.n * sizeof(*copy.list));
		}
		rq->hits[i] = eval_owners(r, copy);
	}
}

static int
by_key(const void *a, const void *b)
{
	return str_cmp(((const struct hit *)a)->key, ((const struct hit *)b)->key);
}

/* The key of a service: that of its host, its port and its transport. */
static struct str
service_key(struct arena *a, struct str host, const struct nested_key *name)
{
	static const char *const transports[] = { "tcp", "udp", "sctp" };
	char *key = arena_alloc(a, host.n + SERVICE_KEY);

	memcpy(key, host.p, host.n);
	key[host.n] = (char)(name->number >> 8);
	key[host.n + 1] = (char)name->number;
	key[host.n + 2] = 0;
	for (size_t i = 0; i < COUNT(transports); i++)
		if (str_is(name->text[0], transports[i]))
			key[host.n + 2] = (char)(i + 1);
	return (struct str){ key, host.n + SERVICE_KEY };
}

/* Appends the hits of one host that follow `after`, in the order of their keys. Returns false when
   the page is full. Memory is taken for the services that match alone: a page may skip hundreds of
   hosts that have every port open. */
static bool
add_services(struct request *rq, const struct set *hits, const struct ordered_hit *m,
    const struct page_request *want, struct page *out)
{
	struct arena *a = rq->run.arena;
	const struct segment *seg = rq->view->segments[m->segment].seg;
	uint32_t from = seg->first[m->doc], to = seg->first[m->doc + 1], matching = 0, n = 0;
	struct segment_key host;
	struct hit *found;

	if (from > to || to > seg->nnested || to - from > LIM_HOST_SERVICES)
		return false; /* damage: request_result() detects it */
	if (!run_spend(&rq->run, to - from))
		return false;
	for (uint32_t i = from; i < to; i++)
		matching += set_has(&hits[m->segment], i);
	(void)segment_key(seg, m->doc, &host);
	found = ARENA_ARRAY(a, matching + UINT64_C(1), struct hit);
	for (uint32_t i = from; i < to; i++) {
		struct hit *h = &found[n];

		if (!set_has(&hits[m->segment], i))
			continue;
		h->nested = ARENA_NEW(a, struct nested_key);
		h->nnested = 1;
		read_nested_key(a, rq->view->dataset, seg, i, h->nested);
		h->key = service_key(a, segment_key_str(&host), h->nested);
		n += want->after.p == NULL || str_cmp(h->key, want->after) > 0;
	}
	if (n > 1)
		qsort(found, n, sizeof(*found), by_key);
	for (uint32_t i = 0; i < n; i++) {
		if (out->nhits == want->limit) {
			out->has_more = true;
			return false;
		}
		out->hits[out->nhits++] = found[i];
	}
	return true;
}

/* A page begins in the middle of a host when the page before ended there, so the host of the cursor
 * is looked at again. The name of a hit is that of the service itself. */
void
nested_page(struct request *rq, const struct page_request *want, struct page *out)
{
	struct arena *a = rq->run.arena;
	struct ordered_hit *m = ARENA_ARRAY(a, want->limit + UINT64_C(3), struct ordered_hit);
	struct set *hits = ARENA_ARRAY(a, rq->view->nsegments + 1, struct set);
	struct str host = want->after;
	size_t n;

	host.n = host.n > SERVICE_KEY ? host.n - SERVICE_KEY : 0;
	memcpy(hits, rq->hits, rq->view->nsegments * sizeof(*hits));
	hits_to_owners(rq, hits);
	rq->level = LEVEL_DOCUMENT; /* first_hits walks sets of hosts */
	n = first_hits(rq, host, true, want->limit + UINT64_C(2), m);
	out->hits = ARENA_ARRAY(a, want->limit + UINT64_C(1), struct hit);
	for (size_t i = 0; i < n && add_services(rq, hits, &m[i], want, out); i++)
		;
}
