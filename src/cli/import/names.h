/* SPDX-License-Identifier: ISC */
/* A set of names, each with a number: the keys of a batch with their items, and the tags that
 * were seen. names_clear empties the set without freeing its slots. */
#ifndef CLI_IMPORT_NAMES_H
#define CLI_IMPORT_NAMES_H

#include "base/base.h"

struct names;

struct names *names_new(size_t most);
void names_free(struct names *t);
void names_clear(struct names *t);
bool names_full(const struct names *t);
/* The number of s, which the caller may change; 0 for a new name. The table must not be full. */
uint32_t *names_at(struct names *t, struct str s);

#endif
