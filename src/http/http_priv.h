/* SPDX-License-Identifier: ISC */
/* Functions that the files of src/http share: the environment of a request, its path and its
   parameters, the headers of its body, and the answer to faulty fields. stages_priv.h has the
   stages. */
#ifndef HTTP_PRIV_H
#define HTTP_PRIV_H

#include "http/http.h"

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

/* Finds the row of a method and a raw request target. No I/O; decoded segments live in the
   arena. */
enum match router_match(struct arena *a, const struct route *const *tables, struct str method,
    struct str uri, struct router_match *out);

/* ---- params.c ---- */

/* Decodes the percent escapes of one part of a query string ('+' is a space there) or of one path
   segment. False on invalid escapes, NUL and invalid UTF-8 (C-058). */
enum plus { PLUS_IS_SPACE, PLUS_IS_PLUS };
bool percent_decode(struct arena *a, struct str part, enum plus plus, struct str *out) MUST_USE;
/* The parameters of a query string that select an account (C-011), even beside invalid ones. */
struct account_params {
	unsigned named; /* org_uuid, by which a person names an organisation: how often */
	unsigned other; /* any other such name */
	struct str org; /* the value of the last org_uuid */
};
void params_account(struct arena *a, struct str query, struct account_params *out);
bool is_override_name(struct str name);

/* ---- body.c ---- */

/* True for a Content-Type and a Content-Encoding that a body may have. No I/O. */
bool body_media_type(struct str value);
bool body_encoding(struct str value);

/* ---- meter.c ---- */

/* Writes the headers that show the rate of the key. */
void meter_headers(const struct req *rq, struct buf *b);

/* ---- error.c ---- */

struct field_error;
/* Answers with field errors; the message of the answer repeats the first. */
void answer_field_errors(struct req *rq, enum error e, struct field_error *errors, size_t n);
static inline int
fail_fields(struct req *rq, enum error e, struct field_error *errors, size_t n)
{
	answer_field_errors(rq, e, errors, n);
	return FAILED;
}

#endif
