/* SPDX-License-Identifier: ISC */
/* The interface of search engines. search/index is the embedded one, search/clickhouse asks
   ClickHouse. All engines give the same answers to the same queries. A struct engine has one of
   them for each dataset; the caller does not know which. */
#ifndef SEARCH_ENGINE_H
#define SEARCH_ENGINE_H

#include "base/limits.h"
#include "search/query.h"

enum engine_rc {
	ENGINE_OK,
	ENGINE_TIMEOUT,       /* the deadline has passed, or the work limit is used up (C-066) */
	ENGINE_SLICED,        /* the slice of the budget is used up */
	ENGINE_TOO_EXPENSIVE, /* count only: the work limit is used up */
	ENGINE_BUSY,          /* the server of the engine has too much to do: 503 */
	ENGINE_UNAVAILABLE,   /* no index is published, or it cannot answer now: 503 */
	ENGINE_MISCONFIGURED, /* the server refuses the user, or has no such tables: 503 */
	ENGINE_FAILED,        /* communication failed or the answer was invalid: 502 */
};

struct budget {
	int64_t deadline; /* mono_us */
	uint64_t work;    /* the number of values that may be examined */
	/* The slice ends when cpu_us reaches slice_cpu, but not before slice_from and not after
	   slice_until, both of mono_us. slice_until 0: there is no slice. */
	int64_t slice_from, slice_cpu, slice_until;
	/* An aggregation beyond the work limit may be answered by estimates (RELATION_UNKNOWN) in
	   place of a timeout. Each seed draws another sample. */
	bool estimates;
	uint64_t sample_seed;
};

enum relation { RELATION_EQ, RELATION_GTE, RELATION_UNKNOWN };

struct tag {
	struct str slug, name, classification;
	struct str categories[LIM_TAG_CATEGORIES]; /* slash paths, parents included */
	size_t ncategories;
};

struct bucket {
	struct value value; /* KEYWORD for strings; IP as IP */
	uint64_t count;
	struct str label;      /* p NULL: none */
	const struct tag *tag; /* for "tags" and "services.tags"; NULL: unknown tag */
};

struct group {
	const struct schema_field *field;
	enum relation relation;
	bool has_more;
	struct bucket *buckets; /* count descending, value ascending (C-049) */
	size_t nbuckets;
};

struct agg {
	const struct schema_field *field;
	unsigned limit;
};

struct count {
	uint64_t n;
	enum relation relation;
};

/* One matching document of a page. */
struct hit {
	struct str key; /* record_key() of the document; hits are in its order */
	/* The nested objects that pass the tests of nested fields, by the values of the fields that
	   schema_naming returns: the integer, and the texts in their order. Services: 443, "tcp".
	   Indicators: "domain", "example.org". */
	struct nested_key {
		int64_t number;
		struct str text[SCHEMA_NAMING];
	} * nested;
	size_t nnested;
};

struct page {
	struct count total;
	struct hit *hits;
	size_t nhits; /* may be below the limit although has_more is set: LIM_PAGE_SERVICES */
	bool has_more;
};

struct engine;

/* Opens the embedded engine on an index directory, which has the indexes of all datasets
   (search/index). Never NULL: until the index of its dataset is published, a query gets
   ENGINE_UNAVAILABLE. */
struct engine *engine_open_index(const char *directory);
void engine_close(struct engine *e);
/* Opens the newer generations that were published since the last call. Cheap enough to call between
   any two requests. */
void engine_refresh(struct engine *e);

struct engine_status {
	uint64_t generation; /* 0: none */
	uint64_t documents;
	struct ts published_at;
	const char *problem; /* why the newest generation was refused; NULL: it was not */
};

void engine_status(const struct engine *e, enum dataset d, struct engine_status *out);

/* The dataset is that of the query. The results are in the arena. */
enum engine_rc engine_aggregate(struct engine *e, struct arena *a, const struct query *q,
    const struct budget *budget, const struct agg *aggs, size_t naggs, struct group *out) MUST_USE;
enum engine_rc engine_count(struct engine *e, struct arena *a, const struct query *q,
    const struct budget *budget, struct count *out) MUST_USE;

/* after: the key of the last hit of the previous page, or STR_NULL for the first page. It may be
   any bytes. */
struct page_request {
	struct str after;
	unsigned limit;
	/* the caller does not read hit.nested, which may be empty; of views it is always there */
	bool keys_only;
};

enum engine_rc engine_search(struct engine *e, struct arena *a, const struct query *q,
    const struct budget *budget, const struct page_request *want, struct page *out) MUST_USE;

/* ---- for engines ---- */

/* The functions of one engine, with the meaning of those above. */
struct engine_kind {
	void (*close)(void *state);
	void (*refresh)(void *state);
	void (*status)(const void *state, enum dataset d, struct engine_status *out);
	enum engine_rc (*aggregate)(void *state, struct arena *a, const struct query *q,
	    const struct budget *budget, const struct agg *aggs, size_t naggs, struct group *out);
	enum engine_rc (*count)(void *state, struct arena *a, const struct query *q,
	    const struct budget *budget, struct count *out);
	enum engine_rc (*search)(void *state, struct arena *a, const struct query *q,
	    const struct budget *budget, const struct page_request *want, struct page *out);
};

/* Lets the engine of this kind answer these datasets. engine_close closes its state. e: NULL for a
   new one. Returns it. */
struct engine *engine_with(
    struct engine *e, const struct engine_kind *kind, void *state, const bool datasets[DATASETS]);

#endif
