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

/* The versions that parts have (parts.c). Parts never change, so they are kept for the following
   requests. A key is NULL when nothing is known. */
struct ch_part_memory {
	char *large;        /* the key of the large parts that `greatest` is about */
	uint64_t *greatest; /* [group]; NULL: reading them takes too long */
	uint64_t ngroups;
	char *pair; /* the key of the large and small parts that `newer` is about */
	bool newer; /* no row of these small parts is older than the large part of its shard */
};

struct ch_engine {
	struct ch_options options;
	struct ch_http *http;
	struct {
		unsigned layout;
		int64_t until; /* mono_us */
		struct ch_part_memory parts;
	} of[DATASETS];
	struct arena *statement_arena; /* the statements of one attempt */
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
	/* Versions in the large parts, or in the small ones, were read while parts may have been
	   missing. */
	bool large_unproven, small_unproven;
	enum engine_rc rc;      /* not ENGINE_OK: the request has failed */
	enum relation relation; /* of the counts */
};

/* Reads the layout. False: rq->rc is the reason. */
bool ch_begin(struct ch_request *rq) MUST_USE;
/* Begins the plan, and frees the statements of the attempt before. */
void ch_begin_attempt(struct ch_request *rq);
/* Ends the request; returns false. */
bool ch_refuse(struct ch_request *rq, enum engine_rc rc, const char *why);
/* Reads the numbers of the values in the query. */
bool ch_look_up(struct ch_request *rq) MUST_USE;
/* Runs a statement. Its rows are valid until the next statement. False: rq->rc is the reason. */
bool ch_ask(struct ch_request *rq, struct str sql, struct ch_rows *rows) MUST_USE;
/* Does the same without the limit of rows. */
bool ch_ask_any_rows(struct ch_request *rq, struct str sql, struct ch_rows *rows) MUST_USE;
/* Does the same as ch_ask for a statement about the dictionary: it fails while a shard is unavailable, even
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

/* Chooses the parts that the following statements read; without a choice they read all parts with
   FINAL. */
bool ch_parts_begin(struct ch_request *rq) MUST_USE;
/* Sets *same: the statements since ch_parts_begin have read these parts, and no others. */
bool ch_parts_end(struct ch_request *rq, bool *same) MUST_USE;
/* Whether the following statements read listed parts alone. */
bool ch_parts_listed(const struct ch_request *rq);
/* Forgets what a failed request has read of versions. */
void ch_parts_fail(struct ch_request *rq);
void ch_part_memory_clear(struct ch_part_memory *m);

/* ---- buckets.c, page.c ---- */

bool ch_aggregate(
    struct ch_request *rq, const struct agg *aggs, size_t n, struct group *out) MUST_USE;
bool ch_search(struct ch_request *rq, const struct page_request *want, struct page *out) MUST_USE;

#endif
