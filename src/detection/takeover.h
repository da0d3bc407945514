/* SPDX-License-Identifier: ISC */
/* Providers where a stranger may claim a free name: the rows of tbl/takeover.h, and rows that an
   import has added. */
#ifndef DETECTION_TAKEOVER_H
#define DETECTION_TAKEOVER_H

#include "base/base.h"

enum takeover_mode { TAKEOVER_NXDOMAIN, TAKEOVER_PAGE, TAKEOVER_NS };
enum takeover_claim { TAKEOVER_OPEN, TAKEOVER_DISPUTED, TAKEOVER_CLOSED };
enum takeover_shape { TAKEOVER_ANY, TAKEOVER_ONE, TAKEOVER_REGION, TAKEOVER_NUMBERED };

struct takeover {
	/* page: a text in the page for unclaimed names, or empty */
	struct str provider, suffix, page;
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

/* Returns the row of the provider that has this name, which is in lower case. server: the name is
   that of a name server. NULL: it belongs to no known provider. */
const struct takeover *takeover_of(const struct takeovers *imported, struct str name, bool server);
/* Returns the providers whose page for unclaimed names a capture of this host may be: the page has
   their text. Several providers have the same text, such as every store with the API of S3; the
   alias of the host decides between them. A page of a provider's own site does not count. */
struct strs takeover_pages(
    struct arena *a, const struct takeovers *imported, struct str body, struct str hostname);
/* "open", "disputed" or "closed". */
const char *takeover_claim_name(enum takeover_claim c);

#endif
