/* SPDX-License-Identifier: ISC */
/* Evidence of browser sessions. An image is a file named by its SHA-256, so equal images are stored
   once:

     evidence_directory/ab/cd/abcd...     two levels of folders, so that no folder becomes too large

   surfaced-dispatch writes the files, and the API serves them. */
#ifndef RESOURCE_EVIDENCE_H
#define RESOURCE_EVIDENCE_H

#include "base/base.h"

enum { EVIDENCE_HASH_LEN = 32 };

struct evidence_path {
	char outer[4000], inner[4000], file[4096]; /* folder, folder in it, file in that */
};

/* False: the path would be too long. */
bool evidence_path(
    const unsigned char sha256[EVIDENCE_HASH_LEN], struct evidence_path *out) MUST_USE;

#endif
