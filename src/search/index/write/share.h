/* SPDX-License-Identifier: ISC */
/* Postings that terms of several slots share (share.c). */
#ifndef SEARCH_INDEX_WRITE_SHARE_H
#define SEARCH_INDEX_WRITE_SHARE_H

#include "search/index/format/sections.h"

struct share {
	struct share_entry *entries;
	size_t n, room;
};

/* blob: the content of the section that will be written next; its bytes from `from` on are a
   posting. Returns the place of these bytes in the file. When it is an earlier one, the caller
   drops them from blob. */
uint64_t share_bytes(
    struct share *s, const struct segment_writer *w, const struct buf *blob, size_t from);
void share_free(struct share *s);

#endif
