/* SPDX-License-Identifier: ISC */
/* Providers whose names may be claimed by others: the rows of tbl/takeover.h, and those that an
   import has added. */
#ifndef DETECTION_TAKEOVER_H
#define DETECTION_TAKEOVER_H

#include "base/base.h"

enum takeover_mode { TAKEOVER_NXDOMAIN, TAKEOVER_PAGE, TAKEOVER_NS };
enum takeover_claim { TAKEOVER_OPEN, TAKEOVER_DISPUTED, TAKEOVER_CLOSED };
enum takeover_shape { TAKEOVER_ANY, TAKEOVER_ONE, TAKEOVER_REGION, TAKEOVER_NUMBERED };

struct takeover {
	struct str provider, suffix,
	    page; /* page: a text of the page for unclaimed names; n 0: none */
	enum takeover_mode mode;
	enum takeover_claim claim;
	enum takeover_shape shape;
	size_t labels_below; /* 0: any number */
};

/* Rows that an import has added. A row of tbl/takeover.h wins over one with the same suffix. */
struct takeovers {
	const struct takeover *rows;
	size_t n;
};

/* The row of the provider of a name in lower case: of a name server, or of another name. NULL: it
   is of no provider's. */
const struct takeover *takeover_of(const struct takeovers *imported, struct str name, bool server);
/* The provider whose page for unclaimed names the body is, of a capture of this host; STR_NULL: it
   is none. A page of the provider's own site is none. */
struct str takeover_page(const struct takeovers *imported, struct str body, struct str hostname);
/* "open", "disputed" or "closed". */
const char *takeover_claim_name(enum takeover_claim c);

#endif
