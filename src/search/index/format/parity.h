/* SPDX-License-Identifier: ISC */
/* A file of parity beside each segment and each file of ordinals: "hosts-0123456789abcdef.seg.par".
 * With it a reader can restore blocks that the disk has changed or lost. It adds 1.8 % to the size
 * of the index.
 *
 * The file is divided into blocks of PARITY_BLOCK bytes, and each belongs to a group of at most
 * PARITY_WIDTH. The parity of a group is the XOR of its blocks. Adjacent blocks are in different
 * groups, so a run of lost blocks, such as the end of a truncated file, has at most one block of
 * each group and can be restored when it is not longer than the number of groups:
 *
 *   blocks     0 1 2 3 4 5 6 7 8 9 ...      3 groups: 0 3 6 9 .., 1 4 7 10 .., 2 5 8 11 ..
 *   damaged          x x x                  3 is in the first group, 4 in the second, 5 in the third: all come back
 *   damaged          x     x                3 and 6 are both in the first: the file is lost, and the index is built again
 *
 *   +-------------+----------------------------+------------------------+
 *   | parity_head | sums: uint64_t of each     | parity: PARITY_BLOCK   |
 *   |             | block, then of each parity | bytes of each group    |
 *   +-------------+----------------------------+------------------------+
 *
 * A file of parity is not needed to read an index that is whole. It has no mark and is not
 * synced to the disk: its checksums show whether it can be used, and the writer makes it again
 * when it cannot. */
#ifndef SEARCH_INDEX_FORMAT_PARITY_H
#define SEARCH_INDEX_FORMAT_PARITY_H

#include "search/index/format/index.h"

enum { PARITY_BLOCK = 4096, PARITY_WIDTH = 64 };

struct parity {
	int fd;        /* the file of parity */
	uint64_t size; /* bytes of the file that it mends */
	uint32_t blocks, groups;
	uint64_t *sums;
	uint32_t *bad, nbad; /* the blocks that are damaged, ascending */
};

/* The name of the parity of a file; names end with PARITY_SUFFIX. */
#define PARITY_SUFFIX ".par"
void parity_path(const char *path, char *out, size_t room);

/* Writes the parity of a file. f: its id, and the checksum of its header. */
bool parity_write(const char *path, const struct index_file *f, char err[INDEX_FAULT]) MUST_USE;
/* Opens the parity of a file. Returns false when it cannot be used. parity_close must be called in
   both cases. */
bool parity_open(struct parity *p, const char *path, const struct index_file *f) MUST_USE;
void parity_close(struct parity *p);
/* Finds the damaged blocks of a file. Returns false when there are too many. */
bool parity_find(struct parity *p, int fd) MUST_USE;
/* Computes the content of the ith damaged block. */
bool parity_block(
    const struct parity *p, int fd, uint32_t i, unsigned char out[PARITY_BLOCK]) MUST_USE;
/* Whether the blocks of parity are whole. */
bool parity_is_whole(const struct parity *p) MUST_USE;

#endif
