/* SPDX-License-Identifier: ISC */
/* Reads the facts about some names from the database, for the judge of dangling DNS records
   (detection/dangling.h). */
#ifndef DETECT_DANGLING_H
#define DETECT_DANGLING_H

#include "detect/detector.h"
#include "detection/dangling.h"

struct dangling_assets {
	struct strs domains, hosts; /* those of the project that concern the names */
};

/* Reads all facts about the subjects of a look. Names that are no longer the project's have no
   records. */
enum db_rc dangling_read(
    struct look *l, struct dangling_world *w, struct dangling_assets *assets) MUST_USE;
/* The asset of the project by which it has the name: the host, or the nearest domain. STR_NULL:
   none. */
struct str dangling_asset(const struct dangling_assets *assets, struct str name, const char **kind);
/* Writes bytes of a key as text. */
struct str dangling_hex(struct arena *a, struct str bytes);

#endif
