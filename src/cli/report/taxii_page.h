/* SPDX-License-Identifier: ISC */
/* An answer of a TAXII 2.1 collection: an envelope with STIX objects. Pure; the server is not
   trusted. */
#ifndef CLI_REPORT_TAXII_PAGE_H
#define CLI_REPORT_TAXII_PAGE_H

#include "base/base.h"

struct taxii_object {
	struct str id, type;
	/* when it was created, "2026-03"; "undated": observables have no time */
	struct str month;
	struct ts modified; /* TS_NULL: no time */
	struct str text;    /* the object as the server sent it */
};

struct taxii_page {
	bool more;
	struct str next; /* STR_NULL: the server names no next page */
	struct taxii_object *p;
	size_t n;
	/* members of the list that are no objects with an id and a type; they are left out */
	size_t nameless;
};

/* Reads an envelope; its texts lie in text or in the arena. False: fault is the reason, a predicate
   without subject. */
bool taxii_page_read(
    struct arena *a, struct str text, struct taxii_page *out, struct str *fault) MUST_USE;

#endif
