/* SPDX-License-Identifier: ISC */
/* The one interface of search engines: the embedded index and, later, ClickHouse. What differs stays
   behind it; the differential test runs the same queries through all and through plain SQL. */
#ifndef SEARCH_ENGINE_H
#define SEARCH_ENGINE_H

#include "base/limits.h"
#include "search/search.h"

enum engine_rc {
	ENGINE_OK,
	ENGINE_TIMEOUT,       /* the budget in time or work is spent (C-066) */
	ENGINE_SLICED,        /* the slice of the budget is used up */
	ENGINE_TOO_EXPENSIVE, /* count: over the work limit */
	ENGINE_UNAVAILABLE,   /* no index published, or the engine says so: 503 */
	ENGINE_FAILED, /* broken communication or an answer that breaks the contract: 502 */
};

struct budget {
	int64_t deadline; /* mono_us */
	uint64_t work;    /* values looked at */
	/* The slice ends when this much CPU time is used (cpu_us), and at the latest at a time of
	   mono_us; it cannot end before slice_from. slice_until 0: there is no slice. */
	int64_t slice_from, slice_cpu, slice_until;
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
	struct str label; /* p NULL: none */
	const struct tag
	    *tag; /* only for "tags" and "services.tags"; NULL when unknown */
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
	unsigned char ip[16]; /* hosts: the key, and the order (ip_cmp) */
	struct service_key {
		int64_t port;
		struct str transport;
	} * services; /* hosts: the services that pass the query's tests of services */
	size_t nservices;
};

struct page {
	struct count total;
	struct hit *hits;
	size_t nhits; /* may be fewer than asked for, LIM_PAGE_SERVICES: has_more tells */
	bool has_more;
};

struct engine;

/* Opens the embedded engine on an index directory (search/index). Never NULL: without a published
   index every call says ENGINE_UNAVAILABLE until there is one. */
struct engine *engine_open_index(const char *directory);
void engine_close(struct engine *e);
/* Takes a newer generation when one is published; cheap enough for between two requests. */
void engine_refresh(struct engine *e);

struct engine_status {
	uint64_t generation; /* 0: none */
	uint64_t documents;
	struct ts published_at;
	const char *problem; /* why a newer generation was refused; NULL: none */
};

void engine_status(const struct engine *e, struct engine_status *out);

/* Results live in the arena. */
enum engine_rc engine_aggregate(struct engine *e, struct arena *a, const struct query *q,
    const struct budget *budget, const struct agg *aggs, size_t naggs,
    struct group *out) MUST_USE;
enum engine_rc engine_count(struct engine *e, struct arena *a, const struct query *q,
    const struct budget *budget, struct count *out) MUST_USE;

/* after: the ip of the last hit of the page before, or NULL for the first page. */
struct page_request {
	const unsigned char *after;
	unsigned limit;
};

enum engine_rc engine_search(struct engine *e, struct arena *a, const struct query *q,
    const struct budget *budget, const struct page_request *want,
    struct page *out) MUST_USE;

#endif
