/* SPDX-License-Identifier: ISC */
/* Inside src/json: the scanner that checks, records or builds, and numbers read from their lexemes. */
#ifndef JSON_JSON_PRIV_H
#define JSON_JSON_PRIV_H

#include "json/json.h"

/* Owned by the arena of the scan. Of a member, name is its unescaped name. */
struct json_value {
	union {
		const char *p; /* STRING: unescaped; NUMBER, BOOL: the lexeme */
		struct json_value *items; /* ARRAY, OBJECT */
	} u;
	const char *name;
	uint32_t n; /* bytes of p, or how many items */
	uint32_t name_n;
	uint32_t tag; /* cheap to compare before the name itself */
	enum json_type type;
};

/* Where a value stands in the text. */
struct span {
	uint32_t at, n;
};

enum scan_mode {
	SCAN_CHECK, /* nothing but the verdict */
	SCAN_SPANS, /* and a span for each value, parents before children, in the order of the text */
	SCAN_TREE, /* and json_values; unescapes inside the text, which must be ours */
};

struct scan {
	struct arena *a;
	enum scan_mode mode;
	unsigned depth;
	bool nul_names;          /* names may contain \u0000, as RFC 8259 allows */
	struct json_fault fault; /* when scan_text returned false */
	struct json_value root;  /* SCAN_TREE */
	struct span *spans;      /* SCAN_SPANS */
	size_t nspans;
	size_t spans_room;
};

bool scan_text(struct scan *s, struct str text) MUST_USE;     /* SCAN_CHECK, SCAN_SPANS */
bool scan_own(struct scan *s, char *text, size_t n) MUST_USE; /* SCAN_TREE */

uint32_t name_tag(struct str name);

enum lexeme { LEXEME_INT, LEXEME_FRACTION, LEXEME_RANGE };

/* The exact value of a number's lexeme: 25.0 and 2.5e1 are 25, 2.5 is a fraction (C-037). */
enum lexeme lexeme_int(struct str lexeme, int64_t *out);

/* True when the member has no value: what is written as null or left out. */
bool field_unset(const struct field *f, const void *in);

#endif
