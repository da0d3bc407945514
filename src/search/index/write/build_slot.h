/* SPDX-License-Identifier: ISC */
/* The parts of a slot, for build_slot.c: build_terms.c writes the dictionary, build_postings.c the
   postings, build_column.c the columns. */
#ifndef SEARCH_INDEX_WRITE_BUILD_SLOT_H
#define SEARCH_INDEX_WRITE_BUILD_SLOT_H

#include "search/index/write/build_priv.h"

struct slot_job {
	struct segment_writer *w;
	struct index_builder *b;
	struct gather *g;
	const struct schema_field *field;
	size_t slot;
	struct slot_meta *meta;
	uint32_t *terms; /* [place in the dictionary]: number by arrival */
	uint32_t *order; /* [number by arrival]: place in the dictionary */
};

void slot_sort_terms(struct slot_job *j);
/* Keeps the order of the terms, which arrive sorted in a merge. */
void slot_keep_order(struct slot_job *j);
void slot_write_terms(struct slot_job *j);

struct groups group_by_term(const struct slot_job *j);
struct groups group_by_owner(const struct slot_job *j, const struct groups *nested);
struct groups group_hashed(const uint32_t *hashes, uint32_t n);
void groups_free(struct groups *g);
void slot_write_postings(struct slot_job *j, const struct groups *own, const struct groups *above);

/* The combinations of values of documents, for a column (build_combinations.c). */
struct combining {
	uint32_t n;    /* with the empty one, which has number 0 */
	uint32_t *of;  /* [document]: its number; 0: the empty one, or one without a number */
	uint32_t *ids; /* k a combination; behind its last term, numbers from g->n on */
	uint8_t k;
};

/* Numbers the combinations of at most k terms, at most `most`, the most frequent ones first. Returns
   false when there are too many of them to be worth it. */
bool combine(const struct groups *g, uint32_t ndocs, uint32_t most, uint8_t k,
    struct combining *out) MUST_USE;
void combining_free(struct combining *c);

/* Writes the column of documents. */
void slot_write_column(struct slot_job *j, const struct groups *g);
/* Writes the column of nested documents of a field that names one in search results: port and
   transport of a service. */
void slot_write_nested_column(struct slot_job *j, const struct groups *g);

#endif
