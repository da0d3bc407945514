/* SPDX-License-Identifier: ISC */
/* A request to ClickHouse: request.c has its beginning and its statements, parts.c chooses the
   parts that these read, buckets.c aggregates, page.c lists hits, and engine.c passes the functions
   to src/search/engine.c. */
#ifndef SEARCH_CLICKHOUSE_ENGINE_PRIV_H
#define SEARCH_CLICKHOUSE_ENGINE_PRIV_H

#include "search/clickhouse/decode.h"
#include "search/clickhouse/engine.h"
#include "search/clickhouse/http.h"
#include "search/clickhouse/sql.h"

/* The results about parts that are kept for the next request (parts.c); keys are NULL if there are
   none. */
struct ch_part_memory {
	char *large;        /* the key of the large parts whose greatest versions are known */
	uint64_t *greatest; /* [group] */
	uint64_t ngroups;
	char *both; /* the key of the large and small parts of which it is known whether */
	bool newer; /* no row of the small ones is older than the large ones */
};

struct ch_engine {
	struct ch_options options;
	struct ch_http *http;
	struct {
		unsigned layout;
		int64_t until; /* mono_us */
		struct ch_part_memory parts;
	} of[DATASETS];
	struct arena *tag_arena;
	struct tag *tags; /* sorted by slug */
	size_t ntags;
	int64_t tags_until;
	uint64_t random, statements; /* the parts of query ids */
};

/* A part of a table of rows. */
struct ch_part {
	struct str name;
	uint64_t active, present; /* on how many shards */
	uint64_t hash;
};

/* The parts of one moment, in the order of names. */
struct ch_parts {
	struct ch_part *p;
	size_t n;
};

struct ch_request {
	struct ch_engine *engine;
	struct arena *arena;
	const struct query *query;
	const struct budget *budget;
	struct ch_plan plan;
	struct ch_parts parts;
	enum engine_rc rc;      /* not ENGINE_OK: the request has failed */
	enum relation relation; /* of the counts */
};

/* Reads the layout. False: rq->rc is the reason. */
bool ch_begin(struct ch_request *rq) MUST_USE;
/* Reads the numbers of the values in the query. */
bool ch_look_up(struct ch_request *rq) MUST_USE;
/* Runs a statement. Its rows are valid until the next statement. False: rq->rc is the reason. */
bool ch_ask(struct ch_request *rq, struct str sql, struct ch_rows *rows) MUST_USE;
/* Does the same for a statement about the dictionary: it fails while a shard is unavailable, even
   with clickhouse_partial. */
bool ch_ask_all(struct ch_request *rq, struct str sql, struct ch_rows *rows) MUST_USE;
/* Fails the request unless as_expected is true and the rows were read to their end without a
   fault. */
bool ch_rows_end(struct ch_request *rq, const struct ch_rows *rows, bool as_expected) MUST_USE;
/* Finds the name and the categories that a bucket of tags shows; NULL: the tag is unknown. */
const struct tag *ch_find_tag(const struct ch_engine *e, struct str slug);
/* Reads the tags when they are older than a second. */
bool ch_read_tags(struct ch_request *rq) MUST_USE;
/* Counts the documents that the query finds. */
bool ch_count(struct ch_request *rq, uint64_t *n) MUST_USE;

/* ---- parts.c ---- */

/* Chooses the parts that the following statements read. */
bool ch_parts_begin(struct ch_request *rq) MUST_USE;
/* Sets *same: the statements since ch_parts_begin have read these parts, and no others. */
bool ch_parts_end(struct ch_request *rq, bool *same) MUST_USE;
/* Whether the following statements read listed parts alone. */
bool ch_parts_listed(const struct ch_request *rq);
/* The following statements read all parts with FINAL. */
void ch_parts_all(struct ch_request *rq);
void ch_part_memory_clear(struct ch_part_memory *m);

/* ---- buckets.c, page.c ---- */

bool ch_aggregate(
    struct ch_request *rq, const struct agg *aggs, size_t n, struct group *out) MUST_USE;
bool ch_search(struct ch_request *rq, const struct page_request *want, struct page *out) MUST_USE;

#endif
