/* SPDX-License-Identifier: ISC */
/* The builder inside: values gathered a slot at a time, numbered as they come, sorted at the end. */
#ifndef SEARCH_INDEX_BUILD_PRIV_H
#define SEARCH_INDEX_BUILD_PRIV_H

#include "search/index/files.h"
#include "search/index/index_priv.h"

/* ---- gather.c: one slot's values in the order of documents ---- */

struct gather {
	enum term_form form;
	uint32_t n, room;           /* terms met */
	uint32_t *at, *hash, *last; /* last: the newest document with it, plus 1 */
	int64_t *ints;
	char *bytes;
	size_t nbytes, bytes_room;
	uint32_t *table, mask; /* open addressing; UINT32_MAX: free */
	unsigned char *stream; /* document differences and terms, as varints */
	size_t nstream, stream_room;
	uint32_t newest; /* document of the last pair */
	uint32_t npairs;
};

uint32_t gather_str(
    struct gather *g, uint32_t doc, struct str s); /* returns the term met */
uint32_t gather_int(struct gather *g, uint32_t doc, int64_t v);
/* A new term without documents: of a merge, whose terms come in their order. */
void gather_append_str(struct gather *g, struct str s);
void gather_append_int(struct gather *g, int64_t v);
void gather_free(struct gather *g);
struct str gather_term(const struct gather *g, uint32_t id);
size_t gather_memory(const struct gather *g);

struct gather_walk {
	const unsigned char *p, *end;
	uint32_t doc;
};

bool gather_next(
    struct gather_walk *w, uint32_t *doc, uint32_t *term); /* begin with a zero doc */

/* ---- build.c ---- */

struct dates {
	int64_t *p;
	size_t n, room;
};

struct member { /* of a document's objects: the schema's names, cut at the dots */
	struct str name;
	const struct schema_field *field; /* NULL: an object */
	struct member *kids;
	size_t nkids;
	const struct schema_field *categories,
	    *classification; /* what a tag field implies */
};

struct index_builder {
	const struct index_tags *tags;
	const struct schema_field *fields;
	size_t nfields;
	struct member root;
	struct gather *slots;
	struct dates *dates; /* a field */
	uint32_t ndocs, nv4, nnested;
	uint32_t *ip4, *first, *owner;
	unsigned char *ip6;
	size_t ip4_room, ip6_room, first_room, owner_room;
	/* asn terms and the as_name that came with them first */
	const struct schema_field *asn, *as_name;
	uint32_t *label;
	size_t nlabel, label_room;
	uint32_t doc_asn, doc_as_name;
	unsigned char last_ip[16];
	struct arena *arena;           /* of one document */
	uint64_t id;                   /* of the segment; 0: a random one */
	const struct merging *merging; /* NULL: values come from documents */
};

/* A builder that knows the first nfields of the schema, as a release before the others did. */
struct index_builder *build_new(const struct index_tags *tags, size_t nfields);
void *grow_array(void *p, size_t *room, size_t want, size_t size);
void build_value_str(struct index_builder *b, const struct member *m, struct str s);
void build_value_int(struct index_builder *b, const struct member *m, int64_t v);
void build_value_num(struct index_builder *b, const struct member *m, double v);
void build_document_begin(struct index_builder *b);
void build_nested_begin(struct index_builder *b);
void build_document_end(struct index_builder *b, const unsigned char ip[16]);
void build_date(
    struct index_builder *b, const struct schema_field *f, uint32_t doc, int64_t us);
void build_label(struct index_builder *b, uint32_t asn, uint32_t as_name);

/* ---- build_json.c ---- */

/* Walks one document and hands over its values; the text of its "ip" to *ip. */
bool build_json(
    struct index_builder *b, struct str json, struct str *ip, const char **fault);

/* ---- build_write.c, build_slot.c ---- */

struct segment_writer {
	struct file_writer file;
	uint64_t at;
	struct buf table; /* struct section */
	uint32_t nsections;
};

void sections_begin(struct segment_writer *w, const char *path);
bool sections_end(struct segment_writer *w, const char *magic, struct segment_header *h,
    const char *directory, char err[INDEX_FAULT]) MUST_USE;
void section_write(struct segment_writer *w, enum section_kind kind, size_t slot,
    const void *p, size_t n);
/* Documents grouped by term, in the order of terms: those of term i are docs[start[i]] and on. Term
   n: every document that has a value. */
struct groups {
	uint32_t n, *start, *docs;
};

/* ---- merge.c ---- */

struct merging {
	struct input *in;
	size_t n;
	const struct schema_field *fields;
	size_t nfields;
	uint32_t ***
	    numbers; /* [slot][input][term]: its new number; NULL: nobody asks for the slot's */
};

/* Appends the terms to g, in their order, and returns their documents. */
struct groups merge_slot(const struct merging *all, size_t slot, struct gather *g);
void merge_labels(const struct merging *all, struct index_builder *b);

/* Sorts, writes and frees a slot. order (n entries) says which number each met term got. */
void slot_write(struct segment_writer *w, struct index_builder *b, size_t slot,
    struct slot_meta *meta, uint32_t **order);

#endif
