/* SPDX-License-Identifier: ISC */
/* Requests to a TAXII 2.1 server over https. A request is repeated while its connection breaks or
 * the server requests a wait; every other status than 200 ends the command with a message.
 *
 * The credentials go to the host that the administrator has named, and nowhere else: redirects are
 * not followed, no proxy is used, and taxii_url_join refuses the URL of another host. */
#ifndef CLI_REPORT_TAXII_HTTP_H
#define CLI_REPORT_TAXII_HTTP_H

#include "cli/cli.h"

enum { TAXII_PAGE_MAX = 64 << 20 };

struct taxii_http;

struct taxii_answer {
	struct str body;
	struct str first,
	    last; /* X-TAXII-Date-Added-First and -Last; STR_NULL: none, or none that is a time */
};

struct taxii_settings {
	const char *credentials, *ca; /* files; NULL: none, the system's authorities */
	int64_t timeout;  /* seconds without a byte after which a connection counts as broken */
	int64_t patience; /* seconds that Retry-After may cost altogether */
	bool quiet;
};

/* NULL after a message. */
struct taxii_http *taxii_open(struct cli *c, const struct taxii_settings *s);
void taxii_close(struct taxii_http *h);
/* EXIT_OK, or the status to return after a message. The answer lies in the arena. */
int taxii_get(struct taxii_http *h, struct arena *a, struct str url, struct taxii_answer *out);

/* The URL in its canonical form with a slash at its end; STR_NULL: it is none of https, or it has a
   user, a query or a fragment. */
struct str taxii_url(struct arena *a, struct str given);
/* A reference of the server relative to base; STR_NULL: malformed, or on another host or port than
   base. */
struct str taxii_url_join(struct arena *a, struct str base, struct str reference);
/* Append a part to a URL, encoded. */
struct str taxii_url_segment(struct arena *a, struct str url, struct str segment);
void taxii_url_parameter(struct buf *url, const char *name, struct str value);

#endif
