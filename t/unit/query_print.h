/* SPDX-License-Identifier: ISC */
/* The canonical text of a query: what it means, in one spelling. Parsing it gives the same tree. */
#ifndef T_UNIT_QUERY_PRINT_H
#define T_UNIT_QUERY_PRINT_H

#include "search/query.h"

void query_print(struct buf *b, const struct query *q);

#endif
