/* SPDX-License-Identifier: ISC */
/* The file that publishes a generation: manifest.c draws it. index_state_load() of index.h reads
   it. */
#ifndef SEARCH_INDEX_FORMAT_MANIFEST_H
#define SEARCH_INDEX_FORMAT_MANIFEST_H

#include "search/index/format/index.h"

bool manifest_write(
    const char *directory, const struct index_state *s, char err[INDEX_FAULT]) MUST_USE;

#endif
