/* SPDX-License-Identifier: ISC */
/* surfacectl import: files of documents and of tools' output into the table record.
 *
 *   file or pipe
 *     |  source.c: bounded lines and chunks; json_values.c: the values of a file that is JSON
 *     v
 *   reader of a format (records.h)              one entry of the file at a time --> struct record
 *     |  records_emit: every member checked and in its stored form (record/record.h)
 *     v
 *   pipe.c                                      enriches hosts, and fills a batch of texts in this thread ...
 *     |                                         ======================================================
 *     v                                         ... while the main thread stores the batch before
 *   lanes.c, store.c                            two lanes, a connection and a transaction each: SELECT, merge in C, COPY
 *
 * The code before store.c does not use the database, so parsing and storing use several cores, and
 * a reader can be tested without a server.
 *
 * The input may be hostile and of any size. A line, a document, a text, a list and the depth of
 * nesting are bounded, and nothing is kept longer than its record or its batch. A bad record is
 * reported with its line and left out; with --strict the first one ends the import.
 *
 * The same findings must give the same document, byte for byte, or every repeated import would look
 * like a change of all records. Lists that have no order are therefore sorted, and every text has
 * one stored form. */
#ifndef CLI_IMPORT_IMPORT_H
#define CLI_IMPORT_IMPORT_H

#include "base/limits.h"
#include "json/json.h"
#include "json/tree.h"

enum { IMPORT_LINE = 4 * 1024 * 1024 }; /* bytes of a line, and of one token of XML */

/* A number that may be absent. */
struct opt {
	bool set;
	int64_t v;
};

#endif
