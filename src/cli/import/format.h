/* SPDX-License-Identifier: ISC */
/* The formats of tbl/formats.h, by name and by the beginning of a file (tbl/format_signs.h). */
#ifndef CLI_IMPORT_FORMAT_H
#define CLI_IMPORT_FORMAT_H

#include "cli/import/records.h"

struct format {
	enum dataset dataset;
	const char *name, *help;
	records_reader *records;
};

/* A format that is known and not read: "output of Shodan", and what to do instead. */
struct format_foreign {
	const char *name, *advice;
};

/* NULL: the dataset has no format of that name. */
const struct format *format_find(enum dataset d, struct str name);
/* Guesses the format from the first bytes, which stay unread; NULL: none is known. */
const struct format *format_guess(enum dataset d, struct source *s);
/* Does the same for formats that are not read; NULL: it is none of them. */
const struct format_foreign *format_foreign(struct source *s);
/* Walks the formats of a dataset: for NULL it returns the first one, and for the last one NULL. */
const struct format *format_next(enum dataset d, const struct format *f);

/* Whether the format's reader has records of the dataset, too. */
bool format_feeds(const struct format *f, enum dataset d);

/* format_help.c, a part of surfacectl. For --format: the format of that name, or NULL for "auto";
   *status is EXIT_OK, or the status to return after a message. */
struct cli;
struct command;
const struct format *format_option(
    const struct cli *c, enum dataset d, struct str name, int *status);
/* For --also: the datasets of a list with commas, without d itself, as in struct records. EXIT_OK,
   or the status to return after a message. */
int format_also_option(
    const struct cli *c, enum dataset d, struct str list, unsigned *also) MUST_USE;
/* The names of the formats of a dataset, with commas, for a message. */
const char *format_names(const struct cli *c, enum dataset d);
/* Prints the formats of the dataset that the command imports, or of all of them for "import"
   itself. */
void format_print_help(const struct command *cmd);

#endif
