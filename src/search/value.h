/* SPDX-License-Identifier: ISC */
/* Typed values, and the rules by which two of them are equal or ordered. The parser makes them of
 * the words of a query, match.c of a record in memory. A dictionary of the index keeps its terms in
 * an order of its own (index: terms.h), but sorts buckets as value_cmp does. */
#ifndef SEARCH_VALUE_H
#define SEARCH_VALUE_H

#include "base/base.h"
#include "record/dataset.h"

/* A typed value. Strings in MATCH and WILDCARD are folded by text_fold; strings in EXACT are as the
   user typed them. A DNS name is always in lower case and without the trailing dot. */
struct value {
	enum value_type type;
	union {
		struct str s;    /* KEYWORD, TEXT, DNS */
		int64_t i;       /* INTEGER */
		double n;        /* NUMBER */
		bool b;          /* BOOLEAN */
		struct ts ts;    /* DATE */
		struct ipnet ip; /* IP */
	};
};

/* Compares two values of the same type; strings by bytes, false before true. */
int value_cmp(const struct value *a, const struct value *b);

#endif
