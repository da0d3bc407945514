/* SPDX-License-Identifier: ISC */
/* Writes the frame that a segment and a file of ordinals share (format.h): sections, their table
 * and the header.
 *
 *   sections_begin     room for the header, which nothing fills yet
 *   section_write ...  one section after the other, each at a multiple of INDEX_ALIGN
 *   sections_end       the table, then the header, then fsync and rename
 *
 * The header comes last because it has the position of the table and the checksum over both. So a
 * file that a killed writer left has no header, and it has only its temporary name. */
#ifndef SEARCH_INDEX_FORMAT_SECTIONS_H
#define SEARCH_INDEX_FORMAT_SECTIONS_H

#include "search/index/format/files.h"
#include "search/index/format/format.h"

struct segment_writer {
	struct file_writer file;
	uint64_t at;
	struct buf table; /* struct section */
	uint32_t nsections;
};

void sections_begin(struct segment_writer *w, const char *path);
/* Appends n bytes as a section of the slot; an empty section is left out. */
void section_write(
    struct segment_writer *w, enum section_kind kind, size_t slot, const void *p, size_t n);
/* Completes the file and gives it its name. Sets the members of h that describe the frame. */
bool sections_end(struct segment_writer *w, const char *magic, struct segment_header *h,
    const char *directory, char err[INDEX_FAULT]) MUST_USE;

/* Removes what was written. */
void sections_abandon(struct segment_writer *w);

#endif
