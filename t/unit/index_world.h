/* SPDX-License-Identifier: ISC */
/* An index in a directory of its own, and the documents that it has to answer for. */
#ifndef T_UNIT_INDEX_WORLD_H
#define T_UNIT_INDEX_WORLD_H

#include "search/engine.h"
#include "search/index/read/cost.h"
#include "search/index/read/each.h"
#include "search/index/write/build.h"
#include "search/index/write/merge.h"
#include "search/index/write/state.h"
#include "t/unit/index_naive.h"

extern struct budget plenty;
#define NAIVE_NOW ((struct ts){ 3 * DAY_US / 2 }) /* the time of all queries */

struct world {
	char directory[64];
	struct naive n;
	struct naive_doc *docs; /* in the order of addresses, as they are now */
	size_t ndocs;
	struct index_state state;
	struct index_builder *b;
	struct engine *rival;            /* that answers instead of the index; NULL: none */
	const struct json_value **trees; /* of docs, while they are compared */
	struct arena *scratch;
};

/* Costs that make one way to count facets the cheapest: of columns, postings and stored counts in turn; every fourth table
   is the measured one. */
const struct costs *world_costs(unsigned turn);
void set_tags(struct index_tags *t);                        /* those of naive_doc */
struct str key_of(struct arena *a, const struct ipnet *ip); /* of the document of a host */
void world_begin(struct world *w, uint64_t seed);           /* of hosts */
void world_begin_with(struct world *w, enum dataset d, uint64_t seed);
void world_end(struct world *w);
/* count documents at random addresses out of room, those that exist replaced; published. */
void add_segment(struct world *w, uint32_t count, uint32_t room);
/* Compares the answers to random queries with those of looking at every document. */
void compare_many(struct world *w, unsigned queries);
/* The same of what match_document and counts say about each document alone. */
void compare_judgements(struct world *w, unsigned queries);

#endif
