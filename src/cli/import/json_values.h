/* SPDX-License-Identifier: ISC */
/* Splits an input into JSON values: one on each line, values over many lines as jq prints them,
 * arrays of values, or the elements of one member of an object.
 *
 * An array is never read as a whole: its elements are returned one by one. So neither the size of
 * the file nor the length of a line is bounded, only that of one value (IMPORT_LINE). Inside of a
 * value only quotes and brackets are followed; the parser of the value checks the rest.
 *
 *     {"a":1}              [{"a":1},{"a":2}]         {                       {"a":"cut off
 *     {"a":2}                                          "a": 1                {"a":2}
 *                                                    }
 *     two values           two values                one value               a broken one and a good one
 *
 *     member "entries":    {"entries":[{"a":1},{"a":2}],"x":3}     two values; the object around them is dropped
 *                          {"error":"none"}                        has no such member: one value
 *
 * Files have broken records, and a broken record must not spoil others: a line with "{" in its
 * first column begins a new value, even if the value before it is incomplete. A value that is
 * spread over lines ("{" alone on its first line) may have such lines of its own, so there the
 * bracket begins a new value only where JSON allows none. */
#ifndef CLI_IMPORT_JSON_VALUES_H
#define CLI_IMPORT_JSON_VALUES_H

#include "cli/import/import.h"

struct json_values {
	struct source *src;
	const char *member; /* NULL: none */
	struct buf text;    /* the value so far, on the heap */
	struct str whole;   /* the value, there or in the source's buffer */
	struct str rest;    /* unread bytes of the source's buffer */
	uint64_t line;      /* where the value began */
	/* around the value */
	unsigned mark; /* bytes of a byte order mark that were skipped */
	bool array;    /* inside of an array of values */
	enum { WRAPPER_NONE, WRAPPER_ELEMENTS, WRAPPER_REST } wrapper;
	/* inside of the value */
	unsigned depth;
	uint64_t objects; /* a bit for each level of brackets, the innermost is bit 0: an object */
	bool in_string, escaped, scalar, spread, skipping;
	bool first_column; /* the next byte is the first of its line */
	bool resync;       /* the next byte begins a new value */
	char last;         /* the last byte outside of strings that is no blank */
	int matched; /* bytes of .member that the current name has matched; negative: it differs */
};

enum json_values_next {
	JSON_VALUE,
	JSON_VALUE_BROKEN,   /* *out is the beginning of a value that does not end */
	JSON_VALUE_TOO_LONG, /* more than IMPORT_LINE bytes */
	JSON_VALUES_END,
};

/* member: NULL, or the member whose elements are values of their own. */
void json_values_open(struct json_values *v, struct source *src, const char *member);
void json_values_close(struct json_values *v);
/* out is valid until the next call. */
enum json_values_next json_values_next(struct json_values *v, struct str *out);

#endif
