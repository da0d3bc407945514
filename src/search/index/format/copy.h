/* SPDX-License-Identifier: ISC */
/* Each segment and each file of ordinals has a copy: "hosts-0123456789abcdef.seg.copy". Parity
 * (parity.h) repairs some blocks of a file. When more of the file is lost, up to all of it, readers
 * map the copy, and the writer replaces the file by the content of the copy.
 *
 *   file damaged --parity--> mended in memory
 *      |  too much
 *      +--> copy, verified to its last byte --too much--> the index is built again, searches get 503 until then
 *
 * Copies take as much room on the disk as the index, but none when the file system can share
 * blocks between files (Btrfs, XFS). Readers do not use them while the files are whole, so they
 * take no memory. Like parity, a copy is not synced and has no mark: its checksums show whether
 * it can be used. The writer compares the copies with their files, one after the other, and
 * corrects those that differ (write/copies.h). */
#ifndef SEARCH_INDEX_FORMAT_COPY_H
#define SEARCH_INDEX_FORMAT_COPY_H

#include "search/index/format/index.h"

#define COPY_SUFFIX ".copy"

bool copies_kept(void); /* the value that copies_keep has set */
void copy_path(const char *path, char *out, size_t room);
/* Makes the copy of a file, unless a copy of its size exists. Does nothing when copies are not
   kept. */
bool copy_complete(const char *path, char err[INDEX_FAULT]) MUST_USE;
/* Whether a file of this name and size has a copy of the same size. */
bool copy_exists(const char *path, uint64_t size) MUST_USE;

#endif
