/* SPDX-License-Identifier: ISC */
/* The members of a finding: in answers of the API and in imports. */
#include "config.h"

#include "base/limits.h"
#include "resource/finding.h"
#include "resource/origin.h"
#include "wire/values.h"

const char *const finding_statuses[] = { "open", "acknowledged", "accepted_risk", "false_positive",
	"resolved", NULL };
const char *const finding_status_filter[] = { "active", "open", "acknowledged", "accepted_risk",
	"false_positive", "resolved", NULL };

_Static_assert(LIM_EVIDENCE == 16384 && LIM_FINDING_STALE_DAYS == 30,
    "two help texts of finding_out have these numbers");

const struct field finding_out[] = {
	FIELD(struct finding, uuid, 0),
	FIELD(struct finding, asset_uuid, NULLABLE),
	FIELD(struct finding, service_uuid, NULLABLE),
	FIELD(struct finding, finding_key, 0),
	FIELD(struct finding, finding_type, 0),
	FIELD(struct finding, exposure_kind, NULLABLE),
	FIELD(struct finding, title, 0),
	FIELD(struct finding, description, NULLABLE),
	ONE_OF(struct finding, severity, 0, severities, NULL),
	ONE_OF(struct finding, status, 0, finding_statuses, NULL),
	FIELD(struct finding, status_note, NULLABLE),
	FIELD(struct finding, created_at, 0),
	FIELD(struct finding, updated_at, 0),
	FIELD(struct finding, first_seen_at, 0),
	FIELD(struct finding, last_seen_at, 0),
	FIELD(struct finding, status_changed_at, NULLABLE),
	FIELD(struct finding, resolved_at, NULLABLE),
	FIELD(struct finding, created_by_membership_uuid, NULLABLE),
	FIELD(struct finding, resolved_by_membership_uuid, NULLABLE),
	FIELD(struct finding, status_changed_by_membership_uuid, NULLABLE),
	ORIGIN(struct finding),
	{ .name = "evidence",
	    .type = FIELD_RAW,
	    .flags = NULLABLE,
	    .offset = offsetof(struct finding, evidence),
	    .item = FIELD_OBJECT,
	    .help = "At most 16384 bytes; truncated is true when its producer had more." },
	OPTIONAL(struct finding, confidence, FIELD_NUM, NULLABLE, 0, 1),
	{ .name = "detector",
	    .type = FIELD_STR,
	    .flags = NULLABLE,
	    .offset = offsetof(struct finding, detector),
	    .help = "null: imported." },
	{ .name = "stale",
	    .type = FIELD_BOOL,
	    .offset = offsetof(struct finding, stale),
	    .help = "Not seen for 30 days." },
	FIELD_END_OF("Finding"),
};

static const char *const finding_events[] = { "found", "changed",
#define FINDING_EVENT(id, event, path, end, what) event,
#define FINDING_CAUSE(event) event,
#include "tbl/finding_moves.h"
	NULL };

#define EVENT_MEMBERS                                                                              \
	FIELD(struct finding_event, at, 0),                                                        \
	    ONE_OF(struct finding_event, event, 0, finding_events,                                 \
		"changed: the severity or the confidence."),                                       \
	    ONE_OF(struct finding_event, from_status, NULLABLE, finding_statuses, NULL),           \
	    ONE_OF(struct finding_event, to_status, 0, finding_statuses, NULL),                    \
	    ONE_OF(struct finding_event, severity, 0, severities, NULL),                           \
	    OPTIONAL(struct finding_event, confidence, FIELD_NUM, NULLABLE, 0, 1),                 \
	    FIELD(struct finding_event, membership_uuid, NULLABLE)

const struct field finding_event_row[] = {
	EVENT_MEMBERS,
	FIELD(struct finding_event, id, 0),
	FIELD_END,
};

const struct field finding_event_out[] = {
	EVENT_MEMBERS,
	FIELD_END_OF("FindingEvent"),
};

const struct field finding_in[] = {
	IMPORTED_TEXT(struct finding, finding_key, REQUIRED, 1, IMPORTED_SHORT),
	IMPORTED_TEXT(struct finding, finding_type, 0, 1, IMPORTED_TYPE),
	IMPORTED_TEXT(struct finding, exposure_kind, 0, 1, IMPORTED_TYPE),
	IMPORTED_TEXT(struct finding, title, 0, 1, IMPORTED_SHORT),
	IMPORTED_TEXT(struct finding, description, 0, 1, IMPORTED_LONGEST),
	ONE_OF(struct finding, severity, OMIT_UNSET, severities, NULL),
	IMPORTED_TEXT(struct finding, status_note, 0, 1, IMPORTED_LONG),
	ONE_OF(struct finding, asset_kind, OMIT_UNSET, asset_kinds, NULL),
	IMPORTED_TEXT(struct finding, asset_name, 0, 1, IMPORTED_SHORT),
	IMPORTED_TEXT(struct finding, service_key, 0, 1, IMPORTED_SHORT),
	FIELD(struct finding, evidence, OMIT_UNSET),
	FIELD(struct finding, confidence, OMIT_UNSET),
	FIELD(struct finding, absent, 0),
	IMPORTED_ORIGIN(struct finding),
	FIELD_END,
};
