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
   posting. Returns where the file has these bytes: there, or earlier, and then the caller drops
   them. */
uint64_t share_bytes(
    struct share *s, const struct segment_writer *w, const struct buf *blob, size_t from);
void share_free(struct share *s);

#endif
