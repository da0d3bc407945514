/* SPDX-License-Identifier: ISC */
/* The embedded index: its writer's interface. search/engine.h is the reader's.
 *
 * One process (surfaced-index) writes a directory; many workers map what it publishes.
 *
 *   hosts.manifest ---- generation 42 ------------------------------------------------------------
 *    |  snapshot: what of the database the generation contains; tags; then, for each segment:
 *    |  file, ordinals, dead documents (a bit each)
 *    |
 *    +- hosts-A.seg   ndocs 1,000,000                     (no ordinals: the first segment's terms
 *    |     documents  0 1 2 3 ...   in the order of        are their own ordinals)
 *    |                              their addresses
 *    |     slot "os"  0 FreeBSD  1 Linux  2 Windows        dictionary, in the order of bytes
 *    |                {7, 9}     {0, 2}   {1, 3, 4}        postings: documents of a term
 *    |     column     1 2 1 2 2 - - 0 ...                  terms of a document, for facets
 *    |
 *    +- hosts-B.seg   ndocs 20,000    slot "os"  0 Linux  1 Plan 9
 *    +- hosts-B.map   ordinals of B,  for "os":  0 -> 1   1 -> 3 + 1
 *
 * A segment is immutable. Nested documents (services) are numbered in the order of their hosts, and
 * a slot of a nested field has postings of both levels. A field has two slots: whole values and, for
 * text, tokens. A slot belongs to a field by the hash of its name and type, which the file lists: a
 * release with one more field serves an older segment, and only a query that names this field is
 * refused until the index is built again.
 *
 * Ordinals join the dictionaries of a generation. Segments have an order, large ones first. A term
 * that an earlier segment has gets the ordinal it has there; any other gets its own place behind all
 * terms of the segments before ("Plan 9" above: three terms of A, and it is B's number 1). The writer
 * finds them by one walk over the sorted dictionaries and stores them beside the segment. They stay
 * valid as long as the segments before stay the same, so a new small segment costs its own terms only.
 *
 * The life of a query: engine_refresh takes a new manifest and maps the files that are new. A file
 * which is as its writer left it (inode, size, times) is trusted, any other is verified byte by byte.
 * Before a request and after it the open files are compared with what they were: a file that somebody
 * wrote to or cut gives no answer, and the view is dropped. Each segment is evaluated alone, and its
 * dead documents are taken off. A facet counts ordinals over all segments and looks at texts only to
 * order the first buckets; the totals of all documents are added up by the first request for a field.
 *
 * The life of a change: a pass reads the rows that the last snapshot does not show, writes them as a
 * new segment, marks their older versions dead, marks hosts dead whose rows were deleted (host_gone),
 * makes the ordinals that are missing and publishes: the manifest is replaced by rename, and then
 * files that it does not name are removed. Workers that map a removed file keep it.
 *
 * The life of a merge: when there are more segments than index_segments, the smallest become one,
 * from their dictionaries and postings alone. A large merge runs in a child:
 *
 *     pass 41 ------ pass 42 ------ pass 43 ------ pass 44
 *        | fork: inputs and their      |              | the child's segment replaces its inputs;
 *        | dead documents, copied      | host x dies  | x, dead now and alive in the copy, is
 *        v                             v              | marked dead in it
 *        child: ..... hosts-C.seg written and verified ^
 *
 * Damage: the writer compares its files with what they were in each pass and verifies some megabytes
 * of them. A damaged file is touched, so that every worker lets go of it, and the index is built again
 * from the database; until then a search is answered 503. */
#ifndef SEARCH_INDEX_INDEX_H
#define SEARCH_INDEX_INDEX_H

#include "search/engine.h"

/* ---- what is published: the manifest ---- */

/* A file as its writer left it. A reader that finds it so trusts it; otherwise it verifies every byte. */
struct index_mark {
	uint64_t device, inode, size;
	int64_t modified, status; /* nanoseconds: st_mtim, st_ctim */
};

struct index_file {
	uint64_t id; /* also its name; 0: there is no file */
	uint64_t
	    checksum; /* of its header: a file of the same name from elsewhere is refused */
	struct index_mark mark;
};

struct segment;
struct ordinal_map;

struct index_segment {
	struct index_file file;
	struct index_file ordinals; /* made by index_publish, for all but the first */
	struct segment
	    *open; /* the writer's mapping, kept between generations; NULL: none yet */
	struct ordinal_map *map; /* the same of ordinals */
	uint32_t documents, ndead;
	uint64_t *
	    dead; /* a bit a document that a newer segment replaces; index_words() words */
};

struct index_tags { /* sorted by slug; owned */
	struct tag *items;
	size_t n;
	char *text; /* what items point into */
};

