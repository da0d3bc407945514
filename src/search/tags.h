/* SPDX-License-Identifier: ISC */
/* Reads the table tag, the taxonomy that documents name by slugs. surfaced-index and
   surfaced-detect evaluate by it. */
#ifndef SEARCH_TAGS_H
#define SEARCH_TAGS_H

#include "db/db.h"
#include "search/engine.h"

/* The texts stay in the answer of the database, which is freed with the arena of db. */
enum db_rc tags_read(struct db *db, struct arena *a, struct tag **tags, size_t *ntags) MUST_USE;

#endif
