/* SPDX-License-Identifier: ISC */
/* Splits an input into JSON values: one on each line, values over many lines as jq prints them, or one array of values.
 *
 * An array is never read as a whole: its elements are returned one by one, so its size does not matter. Inside of a
 * value only quotes and brackets are followed; the parser of the value judges the rest. Files have broken records, and
 * each may cost only itself: a line that begins with "{" in its first column begins a new value, whatever the value
 * before it lacks.
 *
 *     {"a":1}              [{"a":1},{"a":2}]         {                       {"a":"cut off
 *     {"a":2}                                          "a": 1                {"a":2}
 *                                                    }
 *     two values           two values                one value               a broken one and a good one */
#ifndef CLI_IMPORT_VALUES_H
#define CLI_IMPORT_VALUES_H

#include "cli/import/import.h"

struct values {
	struct source *src;
	struct buf text; /* the value so far, on the heap */
	struct str rest; /* unread bytes of the current line */
	uint64_t line;   /* where the value began */
	unsigned depth;
	bool begun, array, in_string, escaped;
	bool skipping; /* the value was too long, and the rest of it is unread */
};

enum values_next {
	VALUES_ONE,
	VALUES_BROKEN,   /* *out is the beginning of a value that does not end */
	VALUES_TOO_LONG, /* more than IMPORT_LINE bytes */
	VALUES_END,
};

void values_open(struct values *v, struct source *src);
void values_close(struct values *v);
/* out is valid until the next call. */
enum values_next values_next(struct values *v, struct str *out);

#endif
