/* SPDX-License-Identifier: ISC */
/* The builder of segments, for the writer. Documents come in any order (build_order.c):
 *
 *   JSON --document_read--> build_value_* --> one struct gather a slot --slot_write--> sections
 *                           (which field)             (terms in the order of arrival,           (terms sorted,
 *                                                      pairs of document and term)               postings, column)
 *
 * A term is numbered when it first occurs, because its place in the sorted dictionary is unknown
 * until the last document. slot_write sorts the terms, and inverts the pairs by counting: one walk
 * counts the documents of each term, a second one stores them. A merge uses the same path from
 * slot_write on: its terms arrive sorted, and merge_slot supplies their documents. */
#ifndef SEARCH_INDEX_WRITE_BUILD_PRIV_H
#define SEARCH_INDEX_WRITE_BUILD_PRIV_H

#include "search/document.h"
#include "search/index/format/ceilings.h"
#include "search/index/format/sections.h"
#include "search/index/format/segment.h"
#include "search/index/write/build.h"
#include "search/index/write/build_order.h"
#include "search/index/write/gather.h"
#include "search/index/write/share.h"

#define NO_TERM UINT32_MAX

/* ---- build.c ---- */

struct dates {
	int64_t *p;
	size_t n, room;
};

struct hashes {
	uint32_t *p;
	size_t n, room;
};

struct label {
	uint32_t term; /* NO_TERM: none */
	uint32_t doc;  /* the document that has it, by its number of arrival; not of a merge */
};

/* The fields that are derived from a tag, when the field is one of tags; NULL otherwise. */
struct derived {
	const struct schema_field *categories, *classification;
};

struct index_builder {
	enum dataset dataset;
	const struct index_tags *tags;
	const struct schema_field *fields;
	size_t nfields;
	struct document_members *members;
	struct derived *derived; /* [field] */
	struct gather *slots;
	struct dates *dates;   /* [field] */
	struct hashes *hashes; /* [field] */
	uint32_t ndocs, nv4, nnested;
	uint32_t *first, *owner;
	size_t first_room, owner_room;
	/* The keys: of addresses the two lists, of other datasets `keys`. */
	bool addresses;
	uint32_t *ip4;
	unsigned char *ip6;
	size_t ip4_room, ip6_room;
	struct key_list keys;
	struct segment_key last;
	struct arrived arrived;
	uint32_t
	    *renumber[LEVELS]; /* [number by arrival]: the final number; NULL: it is the same */
	/* For each term of the field with labels (asn), the label in the document of the least key
	   that has both. */
	const struct schema_field *labelled; /* NULL: the dataset has none */
	struct label *label;
	size_t nlabel, label_room;
	uint32_t doc_labelled, doc_label;
	struct share share;
	struct arena *arena; /* for one document */
	uint64_t id;         /* the id of the segment; 0: a new one of the family */
	uint32_t family;
	const struct merging *merging; /* NULL: this is no merge */
	uint32_t pairs_from;           /* a segment of so many documents gets pair totals */
	const char *full;              /* the ceiling that the segment passes; NULL: none */
	/* A column has at most so many combinations; 1: none (COMBINATIONS_MAX, or fewer in tests). */
	uint32_t combinations;
};

/* Makes a builder that knows only the first nfields of the schema, like an older release (for
   tests). */
struct index_builder *build_new(enum dataset d, const struct index_tags *tags, size_t nfields);
void build_clear(struct index_builder *b);
/* Functions of struct document_sink, whose argument is the builder. */
void build_value_str(void *b, const struct schema_field *f, struct str s);
void build_value_int(void *b, const struct schema_field *f, int64_t v);
void build_value_num(void *b, const struct schema_field *f, double v);
void build_nested_begin(void *b);
void build_document_begin(struct index_builder *b);
bool build_document_end(struct index_builder *b, struct str key) MUST_USE;
void build_date(struct index_builder *b, const struct schema_field *f, uint32_t doc, int64_t us);
/* Appends zeros up to n documents. */
void hashes_fill(struct hashes *h, uint32_t n);
void build_hash(struct index_builder *b, const struct schema_field *f, uint32_t doc, uint32_t hash);
/* Sets the label of a term unless it has one. */
void build_label(struct index_builder *b, uint32_t labelled, uint32_t label);

/* ---- pack.c ---- */

/* Writes n bits, and for each word the number of ones before it, as the two sections of `kinds`.
   bits has a word more than n bits need. */
void write_ranked(struct segment_writer *w, const enum section_kind kinds[2], size_t slot,
    const uint64_t *bits, uint32_t n);
/* Writes a number for each of n documents; 0: none. The numbers may be moved. */
void write_packed(
    struct segment_writer *w, enum section_kind kind, size_t slot, uint32_t *values, uint32_t n);

/* ---- build_pairs.c ---- */

enum { PAIRS_FROM = 50000 };

/* Writes the pair totals, after all other sections. h: the header that the segment will get. A file
   that cannot be read again gets no pair totals, and sections_end reports why. */
void pairs_write(
    struct segment_writer *w, const struct index_builder *b, const struct segment_header *h);

/* ---- groups ---- */

/* Documents grouped by term: the documents of term i are docs[start[i]..start[i + 1]-1]. Term n has
   every document with a value. */
struct groups {
	uint32_t n;
	uint64_t *start; /* tokens may have more than 2^32 documents together */
	uint32_t *docs;
};

/* ---- merge_slot.c ---- */

#define NOWHERE UINT32_MAX

struct input {
	const struct segment *seg;
	const uint64_t *dead;
	uint32_t *number[LEVELS]; /* [document of the level]: its new number, or NOWHERE */
};

struct merging {
	struct input *in;
	size_t n;
	const struct schema_field *fields;
	size_t nfields;
	uint32_t ***numbers; /* [slot][input][term]: the new number; NULL: not recorded */
};

/* Appends the terms of all inputs to g, sorted, and returns their documents. */
struct groups merge_slot(const struct merging *all, size_t slot, struct gather *g);
void merge_labels(const struct merging *all, struct index_builder *b);

/* ---- build_slot.c ---- */

/* Sorts, writes and frees a slot. (*order)[i] is the final number of the term that arrived as
   number i. */
void slot_write(struct segment_writer *w, struct index_builder *b, size_t slot,
    struct slot_meta *meta, uint32_t **order);

#endif
