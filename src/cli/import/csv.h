/* SPDX-License-Identifier: ISC */
/* CSV of tools as the objects that the same tools write as JSON, so one function reads both: a row
 * becomes an object whose members are the columns, all of them texts.
 *
 *     saddr,sport,success            {"saddr":"192.0.2.1","sport":"443","success":"1"}
 *     192.0.2.1,443,1         -->
 *
 * A value may be in quotes. Some writers double the quotes inside of it, others do not, so a quote
 * ends the value only in front of a comma or the end of the line. A value does not continue on the
 * next line. */
#ifndef CLI_IMPORT_CSV_H
#define CLI_IMPORT_CSV_H

#include "cli/import/records.h"

struct csv {
	const char *key; /* a column that each file has; the line with its name is the header */
	/* the names of the columns of a file without a header, with commas; STR_NULL: none are
	   known */
	struct str columns;
	/* Names, with commas, of the columns that the header has as one column without a name;
	   NULL: there is no such column. */
	const char *unnamed;
};

/* Splits a line into its values; returns their number. */
size_t csv_split(struct arena *a, struct str line, struct str **out);
/* Calls take for each row below the header and reports the others as bad. */
void records_csv(struct records *rs, const struct csv *form, records_value *take, void *arg);

#endif
