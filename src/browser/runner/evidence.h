/* SPDX-License-Identifier: ISC */
/* One network event as evidence: network.c fills it from CDP's events, and these functions copy the
   parts that may be stored. Secret headers are replaced, user names in addresses are removed, and
   long values are cut. */
#ifndef BROWSER_RUNNER_EVIDENCE_H
#define BROWSER_RUNNER_EVIDENCE_H

#include "json/tree.h"
#include "wire/stream_messages.h"

#include <sys/queue.h>

SLIST_HEAD(blocks, block);

/* One event and the memory of its texts, which evidence_free frees as a whole. */
struct evidence {
	struct blocks blocks;
	struct net_event event;
};

struct str evidence_copy(struct evidence *e, struct str s);
/* The number as JSON. */
struct json evidence_number(struct evidence *e, int64_t n);
/* A copy of an address. User names are removed; an address that is not http, https, ws or wss is
   reduced to its scheme, because a data: or blob: address may contain a document. */
struct str evidence_url(struct evidence *e, struct str url);
/* A list of net_header from CDP's object of headers, secrets replaced. bytes, if not NULL: the size
   of all headers as text plus the content-length that they contain. */
struct list evidence_headers(struct evidence *e, const struct json_value *headers, int64_t *bytes);
/* details: a Network.SecurityDetails; NULL: no TLS. */
void evidence_tls(struct evidence *e, const struct json_value *details);
void evidence_free(struct evidence *e);

/* The size of the request's first line in HTTP/1.1. */
int64_t evidence_line(struct str method, struct str url);
/* The host and port of an http, https, ws or wss address; false for any other. */
bool evidence_origin(struct str url, struct str *host, int64_t *port) MUST_USE;

#endif
