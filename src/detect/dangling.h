/* SPDX-License-Identifier: ISC */
/* What the database knows of some names, for the judge of dangling DNS records (detection/dangling.h). */
#ifndef DETECT_DANGLING_H
#define DETECT_DANGLING_H

#include "detect/detector.h"
#include "detection/dangling.h"

struct dangling_assets {
	struct strs domains, hosts; /* of the project, as far as they concern the names */
};

/* What is known of the names that a look is at. Names that are no longer the project's have no records. */
enum db_rc dangling_read(
    struct look *l, struct dangling_world *w, struct dangling_assets *assets) MUST_USE;
/* The asset of the project by which it has the name: the host, or the nearest domain. STR_NULL: none. */
struct str dangling_asset(const struct dangling_assets *assets, struct str name, const char **kind);
/* Writes bytes of a key as text. */
struct str dangling_hex(struct arena *a, struct str bytes);

#endif
