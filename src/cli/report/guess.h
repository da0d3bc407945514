/* SPDX-License-Identifier: ISC */
/* The formats of surfacectl import reports, and how the format of a file is guessed. */
#ifndef CLI_REPORT_GUESS_H
#define CLI_REPORT_GUESS_H

#include "cli/report/reading.h"

enum { REPORT_GUESSED = 32768 }; /* bytes of a file that decide */

struct report_format {
	const char *name, *sign, *help;
	report_reader *read;
	bool describes; /* options describe the report */
};

/* NULL: there is no format of that name. */
const struct report_format *report_format_find(struct str name);
/* Walks the formats: for NULL it returns the first one, and for the last one NULL. */
const struct report_format *report_format_next(const struct report_format *f);
/* Guesses by the beginning of a file, unpacked, and where that does not decide by the ending of its
   name. NULL: our own documents. */
const struct report_format *report_format_guess(struct str name, struct str head);

#endif
