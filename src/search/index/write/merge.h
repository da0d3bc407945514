/* SPDX-License-Identifier: ISC */
/* Merges segments into one. The merge may run in a child process, because it takes minutes while a
 * pass takes a second; format/index.h draws both. The child writes a file and changes no state. The
 * parent takes the file into its state with index_merge_take, which marks those documents dead that
 * died while the child worked. */
#ifndef SEARCH_INDEX_WRITE_MERGE_H
#define SEARCH_INDEX_WRITE_MERGE_H

#include "search/index/format/index.h"

struct index_merge {
	uint64_t id; /* the id of the result */
	/* copies with the bits of dead documents from the beginning of the merge */
	struct index_segment *inputs;
	size_t n;
	bool full; /* index_merge_write failed: the result would pass a ceiling */
};

/* Prepares the merge of n segments, which must be open; `which` has their places in the state. The
   caller frees the result. */
struct index_merge *index_merge_begin(const struct index_state *s, const size_t *which, size_t n);
/* Writes the merged file. It may run in a child process. At least one input must have a live
   document. */
bool index_merge_write(struct index_merge *m, const char *directory, struct index_segment *out,
    char err[INDEX_FAULT]) MUST_USE;
/* Verifies a new file and sets its mark in s, so that the next reader trusts the file. */
bool index_segment_verify(
    const char *directory, struct index_segment *s, char err[INDEX_FAULT]) MUST_USE;
/* Replaces the inputs by the merged segment. When this returns false, the state is unchanged. */
bool index_merge_take(const struct index_merge *m, const char *directory, struct index_state *s,
    struct index_segment fresh, char err[INDEX_FAULT]) MUST_USE;
void index_merge_free(struct index_merge *m);

/* The room that the live documents of segments need together, estimated from their files. */
struct merge_need {
	uint64_t documents, nested, file, texts, more;
};

/* Adds an open segment. */
void merge_need_add(struct merge_need *n, const struct index_segment *s);
/* Whether a merge may be planned that needs so much. */
bool merge_fits(const struct merge_need *n) MUST_USE;
/* Whether a segment needs half of what fits, or more. Any two others can be merged. */
bool segment_is_full(const struct index_segment *s) MUST_USE;

#endif
