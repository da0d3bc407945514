/* SPDX-License-Identifier: ISC */
/* How much the files of the index can hold: their offsets and numbers have 32 bits.
 *
 *   a segment      documents of a level          4,294,901,759
 *                  place of the last posting     16 GiB         SECTION_PLACE, in units of 4 bytes
 *                  texts of a dictionary         4 GiB          SECTION_TERM_AT; not FORM_HEX
 *                  values without a place        4,294,967,295  SECTION_MORE_AT, of a column
 *   a generation   segments                      4,096          manifest.c
 *                  values of a facet field       4,294,901,759  ordinals, over all segments
 *
 * A host takes some 280 bytes (C-423), so the first ceiling that a segment of hosts meets is that
 * of 16 GiB, at about 57 million. A new segment is far below, since its builder has a bound
 * (indexer/feed.c); a merge adds segments up. So a merge is planned only when its inputs fit
 * together (merge_fits in write/merge.h), and a segment of half a ceiling is full: it stays as it is, and the others
 * become a segment beside it. The plan is an estimate. A writer that passes a ceiling nevertheless
 * gives up its file (index_build_write), and the largest input counts as full from then on. */
#ifndef SEARCH_INDEX_FORMAT_CEILINGS_H
#define SEARCH_INDEX_FORMAT_CEILINGS_H

#include "search/index/format/index.h"

struct ceilings {
	uint64_t documents; /* of a level */
	uint64_t file;      /* offset of the last posting */
	uint64_t texts;     /* bytes of a dictionary */
	uint64_t more;      /* terms without a place in a column */
};

/* Those of the format, or those of a test (NULL: those of the format again). */
const struct ceilings *ceilings(void);
void ceilings_use(const struct ceilings *c);

#endif
