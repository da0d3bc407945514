/* SPDX-License-Identifier: ISC */
/* The upgrade request of a stream: the head of an HTTP/1 request, and the checks that make it a
   handshake (RFC 6455 section 4.2) for one session. Pure text: no socket, no database, nothing
   allocated. */
#ifndef STREAM_REQUEST_H
#define STREAM_REQUEST_H

#include "access/key.h"
#include "wire/error.h"

enum { REQUEST_HEADERS = 64, REQUEST_MAX = 16384 };

struct request {
	struct str method, target;
	int minor; /* the x of HTTP/1.x */
	size_t n;
	struct header {
		struct str name, value; /* value is trimmed */
	} headers[REQUEST_HEADERS];
};

enum request_rc { REQUEST_MORE, REQUEST_WHOLE, REQUEST_BAD };

/* Parses a request head; the strings of out point into text. *used is the length of the head
   including its empty line, or 0 until the head is complete. */
enum request_rc request_parse(struct str text, struct request *out, size_t *used);
/* The value of a header that occurs exactly once; otherwise STR_NULL. */
struct str request_header(const struct request *r, const char *name);
size_t request_count(const struct request *r, const char *name);
/* Whether any header of this name lists the member; lists are separated by commas, case is
   ignored. */
bool request_lists(const struct request *r, const char *name, const char *member);

enum { ACCEPT_LEN = 28 };

struct handshake {
	struct uuid project, session; /* from the path */
	struct secret subprotocol;    /* the ticket; points into the request */
	struct secret api_key;        /* a NULL text: the client sent none */
	char accept[ACCEPT_LEN + 1];
	bool refuse_by_close; /* the query is ?refusal=close */
};

/* Returns ERR_UNSET for a good handshake. It checks, in this order, the path and query, the method,
   the headers of the upgrade, the origin, and the credentials: one subprotocol, at most one API
   key. origins is a list like conf.stream_origins. */
enum error handshake_judge(
    const struct request *r, const char *origins, struct handshake *out) MUST_USE;

#endif
