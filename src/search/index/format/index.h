/* SPDX-License-Identifier: ISC */
/* The embedded index, as its one writer sees it: the process surfaced-index writes a directory, and
 * every worker of the API maps the files of the directory into memory. Queries use search/engine.h;
 * search/index/read/request.h describes how one is answered.
 *
 * Each dataset of tbl/datasets.h has an index of its own in the directory: the names of its files
 * begin with that of the dataset, and it has its own manifest, generation and snapshot. Nothing is
 * shared, so a dataset is rebuilt, or refused, without the others. The view of services has no
 * files; the index of hosts answers its queries (read/nested.c). The pictures here are of hosts.
 *
 * A document is a record, such as a host; a nested document is one of its nested objects, such as a
 * service. The terms used here:
 *
 *   segment      an immutable file with the documents of one pass of the writer, or of merged segments
 *   slot         one sorted dictionary of a segment, with its postings and its column; a field has two:
 *                one of whole values and, for text, one of tokens
 *   term         an entry of a dictionary: a number that is valid in one slot of one segment
 *   posting      the documents of a term
 *   column       the terms of a document, for facets
 *   pair totals  the facets of the documents of each frequent term (pairs.h)
 *   ordinal      the number of a term among the terms of all segments of a generation
 *   dead         of a document: a newer segment has its successor, or its row was deleted
 *   generation   a published manifest: which segments exist, their ordinals and their dead documents
 *
 *   hosts.manifest ---- generation 42 ------------------------------------------------------------
 *    |  snapshot (what of the database the generation contains), tags, and for each segment:
 *    |  its file, the file of its ordinals, one bit a document: dead or not
 *    |
 *    +- hosts-A.seg   1,000,000 documents                 (no file of ordinals: the terms of the
 *    |     documents  0 1 2 3 4 5 6 7 ...                  first segment are their own ordinals)
 *    |     slot "os"  0 FreeBSD  1 Linux   2 Windows       dictionary, sorted
 *    |                {7, 9}     {0, 2}    {1, 3, 4}       postings
 *    |     column     1 2 1 2 2 - - 0 ...                  document 0 has term 1, Linux
 *    |
 *    +- hosts-B.seg   20,000 documents     slot "os"  0 Linux  1 Plan 9
 *    +- hosts-C.map   the ordinals of B:   "os"       0 -> 1   1 -> 4
 *
 * Documents are numbered in the order of their keys (record_key), nested documents in the order of
 * their documents. A key is stored as it is (keys.h), but that of a host is its address alone, four
 * bytes in most cases. The slot of a nested field has postings of both levels. The file lists its
 * fields by a hash of name and type, and a field finds its slots through that list, so a release
 * with one more field can read an older segment: only a query that names the new field is refused
 * until the index is built again.
 *
 * Ordinals. Segments have an order, large ones first. A term that an earlier segment has gets its
 * ordinal from there. Any other term gets its own number plus the number of all terms in the
 * segments before it: "Plan 9" is term 1 of B and A has three terms, so its ordinal is 4; ordinal 3
 * is unused, because term 0 of B is Linux, ordinal 1. The writer finds ordinals by one walk over
 * the sorted dictionaries and stores them in a file of their own. The file stays valid as long as
 * the segments before it stay the same; when one of them is merged, dropped or moved, the writer
 * makes the file again. So large segments, which change rarely, come first. A new segment is put at
 * the end and moves forward past each neighbour that has less than half of its documents. The small
 * segment of a usual pass therefore stays the last one, and only its own ordinals have to be made.
 *
 * The life of a change. A pass reads the rows that the snapshot of the last generation does not
 * show and writes them as a new segment. It marks their older versions dead, and the records that
 * were deleted. It makes the ordinals that are missing. Every file is written under another name,
 * synced and renamed. The last one is the manifest: its rename publishes the generation, and the
 * directory is synced after it. A crash before the rename leaves the former generation and files
 * without a name in a manifest; a crash after it leaves the new generation and files of the former
 * one. The next publication removes both.
 *
 * The files that the new manifest does not name are removed at once. A worker that has one mapped
 * keeps it until it changes to the new generation. A worker that was about to open one fails, finds
 * that the manifest has changed, and opens the newer generation, in at most three tries. Merges and
 * rebuilds run in children (indexer/beside.h).
 *
 * Damage. A reader trusts a file whose inode, size and times are those that its writer recorded
 * (struct index_mark), and verifies the checksums of any other. The writer verifies each new
 * segment, the inputs of a merge after it has read them, and in each pass some megabytes of all
 * files and of their copies in turn. Files that were copied, as by a restore, have other marks: the
 * writer verifies them when it starts, and publishes their new marks, so that readers need not.
 *
 * Each file has a file of parity (parity.h). A worker that finds a file changed, or cannot read a
 * page of it, opens it again, verifies it and mends the damaged blocks in its memory: no request
 * but the one that met the damage fails. The writer puts a file without damage in its place
 * (write/verify.c) and does the same for a file that is missing, from its own mapping. It makes
 * ordinals again, which cost little. When there is more damage than the parity can mend, both do
 * the same with the copy of the file (copy.h). A copy that is missing or differs from its file,
 * which is verified then, is written again. When there is no copy, the writer changes the file's
 * time, so that every worker closes it, and builds the index again from the database. Until then a
 * search is answered with status 503. */
