/* SPDX-License-Identifier: ISC */
/* One generation as a worker sees it: its segments, mapped, and the ordinals that join their
   dictionaries. */
#ifndef SEARCH_INDEX_READ_VIEW_H
#define SEARCH_INDEX_READ_VIEW_H

#include "search/index/format/ordinals.h"

/* The terms of one field over all segments. The ordinals start[i]..start[i + 1]-1 belong to segment
   i; those of terms that an earlier segment has are unused. */
struct ordinals {
	bool ready;
	uint32_t n;
	uint32_t *start;        /* [segment], then n */
	const uint32_t **map;   /* [segment][term]: its ordinal; NULL for the first segment */
	const uint32_t *totals; /* [ordinal]: live documents */
	uint32_t *own_totals;   /* NULL: totals is an array of the only segment */
	uint32_t *top, ntop;    /* the first TOP_MAX buckets over all documents */
	uint32_t nonzero;       /* ordinals with a live document */
};

enum { TOP_MAX = 128 };

struct view_segment {
	struct segment *seg;
	struct ordinal_map *map; /* NULL for the first segment */
	const uint64_t *dead;    /* one bit a document; NULL: no document is dead */
	uint32_t ndead;
};

struct view {
	enum dataset dataset;
	enum segment_check check;
	struct index_state state;
	struct view_segment *segments;
	size_t nsegments;
	uint64_t documents;
	struct ordinals *fields;
	size_t nfields;
};

/* Maps the published generation. Files that `old` (may be NULL) has mapped already are shared;
   others are checked. */
struct view *view_open(const char *directory, enum dataset d, const struct view *old,
    enum segment_check check, char err[INDEX_FAULT]);
void view_free(struct view *v);
/* Whether no file has changed since it was opened. */
bool view_intact(const struct view *v) MUST_USE;
/* Whether a page of a file could not be read. */
bool view_lost(const struct view *v) MUST_USE;
/* Whether every segment was built with the field. */
bool view_has(const struct view *v, const struct schema_field *f);
/* The ordinals of a field. The first call for a field adds up its totals (totals.c). */
struct ordinals *view_ordinals(struct view *v, const struct schema_field *f);
/* The ordinal, or o->n when a damaged map contains one that does not exist. Arrays of ordinals have
   that place, too. */
static inline uint32_t
ordinals_clamp(const struct ordinals *o, uint32_t ordinal)
{
	return ordinal < o->n ? ordinal : o->n;
}
/* The slot and the term of an ordinal. */
const struct terms *ordinals_term(const struct view *v, const struct schema_field *f,
    const struct ordinals *o, uint32_t id, uint32_t *local);
int ordinals_cmp(const struct view *v, const struct schema_field *f, const struct ordinals *o,
    uint32_t a, uint32_t b);

#endif