struct index_state {
	uint64_t generation; /* 0: nothing published yet */
	struct ts published_at;
	char *
	    snapshot; /* pg_snapshot as text: what the segments contain; owned, "" for none */
	struct index_tags tags;
	struct index_segment *segments; /* ordinals depend on their order; owned */
	size_t nsegments;
	size_t
	    verified; /* the segment whose verification goes on, and the section in it */
	uint32_t section;
	uint64_t
	    merging; /* the segment that a child writes, not to be swept away; 0: none */
};

enum { INDEX_FAULT = 256 };

/* Words of a bitmap over n documents: whole blocks of 65536. */
size_t index_words(uint32_t n);

/* False with a reason when there is a manifest that cannot be used. None at all: true, generation 0. */
bool index_state_load(
    const char *directory, struct index_state *out, char err[INDEX_FAULT]) MUST_USE;
void index_state_free(struct index_state *s);
void index_state_snapshot(struct index_state *s, struct str text);
void index_tags_set(
    struct index_tags *t, const struct tag *items, size_t n); /* copies and sorts */
const struct tag *index_tags_find(const struct index_tags *t, struct str slug);
/* Adds a segment: what it holds is marked dead in the others; one that has nothing left is dropped. */
bool index_state_add(const char *directory, struct index_state *s,
    struct index_segment fresh, char err[INDEX_FAULT]) MUST_USE;
/* Takes the segments from..to-1 out. */
void index_state_drop(struct index_state *s, size_t from, size_t to);
/* Writes s as the next generation and removes the files that nobody needs any more. */
bool index_publish(
    const char *directory, struct index_state *s, char err[INDEX_FAULT]) MUST_USE;
/* The one writer's lock, held until the descriptor is closed; -1 when another has it. */
int index_lock(const char *directory) MUST_USE;

/* ---- one segment from documents ---- */

/* Marks the document of an address dead in all segments; *had becomes true when one had it. */
bool index_state_remove(const char *directory, struct index_state *s,
    const unsigned char ip[16], bool *had, char err[INDEX_FAULT]) MUST_USE;
/* Whether all segments, which are open, were built with all fields of this release. */
bool index_state_complete(const struct index_state *s);
/* Looks whether a file changed, and verifies about so many bytes more. False: one is damaged. */
bool index_state_verify(const char *directory, struct index_state *s, uint64_t bytes,
    char err[INDEX_FAULT]) MUST_USE;
void index_state_insert(struct index_state *s, struct index_segment fresh);

/* ---- several segments into one, without documents ---- */

struct index_merge {
	uint64_t id; /* of the segment to be */
	struct index_segment
	    *inputs; /* copies: dead documents as they were when the merge began */
	size_t n;
};

/* which: n places among the state's segments, all open. Owned by the caller. */
struct index_merge *index_merge_begin(
    const struct index_state *s, const size_t *which, size_t n);
/* Writes the file; may run in a child. Not for inputs without a living document. */
bool index_merge_write(const struct index_merge *m, const char *directory,
    struct index_segment *out, char err[INDEX_FAULT]) MUST_USE;
/* Verifies a new file and sets its mark, so that whoever opens it next trusts it. */
bool index_segment_verify(
    const char *directory, struct index_segment *s, char err[INDEX_FAULT]) MUST_USE;
/* Puts the segment in the place of what it was made from. False: the state is as it was. */
bool index_merge_take(const struct index_merge *m, const char *directory,
    struct index_state *s, struct index_segment fresh, char err[INDEX_FAULT]) MUST_USE;
void index_merge_free(struct index_merge *m);

struct index_builder;

/* tags must outlive the builder. */
struct index_builder *index_build_new(const struct index_tags *tags);
/* One document as JSON (plan: NDJSON import format), in ascending order of ip. */
bool index_build_add(
    struct index_builder *b, struct str json, char err[INDEX_FAULT]) MUST_USE;
uint32_t index_build_documents(const struct index_builder *b);
size_t index_build_memory(const struct index_builder *b); /* bytes, about */
/* Writes the segment's file. The builder is empty afterwards, ready for the next one. */
bool index_build_write(struct index_builder *b, const char *directory,
    struct index_segment *out, char err[INDEX_FAULT]) MUST_USE;
void index_build_free(struct index_builder *b);

/* Calls fn with the address of each live document of a segment that has the term in the field, or of
   all (field NULL). */
bool index_each_ip(const char *directory, const struct index_segment *s,
    const struct schema_field *field, struct str term,
    void (*fn)(void *arg, const unsigned char ip[16]), void *arg,
    char err[INDEX_FAULT]) MUST_USE;

#endif
