/* SPDX-License-Identifier: ISC */
/* Findings. Imports write them; the API shows them and moves them between their states.

     finding_in     one line of an import: finding_key identifies the finding in its project; asset and service are
                    named by kind, name and key, and SQL finds their UUIDs
     finding_out    an answer of the API, the columns FINDING_COLUMNS
     finding_event_out  one event of its history, which a trigger of the table writes
     status         moved by clients, and by producers: seen_again and clear (tbl/finding_moves.h)

   sql/functions/finding.sql stores what producers find; it explains when they move a finding. They
   never move one that people have called a false positive or an accepted risk. */
#ifndef RESOURCE_FINDING_H
#define RESOURCE_FINDING_H

#include "db/db.h"

struct finding {
	struct uuid uuid, asset_uuid, service_uuid, created_by_membership_uuid,
	    resolved_by_membership_uuid, status_changed_by_membership_uuid;
	struct str finding_key, finding_type, exposure_kind, title, description, severity, status,
	    detector, status_note, discovery_channel, discovery_provider, source_name, source_ref;
	struct json evidence, confidence; /* an object of at most LIM_EVIDENCE bytes; 0 to 1 */
	bool stale;                       /* not seen for LIM_FINDING_STALE_DAYS */
	struct str asset_kind, asset_name, service_key; /* in imports, instead of UUIDs */
	bool absent; /* in imports: the data contradict the finding */
	struct ts created_at, updated_at, first_seen_at, last_seen_at, status_changed_at,
	    resolved_at;
};

extern const char *const finding_statuses[]; /* NULL ends the list */
/* The values of the filter status: active, which is open or acknowledged, and the statuses. */
extern const char *const finding_status_filter[];
/* The condition of the filter for a parameter such as "$5". */
#define FINDING_STATUS_IS(n)                                                                       \
	" AND (" n "::text IS NULL OR status = " n " OR (" n " = 'active'"                         \
	" AND status IN ('open', 'acknowledged')))"

/* The columns that finding_out describes. */
#define FINDING_COLUMNS                                                                            \
	"uuid, asset_uuid, service_uuid, finding_key, finding_type, exposure_kind,"                \
	" title, description, severity, status, status_note, created_at, updated_at,"              \
	" first_seen_at, last_seen_at, status_changed_at, resolved_at,"                            \
	" created_by_membership_uuid, resolved_by_membership_uuid,"                                \
	" status_changed_by_membership_uuid, discovery_channel, discovery_provider,"               \
	" source_name, source_ref, evidence, to_json(confidence) AS confidence, detector,"         \
	" finding_is_stale(last_seen_at) AS stale"

/* An event of the history. membership_uuid is of the person who caused it; a producer has none. */
struct finding_event {
	int64_t id;
	struct ts at;
	struct str event, from_status, to_status, severity;
	struct json confidence;
	struct uuid membership_uuid;
};

extern const struct field
    finding_event_row[]; /* with id, by which events of one moment are ordered */
extern const struct field finding_event_out[]; /* an answer of the API */
extern const struct field finding_out[];       /* an answer of the API */
extern const struct field finding_in[];        /* a record of an import */

#endif
