/* SPDX-License-Identifier: ISC */
/* Between the files of the query parser: query.c (grammar), query_lex.c (characters, faults),
   query_field.c (tests of fields), query_value.c (typed values). All lives in the request's arena. */
#ifndef SEARCH_QUERY_PRIV_H
#define SEARCH_QUERY_PRIV_H

#include "base/limits.h"
#include "search/search.h"

struct parser {
	struct arena *a;
	enum dataset dataset;
	struct str text;
	size_t at; /* byte offset of what is read next */
	struct ts now;
	unsigned depth, clauses;
	bool nested; /* inside services:( ... ) */
	/* Inside field:( ... ), where words are values of the field. */
	const struct schema_field *group_of;
	struct query_fault *fault;
	struct query *out; /* gets the warnings */
};

/* A word or a phrase, without its quotes and escapes. */
struct word {
	struct str s;
	size_t at; /* byte offset in the query */
	bool quoted;
	bool wild;         /* has a * or ? that means a pattern */
	bool literal_star; /* has one that was escaped */
};

/* ---- query_lex.c ---- */

/* Records the fault at a byte offset, for the caller to return: NULL or false. */
void query_fail(struct parser *p, size_t offset, const char *fmt, ...) PRINTF(3, 4);
/* The user's text, short and harmless, for a message. */
const char *query_show(struct parser *p, struct str s);
bool lex_end(const struct parser *p);
void lex_space(struct parser *p);
/* Whether s stands here; passes it when so. */
bool lex_take(struct parser *p, const char *s);
/* The same for a keyword in any case, which must end at white space, a bracket, a quote or the end. */
bool lex_keyword(struct parser *p, const char *upper);
/* The text up to white space, ( ) or ", not passed, escapes included. */
struct str lex_raw(const struct parser *p);
/* Reads a phrase or a word that ends at white space, ( ) " or one of stops; it may be empty. */
bool lex_word(struct parser *p, const char *stops, struct word *out) MUST_USE;

/* ---- query_value.c: false after a fault ---- */

/* A value and, where it stands for a time span (a day), its last instant; else both are the same. */
struct span {
	struct value first, last;
};

/* The value of a word as MATCH and RANGE take it. */
bool value_span(struct parser *p, const struct schema_field *f, const struct word *w,
    struct span *v) MUST_USE;
bool value_dns(struct parser *p, const struct schema_field *f, const struct word *w,
    struct value *v) MUST_USE;
bool value_has_patterns(const struct schema_field *f);
bool value_pattern(struct parser *p, const struct schema_field *f, const struct word *w,
    struct value *v) MUST_USE;

/* ---- query_warn.c ---- */

/* Warns when no document has the value. exact: case is compared, too. */
void query_warn(
    struct parser *p, const struct schema_field *f, const struct word *w, bool exact);

/* ---- query_field.c: NULL or false after a fault ---- */

enum op { OP_MATCH, OP_EXACT, OP_DIFFERS, OP_GE, OP_LE, OP_GT, OP_LT };

struct node *node_new(struct parser *p, enum node_type type, size_t at);
/* Normal forms: no AND in AND, OR in OR, NOT of NOT. */
struct node *node_not(struct parser *p, struct node *kid);
struct node *node_join(
    struct parser *p, enum node_type type, struct node *a, struct node *b);
bool query_clause(struct parser *p, size_t at) MUST_USE; /* counts one */
bool query_deeper(
    struct parser *p, unsigned levels, size_t at) MUST_USE; /* asks, does not enter */
/* What follows "field op": reads the value. */
struct node *test_value(struct parser *p, const struct schema_field *f, enum op op);
struct node *test_range_or_set(struct parser *p, const struct schema_field *f);
/* A bare word or phrase, a bare list of addresses. */
struct node *test_bare(struct parser *p);
bool is_ip_list(struct str raw);
struct node *test_ip_list(struct parser *p);

#endif
