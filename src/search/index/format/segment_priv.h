/* SPDX-License-Identifier: ISC */
/* Opening a segment: segment_check.c knows what a number may be, segment_slot.c opens a slot,
   segment_open.c the whole file. */
#ifndef SEARCH_INDEX_FORMAT_SEGMENT_PRIV_H
#define SEARCH_INDEX_FORMAT_SEGMENT_PRIV_H

#include "search/index/format/segment.h"

struct opening {
	struct segment *s;
	size_t
	    slot; /* a slot of the file, whose fields may differ from the schema of this release */
};

struct span slot_span(const struct opening *o, enum section_kind kind);
/* Whether offsets ascend from 0 to limit. */
bool check_offsets(
    const struct opening *o, const uint32_t *at, uint32_t n, uint64_t limit) MUST_USE;
/* Whether all n numbers are below limit. */
bool check_ids(
    const struct opening *o, const void *ids, uint8_t width, uint64_t n, uint64_t limit) MUST_USE;
bool open_u32s(struct span s, uint64_t n, const uint32_t **out) MUST_USE;
/* Whether the section is absent, or has n entries below limit. */
bool optional_ids(const struct opening *o, struct span s, uint64_t n, uint64_t limit,
    const uint32_t **out) MUST_USE;
/* Opens n bits, `ones` of which are 1. */
bool open_ranked(const struct opening *o, const enum section_kind kinds[2], uint32_t n,
    uint32_t ones, struct ranked *out) MUST_USE;
/* names: the number of terms that the labels of the field have; 0: it has none. */
bool open_slot(struct opening *o, const struct schema_field *f, const struct slot_meta *m,
    uint64_t names, struct terms *t) MUST_USE;

#endif
