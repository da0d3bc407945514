/* SPDX-License-Identifier: ISC */
/* Keeps the copy of a file (format/copy.h) equal to the file. */
#ifndef SEARCH_INDEX_WRITE_COPIES_H
#define SEARCH_INDEX_WRITE_COPIES_H

#include "search/index/format/mapped.h"

enum copy_rc {
	COPY_MORE,    /* the bytes are used up */
	COPY_SAME,    /* the whole copy is like the file now */
	COPY_DIFFERS, /* verify the file around t->done, and call again */
	COPY_FAILED,  /* err has the reason */
};

/* The most bytes that are compared, and then written, at once. */
enum { COPY_PIECE = 1 << 18 };

/* Compares a copy with its file, from the place of the turn on, and decreases *bytes. Appends to a
   copy that is shorter, or missing. Either of both may be damaged, so bytes that differ are written
   only before the offset `verified`, up to which the caller has just verified the file; that part
   is completed also when *bytes are used up. Sets t->changed when it has written. */
enum copy_rc copy_compare(const struct mapped *file, const char *path, struct index_turn *t,
    uint64_t verified, uint64_t *bytes, char err[INDEX_FAULT]) MUST_USE;

#endif
