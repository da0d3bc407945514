/* SPDX-License-Identifier: ISC */
/* Requests over HTTPS by libcurl, which also reads the environment's proxies.
 *
 * A request may be repeated when a repetition cannot do harm: each GET, the aggregations, which are
 * POST but change nothing, and a POST with an Idempotency-Key. http_ask repeats it
 *
 *   when the connection breaks or cannot be made    after 0.25, 0.5, 1, 2 and 4 seconds
 *   after 429 and 503 with Retry-After              after that time, as long as --patience allows
 */
#ifndef CLIENT_HTTP_H
#define CLIENT_HTTP_H

#include "client/client.h"

struct ask {
	const char *method;
	struct str path;    /* below settings.url: "/search/hosts?q=..." */
	struct str body;    /* JSON; without pointer: none */
	const char *accept; /* NULL: JSON */
	const char *header; /* another header, "Name: value"; NULL: none */
	bool repeatable;
	/* HTTP/1.1, in which nothing is sent while the answer comes. A connection of HTTP/2 that
	   breaks loses the bytes that have come but are not read yet, because its acknowledgements
	   fail first. */
	bool one_way;
	/* Takes the bytes of an answer with a status below 300; false ends the transfer. NULL:
	   answer.body takes them. */
	bool (*take)(void *arg, long status, const char *bytes, size_t n);
	void *arg;
};

struct answer {
	long status;         /* 0: there is none; why has the reason */
	struct buf body;     /* in client.page */
	int64_t retry_after; /* seconds; -1: not sent */
	struct str etag;     /* without quotes and W/; without pointer: none */
	bool broken;         /* the connection ended before the answer did, or was never made */
	const char *why;
};

/* Sends the request, and again where that is allowed. DONE with answer.status set, or NO_ANSWER
   after a message. */
int http_ask(struct client *c, const struct ask *ask, struct answer *a) MUST_USE;
/* One attempt, for callers that continue a broken answer themselves. */
void http_try(struct client *c, const struct ask *ask, struct answer *a);
/* One attempt in two steps, for callers that run several at once: http_begin sets client.curl up,
   which the caller runs, and http_done gets its CURLcode. Each attempt needs a client of its own,
   and the ask lives until the second step. */
struct transfer *http_begin(struct client *c, const struct ask *ask, struct answer *a);
void http_done(struct transfer *t, int result);
/* Sleeps, whatever signals come. */
void http_pause(int64_t ms);
/* Waits before attempt number `tried` (from 1 on) of a request whose connection broke; false: that
   was the last. */
bool http_again(const struct client *c, int tried, const char *why);
/* True after the time that a 429 or 503 asks to wait; false if it asks for none or for more than
   --patience. */
bool http_wait(struct client *c, const struct answer *a);
/* The same without waiting: milliseconds; -1: there is no other attempt. */
int64_t http_again_ms(int tried);
int64_t http_wait_ms(struct client *c, const struct answer *a);
void http_end(struct client *c);

/* Appends "?name=value" or "&name=value", percent-encoded; a value without pointer appends
   nothing. */
void url_parameter(struct buf *path, const char *name, struct str value);
/* Appends one segment of a path, percent-encoded. */
void url_segment(struct buf *path, struct str segment);

#endif
