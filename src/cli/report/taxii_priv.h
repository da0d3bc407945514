/* SPDX-License-Identifier: ISC */
/* surfacectl import taxii: reads a collection of a TAXII 2.1 server.
 *
 *   taxii.c          the command: pages, then reports
 *   taxii_find.c     discovery, API root, list of collections: finds the collection
 *   taxii_http.c     one request with its repetitions; taxii_url.c   its URL
 *   taxii_page.c     an answer with objects
 *   taxii_keep.c     the tables taxii_cursor and taxii_object
 *
 * A page is a piece of a collection, and no bundle: a report may be on one page and its indicators
 * on another, or in an import of last week. So the objects are kept, and reports are made from all
 * objects of the collection:
 *
 *   page --one transaction--> taxii_object, and where to go on in taxii_cursor
 *   all objects as a bundle --stix.c--> reports --store.c--> report_store
 *
 * Where to go on. The server orders objects by the time when it added them, and
 * X-TAXII-Date-Added-Last is that time of the last object of a page. added_after=T means later than
 * T. After the last page the stored T is exact. Before it, more objects with the time T may follow
 * on the next page, so after a break the command asks for what was added after T less a
 * microsecond: it gets the objects of T again, which changes nothing, and loses none. Within a run
 * the server's own mark (next) is sent back with the filters of the first request. */
#ifndef CLI_REPORT_TAXII_PRIV_H
#define CLI_REPORT_TAXII_PRIV_H

#include "cli/report/taxii_http.h"
#include "cli/report/taxii_page.h"

/* A collection, and where its next request begins. */
struct taxii_cursor {
	int64_t id;
	struct str added_after; /* the stored header; null: nothing was read yet */
	bool more;              /* the page of that header was not the last one */
	int64_t changes;        /* of objects */
	int64_t reported;       /* the number of changes that the reports show */
};

/* Sums of a run. */
struct taxii_sum {
	uint64_t pages, objects, changed;
};

struct taxii_collection {
	struct str url, title;
};

/* Finds the collection behind the URL of a server, an API root, a collection or its objects.
   wanted: an id, alias or title, STR_NULL: there must be one only. EXIT_OK, or the status to return
   after a message. */
int taxii_find(struct cli *c, struct taxii_http *h, struct str url, struct str wanted,
    struct taxii_collection *out);

/* ---- taxii_keep.c: the database; each returns its status without a message ---- */

/* Finds or makes the cursor. account NULL: the reports are every account's. */
enum db_rc taxii_cursor_get(struct db *db, const struct uuid *account, struct str url,
    struct str filters, struct taxii_cursor *out) MUST_USE;
/* Stores the objects of a page and where to go on, in one transaction. *changed gets the number of
   objects that are new or newer. */
enum db_rc taxii_keep(struct db *db, const struct taxii_cursor *cursor,
    const struct taxii_page *page, int64_t *changed) MUST_USE;
/* Objects of a collection that become one bundle. */
struct taxii_part {
	int64_t cursor;
	struct str name; /* "": all; otherwise a month */
	size_t most;     /* bytes */
};

/* The names of the parts of a collection. */
enum db_rc taxii_parts(struct db *db, struct arena *a, int64_t cursor, struct strs *out) MUST_USE;
/* The objects of a part. out->p is NULL where they have more than .most bytes together. */
enum db_rc taxii_objects(
    struct db *db, struct arena *a, const struct taxii_part *part, struct strs *out) MUST_USE;
/* The reports show what the cursor has read. */
enum db_rc taxii_reported(struct db *db, const struct taxii_cursor *cursor) MUST_USE;

#endif
