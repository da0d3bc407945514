/* SPDX-License-Identifier: ISC */
/* Reads the keys of one segment by a term, for the writer: which documents have a tag that
   changed. */
#ifndef SEARCH_INDEX_READ_EACH_H
#define SEARCH_INDEX_READ_EACH_H

#include "search/index/format/index.h"

/* Calls fn with the key of each live document that has the term in the field; field NULL: of
   each live document of the segment. */
bool index_each_key(const char *directory, const struct index_segment *s,
    const struct schema_field *field, struct str term, void (*fn)(void *arg, struct str key),
    void *arg, char err[INDEX_FAULT]) MUST_USE;

#endif
