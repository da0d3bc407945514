/* SPDX-License-Identifier: ISC */
/* A request as evidence: what Chromium tells of it in pieces, put together without what is secret. */
#ifndef BROWSER_RUNNER_EVIDENCE_H
#define BROWSER_RUNNER_EVIDENCE_H

#include "wire/stream_messages.h"

#include <sys/queue.h>

SLIST_HEAD(blocks, block);

/* Memory of one request, freed at once. */
struct evidence {
	struct blocks blocks;
	struct net_event event;
};

struct str evidence_keep(struct evidence *e, struct str s);
/* A number as JSON. */
struct json evidence_number(struct evidence *e, int64_t n);
/* An address: what is no http or ws one is named by its scheme alone, user names are removed. */
struct str evidence_url(struct evidence *e, struct str url);
/* The object of headers, names to values, secrets replaced. bytes, if not NULL: of all of them as text, and of
   the body that one of them announces. */
struct list evidence_headers(
    struct evidence *e, const struct json_value *headers, int64_t *bytes);
/* Of Network.SecurityDetails. */
void evidence_tls(struct evidence *e, const struct json_value *details);
void evidence_free(struct evidence *e);

/* Bytes of a request's first line as HTTP/1.1 has it. */
int64_t evidence_line(struct str method, struct str url);
/* "host", port of an http, https, ws or wss address; false for another one. */
bool evidence_origin(struct str url, struct str *host, int64_t *port) MUST_USE;

#endif
