/* SPDX-License-Identifier: ISC */
/* Between the files of src/http alone. */
#ifndef HTTP_PRIV_H
#define HTTP_PRIV_H

#include "http/http.h"

/* The first NAME=value of the request, or STR_NULL; an empty value has p set and n 0. */
struct str env_get(const struct req *rq, const char *name);
unsigned env_count(const struct req *rq, const char *name);

/* ---- router.c: no I/O ---- */

enum match { MATCH_NONE, MATCH_METHOD, MATCH_FOUND };

struct router_match {
	const struct route *route;
	struct str captured[PATH_PARAMS];
	size_t ncaptured;
	const char *allow; /* the methods of the path, for a 405 */
	enum area area;
};

/* uri: the raw request target. Decoded segments live in the arena. */
enum match router_match(struct arena *a, const struct route *const *tables,
    struct str method, struct str uri, struct router_match *out);

/* ---- params.c ---- */

/* Percent escapes of one part of a query string ('+' is a space there) or of a path segment; false on
   bad escapes, NUL and bad UTF-8 (C-058). */
enum plus { PLUS_IS_SPACE, PLUS_IS_PLUS };
bool percent_decode(
    struct arena *a, struct str part, enum plus plus, struct str *out) MUST_USE;
/* True when a parameter selects an account (C-011), also among faulty ones. */
bool params_override(struct arena *a, struct str query);
bool override_name(struct str name);
int params_read(struct req *rq);

/* ---- body.c: pure ---- */

bool body_media_type(struct str value);
bool body_encoding(struct str value);
/* The stages. */
int body_check_type(struct req *rq);
int body_read(struct req *rq);
int body_decode(struct req *rq);

/* ---- handler.c ---- */

/* The handler; one that may change something in a transaction, which commits when it answers well. */
int handler_run(struct req *rq);

/* ---- auth.c ---- */

int auth_key(struct req *rq);
int auth_override(struct req *rq);
int auth_account(struct req *rq);
int auth_scope(struct req *rq);
int auth_entitlement(struct req *rq);
int auth_project(struct req *rq);

/* ---- idempotency.c ---- */

int idempotency_read(struct req *rq);

/* ---- meter.c ---- */

int meter_admit_request(struct req *rq);
/* What this answer does not cost. */
void meter_settle(struct req *rq);
void meter_headers(const struct req *rq, struct buf *b);

/* ---- metrics.c ---- */

void metrics_done(const struct req *rq);

/* ---- error.c ---- */

struct field_error;
int fail_fields(struct req *rq, enum error e, const struct field_error *errors, size_t n);

#endif
