/* SPDX-License-Identifier: ISC */
/* The parts of a look-up that the history of the same record has, too (history.c): reading its path
 * and its times. Each function fails with invalid_search_parameter (C-411). */
#ifndef API_SEARCH_LOOKUP_H
#define API_SEARCH_LOOKUP_H

#include "http/http.h"

/* Fails: the parameter must be such a thing. */
int lookup_fail(struct req *rq, const char *name, const char *what);
/* The canonical address in the path, and the key of its host. */
int lookup_host(struct req *rq, struct str *ip, struct str *key);
/* The domain in the path, and its registrable domain where that is another one: n is 1 or 2. */
int lookup_domain(struct req *rq, struct str names[2], size_t *n);
/* A time; TS_NULL when the parameter was not sent. */
int lookup_time(struct req *rq, const char *name, struct str text, struct ts *out);

/* For openapi.json; the first has the port and the transport of a service, too. */
extern const struct url_param lookup_host_path[], lookup_domain_path[];

#endif
