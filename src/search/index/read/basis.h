/* SPDX-License-Identifier: ISC */
/* Facets from stored counts. A basis is a set of documents of one segment whose facets are known:
 * no document, every document, those of a frequent term, or all others (format/pairs.h). A query
 * counts only the documents by which its hits differ from the nearest basis:
 *
 *   hits        22 AND NOT CN          90,000 documents
 *   basis       those of port 22      100,000 documents, known
 *   removed     22 AND CN              10,000 documents, counted and subtracted
 *   added       none
 *
 * A basis includes dead documents and hits do not, so dead documents are among the removed ones. */
#ifndef SEARCH_INDEX_READ_BASIS_H
#define SEARCH_INDEX_READ_BASIS_H

#include "search/index/read/facet.h"
#include "search/index/read/request.h"

struct basis {
	enum basis_kind {
		BASIS_NONE,
		BASIS_ALL,
		BASIS_TERM,
		BASIS_OTHERS, /* all documents but those of the term */
	} kind;
	uint32_t row; /* of the term */
	struct set added, removed;
};

/* Chooses the basis that makes the facets of the hits cheapest, and sets the costs of the fields
   (facet_costs). pairs: whether a frequent term may be one. */
struct basis basis_choose(
    struct request *rq, const struct set *hits, struct facet *fs, size_t n, bool pairs);
/* Whether the pair totals of the segment have counts of the field. */
bool basis_has(const struct segment *s, const struct schema_field *f);
/* Adds the counts of the basis to those of the field. */
void basis_add(
    const struct segment *s, const struct basis *b, const struct schema_field *f, uint32_t *counts);
void basis_free(struct run *r, struct basis *b);

#endif
