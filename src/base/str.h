/* SPDX-License-Identifier: ISC */
/* Counted strings: a pointer and a length. A struct str never owns its bytes, and a NUL does not
   end it. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include "base/compiler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str {
	const char *p;
	size_t n;
};

struct strs {
	const struct str *p;
	size_t n;
};

#define STR(literal) ((struct str){ "" literal, sizeof(literal) - 1 })
#define STR_INIT(literal)                                                                          \
	{                                                                                          \
		"" literal, sizeof(literal) - 1                                                    \
	} /* the same as an initializer, for static tables */
#define STR_NULL ((struct str){ NULL, 0 })

struct str str_of(const char *z); /* z may be NULL: STR_NULL */
bool str_eq(struct str a, struct str b);
bool str_is(struct str a, const char *z);
bool str_is_nocase(struct str a, const char *z); /* ASCII letters of either case are equal */
int str_cmp(struct str a, struct str b);         /* by bytes; a prefix comes first */
bool str_starts(struct str s, struct str prefix);
bool str_ends(struct str s, struct str suffix);
/* True when host is zone or ends in "." and zone: whole labels of a DNS name. */
bool str_within(struct str host, struct str zone);
/* Write the text into room, which has s.n bytes. arena_lower and arena_upper (memory.h) allocate
   it. */
struct str str_lower_ascii(char *room, struct str s);
struct str str_upper_ascii(char *room, struct str s);
/* True for a text that is not empty and has neither blanks nor control characters. Underscores,
   stars and UTF-8 occur in the names that scanners find, so all of them are allowed. */
bool str_graphic(struct str s);
/* Removes Unicode White_Space at both ends; s must be valid UTF-8 (C-034). */
struct str str_trim(struct str s);
/* The number of code points of a valid UTF-8 text. */
size_t str_chars(struct str s);
/* The beginning of a valid UTF-8 text: at most chars code points, or the code points that fit into
   bytes. */
struct str str_cut(struct str s, size_t chars);
struct str str_cut_bytes(struct str s, size_t bytes);
/* Offset of the first byte that is not well-formed UTF-8 (RFC 3629), or s.n. */
size_t str_utf8_bad(struct str s);
/* Writes the text; one without pointer has no bytes. The stream keeps a failure for ferror. */
void str_write(struct str s, FILE *to);
/* Parses the whole text as a decimal number with an optional '-'; false when it is not an int64. */
bool str_int64(struct str s, int64_t *out) MUST_USE;

#endif
