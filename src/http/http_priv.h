/* SPDX-License-Identifier: ISC */
/* Functions that the files of src/http share; each stage is called by the table in request.c alone. */
#ifndef HTTP_PRIV_H
#define HTTP_PRIV_H

#include "http/http.h"

/* The value of the first NAME=value of the request, or STR_NULL; an empty value has p set and n 0. */
struct str env_get(const struct req *rq, const char *name);
unsigned env_count(const struct req *rq, const char *name);

/* ---- router.c ---- */

enum match { MATCH_NONE, MATCH_METHOD, MATCH_FOUND };

struct router_match {
	const struct route *route;
	struct str captured[PATH_PARAMS];
	size_t ncaptured;
	const char *allow; /* the methods that the path has, for a 405 */
	enum area area;
};

/* Finds the row of a method and a raw request target. No I/O; decoded segments live in the arena. */
enum match router_match(struct arena *a, const struct route *const *tables, struct str method,
    struct str uri, struct router_match *out);

/* ---- params.c ---- */

/* Decodes the percent escapes of one part of a query string ('+' is a space there) or of one path segment.
   False on invalid escapes, NUL and invalid UTF-8 (C-058). */
enum plus { PLUS_IS_SPACE, PLUS_IS_PLUS };
bool percent_decode(struct arena *a, struct str part, enum plus plus, struct str *out) MUST_USE;
/* True when a parameter selects an account (C-011), even beside invalid parameters. */
bool params_override(struct arena *a, struct str query);
bool is_override_name(struct str name);
/* The stage: fills rq->params. */
int params_read(struct req *rq);

/* ---- body.c ---- */

/* True for a Content-Type and a Content-Encoding that a body may have. No I/O. */
bool body_media_type(struct str value);
bool body_encoding(struct str value);
/* The stages: the headers, the bytes in rq->body, the struct in rq->in. */
int body_check_type(struct req *rq);
int body_read(struct req *rq);
int body_decode(struct req *rq);

/* ---- handler.c ---- */

/* The last stage: runs the handler, inside a transaction when the operation may change something. */
int handler_run(struct req *rq);

/* ---- auth.c: the stages of authentication and authorisation ---- */

int auth_key(struct req *rq);
int auth_override(struct req *rq);
int auth_account(struct req *rq);
int auth_scope(struct req *rq);
int auth_entitlement(struct req *rq);
int auth_project(struct req *rq);

/* ---- idempotency.c ---- */

/* The stage: checks the header Idempotency-Key and stores it in rq. */
int idempotency_read(struct req *rq);

/* ---- meter.c ---- */

/* The stage: charges the request to the rates and quotas of its key, or refuses it. */
int meter_admit_request(struct req *rq);
/* Gives the charges back when the status of the answer costs nothing (C-069). */
void meter_settle(struct req *rq);
void meter_headers(const struct req *rq, struct buf *b);

/* ---- metrics.c ---- */

/* Adds the answer to the histogram of its operation and status. */
void metrics_count_answer(const struct req *rq);

/* ---- error.c ---- */

struct field_error;
/* Answers with field errors; the message of the answer repeats the first. */
int fail_fields(struct req *rq, enum error e, const struct field_error *errors, size_t n);

#endif
