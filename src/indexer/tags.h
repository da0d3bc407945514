/* SPDX-License-Identifier: ISC */
/* The tags that a layout of ClickHouse was filled with, as one text that `feeds` keeps; a line is a
 * tag:
 *
 *   c2 \t malicious \t /threat \t /threat/c2 \t\t Command and control
 *   slug  classification  categories              name
 *
 * Documents have the classification and the categories of their tags, so they are written again
 * when these change. Slugs, classifications and categories contain no tab and no line feed; those
 * of a name become blanks. */
#ifndef INDEXER_TAGS_H
#define INDEXER_TAGS_H

#include "search/engine.h"

/* Prints the tags, sorted. */
void tags_print(struct buf *out, const struct tag *tags, size_t n);
/* The slugs of tags that `was` and `now` do not have alike. with_names: a name counts, too. The
   array is in the arena. */
size_t tags_changed(
    struct arena *a, struct str was, struct str now, bool with_names, struct str **slugs);

#endif
