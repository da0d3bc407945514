/* SPDX-License-Identifier: ISC */
/* surfacectl import content: captured web pages of a project, which are searched for secrets and
 * are not stored.
 *
 *   NDJSON, a page a line     ---+
 *                                +--> struct page --> page_write --> JSON --> capture_store (sql/functions/secret.sql)
 *   WARC, gzip or not (warc.h) --+                       |
 *                                                        +-- notes of secrets (secret/fingerprint.h)
 *
 * Neither bodies nor headers are stored. */
#ifndef CLI_IMPORT_CONTENT_H
#define CLI_IMPORT_CONTENT_H

#include "cli/import/page.h"
#include "secret/fingerprint.h"

/* Appends a page, in the form that capture_store reads, to an array without its last bracket.
   Returns the number of its secrets. */
size_t page_write(struct buf *b, struct arena *a, const struct secret_key *k,
    const struct uuid *project, const struct page *p);

/* Decodes a line of NDJSON. NULL, or the fault. */
const char *page_of_json(struct arena *a, struct str line, struct page *out) MUST_USE;

#endif
