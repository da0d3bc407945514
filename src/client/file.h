/* SPDX-License-Identifier: ISC */
/* Files of the customer: written whole or not at all. */
#ifndef CLIENT_FILE_H
#define CLIENT_FILE_H

#include "base/base.h"

/* Makes the folder of a file, and those above it, for this user alone. */
bool file_folder(const char *path) MUST_USE;
/* Writes the text to a temporary file of mode 0600 beside the path, and renames it. False with
   errno. */
bool file_replace(const char *path, struct str text) MUST_USE;

#endif
