/* SPDX-License-Identifier: ISC */
/* Reads the table tag, the taxonomy that documents name by slugs. surfaced-index and
   surfaced-detect evaluate by it. */
#ifndef SEARCH_TAGS_H
#define SEARCH_TAGS_H

#include "db/db.h"
#include "search/engine.h"

/* The texts stay in the answer of the database, which is freed with the arena of db. */
enum db_rc tags_read(struct db *db, struct arena *a, struct tag **tags, size_t *ntags) MUST_USE;

/* SQL: the document of a row r of the table record, with the tags that rules of the catalogue have
   applied to it. Everybody who shows or indexes documents reads them so. */
#define TAGGED_DOCUMENT                                                                            \
	"CASE WHEN NOT r.gone AND EXISTS (SELECT FROM document_tag AS t WHERE t.dataset = "        \
	"r.dataset"                                                                                \
	" AND t.key = r.key) THEN record_tagged(r.dataset, r.key, r.doc) ELSE r.doc END"

#endif
