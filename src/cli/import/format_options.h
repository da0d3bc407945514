/* SPDX-License-Identifier: ISC */
/* Options of single formats (tbl/format_options.h): parsed as texts with the other options of the
 * command, and checked when the format is known. */
#ifndef CLI_IMPORT_FORMAT_OPTIONS_H
#define CLI_IMPORT_FORMAT_OPTIONS_H

#include "cli/import/import.h"

#define FORMAT_TYPE_TEXT struct str
#define FORMAT_TYPE_URL struct str
#define FORMAT_TYPE_PORT struct str
#define FORMAT_TYPE_NUMBER struct opt
#define FORMAT_TYPE_FLAG bool

struct format_options {
#define FORMAT_OPTION(name, kind, formats, required) FORMAT_TYPE_##kind name;
#include "tbl/format_options.h"
#undef FORMAT_OPTION
};

enum {
#define FORMAT_OPTION(name, kind, formats, required) FORMAT_OPTION_##name,
#include "tbl/format_options.h"
#undef FORMAT_OPTION
	FORMAT_OPTIONS,
};

/* The options of a command line, before they are checked. */
struct format_arguments {
	struct str texts[FORMAT_OPTIONS];
	bool flags[FORMAT_OPTIONS];
};

struct cli;
struct cli_option;

/* Whether a list of formats, with a blank before and behind each, has this one. */
bool format_is_in(const char *formats, struct str name);
/* Fills FORMAT_OPTIONS rows of a table of options, which write into in. */
void format_options_rows(struct format_arguments *in, struct cli_option *rows);
/* Checks the options for the format. EXIT_OK, or the status to return after a message. */
int format_options_read(const struct cli *c, struct str format, const struct format_arguments *in,
    struct format_options *out) MUST_USE;

#endif
