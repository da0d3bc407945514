/* SPDX-License-Identifier: ISC */
/* Reads the facts about some names from the database, for the judge of dangling DNS records
   (detection/dangling.h). */
#ifndef DETECT_DANGLING_H
#define DETECT_DANGLING_H

#include "detect/detector.h"
#include "detection/dangling.h"

struct dangling_assets {
	/* assets of the project that are, or are above, the names that were read */
	struct strs domains, hosts;
};

/* Reads all facts about the subjects of a look. No records are read for a name that the project no
   longer owns. */
enum db_rc dangling_read(
    struct look *l, struct dangling_world *w, struct dangling_assets *assets) MUST_USE;
/* Returns the asset that makes the name the project's: the host of this name, else the nearest
   domain above it. STR_NULL when there is none. *kind becomes the kind of the asset. */
struct str dangling_asset(const struct dangling_assets *assets, struct str name, const char **kind);

#endif
