/* SPDX-License-Identifier: ISC */
/* The state of the parser, and the functions that read characters. Each lex_ function looks at the
 * text from p->at on; those that find their text pass it, and the others leave p->at as it was. */
#ifndef SEARCH_QUERY_LEX_PRIV_H
#define SEARCH_QUERY_LEX_PRIV_H

#include "search/query.h"

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

/* Records a fault at a byte offset. */
void query_fail(struct parser *p, size_t offset, const char *fmt, ...) PRINTF(3, 4);
/* A text of the user for a message: shortened, and without control characters and markup. */
const char *query_show(struct parser *p, struct str s);
bool lex_end(const struct parser *p);
void lex_space(struct parser *p);
/* Passes s if it comes next. */
bool lex_take(struct parser *p, const char *s);
/* Passes a keyword in any case if it comes next and ends at white space, a bracket, a quote or the
   end. */
bool lex_keyword(struct parser *p, const char *upper);
/* The text up to white space, ( ) or ", with its escapes. Does not pass it. */
struct str lex_raw(const struct parser *p);
/* Whether a word begins with a scheme and "://". It is text even when the scheme is the name of a
   field, and no pattern of a text even with a * or ? (C-417). */
bool lex_is_url(struct str raw);
/* Reads a phrase or a word that ends at white space, ( ) " or one of stops; it may be empty. */
bool lex_word(struct parser *p, const char *stops, struct word *out) MUST_USE;

#endif
