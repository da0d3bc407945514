/* SPDX-License-Identifier: ISC */
/* Evidence of browser sessions: an image is a file below evidence_directory, named by its SHA-256. */
#ifndef RESOURCE_EVIDENCE_H
#define RESOURCE_EVIDENCE_H

#include "base/base.h"

enum { EVIDENCE_HASH_LEN = 32 };

struct evidence_path {
	char outer[4000], inner[4000], file[4096]; /* two folders, one in the other */
};

/* False: evidence_directory's name is too long. */
bool evidence_path(
    const unsigned char sha256[EVIDENCE_HASH_LEN], struct evidence_path *out) MUST_USE;

/* A header whose value is a credential or a cookie: evidence has its name alone. */
bool header_secret(struct str name);

#endif
