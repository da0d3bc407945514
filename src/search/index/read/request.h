/* SPDX-License-Identifier: ISC */
/* One request to the embedded engine.
 *
 * The life of a query, from the text that query.h parses to the answer of search/engine.h:
 *
 *   query tree                for each segment of the view                     over all segments
 *   ----------                ----------------------------                     -----------------
 *   AND  --------------->     eval_node: one set of documents   --+
 *    +- NESTED  -------->      a set of nested documents; then    |
 *    |   +- AND                eval_owners maps it to hosts       +--> count    sum of set_count
 *    |      +- port:22                                            +--> search   merge by key
 *    |      +- product:ssh                                        +--> facets   columns -> ordinals
 *    +- os:linux  ------>      eval_leaf: value -> terms          |             -> first buckets
 *    +- NOT country:DE          -> postings -> one set            |
 *                              without the dead documents       --+
 *
 *  1. engine_refresh looks for a new manifest between requests, at most every two milliseconds, and
 *     opens a view of it. Files that the old view has mapped are shared. When the new generation
 *     cannot be opened, the old one is kept and engine_status reports the problem.
 *  2. evaluate_query (engine.c) compares every file with its state when it was opened. A changed
 *     file means that the view is dropped and the request answered with ENGINE_UNAVAILABLE.
 *  3. Each segment is evaluated alone, because documents and terms are numbers of one segment. AND
 *     evaluates plain tests first and stops at an empty set. A nested test alone uses the posting
 *     of hosts; several tests in one services:( ) are combined as nested documents, and mapped to
 *     their hosts at the end.
 *  4. Dead documents are removed. A query for all documents skips steps 3 and 4 where it can: its
 *     count and its facets are known from the totals.
 *  5. A page of hits is a merge of the segments by address. A facet reads the columns of the hits,
 *     adds counts by ordinal, and looks at the texts of terms only to order equal counts and to
 *     print the buckets. The counts begin from those of a set whose facets are stored, when the
 *     hits differ from it in few documents (basis.h); a field of few terms is counted by its
 *     postings (intersect.c).
 *  6. The files are compared once more: an answer is only given when no file has changed while it
 *     was computed. A page that cannot be read (of a truncated file, say) raises SIGBUS. The
 *     handler of mapped.c maps zeros in its place, so the worker continues, and this check fails
 *     the request.
 *
 * run_spend is called between blocks of work. When the deadline, the work limit or the slice of CPU
 * time is used up, run_spend sets run.rc; then every function returns early, and engine.c discards
 * the incomplete result. */
#ifndef SEARCH_INDEX_READ_REQUEST_H
#define SEARCH_INDEX_READ_REQUEST_H

#include "search/engine.h"
#include "search/index/format/set.h"
#include "search/index/read/view.h"

struct run {
	struct arena *arena;
	struct arena *small; /* for folded terms, emptied often; NULL: not yet needed */
	struct words_pool *pool;
	struct scratch *ids;
	const struct budget *budget;
	uint64_t work;
	enum engine_rc rc; /* not ENGINE_OK: everything returns early */
	const struct segment *seg;
	struct ts now;         /* of the query */
	struct term_text term; /* room for one term at a time */
};

/* ---- run.c ---- */

/* Counts work that was done. Returns false when the request has to end. */
bool run_spend(struct run *r, uint64_t values);
struct set_space run_space(const struct run *r, enum level l);

/* ---- owners.c ---- */

/* The documents that own the nested documents, and the nested documents that they own. */
struct set eval_owners(struct run *r, struct set nested);
struct set eval_owned(struct run *r, struct set documents);

/* ---- eval.c, leaf.c ---- */

struct set eval_node(struct run *r, const struct node *n, enum level l);
struct set eval_leaf(struct run *r, const struct node *n, enum level l);
/* Adds the nested documents that pass a test of the query which is not negated. Returns false when
   the query has no such test. */
bool eval_matched(struct run *r, const struct node *root, struct set *out);

/* ---- a request ---- */

struct request {
	struct run run;
	struct view *view;
	const struct query *query;
	enum level level; /* a query of a view finds nested documents */
	struct set *hits; /* [segment]: live documents, unless `all` */
	uint64_t total;
	bool all; /* the query is for all documents */
};

/* ---- hits.c ---- */

struct ordered_hit {
	size_t segment;
	uint32_t doc;
};

/* Removes the dead documents of a segment from hits, or the nested documents that they own.
   Consumes hits. */
struct set remove_dead(struct request *rq, const struct view_segment *vs, struct set hits);
/* Finds the first documents after a key (STR_NULL: from the beginning) over all segments, at most
   `want`. inclusive: the document of the key itself is one of them. */
size_t first_hits(
    struct request *rq, struct str after, bool inclusive, size_t want, struct ordered_hit *out);
/* The name of a nested document (schema_naming), in the arena. */
void read_nested_key(struct arena *a, enum dataset d, const struct segment *seg, uint32_t nested,
    struct nested_key *out);

/* ---- aggregate.c ---- */

void aggregate_terms(struct request *rq, const struct agg *aggs, size_t n, struct group *out);

/* ---- sample.c: estimates ---- */

struct sample {
	struct set *hits; /* all hits */
	uint64_t total, sampled, every;
};

/* When the work limit is used up and the budget allows estimates: replaces the hits by a sample of
   them and begins the work anew. False: there is no estimate. */
bool sample_begin(struct request *rq, size_t naggs, struct sample *s) MUST_USE;
/* Brings all hits back. */
void sample_end(struct request *rq, const struct sample *s);
/* Makes an estimate of all hits from a facet of the sample. */
void sample_scale(const struct sample *s, struct group *g);

/* ---- nested.c: queries of a view ---- */

struct ordinals;

/* Adds up how often each term of a field of the source occurs among the hits of a segment. */
void nested_count(struct request *rq, size_t segment, const struct schema_field *f,
    const struct ordinals *o, uint32_t *sum);
void nested_addresses(struct request *rq, const struct agg *agg, struct group *out);
void nested_page(struct request *rq, const struct page_request *want, struct page *out);

#endif
