/* SPDX-License-Identifier: ISC */
/* The files of the query parser share this state:
     query.c        the grammar, by recursive descent: groups, AND, OR, NOT, clauses
     query_field.c  tests of a field: values, sets, lists, ranges
     query_value.c  typed values
     query_lex.c    characters, words and phrases, and the message of a fault
     query_warn.c   warnings about values that no document has
   There is no separate pass of a lexer, because the meaning of a character depends on the grammar: a comma ends a word
   in a set and is a part of a word elsewhere. A function that fails has recorded the fault and returns NULL or false;
   its callers return at once. All memory is in the arena of the request. */
#ifndef SEARCH_QUERY_PRIV_H
#define SEARCH_QUERY_PRIV_H

#include "base/limits.h"
#include "search/search.h"

struct parser {
	struct arena *a;
	enum dataset dataset;
	struct str text;
	size_t at; /* byte offset of the next character */
	struct ts now;
	unsigned depth, clauses;
	bool nested; /* inside of services:( ... ) */
	/* The field, inside of field:( ... ), where words are its values; NULL elsewhere. */
	const struct schema_field *group_of;
	struct query_fault *fault;
	struct query *out; /* receives the warnings */
};

/* A word or a phrase, after its quotes and escapes were removed. */
struct word {
	struct str s;
	size_t at; /* byte offset in the query */
	bool quoted;
	bool wild;         /* contains a * or ? of a pattern */
	bool literal_star; /* contains an escaped * or ? */
};

/* ---- query_lex.c ---- */

/* Records a fault at a byte offset. */
void query_fail(struct parser *p, size_t offset, const char *fmt, ...) PRINTF(3, 4);
/* A text of the user for a message: shortened, and without control characters and markup. */
const char *query_show(struct parser *p, struct str s);
bool lex_end(const struct parser *p);
void lex_space(struct parser *p);
/* Passes s if it comes next. */
bool lex_take(struct parser *p, const char *s);
/* Passes a keyword in any case if it comes next and ends at white space, a bracket, a quote or the end. */
bool lex_keyword(struct parser *p, const char *upper);
/* The text up to white space, ( ) or ", with its escapes. Does not pass it. */
struct str lex_raw(const struct parser *p);
/* Reads a phrase or a word that ends at white space, ( ) " or one of stops; it may be empty. */
bool lex_word(struct parser *p, const char *stops, struct word *out) MUST_USE;

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
bool value_has_patterns(const struct schema_field *f);
bool value_pattern(
    struct parser *p, const struct schema_field *f, const struct word *w, struct value *v) MUST_USE;

/* ---- query_warn.c ---- */

/* Warns when no document can have the value. exact: the case must match, too. */
void query_warn(struct parser *p, const struct schema_field *f, const struct word *w, bool exact);

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
struct node *test_ip_list(struct parser *p);

#endif
