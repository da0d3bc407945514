/* SPDX-License-Identifier: ISC */
/* A copy beside each segment and each file of ordinals: "hosts-0123456789abcdef.seg.copy". Parity
 * (parity.h) mends some blocks of a file; the copy answers when more of the file is lost, up to all
 * of it: a reader maps the copy, and the writer puts a file of its content in place.
 *
 *   file damaged --parity--> mended in memory
 *      |  too much
 *      +--> copy, verified to its last byte --too much--> the index is built again, searches get 503 until then
 *
 * Copies take as much room on the disk as the index, but none where the file system can share
 * blocks between files (Btrfs, XFS). They are never read while the files are whole, so they take no
 * memory. Like parity, a copy is not synced and has no mark: its checksums tell whether it can be
 * used. The writer compares each copy with its file in turn, and makes them alike
 * (write/copies.h). */
#ifndef SEARCH_INDEX_FORMAT_COPY_H
#define SEARCH_INDEX_FORMAT_COPY_H

#include "search/index/format/index.h"

#define COPY_SUFFIX ".copy"

bool copies_kept(void); /* as copies_keep has set it */
void copy_path(const char *path, char *out, size_t room);
/* Makes the copy of a file unless it has one of its size. Does nothing where copies are not
   kept. */
bool copy_complete(const char *path, char err[INDEX_FAULT]) MUST_USE;
/* Whether a file of this name and size has a copy of the same size. */
bool copy_exists(const char *path, uint64_t size) MUST_USE;

#endif
