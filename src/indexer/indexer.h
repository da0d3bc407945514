/* SPDX-License-Identifier: ISC */
/* surfaced-index: keeps the search index in step with the documents in PostgreSQL. */
#ifndef INDEXER_INDEXER_H
#define INDEXER_INDEXER_H

#include "db/db.h"
#include "search/index/index.h"

#include <sys/types.h>

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
	SOURCE_BOTH,    /* changed or listed */
	SOURCE_GONE,    /* not documents: addresses of rows that were deleted since */
};

/* source_next then returns documents in the order of addresses. ips: an array literal. */
enum db_rc source_documents(
    struct source *s, enum source_what what, struct str ips) MUST_USE;
/* DB_NONE at the end. json lives until the next call. */
enum db_rc source_next(struct source *s, struct buf *room, struct str *json) MUST_USE;
/* Removes old deletions that a published snapshot contains; outside of a transaction. */
enum db_rc source_purge(struct source *s, const char *snapshot) MUST_USE;
extern const struct stmt *const source_stmts[];

/* ---- merger.c: segments into fewer ones ---- */

struct merger {
	const char *directory;
	bool no_child; /* all merges are done at once: the process is about to end */
	struct index_merge *merge; /* the one that a child does; NULL: none */
	pid_t pid;
	int result;   /* the child's segment comes here */
	int64_t next; /* no other child before this time */
};

/* Does the merges that are due and small. */
bool merger_small(
    struct merger *g, struct index_state *s, char err[INDEX_FAULT]) MUST_USE;
/* Begins a large one, of segments as they were just published. */
void merger_start(struct merger *g, struct index_state *s);
/* Puts the segment of a child that has ended into the state. */
void merger_collect(struct merger *g, struct index_state *s, bool *changed);
void merger_abandon(struct merger *g, struct index_state *s);

/* ---- follow.c ---- */

struct follower;

struct follower *follow_open(
    const char *directory); /* NULL: another process has the lock; logged */
void follow_close(struct follower *f);
enum follow_rc { FOLLOW_DONE, FOLLOW_RETRY };
/* Publishes the changes. RETRY: the database or the disk failed; logged. */
enum follow_rc follow_once(struct follower *f, bool rebuild) MUST_USE;
void follow_without_child(
    struct follower *f); /* merges everything that is due within follow_once */
struct db *follow_db(struct follower *f);

#endif
