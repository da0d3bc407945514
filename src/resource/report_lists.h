/* SPDX-License-Identifier: ISC */
/* The lists that extraction compares a text with: names of the vocabulary and harmless values. */
#ifndef RESOURCE_REPORT_LISTS_H
#define RESOURCE_REPORT_LISTS_H

#include "db/db.h"
#include "extract/extract.h"

/* Both lists in the order that extract() wants, in memory of their own. A zeroed struct is not
   loaded yet. */
struct report_lists {
	struct arena *a;
	const struct extract_alias *aliases;
	size_t naliases;
	const struct extract_benign *benign;
	size_t nbenign;
};

/* Reads the lists into the memory of the call (db_use). */
enum db_rc report_lists_read(struct db *db, struct report_lists *lists) MUST_USE;
/* Loads the lists once; later calls return DB_OK at once. The owner frees them with
   report_lists_free. */
enum db_rc report_lists_load(struct db *db, struct report_lists *lists) MUST_USE;
void report_lists_free(struct report_lists *lists);

/* Extracts the indicators and names of the document's text into it; a no-op for a document without
   text. */
struct report_document;
void report_lists_extract(
    struct arena *a, const struct report_lists *lists, struct report_document *doc);

#endif
