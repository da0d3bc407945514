/* SPDX-License-Identifier: ISC */
/* The address of an open directory, from the option --url. */
#ifndef CLI_IMPORT_AUTOINDEX_H
#define CLI_IMPORT_AUTOINDEX_H

#include "record/record.h"

/* Makes an unfinished record with url, host or ip, port and path. False: the text is no URL of a
   directory over HTTP. */
bool autoindex_record(struct arena *a, struct str url, struct record *out) MUST_USE;

#endif
