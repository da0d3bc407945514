/* SPDX-License-Identifier: ISC */
/* Keeps the copy of a file (format/copy.h) equal to the file. */
#ifndef SEARCH_INDEX_WRITE_COPIES_H
#define SEARCH_INDEX_WRITE_COPIES_H

#include "search/index/format/mapped.h"

enum copy_rc {
	COPY_MORE,    /* the bytes are used up */
	COPY_SAME,    /* the whole copy is like the file now */
	COPY_DIFFERS, /* verify the file, set t->whole and call again */
	COPY_FAILED,  /* err has the reason */
};

/* Compares a copy with its file, from the place of the turn on, and decreases *bytes. Appends to a
   copy that is shorter, or missing; writes bytes that differ only after t->whole, because either of
   both may be damaged, and sets t->changed. */
enum copy_rc copy_compare(const struct mapped *file, const char *path, struct index_turn *t,
    uint64_t *bytes, char err[INDEX_FAULT]) MUST_USE;

#endif
