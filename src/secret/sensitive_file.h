/* SPDX-License-Identifier: ISC */
/* Files that nobody means to publish, by their paths (tbl/sensitive_files.h). Pure. */
#ifndef SECRET_SENSITIVE_FILE_H
#define SECRET_SENSITIVE_FILE_H

#include "base/base.h"

struct sensitive_kind {
	struct str title, remediation;
};

/* The kind of a file or, with a slash at its end, of a directory; NULL: it is not sensitive. */
const struct sensitive_kind *sensitive_file(struct str path);

#endif
