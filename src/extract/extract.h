/* SPDX-License-Identifier: ISC */
/* Indicators in prose (C-132 to C-135, C-140). Pure: no I/O, time linear in the text, memory
   from the arena. */
#ifndef EXTRACT_EXTRACT_H
#define EXTRACT_EXTRACT_H

#include "extract/indicator.h"

/* A name of the vocabulary and one of its aliases (table vocabulary). */
struct extract_alias {
	struct str kind, name, alias;
	bool ambiguous; /* counts only beside another name of the report */
};

/* A value that a list of harmless values has (table benign_entry). */
struct extract_benign {
	struct str list, type, value;
};

struct extract_input {
	struct str text; /* any bytes; those that are no UTF-8 separate words */
	struct str url,
	    publisher; /* the report's own; null: not known. Their domains are own words */
	const struct extract_alias *aliases; /* sorted by alias */
	size_t naliases;
	const struct extract_benign *benign; /* sorted by type, then value */
	size_t nbenign;
	bool marks; /* the occurrences are wanted, too */
};

/* An occurrence of an indicator: bytes of the given text, in its order and apart from one another.
   A value that a line breaks is marked as far as the end of the line. */
struct extract_mark {
	size_t start, end;
	size_t indicator; /* its index in the output */
};

struct extract_output {
	const struct indicator
	    *indicators; /* each type and value once, in the order of the first occurrence */
	size_t n;
	bool truncated; /* LIM_REPORT_INDICATORS were reached */
	const struct indicator_name *names;
	size_t nnames;
	const struct extract_mark *marks;
	size_t nmarks;
	/* bytes read and candidates tried: the work, which tests compare with the length of the
	   text */
	size_t steps;
};

struct extract_output extract(struct arena *a, const struct extract_input *in);

#endif
