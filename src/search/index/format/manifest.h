/* SPDX-License-Identifier: ISC */
/* The file that publishes a generation: manifest.c draws it. index_state_load() of index.h reads
   it. */
#ifndef SEARCH_INDEX_FORMAT_MANIFEST_H
#define SEARCH_INDEX_FORMAT_MANIFEST_H

#include "search/index/format/index.h"

/* family: that of a child, whose state is not published, or 0. */
void manifest_path(const char *directory, enum dataset d, uint32_t family, char *out, size_t room);
bool manifest_write(
    const char *directory, const struct index_state *s, char err[INDEX_FAULT]) MUST_USE;

#endif
