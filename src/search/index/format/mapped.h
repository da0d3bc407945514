/* SPDX-License-Identifier: ISC */
/* A file of the index in memory, verified when it is opened (mapped.c).
 *
 * A failing disk can change the content of a file without changing its times, and no checksum is
 * computed during a query. So every number that is read from a mapping is compared with the size of
 * the array before it becomes an index, each time:
 *
 *   mapping (may be damaged)                    memory of the process
 *   ------------------------                    ---------------------
 *   column    document -> term     --- mask  --->  counters[column_room()]
 *   map       term -> ordinal      --- clamp --->  sums[ordinals + 1]
 *   owner     service -> host      --- skip  --->  bits[hosts]
 *   posting   block -> offset      --- skip  --->  the same mapping
 *
 * A damaged number may then cause wrong counts until the writer finds the damage
 * (index_state_verify), but it never leads to other memory. */
#ifndef SEARCH_INDEX_FORMAT_MAPPED_H
#define SEARCH_INDEX_FORMAT_MAPPED_H

#include "search/index/format/format.h"
#include "search/index/format/index.h"

#include <signal.h>

struct segment_writer;

enum { SLOTS_MAX = 4096 };

struct span {
	const unsigned char *p;
	uint64_t n;
};

struct mapped {
	const char *kind, *magic; /* the word for messages; the first bytes of the file */
	char *err;                /* INDEX_FAULT bytes: receives the reason of a failure */
	uint64_t id, checksum;    /* the values that the manifest demands */
	int fd;
	unsigned char *map;
	/* bytes of map: the size of the whole file, also where the file was cut and mended */
	size_t size;
	struct index_mark mark; /* the file when it was opened */
	uint32_t mended;        /* blocks that were damaged and are whole in memory (parity.h) */
	bool trusted; /* the mark is the one that the writer recorded: content is not verified */
	volatile sig_atomic_t lost; /* a page could not be read and was replaced by zeros */
	long page;
	const struct segment_header *head;
	struct span *spans; /* [slot][kind] */
	size_t nslots;      /* of spans */
	struct mapped *next;
};

enum segment_check {
	SEGMENT_VERIFY, /* verifies every byte, and refuses a damaged file */
	SEGMENT_MEND,   /* verifies every byte, and mends damaged blocks in memory */
	/* trusts a file whose mark is the one that its writer recorded, and mends any other */
	SEGMENT_BY_MARK,
};

bool mapped_open(struct mapped *m, const char *path, const struct index_file *want,
    enum segment_check check) MUST_USE;
/* Maps the part of a file that a writer has written so far, without verification. h: the header
   that the file will have; it must outlive the mapping. */
bool mapped_unfinished(
    struct mapped *m, const struct segment_writer *w, const struct segment_header *h) MUST_USE;
void mapped_close(struct mapped *m);
/* Whether the file is unchanged since it was opened. Called before and after a request, this
   detects every write and every truncation by any process. */
bool mapped_intact(const struct mapped *m) MUST_USE;
/* Whether this is still the file of that name. */
bool mapped_is_named(const struct mapped *m, const char *path);
/* Whether a file has another size or modification time than its mark; false when there is no such
   file. */
bool mapped_changed(const char *path, const struct index_mark *mark);
bool mapped_fault(struct mapped *m, const char *what); /* records the reason; returns false */
struct span mapped_span(const struct mapped *m, size_t slot, enum section_kind kind);
/* Announces that the file will be read from its beginning to its end. By default files are opened
   for queries, which read little. */
void mapped_in_order(const struct mapped *m);
/* Starts to read n bytes of a mapping from the disk, if they are many; the caller is about to read
   them all. */
void mapped_ahead(const void *p, uint64_t n);
/* Verifies *bytes from a place on; advances the place and decreases *bytes. A section may take many
   calls, and its damage is found by the last of them. */
bool mapped_verify(struct mapped *m, struct verified *v, uint64_t *bytes) MUST_USE;
/* Verifies the header, and the sections that have bytes between the offsets `from` and *to. Sets *to
   to the end of the last one, so that all bytes up to there are verified. */
bool mapped_verify_at(struct mapped *m, uint64_t from, uint64_t *to) MUST_USE;
/* Makes every process that maps the file close it. */
void mapped_condemn(const struct mapped *m);

#endif
