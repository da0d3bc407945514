/* SPDX-License-Identifier: ISC */
/* The members of a service: in answers of the API and in imports. */
#include "config.h"

#include "base/limits.h"
#include "resource/origin.h"
#include "resource/service.h"
#include "wire/values.h"

/* An open finding that names the service, as the database writes it. */
struct service_exposure {
	struct uuid finding_uuid;
	struct str kind, severity;
};

static const struct field service_exposure_out[] = {
	FIELD(struct service_exposure, finding_uuid, 0),
	ONE_OF(struct service_exposure, kind, 0, NULL,
	    "database, remote_admin and so on, or the type of the finding."),
	ONE_OF(struct service_exposure, severity, 0, severities, NULL),
	FIELD_END_OF("ServiceExposure"),
};

/* clang-format off */
const struct field service_out[] = {
	FIELD(struct service, uuid, 0),
	FIELD(struct service, asset_uuid, 0),
	FIELD(struct service, service_key, 0),
	FIELD(struct service, protocol, NULLABLE),
	OPTIONAL(struct service, confidence, FIELD_NUM, NULLABLE, 0, 1),
	LIST_OF(struct service, technologies, 0, struct str, 0, 0),
	OPTIONAL(struct service, tls_enabled, FIELD_BOOL, NULLABLE, 0, 0),
	OPTIONAL(struct service, metadata, FIELD_OBJECT, 0, 0, 0),
	FIELD(struct service, created_at, 0),
	FIELD(struct service, updated_at, 0),
	FIELD(struct service, first_seen_at, 0),
	FIELD(struct service, last_seen_at, 0),
	FIELD(struct service, last_observed_at, 0),
	ORIGIN(struct service),
	FIELD(struct service, endpoint, NULLABLE),
	FIELD(struct service, hostname, NULLABLE),
	FIELD(struct service, ip, NULLABLE),
	OPTIONAL(struct service, port, FIELD_INT, NULLABLE, 0, 65535),
	FIELD(struct service, url, NULLABLE),
	FIELD(struct service, product, NULLABLE),
	FIELD(struct service, service_name, NULLABLE),
	FIELD(struct service, version, NULLABLE),
	OPTIONAL(struct service, http_status_code, FIELD_INT, NULLABLE, 100, 999),
	FIELD(struct service, http_title, NULLABLE),
	FIELD(struct service, tls_certificate_asset_uuid, NULLABLE),
	{ .name = "exposures", .type = FIELD_RAW, .item = FIELD_LIST, .offset = offsetof(struct service, exposures),
	  .hi = LIM_SERVICE_EXPOSURES, .sub = service_exposure_out, .help = "The open findings that name it, the worst first." },
	FIELD_END_OF("AssetService"),
};
/* clang-format on */

const struct field service_in[] = {
	IMPORTED_TEXT(struct imported_service, service_key, 0, 1, IMPORTED_SHORT),
	ONE_OF(struct imported_service, asset_kind, OMIT_UNSET, asset_kinds, NULL),
	IMPORTED_TEXT(struct imported_service, asset_name, 0, 1, IMPORTED_SHORT),
	IMPORTED_TEXT(struct imported_service, tls_certificate_sha256, 0, 1, IMPORTED_SHORT),
	IMPORTED_TEXT(struct imported_service, protocol, LOWER, 1, IMPORTED_SHORT),
	NUMBER(struct imported_service, confidence, 0, 0, 1, 0),
	LIST_OF(struct imported_service, technologies, OMIT_UNSET, struct str, 0, IMPORTED_SHORT),
	FIELD(struct imported_service, tls_enabled, OMIT_UNSET),
	FIELD(struct imported_service, metadata, OMIT_UNSET),
	FIELD(struct imported_service, last_observed_at, OMIT_UNSET),
	IMPORTED_ORIGIN(struct imported_service),
	IMPORTED_TEXT(struct imported_service, endpoint, 0, 1, IMPORTED_LONG),
	IMPORTED_TEXT(struct imported_service, hostname, 0, 1, IMPORTED_HOSTNAME),
	IMPORTED_TEXT(struct imported_service, ip, 0, 1, IMPORTED_SHORT),
	NUMBER(struct imported_service, port, 0, 0, 65535, -1),
	IMPORTED_TEXT(struct imported_service, url, 0, 1, IMPORTED_LONG),
	IMPORTED_TEXT(struct imported_service, product, 0, 1, IMPORTED_SHORT),
	IMPORTED_TEXT(struct imported_service, service_name, 0, 1, IMPORTED_SHORT),
	IMPORTED_TEXT(struct imported_service, version, 0, 1, IMPORTED_SHORT),
	NUMBER(struct imported_service, http_status_code, 0, 100, 999, -1),
	IMPORTED_TEXT(struct imported_service, http_title, 0, 0, IMPORTED_LONG),
	FIELD_END,
};
