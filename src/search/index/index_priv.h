/* SPDX-License-Identifier: ISC */
/* The embedded index inside: the format of a segment and what reads it.
 *
 * A segment is one file: header, sections (each aligned to 64 bytes), table of sections. Documents
 * (hosts) are numbered in the order of their address; nested documents (services) in the order of
 * their hosts. A slot is one dictionary with what hangs on it: each field has two, VALUES and, for
 * text, TOKENS. A term is its number in the dictionary's order; number n (one past the last) stands
 * for "has a value" in postings and for "no value" in columns.
 */
#ifndef SEARCH_INDEX_INDEX_PRIV_H
#define SEARCH_INDEX_INDEX_PRIV_H

#include "search/index/index.h"

#include <signal.h>

#define INDEX_VERSION 3
#define INDEX_NEVER UINT64_MAX

enum { INDEX_BLOCK = 65536, INDEX_BLOCK_WORDS = INDEX_BLOCK / 64, INDEX_ALIGN = 64 };

enum level { LEVEL_DOCUMENT, LEVEL_NESTED, LEVELS };
enum part { PART_VALUES, PART_TOKENS, PARTS };

enum term_form {
	FORM_NONE,    /* nothing, or dates alone */
	FORM_STRINGS, /* by bytes */
	FORM_NAMES,   /* DNS names by their labels from the right: a subtree is a range */
	FORM_INTS,    /* by value */
};

/* ---- the file ---- */

enum section_kind {
	SECTION_SLOTS, /* struct slot_meta[nslots] */
	SECTION_IP4,   /* uint32_t, host order, ascending */
	SECTION_IP6,   /* 16 bytes each, ascending; numbered behind IP4 */
	SECTION_FIRST, /* uint32_t[ndocs + 1]: a document's first nested document */
	SECTION_OWNER, /* uint32_t[nnested] */
	SECTION_TERM_AT,
	SECTION_TERM_BYTES,
	SECTION_TERM_INTS,
	SECTION_FOLD, /* uint32_t[n]: terms in the order of their folded text; absent: folded already */
	SECTION_RANK, /* uint32_t[n]: place of a term in the order of bytes (FORM_NAMES) */
	SECTION_COUNT, /* uint32_t[n + 1]: documents of a term */
	SECTION_COUNT_NESTED,
	SECTION_AT, /* uint64_t[n + 1]: where the posting is */
	SECTION_AT_NESTED,
	SECTION_POSTINGS,
	SECTION_COLUMN,
	SECTION_COLUMN_NESTED,
	SECTION_MORE_DOCS, /* documents with more values than the column has room for */
	SECTION_MORE_AT,
	SECTION_MORE_IDS,
	SECTION_LABEL,  /* asn: the as_name term that goes with it */
	SECTION_FIELDS, /* uint64_t[nfields], slot 0: which field has which slots */
	SECTION_BEFORE, /* uint64_t[], slot 0 of ordinals: ids of the segments before */
	SECTION_MAP,    /* uint32_t[n], a slot a field: an ordinal of each term */
	SECTION_DATES,  /* int64_t a document of the field's own level; INT64_MIN: none */
	SECTIONS,
};

struct section {
	uint32_t kind, slot;
	uint64_t at, n, checksum;
};

struct slot_meta {
	uint32_t n, more;
	uint8_t form, width, k, nested_width;
};

struct segment_header {
	char magic[8];
	uint32_t version, endian;
	uint64_t id, size, table_at;
	uint32_t ndocs, nv4, nnested, nslots, nsections, nfields;
	uint64_t checksum; /* of the header with this 0, then the table */
};

struct manifest_header {
	char magic[8];
	uint32_t version, endian;
	uint64_t reserved2, generation, size,
	    checksum; /* of the header with this 0, then the body */
	int64_t published_us;
	uint64_t reserved;
};

#define SEGMENT_MAGIC "SFSEGMNT"
#define ORDINALS_MAGIC "SFORDNLS"
#define MANIFEST_MAGIC "SFMANIFS"
#define INDEX_ENDIAN 0x01020304u

/* A posting: count 1: the document itself stands in at. Up to POSTING_SMALL: uint32_t each. More:
   posting_blocks, then its blocks: up to POSTING_ARRAY uint16_t, or INDEX_BLOCK_WORDS words. */
enum { POSTING_SMALL = 64, POSTING_ARRAY = 4096, TOP_MAX = 128, COLUMN_K_MAX = 8 };

struct posting_block {
	uint16_t key, last; /* last: count - 1 */
	uint32_t at8;       /* from the posting's start, in 8 bytes */
};

