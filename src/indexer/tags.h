/* SPDX-License-Identifier: ISC */
/* The tags with which a layout of ClickHouse was filled, as one text in the table `feeds`; each
 * line is a tag:
 *
 *   c2 \t malicious \t /threat \t /threat/c2 \t\t Command and control
 *   slug  classification  categories              name
 *
 * Documents have the classification and the categories of their tags, so they are written again
 * when these change. Slugs, classifications and categories contain no tab and no line feed; in a
 * name they are replaced by blanks. */
#ifndef INDEXER_TAGS_H
#define INDEXER_TAGS_H

#include "search/engine.h"

/* Prints the tags, sorted. */
void tags_print(struct buf *out, const struct tag *tags, size_t n);
/* Lists the slugs of the tags that differ between `was` and `now`, or that only one of them has.
   with_names: names are compared, too. The array is in the arena. Returns its length. */
size_t tags_changed(
    struct arena *a, struct str was, struct str now, bool with_names, struct str **slugs);

#endif
