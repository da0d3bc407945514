/* SPDX-License-Identifier: ISC */
/* A captured web page, which every format of surfacectl import content is read into. */
#ifndef CLI_IMPORT_PAGE_H
#define CLI_IMPORT_PAGE_H

#include "base/base.h"

struct page {
	struct str url, title, content_type, body;
	struct str headers; /* lines "name: value" */
	int64_t status;     /* 0: unknown */
	struct ts captured_at;
	/* the providers that answer unclaimed names with such a page */
	struct strs takeover_providers;
};

/* Fills status, headers, content_type and body from a response of HTTP/1. NULL, or the fault as the
   end of a sentence. */
const char *page_of_http(struct arena *a, struct str response, struct page *out) MUST_USE;
/* Checks a page, and takes a title from its body when it has none. NULL, or the fault. */
const char *page_finish(struct arena *a, struct page *p) MUST_USE;
/* The host of the URL of a page in lower case, without brackets. */
struct str page_hostname(struct arena *a, const struct page *p);

#endif
