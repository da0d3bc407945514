/* SPDX-License-Identifier: ISC */
/* Recognises sensitive files by their paths (tbl/sensitive_files.h). Pure. */
#ifndef SECRET_SENSITIVE_FILE_H
#define SECRET_SENSITIVE_FILE_H

#include "base/base.h"

struct sensitive_kind {
	struct str title, remediation;
};

/* Returns the kind of a file, or of a directory when the path ends with a slash. NULL: it is not
   sensitive. */
const struct sensitive_kind *sensitive_file(struct str path);

#endif
