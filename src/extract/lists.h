/* SPDX-License-Identifier: ISC */
/* Tells lists and tables of indicators by their lines. */
#ifndef EXTRACT_LISTS_H
#define EXTRACT_LISTS_H

#include "base/str.h"

/* True when nearly all lines have one value each. */
bool list_of_values(struct str text);
/* True when the line is the first of a table of indicators. *sep: the character between its
   cells. */
bool list_header(struct str line, char *sep);
/* True when the line begins with "Source:" or another word for references. */
bool list_refers(struct str line);

#endif
