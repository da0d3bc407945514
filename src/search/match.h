/* SPDX-License-Identifier: ISC */
/* Evaluates a query on one whole document in memory: samples of detection rules, and the documents
 * that surfaced-detect evaluates. It agrees with the index on every document (t/unit/index_world.c
 * compares them).
 *
 * A document is the JSON object of the table record. A service has two forms:
 *
 *   in its host    {"ip":"192.0.2.7","services":[{"port":22}]}    own: the object with the port, of: the host
 *   by itself      {"ip":"192.0.2.7","port":22}                   own: the object, of: NULL */
#ifndef SEARCH_MATCH_H
#define SEARCH_MATCH_H

#include "search/engine.h"

struct json_value;

struct match_document {
	const struct json_value *own;
	const struct json_value
	    *of; /* for a view: the document of its source that contains own; else NULL */
	/* the taxonomy that documents name by slugs: their categories and classifications */
	const struct tag *tags;
	size_t ntags;
};

/* A limit of the CPU time of evaluations. A document may have 16 MiB and a query hundreds of
   patterns, so a single evaluation can take minutes. */
struct match_limit {
	int64_t until; /* the value of cpu_us at which evaluation stops */
	uint64_t work; /* bytes compared since the clock was read */
	bool over;     /* the limit is reached: no test passes any more */
};

/* Whether a document matches the query. limit: NULL for none. When limit->over becomes true, the
   result is false although the document may match. The function resets the arena scratch. */
bool match_document(struct arena *scratch, const struct query *q, const struct match_document *d,
    struct match_limit *limit) MUST_USE;

/* The member of an object with a dotted name, "http.title"; NULL: there is none. */
const struct json_value *match_member(const struct json_value *v, const char *name);

/* Whether a value of the field that n tests passes, or any item of a list. */
bool match_value(struct arena *scratch, const struct node *n, const struct json_value *v,
    struct match_limit *limit) MUST_USE;

#endif
