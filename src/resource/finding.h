/* SPDX-License-Identifier: ISC */
/* Findings. Imports write them; the API shows them and moves them between their states.

     finding_in     one line of an import: finding_key identifies the finding in its project; asset and service are
                    named by kind, name and key, and SQL finds their UUIDs
     finding_out    an answer of the API, the columns FINDING_COLUMNS
     status         moved by clients and, when a resolved finding is seen again, by imports (tbl/finding_moves.h)

   Apart from that move an import never changes a status, so a repeated import leaves the decisions of
   people as they are. */
#ifndef RESOURCE_FINDING_H
#define RESOURCE_FINDING_H

#include "db/db.h"

struct finding {
	struct uuid uuid, asset_uuid, service_uuid, created_by_membership_uuid,
	    resolved_by_membership_uuid, status_changed_by_membership_uuid;
	struct str finding_key, finding_type, exposure_kind, title, description, severity, status,
	    status_note, discovery_channel, discovery_provider, source_name, source_ref;
	struct str asset_kind, asset_name, service_key; /* in imports, instead of UUIDs */
	struct ts created_at, updated_at, first_seen_at, last_seen_at, status_changed_at,
	    resolved_at;
};

extern const char *const finding_statuses[]; /* NULL ends the list */

/* The columns that finding_out describes. */
#define FINDING_COLUMNS                                                                            \
	"uuid, asset_uuid, service_uuid, finding_key, finding_type, exposure_kind,"                \
	" title, description, severity, status, status_note, created_at, updated_at,"              \
	" first_seen_at, last_seen_at, status_changed_at, resolved_at,"                            \
	" created_by_membership_uuid, resolved_by_membership_uuid,"                                \
	" status_changed_by_membership_uuid, discovery_channel, discovery_provider,"               \
	" source_name, source_ref"

extern const struct field finding_out[]; /* an answer of the API */
extern const struct field finding_in[];  /* a record of an import */

#endif
