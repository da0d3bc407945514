/* SPDX-License-Identifier: ISC */
/* Assets: the domains, hosts, certificates and addresses of a project. Imports write them, and the
   API shows them.

     asset_in    one line of an import: names and times, no UUID       cli/import/esi_records.c checks it
     asset_out   an answer of the API, the columns ASSET_COLUMNS       api/surface/asset.c

   The two tables share struct asset. A member that only one of them has stays unset in the
   other. */
#ifndef RESOURCE_ASSET_H
#define RESOURCE_ASSET_H

#include "db/db.h"

struct asset {
	struct uuid uuid;
	struct str kind, name, discovery_channel, discovery_provider, source_name, source_ref;
	struct json metadata;
	struct ts created_at, updated_at, first_seen_at, last_seen_at;
};

/* The columns that asset_out describes. */
#define ASSET_COLUMNS                                                                              \
	"uuid, kind, name, metadata, created_at, updated_at, first_seen_at,"                       \
	" last_seen_at, discovery_channel, discovery_provider, source_name, source_ref"

extern const struct field asset_out[]; /* an answer of the API */
extern const struct field asset_in[];  /* a record of an import */

#endif
