/* SPDX-License-Identifier: ISC */
/* The members of a finding: in answers of the API and in imports. */
#include "config.h"

#include "resource/finding.h"
#include "resource/origin.h"
#include "wire/values.h"

const char *const finding_statuses[] = { "open", "acknowledged", "accepted_risk", "false_positive",
	"resolved", NULL };

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
	FIELD_END_OF("Finding"),
};

const struct field finding_in[] = {
	IMPORTED_TEXT(struct finding, finding_key, REQUIRED, 1, IMPORTED_SHORT),
	IMPORTED_TEXT(struct finding, finding_type, REQUIRED, 1, IMPORTED_TYPE),
	IMPORTED_TEXT(struct finding, exposure_kind, 0, 1, IMPORTED_TYPE),
	IMPORTED_TEXT(struct finding, title, REQUIRED, 1, IMPORTED_SHORT),
	IMPORTED_TEXT(struct finding, description, 0, 1, IMPORTED_LONGEST),
	ONE_OF(struct finding, severity, OMIT_UNSET, severities, NULL),
	IMPORTED_TEXT(struct finding, status_note, 0, 1, IMPORTED_LONG),
	ONE_OF(struct finding, asset_kind, OMIT_UNSET, asset_kinds, NULL),
	IMPORTED_TEXT(struct finding, asset_name, 0, 1, IMPORTED_SHORT),
	IMPORTED_TEXT(struct finding, service_key, 0, 1, IMPORTED_SHORT),
	IMPORTED_ORIGIN(struct finding),
	FIELD_END,
};
