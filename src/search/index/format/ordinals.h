/* SPDX-License-Identifier: ISC */
/* The file of ordinals of a segment that is not the first of its generation: for each term of a
   facet field its ordinal (index.h). */
#ifndef SEARCH_INDEX_FORMAT_ORDINALS_H
#define SEARCH_INDEX_FORMAT_ORDINALS_H

#include "search/index/format/segment.h"

struct ordinal_map {
	struct mapped file;
	unsigned refs;
	const uint32_t **field; /* [field][term]; NULL: the field has no facet */
};

/* segments: all open; the last one is the segment that the file belongs to. out->id: the id of the
   new file. */
bool ordinals_write(const char *directory, const struct index_segment *segments, size_t n,
    struct index_file *out, char err[INDEX_FAULT]) MUST_USE;
struct ordinal_map *ordinals_open(const char *directory, const struct index_segment *segments,
    size_t n, struct segment *const *segs, enum segment_check check, char err[INDEX_FAULT]);
void ordinals_close(struct ordinal_map *m); /* releases one reference */
/* Whether the file was made for these segments in this order. */
bool ordinals_fit(const struct ordinal_map *m, const struct index_segment *segments, size_t n);
void ordinals_path(const char *directory, enum dataset d, uint64_t id, char *out, size_t room);

#endif