#ifndef SEARCH_INDEX_FORMAT_INDEX_H
#define SEARCH_INDEX_FORMAT_INDEX_H

#include "search/engine.h"

/* ---- the manifest ---- */

/* A checksum of the bytes so far. */
struct checksum {
	uint64_t lane[4];
};

/* How far a file is verified: the sections before this one, and some bytes of it. */
struct verified {
	uint32_t section;
	uint64_t at;
	struct checksum sum;
};

/* The identity of a file as its writer left it. A reader that finds the same mark trusts the file;
   otherwise the reader verifies every byte. */
struct index_mark {
	uint64_t device, inode, size;
	int64_t modified, status; /* nanoseconds: st_mtim, st_ctim */
};

struct index_file {
	uint64_t id; /* a part of the file name; 0: there is no file */
	/* The checksum in its header: a file of the same name that another index made is
	   refused. */
	uint64_t checksum;
	struct index_mark mark;
};

struct segment;
struct ordinal_map;

struct index_segment {
	enum dataset dataset;
	struct index_file file;
	struct index_file ordinals; /* made by index_publish, for all but the first */
	/* The writer's mappings of both files, kept between generations; NULL: not yet open. */
	struct segment *open;
	/* the segment of a damaged file that `open` has replaced, until that is published; NULL:
	   none */
	struct segment *former;
	struct ordinal_map *map;
	uint32_t documents, ndead;
	uint64_t *dead; /* one bit a document; index_words(documents) words */
	bool outdated;  /* only in memory: index_state_renew will replace it */
	bool full;      /* only in memory: a merge with it passed a ceiling (ceilings.h) */
};

struct index_tags { /* sorted by slug; owned */
	struct tag *items;
	size_t n;
	char *text; /* the strings of all items */
};

enum { INDEX_FAULT = 256, KEY_MAX = 600 /* bytes of a key */ };
enum index_child { INDEX_MERGE, INDEX_REBUILD, INDEX_CHILDREN };

struct index_state {
	enum dataset dataset;
	uint64_t generation; /* 0: nothing published yet */
	struct ts published_at;
	char *snapshot; /* pg_snapshot of the rows that the segments contain; owned; "": unknown */
	struct index_tags tags;
	struct index_segment *segments; /* ordinals depend on their order; owned */
	size_t nsegments;
	/* Only in memory: a file was verified whose mark differs from that of the manifest. */
	bool remarked;
	/* Damage that this index has had since it began, and when the last was found. */
	struct index_damage {
		uint64_t n;
		int64_t last_us;
	} damage;
	/* The position of the background verification in the files, and in their copies
	   (write/verify.c). */
	struct index_turn {
		size_t turn; /* twice the index of a segment, plus 1 for its ordinals */
		uint64_t
		    id; /* the file of that turn; the turn restarts when another file is in its place */
		struct verified verified; /* of a file */
		uint64_t done;            /* bytes of a copy */
		bool changed;             /* a part of the copy was written */
	} files, copies;
	/* The first half of the ids of all files that this process writes; 0: random ones. A child
	   has a family of its own, and the parent removes no file of the families of its
	   children. */
	uint32_t family;
	uint32_t children[INDEX_CHILDREN]; /* 0: none */
};

/* Whether this process makes copies of files, and keeps those that exist (copy.h). No at first. */
void copies_keep(bool keep);

/* The path of the manifest; family: of a child, whose state is not published, or 0. */
void manifest_path(const char *directory, enum dataset d, uint32_t family, char *out, size_t room);
/* The number of words of a bitmap over n documents, rounded up to blocks of 65536 bits. */
size_t index_words(uint32_t n);

/* Returns false and a reason when the manifest cannot be used. Without a manifest it returns true,
   and the generation is 0. */
bool index_state_load(
    const char *directory, enum dataset d, struct index_state *out, char err[INDEX_FAULT]) MUST_USE;
void index_state_free(struct index_state *s);
/* Whether the file of the segment has another size or another time of its last change than its
   mark. False when there is no file. path receives its name. */
bool index_segment_changed(
    const char *directory, const struct index_segment *s, char *path, size_t room);
/* How many files of the index have no copy of their size. */
size_t index_copies_missing(const char *directory, const struct index_state *s);
/* Reads what a child of this family has stored. */
bool index_state_fetch(const char *directory, enum dataset d, uint32_t family,
    struct index_state *out, char err[INDEX_FAULT]) MUST_USE;
void index_state_snapshot(struct index_state *s, struct str text);
void index_tags_set(struct index_tags *t, const struct tag *items, size_t n); /* copies and sorts */
const struct tag *index_tags_find(const struct index_tags *t, struct str slug);
void index_tags_free(struct index_tags *t);
/* The segment whose file has this id, or NULL. */
struct index_segment *index_state_find(const struct index_state *s, uint64_t id);
/* Makes every process that has a damaged file mapped open the one that replaced it. */
void index_drop_former(struct index_segment *s);
/* Removes the segments from..to-1 from the state. */
void index_state_drop(struct index_state *s, size_t from, size_t to);

#endif
