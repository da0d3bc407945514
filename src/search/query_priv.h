/* SPDX-License-Identifier: ISC */
/* The files of the query parser share this state:
     query.c        the grammar, by recursive descent: groups, AND, OR, NOT, clauses
     query_field.c  tests of a field: values, sets, lists, ranges
     query_value.c  typed values
     query_lex.c    characters, words and phrases, and the message of a fault
     query_warn.c   warnings about values that no document has
     query_never.c  warnings about tests that exclude one another
   There is no separate pass of a lexer, because the meaning of a character depends on the grammar:
   a comma ends a word in a set and is a part of a word elsewhere. A function that fails has
   recorded the fault and returns NULL or false; its callers return at once. All memory is in the
   arena of the request. */
#ifndef SEARCH_QUERY_PRIV_H
#define SEARCH_QUERY_PRIV_H

#include "base/limits.h"
#include "search/query_lex_priv.h"

/* ---- query_value.c: false after a fault ---- */

/* The first and the last instant of a date; for other types, the same value twice. */
struct span {
	struct value first, last;
};

/* Converts a word to a value for MATCH and RANGE. */
bool value_span(
    struct parser *p, const struct schema_field *f, const struct word *w, struct span *v) MUST_USE;
bool value_dns(
    struct parser *p, const struct schema_field *f, const struct word *w, struct value *v) MUST_USE;
/* The form that records have of a value, such as a hash without colons; s itself when it has none,
   and *fault says why as the end of a sentence. */
struct str value_canonical(
    struct parser *p, const struct schema_field *f, struct str s, const char **fault);
bool value_has_patterns(const struct schema_field *f);
bool value_pattern(
    struct parser *p, const struct schema_field *f, const struct word *w, struct value *v) MUST_USE;

/* ---- query_field.c: NULL or false after a fault ---- */

enum op { OP_MATCH, OP_EXACT, OP_DIFFERS, OP_GE, OP_LE, OP_GT, OP_LT };

struct node *node_new(struct parser *p, enum node_type type, size_t at);
/* These keep the tree normal: no AND in AND, no OR in OR, no NOT of NOT. */
struct node *node_not(struct parser *p, struct node *kid);
struct node *node_join(struct parser *p, enum node_type type, struct node *a, struct node *b);
/* Counts a test. Returns false above the limit. */
bool query_clause(struct parser *p, size_t at) MUST_USE;
/* Whether so many more levels are within the limit; the caller counts them. */
bool query_deeper(struct parser *p, unsigned levels, size_t at) MUST_USE;
/* Reads the value after "field op". */
struct node *test_value(struct parser *p, const struct schema_field *f, enum op op);
struct node *test_range_or_set(struct parser *p, const struct schema_field *f);
/* Reads a word or phrase without a field; test_ip_list: a list of addresses without a field. */
struct node *test_bare(struct parser *p);
bool is_ip_list(struct str raw);
/* Fails and returns true for an address with a port, where documents have ports. */
bool query_is_endpoint(struct parser *p, struct str raw) MUST_USE;
struct node *test_ip_list(struct parser *p);

#endif
