/* SPDX-License-Identifier: ISC */
/* Values of indicators as people write them, and the searches that find them. */
#ifndef RESOURCE_INDICATOR_VALUE_H
#define RESOURCE_INDICATOR_VALUE_H

#include "base/base.h"

struct indicator_value {
	struct str type, value; /* value in the canonical form of its type */
};

enum { INDICATOR_MEANINGS = 4 };

/* The indicators that a text such as "hxxp://evil[.]example/" means; 64 digits are two. Returns
   their number; 0: none. */
size_t indicator_meanings(
    struct arena *a, struct str text, struct indicator_value out[INDICATOR_MEANINGS]);

/* The field of the dataset by which searches find the value, and the value as a query has it;
   STR_NULL: none does. */
struct indicator_search {
	struct str dataset, field, value;
};
struct indicator_search indicator_search(struct arena *a, struct str type, struct str value);

#endif
