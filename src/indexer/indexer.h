/* SPDX-License-Identifier: ISC */
/* surfaced-index: keeps the search index in step with the documents in PostgreSQL. */
#ifndef INDEXER_INDEXER_H
#define INDEXER_INDEXER_H

#include "db/db.h"
#include "search/index/index.h"

/* ---- source.c: documents and tags, as one snapshot sees them ---- */

struct source {
	struct db *db;
	struct arena *a;
	struct str snapshot; /* of the transaction that source_begin opened */
	bool continues;      /* the older snapshot is one of this database's past */
	struct tag *tags;
	size_t ntags;
};

/* Opens a read-only transaction with one snapshot; since may be "". */
enum db_rc source_begin(struct source *s, const char *since) MUST_USE;
void source_end(struct source *s);

enum source_what {
	SOURCE_ALL,
	SOURCE_CHANGED, /* rows that the older snapshot does not show as they are now */
	SOURCE_LISTED,  /* ips alone */
	SOURCE_BOTH,    /* changed or listed */
};

/* What follows are documents by source_next, in the order of addresses. ips: an array literal. */
enum db_rc source_documents(
    struct source *s, enum source_what what, struct str ips) MUST_USE;
/* DB_NONE at the end. json lives until the next call. */
enum db_rc source_next(struct source *s, struct buf *room, struct str *json) MUST_USE;
enum db_rc source_count(struct source *s, int64_t *n) MUST_USE;
extern const struct stmt *const source_stmts[];

/* ---- follow.c ---- */

struct follower;

struct follower *follow_open(
    const char *directory); /* NULL: another process has the lock; logged */
void follow_close(struct follower *f);
enum follow_rc { FOLLOW_DONE, FOLLOW_RETRY };
/* Publishes what has changed. RETRY: the database or the disk failed; logged. */
enum follow_rc follow_once(struct follower *f, bool rebuild) MUST_USE;
struct db *follow_db(struct follower *f);

#endif