/* ---- checksum.c ---- */

uint64_t index_checksum(const void *p, size_t n, uint64_t seed);
uint64_t index_field_hash(const struct schema_field *f);

/* ---- terms.c ---- */

struct column {
	uint8_t width, k; /* bytes an id, ids a document */
	const void *ids;
	uint32_t nmore;
	const uint32_t *more_docs, *more_at;
	const void *more_ids;
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

struct str terms_str(const struct terms *t, uint32_t id);
int names_cmp(struct str a, struct str b); /* by labels from the right */
uint32_t terms_lower(
    const struct terms *t, struct str s); /* first term not before s, in its order */
uint32_t terms_lower_int(const struct terms *t, int64_t v);
/* The number of the term, or t->n. */
uint32_t terms_find(const struct terms *t, struct str s);
uint32_t terms_find_int(const struct terms *t, int64_t v);
/* The order of dictionaries, of two terms of the same form. */
int terms_order(const struct terms *a, uint32_t i, const struct terms *b, uint32_t j);
int terms_cmp(const struct terms *a, uint32_t i, const struct terms *b,
    uint32_t j); /* bucket order */
/* Whether it may be a bucket: 1 to 4096 characters (C-050). */
bool terms_bucketable(const struct terms *t, uint32_t id);
/* What a test of s costs at worst, in values of the work budget: every character of s may begin the
   longest run of the pattern anew. */
uint64_t glob_cost(struct str pattern, struct str s);
struct str glob_prefix(
    struct str pattern); /* the literal text before the first wildcard */
/* The subtree that all matches of a pattern of names are in: "*.example.com" gives "example.com". */
struct str glob_subtree(struct str pattern);
int64_t number_key(double n); /* an integer of the same order, and back */
double number_of_key(int64_t key);
int64_t text_key(struct str s); /* what stands for the whole of a long text */

/* ---- mapped.c: a file in memory, verified once ---- */

enum { SLOTS_MAX = 4096 };

struct span {
	const unsigned char *p;
	uint64_t n;
};

struct mapped {
	const char *kind, *magic; /* for messages, and as the file begins */
	char *err;                /* INDEX_FAULT bytes; where faults are explained */
	uint64_t id, checksum;    /* as the manifest wants them */
	int fd;
	unsigned char *map;
	size_t size;
	struct index_mark mark; /* the file as it was when it was opened */
	bool trusted; /* the mark is the one its writer left: not verified again */
	volatile sig_atomic_t lost; /* a page could not be read */
	long page;
	const struct segment_header *head;
	struct span *spans; /* [slot][kind] */
	struct mapped *next;
};

enum segment_check {
	SEGMENT_VERIFY,
	SEGMENT_BY_MARK, /* a file that is as its writer verified it is trusted */
};

bool mapped_open(struct mapped *m, const char *path, const struct index_file *want,
    enum segment_check check) MUST_USE;
void mapped_close(struct mapped *m);
/* Whether the file is as it was when it was opened. Two calls around a request show every write, and
   every truncation, by any process. */
bool mapped_intact(const struct mapped *m) MUST_USE;
bool mapped_fault(struct mapped *m, const char *what); /* false */
struct span mapped_span(const struct mapped *m, size_t slot, enum section_kind kind);
/* Verifies sections from *section on until *bytes are done, and takes both further. */
bool mapped_verify(struct mapped *m, uint32_t *section, uint64_t *bytes) MUST_USE;
void mapped_condemn(const struct mapped *m);

/* ---- segment.c ---- */

struct segment {
	struct mapped file;
	unsigned refs;
	uint32_t ndocs, nv4, nnested;
	const uint32_t *ip4;
	const unsigned char *ip6;
	const uint32_t *first, *owner;
	struct terms *slots; /* of our fields, in the order of the schema */
	bool *has;           /* a field: the segment was built with it */
};

struct segment *segment_open(const char *directory, const struct index_segment *want,
    enum segment_check check, char err[INDEX_FAULT]);
size_t field_place(const struct mapped *m, const struct schema_field *f);
bool ids_below(const void *ids, uint8_t width, uint64_t n, uint64_t limit);
void segment_close(struct segment *s); /* one reference */
void segment_ip(const struct segment *s, uint32_t doc, unsigned char out[16]);
uint32_t segment_lower(
    const struct segment *s, const unsigned char ip[16]); /* first doc not before */
void segment_net(
    const struct segment *s, const struct ipnet *net, uint32_t *lo, uint32_t *hi);
void segment_path(const char *directory, uint64_t id, char *out, size_t room);
const struct terms *segment_terms(
    const struct segment *s, const struct schema_field *f, enum part p);
uint32_t segment_level(const struct segment *s, enum level l); /* documents of a level */
bool ip_is_v4(const unsigned char ip[16]);

/* ---- postings.c ---- */

struct posting {
	enum { POSTING_NONE, POSTING_LIST, POSTING_BLOCKS } form;
	uint32_t n, limit; /* documents it can speak of: all others are dropped */
	uint32_t one;      /* the list when it is of one */
	const uint32_t *list;
	const struct posting_block *blocks;
	const unsigned char *start;
	uint64_t room;
};

/* Appends the posting of sorted docs to b and says where. */
uint64_t posting_write(struct buf *b, const uint32_t *docs, uint32_t n);
/* False when the level's posting is to be derived from the nested one. */
bool posting_open(const struct terms *t, enum level l, uint32_t id, uint32_t limit,
    struct posting *out);
void posting_or(const struct posting *p, uint64_t *words);
uint32_t posting_list(const struct posting *p, uint32_t *out); /* out has room for p->n */

/* ---- set.c: a set of documents of one level of one segment ---- */

enum { SET_LIST_MAX = 4096 };

struct set {
	enum set_form { SET_RANGE, SET_LIST, SET_WORDS } form;
	uint32_t lo, hi; /* RANGE: [lo, hi) */
	uint32_t *list, n;
	uint64_t *words;
};

struct words_pool;

struct words_pool *pool_new(void);
void pool_free(struct words_pool *p);
void pool_fit(
    struct words_pool *p, size_t nwords); /* every buffer has at least that many */
uint64_t *pool_get(struct words_pool *p); /* not cleared */
void pool_put(struct words_pool *p, uint64_t *words);
void pool_reset(struct words_pool *p); /* all are free again */
/* Cleared; valid until the reset. From the arena until the pool has learned how many a request wants,
   since fresh pages cost more than clearing old ones. */
uint32_t *pool_counters(struct words_pool *p, struct arena *a, size_t n);

/* What sets live in. limit: documents of the level. */
struct set_space {
	struct arena *arena;
	struct words_pool *pool;
	uint32_t limit;
	size_t nwords;
};

struct set set_none(void);
struct set set_all(const struct set_space *sp);
bool set_is_empty(const struct set *s);
/* These take their arguments' buffers. */
struct set set_and(const struct set_space *sp, struct set a, struct set b);
struct set set_or(const struct set_space *sp, struct set a, struct set b);
struct set set_andnot(const struct set_space *sp, struct set a, struct set b);
struct set set_not(const struct set_space *sp, struct set a);
uint32_t set_count(const struct set_space *sp, const struct set *a);
bool set_has(const struct set *a, uint32_t doc);
uint64_t words_count(const uint64_t *words, size_t n);

/* Members in ascending order, a batch at a time. */
struct set_walk {
	const struct set *set;
	uint32_t next; /* index, document, or word */
	uint64_t word;
	size_t nwords;
};

void set_walk_begin(
    struct set_walk *w, const struct set_space *sp, const struct set *s, uint32_t from);
size_t set_walk_next(struct set_walk *w, uint32_t *docs, size_t room);

/* ---- a request ---- */

struct scratch { /* growing, kept between requests */
	uint32_t *p;
	size_t n, room;
};

void scratch_add(struct scratch *s, uint32_t v);
void scratch_fit(struct scratch *s, size_t room);

struct run {
	struct arena *arena,
	    *small; /* small: of folded terms, emptied often; NULL: none yet */
	struct words_pool *pool;
	struct scratch *ids;
	const struct budget *budget;
	uint64_t work;
	enum engine_rc rc; /* not OK: everything returns early */
	const struct segment *seg;
};

/* Counts work done; false when the request has to end. Called a block at a time. */
bool run_spend(struct run *r, uint64_t values);
struct set_space run_space(const struct run *r, enum level l);

/* ---- eval.c, leaf.c ---- */

struct set eval_node(struct run *r, const struct node *n, enum level l);
struct set eval_leaf(struct run *r, const struct node *n, enum level l);
struct set eval_owners(
    struct run *r, struct set nested); /* documents of nested documents */
/* Nested documents that pass a positive nested test; false when the query has none. */
bool eval_matched(struct run *r, const struct node *root, struct set *out);

/* ---- manifest.c ---- */

/* Marks the document of an address dead; false when there is none, or it is dead already. */
bool index_kill(struct index_segment *s, const unsigned char ip[16]);

/* ---- ordinals.c: the dictionaries of several segments joined ---- */

/* The file of a segment that is not a generation's first: for each term of a field its ordinal, which
   is its own place behind the terms of the segments before, or that of the equal term there. */
struct ordinal_map {
	struct mapped file;
	unsigned refs;
	const uint32_t **field; /* of our fields; NULL: the field is not counted */
};

/* segments: those before, and last the one that the file belongs to, all open. */
bool ordinals_write(const char *directory, const struct index_segment *segments, size_t n,
    struct index_file *out, char err[INDEX_FAULT]) MUST_USE;
struct ordinal_map *ordinals_open(const char *directory,
    const struct index_segment *segments, size_t n, struct segment *const *segs,
    enum segment_check check, char err[INDEX_FAULT]);
void ordinals_close(struct ordinal_map *m); /* one reference */
/* Whether the file was made for these segments in this order. */
bool ordinals_fit(
    const struct ordinal_map *m, const struct index_segment *segments, size_t n);
void ordinals_path(const char *directory, uint64_t id, char *out, size_t room);

/* ---- view.c: one generation, mapped ---- */

/* A field's terms over all segments: ordinals from start[i] on are terms of segment i that no segment
   before it has. Ordinals whose term an earlier segment has are never used. */
struct ordinals {
	bool ready;
	uint32_t n;
	uint32_t *start;        /* a segment, and n */
	const uint32_t **map;   /* a segment: its terms to ordinals; NULL for the first */
	const uint32_t *totals; /* live documents an ordinal */
	uint32_t *own_totals;   /* NULL: totals are the one segment's */
	uint32_t *top, ntop;
	uint32_t nonzero;
};

struct view_segment {
	struct segment *seg;
	struct ordinal_map *map; /* NULL for the first */
	const uint64_t *dead;    /* NULL: none */
	uint32_t ndead;
};

struct view {
	struct index_state state;
	struct view_segment *segments;
	size_t nsegments;
	uint64_t documents;
	struct ordinals *fields;
	size_t nfields;
};

/* old (may be NULL) lends the segments that stay. */
struct view *view_open(
    const char *directory, const struct view *old, char err[INDEX_FAULT]);
void view_free(struct view *v);
bool view_intact(const struct view *v) MUST_USE; /* no file changed since it was opened */
/* Whether every segment was built with the field. */
bool view_has(const struct view *v, const struct schema_field *f);
struct ordinals *view_ordinals(struct view *v, const struct schema_field *f);
/* Where an ordinal's text is. */
const struct terms *ordinals_term(const struct view *v, const struct schema_field *f,
    const struct ordinals *o, uint32_t id, uint32_t *local);
int ordinals_cmp(const struct view *v, const struct schema_field *f,
    const struct ordinals *o, uint32_t a, uint32_t b);

/* ---- facet.c, top.c ---- */

enum { FACET_SPLITS = 4 };

struct facet {
	const struct terms *t;
	/* facet_places() of them. Missing values are counted in the places behind t->n, which
	   keep what they hold: behind. */
	uint32_t *counts;
	uint32_t *c[FACET_SPLITS];
	uint32_t behind[COLUMN_K_MAX];
};

size_t facet_places(const struct terms *t);
/* Of each field, counts[id] += hits of id; one walk over the hits for all. */
void facet_count(struct run *r, const struct set *hits, struct facet *fs, size_t n);
/* Appends the hits' ids, mapped (map NULL: as they are), for few hits of many terms. */
void facet_collect(struct run *r, const struct set *hits, const struct terms *t,
    const uint32_t *map, struct scratch *out);

struct candidate {
	uint32_t id, count;
};

struct top {
	const struct view *view;
	const struct schema_field *field;
	const struct ordinals *ordinals;
	struct candidate *heap; /* the worst first */
	size_t n, limit;
	uint64_t seen; /* terms offered, those that may not be buckets too */
};

void top_begin(struct top *t, struct arena *a, const struct view *v,
    const struct schema_field *f, size_t limit);
void top_offer(struct top *t, uint32_t id, uint32_t count);
void top_offer_all(struct top *t, const uint32_t *counts); /* of all ordinals */
void top_end(struct top *t);                               /* sorts: the best first */

/* ---- engine.c, aggregate.c ---- */

struct request {
	struct run run;
	struct view *view;
	const struct query *query;
	struct set *hits; /* a segment, live */
	uint64_t total;
	bool all; /* every live document */
};

void aggregate_terms(
    struct request *rq, const struct agg *aggs, size_t n, struct group *out);

#endif
