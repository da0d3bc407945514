/* SPDX-License-Identifier: ISC */
/* Assets: the domains, hosts, certificates and addresses of a project. Imports write them, and the API shows them. */
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
