/* SPDX-License-Identifier: ISC */
/* One test over one segment, in two steps: values to terms (lookup.c), terms to documents
   (documents.c). leaf.c joins them. The terms of a test are collected in r->ids, which is one list
   for all tests of a request. */
#ifndef SEARCH_INDEX_READ_LEAF_H
#define SEARCH_INDEX_READ_LEAF_H

#include "search/index/format/postings.h"
#include "search/index/read/request.h"

/* The test, and the level of the documents that it returns; a nested field can be tested at both
   levels. */
struct leaf {
	struct run *r;
	const struct node *node;
	const struct terms *t;
	enum level l;
};

/* ---- lookup.c: each appends terms to r->ids ---- */

void leaf_add_terms(struct scratch *ids, uint32_t lo, uint32_t hi); /* lo to hi - 1 */
void leaf_add_found(const struct leaf *f, uint32_t id);             /* unless id is t->n */
/* exact: only the value itself, no other case and no subdomain. */
void leaf_find_value(const struct leaf *f, const struct value *v, bool exact);
void leaf_find_pattern(const struct leaf *f, struct str pattern);
/* Returns the first term that is not less than the key of an address; with `after`, the first that
   is greater. */
uint32_t leaf_find_address(const struct terms *t, struct str key, bool after);

/* ---- dates.c ---- */

/* The documents that have one of the dates of the test, or a date in its range. */
struct set leaf_dates(const struct leaf *f);
struct set leaf_date_range(const struct leaf *f);

/* ---- leaf.c ---- */

/* Whether the documents of the test are those of one term. Sets f->t, its part of the field, and
   the term. */
bool leaf_is_term(struct leaf *f, enum part *p, uint32_t *id);

/* ---- documents.c ---- */

/* The posting of a term at the level of the test. `room` receives documents that are not stored but
   derived; they may repeat. */
struct posting leaf_posting(const struct leaf *f, uint32_t id, uint32_t room[POSTING_DERIVED]);
/* The documents of all terms in ids. */
struct set leaf_documents(const struct leaf *f, const struct scratch *ids);

#endif
