/* SPDX-License-Identifier: ISC */
/* A slot in memory: its dictionary, and pointers to its postings and its column. Everything points
   into the mapped segment. A term is a number below n; n itself is "every document with a value"
   (format.h). */
#ifndef SEARCH_INDEX_FORMAT_TERMS_H
#define SEARCH_INDEX_FORMAT_TERMS_H

#include "search/index/format/format.h"

struct column {
	uint8_t width, k; /* bytes a term, terms a document */
	const void *ids;
	uint32_t nmore, ndocs;
	/* Which documents have more than k terms, one bit each; how many of them are in the words before; the offsets of
	   their other terms in more_ids. */
	const uint64_t *more_words;
	const uint32_t *more_rank, *more_at;
	const void *more_ids;
	uint64_t nids; /* entries of more_ids */
};

struct terms {
	uint32_t n;
	enum term_form form;
	const uint32_t *at;
	const char *bytes;
	uint64_t nbytes;
	const int64_t *ints;
	const uint32_t *fold, *rank;
	struct {
		const uint32_t *count;
		const uint64_t *at;
	} level[LEVELS];
	const unsigned char *postings;
	uint64_t npostings;
	struct column column, nested_column;
	const uint32_t *label;
	const int64_t *dates;
};

/* The number of documents of a term, for walks over all terms: *common begins at 0. */
static inline uint32_t
terms_next_count(const struct terms *t, uint32_t id, uint32_t *common)
{
	(void)common;
	return t->level[LEVEL_DOCUMENT].count == NULL ? 0 : t->level[LEVEL_DOCUMENT].count[id];
}

struct str terms_str(const struct terms *t, uint32_t id);
/* Compares DNS names by their labels from the right. */
int names_cmp(struct str a, struct str b);
/* The first term that is not less than the value, or t->n. */
uint32_t terms_lower(const struct terms *t, struct str s);
uint32_t terms_lower_int(const struct terms *t, int64_t v);
/* The term that equals the value, or t->n. */
uint32_t terms_find(const struct terms *t, struct str s);
uint32_t terms_find_int(const struct terms *t, int64_t v);
/* Compares two terms of the same form by the order of dictionaries. */
int terms_order(const struct terms *a, uint32_t i, const struct terms *b, uint32_t j);
/* Compares two terms by the order of buckets with equal counts. */
int terms_cmp(const struct terms *a, uint32_t i, const struct terms *b, uint32_t j);
/* Whether the term may be a bucket: 1 to 4096 characters (C-050). */
bool terms_bucketable(const struct terms *t, uint32_t id);
/* The cost of matching s at worst, in values of the work budget: the longest run of the pattern is
   compared at every character of s. */
uint64_t glob_cost(struct str pattern, struct str s);
/* The literal text before the first wildcard. */
struct str glob_prefix(struct str pattern);
/* The subtree that contains all matches of a pattern of DNS names: "example.com" for
   "*.example.com". */
struct str glob_subtree(struct str pattern);
/* An integer that has the same order as the number, and the number of that integer. */
int64_t number_key(double n);
double number_of_key(int64_t key);
/* A hash that replaces a long text in the dictionary of whole values. */
int64_t text_key(struct str s);

#endif
