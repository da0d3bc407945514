/* SPDX-License-Identifier: ISC */
/* Files that are one JSON value, as the publishers of lists write them. */
#ifndef CLI_IMPORT_JSON_FILE_H
#define CLI_IMPORT_JSON_FILE_H

#include "cli/cli.h"

struct json_value;

enum { JSON_FILE_TIME_S = 600 }; /* for storing a list */

/* The file as JSON; "-": standard input. NULL after a message. */
const struct json_value *json_file_read(struct arena *a, const char *path);
/* A text member of an object; STR_NULL: there is none. */
struct str json_file_text(const struct json_value *v, const char *name);
/* A list member of an object; NULL: there is none. */
const struct json_value *json_file_list(const struct json_value *v, const char *name);

#endif
