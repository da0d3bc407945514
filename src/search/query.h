/* SPDX-License-Identifier: ISC */
/* The query language (C-720 to C-729): a text becomes a tree of typed tests. This part knows neither
 * HTTP nor engines.
 *
 * The life of a query:
 *
 *   "os:linux -services:(port:22 product:ssh)"                 the text of a request or of an alert rule
 *        |  query_parse: lexer, grammar, fields, values        query_priv.h
 *        v
 *   AND                                                        struct query: a tree of typed tests, with
 *    +- MATCH os "linux"                                       the position of each in the text, and
 *    +- NOT                                                    warnings about tests that nothing can pass
 *        +- NESTED
 *            +- AND
 *                +- MATCH services.port 22
 *                +- MATCH services.product "ssh"
 *        |                                 |
 *        v  search/engine.h                v  query_matches
 *   hosts of the index                one record in memory, for alert rules
 *
 * Every value has the type of its field when the tree exists: a name has become a struct
 * schema_field, a date such as now-7d a time, a network its bits. So an engine has no errors of
 * users to report. The parser is a pure function with bounded work, and its limits (LIM_QUERY_...)
 * bound the size and the depth of the tree.
 *
 * Both evaluations have to agree, so they share search/text.h and the comparisons of
 * search/value.h. A test compares the index with a naive evaluation of random queries
 * (t/unit/index_naive.c). */
#ifndef SEARCH_QUERY_H
#define SEARCH_QUERY_H

#include "search/schema.h"

/* MATCH (":") passes when a value matches one of `values`. The type decides how: a keyword matches
   in any case, a text when it has all tokens, a DNS name also as a subdomain, an address when the
   network contains it. A date is never a MATCH but a RANGE, because a day is many instants. EXACT
   ("=") passes when a value equals one of `values` exactly. It occurs on KEYWORD, TEXT (the whole
   value) and DNS; other types use MATCH. WILDCARD passes when a value matches one of the patterns:
   * any characters, ? one character, no escapes, any case. On KEYWORD and DNS the pattern covers
   the whole value, on TEXT one token. RANGE passes when a value is between lo and hi, at least one
   of which is set. It occurs on INTEGER, NUMBER, DATE and IP (by ip_cmp). */
enum node_type {
	NODE_ALL,    /* every document */
	NODE_AND,    /* two or more kids, none of them AND */
	NODE_OR,     /* two or more kids, none of them OR */
	NODE_NOT,    /* kids[0], which is not NOT */
	NODE_NESTED, /* kids[0], which tests fields of one service */
	NODE_EXISTS, /* the field has a value */
	NODE_MATCH,
	NODE_EXACT,
	NODE_WILDCARD,
	NODE_RANGE,
};

struct bound {
	bool set, inclusive;
	struct value v;
};

/* A test of a nested field outside of NODE_NESTED passes when any service of the host passes; NOT
   of it passes when no service does. Inside of NODE_NESTED all tests are about the same service. */
struct node {
	enum node_type type;
	uint32_t at; /* 1-based character position in the query text */
	struct node **kids;
	size_t nkids;
	const struct schema_field *field; /* of a test */
	bool bare;                        /* the user named no field: every text field is tested */
	struct value *values;             /* MATCH: none if no document can have one */
	size_t nvalues;
	struct bound lo, hi; /* RANGE */
};

struct query_warning {
	uint32_t at;        /* 1-based character position */
	struct str message; /* with the hint; never HTML or SQL */
};

enum { QUERY_WARNINGS = 8 };

struct query {
	enum dataset dataset;
	struct str text; /* as the client sent it */
	struct ts now;   /* the time that "now" means, and by which a certificate is expired */
	bool asks_now;   /* a value of the text is relative to now */
	const struct node *root;
	/* The first tests that no document can pass, in the order of the text (C-418). */
	struct query_warning warnings[QUERY_WARNINGS];
	size_t nwarnings;
};

struct query_fault {
	uint32_t at;        /* 1-based character position */
	struct str message; /* 1 to 400 characters, with the hint; never HTML or SQL */
};

/* now: the time that "now" means in the text. When this returns false, *fault has the position and
   the reason. The function is pure and its work is bounded (C-059). */
bool query_parse(struct arena *a, enum dataset d, struct str text, struct ts now, struct query *out,
    struct query_fault *fault) MUST_USE;

/* Lets the query find only documents that every account reads and those of this one (tbl/fields.h,
   GUARD). Without effect on a dataset that has no such field. Every query that is answered to an
   account has it. */
void query_restrict(struct arena *a, struct query *q, const struct uuid *account);

/* ---- a query on one record: conditions of alert rules (tbl/conditions.h) ---- */

struct json_value;

/* record: an object whose members have the names of the dataset's fields. A member that is null,
   absent or of another type than its field has no value; a list has the values of its items.
   scratch is reset repeatedly. */
bool query_matches(
    struct arena *scratch, const struct query *q, const struct json_value *record) MUST_USE;
/* Whether any test of the query is on the field. */
bool query_asks(const struct query *q, const char *field) MUST_USE;

#endif
