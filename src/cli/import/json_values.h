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
 * Files have broken records, and a broken record must not spoil others. A value is over, although it
 * is incomplete,
 *
 *     where a line begins with "{" in the first column. A value that is spread over lines ("{" alone
 *     on its first line) may have such lines of its own, so there only where JSON allows no bracket
 *     where a line begins with "{" in the column in which the value began: [\n  {"a":[\n  {"b":1}]
 *     in a list, where an object has "{" in place of a name: [{"a":1,{"b":2}]
 *     in a list, at a bracket that closes nothing in the value: [{"a":1] and [[1},{"b":2}]
 *
 * Inside of a value "]" and "}" close what they can close, {"a":[1}, and a string ends with its line.
 * A quote that is missing in a list on one line, [{"a":"x},{"b":"y"}], is not found: nothing says
 * which quotes begin a string, so all of the line is one broken value. */
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
	uint64_t byte;      /* the same, from 1 */
	uint64_t element;   /* its number in its list, from 1; 0: it is in none */
	uint64_t taken;     /* bytes that source has returned */
	/* around the value */
	unsigned mark; /* bytes of a byte order mark that were skipped */
	bool array;    /* inside of an array of values */
	bool torn;     /* a value of the array was over before its brackets were */
	uint64_t elements;
	enum { WRAPPER_NONE, WRAPPER_ELEMENTS, WRAPPER_REST } wrapper;
	/* inside of the value */
	unsigned depth;
	uint64_t objects; /* a bit for each level of brackets, the innermost is bit 0: an object */
	bool in_string, escaped, scalar, spread, skipping;
	bool blank; /* only blanks precede the next byte in its line: as many as .indent */
	unsigned indent,
	    own_indent; /* own_indent: of the value; UINT_MAX: it began within a line */
	enum {
		RESYNC_NONE,
		RESYNC_ELEMENT, /* the value is over, and its list goes on */
		RESYNC_FILE     /* the next byte begins a new value of the file */
	} resync;
	char last;   /* the last byte outside of strings that is no blank */
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
