/* SPDX-License-Identifier: ISC */
/* Private to src/json: the scanner, the nodes of a tree, and exact integers. */
#ifndef JSON_JSON_PRIV_H
#define JSON_JSON_PRIV_H

#include "json/json.h"
#include "json/tree.h"

/* A node of a tree, in the arena of the scan. The scanner also uses it for the names of the open
   objects. */
struct json_value {
	union {
		const char *p;            /* STRING: unescaped; NUMBER, BOOL: as in the text */
		struct json_value *items; /* ARRAY, OBJECT */
	} u;
	const char *name; /* name of a member, unescaped */
	uint32_t n;       /* bytes of p, or number of items */
	uint32_t name_n;
	uint32_t tag; /* name_tag of the name, compared before the name itself */
	enum json_type type;
};

/* The position of a value in the text. */
struct span {
	uint32_t at, n;
};

enum scan_mode {
	SCAN_CHECK, /* only check */
	SCAN_SPANS, /* also record the span of each value, in the order of the first bytes */
	SCAN_TREE,  /* also build a tree; unescapes strings inside the text, so it must be a copy */
};

struct scan {
	struct arena *a;
	enum scan_mode mode;
	unsigned depth;
	bool nul_names;          /* names may contain \u0000, as RFC 8259 allows */
	struct json_fault fault; /* set when scan_text or scan_own returns false */
	struct json_value root;  /* SCAN_TREE */
	struct span *spans;      /* SCAN_SPANS */
	size_t nspans;
	size_t spans_room;
};

bool scan_text(struct scan *s, struct str text) MUST_USE;     /* SCAN_CHECK, SCAN_SPANS */
bool scan_own(struct scan *s, char *text, size_t n) MUST_USE; /* SCAN_TREE */

/* A short hash: equal names have equal tags. */
uint32_t name_tag(struct str name);

enum lexeme { LEXEME_INT, LEXEME_FRACTION, LEXEME_RANGE };

/* The exact integer value of a JSON number: 25.0 and 2.5e1 are 25, 2.5 is LEXEME_FRACTION
   (C-037). */
enum lexeme lexeme_int(struct str lexeme, int64_t *out);

/* True when the member is unset, as json.h defines it. */
bool field_unset(const struct field *f, const void *in);

/* Whether the row bounds its value. */
bool field_has_bounds(const struct field *f);

#endif
