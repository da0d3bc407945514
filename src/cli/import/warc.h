/* SPDX-License-Identifier: ISC */
/* WARC 1.0 and 1.1 (ISO 28500): the responses of web servers in an archive of a crawler. Compressed
 * archives have a gzip member for each record, which source.h unpacks.
 *
 *     WARC/1.1 CRLF
 *     WARC-Type: response CRLF  Content-Length: 1234 CRLF ...  CRLF      header
 *     HTTP/1.1 200 OK CRLF ... CRLF  <html>...                           block of 1234 bytes
 *     CRLF CRLF
 *
 * The input may be hostile: a header, a line and a block are bounded, and after a damaged record
 * the reader searches for the next line that begins a record. */
#ifndef CLI_IMPORT_WARC_H
#define CLI_IMPORT_WARC_H

#include "cli/import/page.h"
#include "cli/import/source.h"

struct warc {
	struct source *src;
	struct arena *a; /* memory for one record; warc_next resets it */
	bool begun;      /* the first line of the next record was read */
};

enum warc_next { WARC_PAGE, WARC_BAD, WARC_SKIPPED, WARC_END };

/* Reads the next record. WARC_SKIPPED: it is no response; WARC_BAD: *what is the reason. */
enum warc_next warc_next(struct warc *w, struct page *out, struct str *what);

#endif
