/* SPDX-License-Identifier: ISC */
/* Walks all documents that a query matches, in the order of their keys, for exports. The engine
 * finds keys and PostgreSQL has the documents, as for a page of the API:
 *
 *   engine_search    keys of PAGE_KEYS matches behind the last key, from the generation that the engine has open
 *        |
 *   walk.read        the documents of READ_KEYS of them, as they are now; fewer when they are large
 *        |
 *   walk_next        the answer of one match: WALK_RECORD, or WALK_GONE when its document was deleted
 *
 * The walk never calls engine_refresh, so that it stays in one generation; the caller must not call
 * it either. A walk may begin behind any key, in another process or generation: keys never come
 * twice. */
#ifndef SEARCH_WALK_H
#define SEARCH_WALK_H

#include "db/db.h"
#include "json/cells.h"
#include "record/stored.h"
#include "search/engine.h"

/* A row of the statement that reads documents: the number of its key, from 1, and its text, without
   bytes when the documents before it are large. */
struct walk_row {
	int64_t at;
	struct str doc;
};
extern const struct field walk_row_out[];

/* Reads the documents of these keys, up to LIM_PAGE_BYTES and the first in any case: a list of
   struct walk_row. */
typedef enum db_rc walk_read(void *arg, enum dataset source, struct strs keys, struct list *rows);

enum walk_rc {
	WALK_RECORD,
	WALK_GONE,
	WALK_END,
	WALK_ENGINE,   /* the engine failed: walk.engine_rc */
	WALK_DATABASE, /* the database failed: walk.db_rc */
};

struct walk {
	/* set by the caller */
	struct engine *engine;
	const struct query *query;
	const struct record_fields *fields; /* NULL: all */
	walk_read *read;
	void *arg;
	struct arena *rows; /* where read leaves the rows; emptied before each call of it */
	/* the position: the key of the last match that walk_next returned; bytes of the caller's at
	   first */
	struct buf after;

	enum engine_rc engine_rc;
	enum db_rc db_rc;

	/* private */
	struct arena *keys, *tree;
	struct page page;
	size_t next,
	    until; /* the hits of the page to return next, and those whose documents were read */
	const struct str **docs;
	const struct str *open; /* the document that `services` is of */
	struct services services;
	bool ended;
};

/* Prepares the private members. */
void walk_begin(struct walk *w);
void walk_end(struct walk *w);
/* Moves to the next match and appends its answer to b. */
enum walk_rc walk_next(struct walk *w, struct buf *b) MUST_USE;
/* The dataset or view of this name; DATASETS_AND_CONDITIONS: this release has none. */
enum dataset walk_dataset(struct str name);
/* The fields by their names, as a request or a stored export has them; NULL: one is unknown. */
const struct record_fields *walk_fields(
    struct arena *a, enum dataset d, const struct str *names, size_t n);
/* The columns of CSV of these names, and where an answer has them: the city of a service's host is
   "city" or "host.city". */
struct cells walk_cells(struct arena *a, enum dataset d, const struct str *names, size_t n);

#endif
