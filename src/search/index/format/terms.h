/* SPDX-License-Identifier: ISC */
/* A slot in memory: its dictionary, and pointers to its postings and its column. Everything points
   into the mapped segment. A term is a number below n; n itself is "every document with a value"
   (format.h). */
#ifndef SEARCH_INDEX_FORMAT_TERMS_H
#define SEARCH_INDEX_FORMAT_TERMS_H

#include "search/index/format/format.h"

/* The combinations of a column; number 0 is the empty one. */
struct combinations {
	uint32_t n;         /* 0: the column has no combinations */
	uint8_t width;      /* bytes a number */
	const void *number; /* [document] */
};

struct column {
	uint8_t width, k; /* bytes a term, places a document or a combination */
	const void *ids;
	struct combinations comb;
	/* Rows: the first place of a document, which has as many as nested documents; NULL: k
	   places each. nplaces: of all documents. */
	const uint32_t *first;
	uint32_t nplaces;
	uint32_t nmore, ndocs;
	/* Which documents have more than k terms, one bit each; how many of them are in the words
	   before; the offsets of their other terms in more_ids. */
	const uint64_t *more_words;
	const uint32_t *more_rank, *more_at;
	const void *more_ids;
	uint64_t nids; /* entries of more_ids */
};

/* The i-th number of three bytes. */
static inline uint32_t
id_of_three(const void *ids, size_t i)
{
	const unsigned char *p = (const unsigned char *)ids + i * 3;

	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
}

/* Bits, and how many ones are before the i-th word of them. */
struct ranked {
	const uint64_t *bits;
	const uint32_t *before;
};

/* A number for each document; 0: none. */
struct packed {
	const uint32_t *values;
	uint32_t n;       /* the number of values */
	const void *at;   /* the place of each document's value; NULL: they are in this order */
	uint8_t at_width; /* bytes a place */
	uint32_t nat;
	struct ranked has; /* one bit a document; bits NULL: values has one for each document */
};

struct terms {
	uint32_t n;
	enum term_form form;
	bool nested;        /* the field is nested: the documents of its postings are nested ones */
	const uint32_t *at; /* the place of each block of terms */
	const char *bytes;
	uint64_t nbytes;
	uint32_t size; /* FORM_HEX: the bytes of a term */
	const int64_t *ints;
	const uint32_t *fold, *rank;
	/* Rare and common terms, as format.h draws them. */
	struct ranked rare; /* bits NULL: all terms are common */
	const unsigned char *only;
	uint8_t only_width; /* bytes a document in `only` */
	uint32_t nonly, ncommon;
	const uint32_t *count; /* [common term] */
	const uint32_t *place; /* [common term] */
	const unsigned char *postings;
	uint64_t npostings;
	/* Those that no earlier slot of the file has. */
	const unsigned char *own_postings;
	uint64_t nown_postings;
	struct column column, nested_column;
	const uint32_t *label;
	struct packed hashes; /* FORM_HASHED */
	/* One of both, or neither. */
	const int64_t *dates;
	struct packed seconds;
	int64_t epoch; /* of seconds; microseconds */
};

/* Room for a term whose bytes are not its text. */
struct term_text {
	char bytes[TERM_SHORT + 1];
};

/* The text of a term, which is valid as long as the segment and the room. */
struct str terms_str(const struct terms *t, uint32_t id, struct term_text *room);
/* Starts to read the texts of a range of terms from the disk; in the folded order they are
   elsewhere. */
void terms_ahead(const struct terms *t, uint32_t from, uint32_t to);
/* Whether the texts of both dictionaries can be compared with each other. */
bool terms_joinable(const struct terms *a, const struct terms *b);
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
/* A hash that replaces a long text in the dictionary of whole values, and the one of
   SECTION_HASHES, which is never 0. */
int64_t text_key(struct str s);
uint32_t text_hash(struct str s);

static inline bool
ranked_has(const struct ranked *r, uint32_t i)
{
	return (r->bits[i >> 6] >> (i & 63) & 1) != 0;
}

/* The number of ones before the bit i. */
static inline uint32_t
ranked_before(const struct ranked *r, uint32_t i)
{
	return r->before[i >> 6] +
	       (uint32_t)__builtin_popcountll(r->bits[i >> 6] & ~(UINT64_MAX << (i & 63)));
}

/* The value of the i-th document that has one. */
static inline uint32_t
packed_at(const struct packed *p, uint32_t i)
{
	if (p->at != NULL && i >= p->nat)
		return 0;
	if (p->at != NULL)
		i = p->at_width == 1 ? ((const uint8_t *)p->at)[i] : ((const uint16_t *)p->at)[i];
	return i < p->n ? p->values[i] : 0;
}

static inline uint32_t
packed_value(const struct packed *p, uint32_t doc)
{
	uint32_t i = doc;

	if (p->has.bits != NULL) {
		if (!ranked_has(&p->has, doc))
			return 0;
		i = ranked_before(&p->has, doc);
	}
	return packed_at(p, i);
}

/* Whether the term has one document. */
static inline bool
terms_is_rare(const struct terms *t, uint32_t id)
{
	return t->rare.bits != NULL && id < t->n && ranked_has(&t->rare, id);
}

/* The document of the i-th rare term. */
static inline uint32_t
terms_only(const struct terms *t, uint32_t i)
{
	const unsigned char *p = t->only + (size_t)i * t->only_width;
	uint32_t low = id_of_three(p, 0);

	return t->only_width == ONLY_SHORT ? low : low | (uint32_t)p[3] << 24;
}

/* The number of documents of a term of a field with facets. Callers visit the terms in their order
   and begin with
   *common 0. */
static inline uint32_t
terms_next_count(const struct terms *t, uint32_t id, uint32_t *common)
{
	if (terms_is_rare(t, id))
		return 1;
	return *common < t->ncommon ? t->count[(*common)++] : 0;
}

static inline bool
terms_have_dates(const struct terms *t)
{
	return t->dates != NULL || t->seconds.values != NULL;
}

/* In microseconds; INT64_MIN: none. */
static inline int64_t
terms_date(const struct terms *t, uint32_t doc)
{
	uint32_t s;

	if (t->dates != NULL)
		return t->dates[doc];
	s = packed_value(&t->seconds, doc);
	return s == 0 ? INT64_MIN : (int64_t)((uint64_t)t->epoch + s * UINT64_C(1000000));
}

#endif
