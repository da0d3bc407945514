/* SPDX-License-Identifier: ISC */
/* Reads the exposed secrets and sensitive files of a project, which surfaced-detect finds
   (C-164). Answers contain a fingerprint and a preview, but no character that is particular
   to a secret. */
#include "config.h"

#include "api/surface/area.h"
#include "resource/finding.h"
#include "wire/values.h"

struct exposed {
	struct area_finding area;
	struct str secret_type, provider, fingerprint, preview, check, key_name, file_name, url,
	    matched_by, remediation;
	struct json length, location, locations, occurrences, size;
};

/* A place of a secret, as the database writes it. */
struct secret_place {
	struct str kind, url, ip;
	struct json port, line, offset;
};

static const struct field secret_place_out[] = {
	AREA_TEXT(struct secret_place, kind, "banner, title, header, body or url."),
	AREA_TEXT(struct secret_place, url, "The captured page."),
	AREA_TEXT(struct secret_place, ip, "The address of the service."),
	AREA_VALUE(struct secret_place, port, FIELD_INT, NULL),
	AREA_VALUE(struct secret_place, line, FIELD_INT, "From 1."),
	AREA_VALUE(struct secret_place, offset, FIELD_INT, "In bytes, from 0."),
	FIELD_END_OF("SecretPlace"),
};

/* clang-format off */
static const struct field secrets_out[] = {
	AREA_MEMBERS(struct exposed, "exposed_secret or sensitive_file."),
	AREA_TEXT(struct exposed, secret_type, "The kind of secret; see surfaced-api(7)."),
	AREA_TEXT(struct exposed, provider, "The issuer of such secrets."),
	AREA_TEXT(struct exposed, fingerprint, "Equal for equal secrets of the project."),
	AREA_TEXT(struct exposed, preview,
	    "The beginning that all secrets of the type share, and the length of this one."),
	AREA_VALUE(struct exposed, length, FIELD_INT, NULL),
	AREA_TEXT(struct exposed, check, "valid: its check digits are right; none: it has no check digits."),
	AREA_TEXT(struct exposed, key_name, "The identifier before it."),
	{ .name = "location", .type = FIELD_RAW, .item = FIELD_OBJECT, .flags = NULLABLE,
	  .offset = offsetof(struct exposed, location), .sub = secret_place_out,
	  .help = "The first of its places." },
	AREA_LIST(struct exposed, locations, LIM_SECRET_LOCATIONS, secret_place_out, NULL),
	AREA_VALUE(struct exposed, occurrences, FIELD_INT, "The number of its places."),
	AREA_TEXT(struct exposed, file_name, "The name of the sensitive file."),
	AREA_TEXT(struct exposed, url, "The address of the sensitive file."),
	AREA_VALUE(struct exposed, size, FIELD_INT, "Bytes of the sensitive file."),
	AREA_TEXT(struct exposed, matched_by, "Whether the address or the hostname makes it an asset of the project."),
	AREA_TEXT(struct exposed, remediation, NULL),
	FIELD_END_OF("ExposedSecret"),
};
/* clang-format on */

AREA_STATEMENTS(secrets, struct exposed, secrets_out,
    "secret_type, provider, fingerprint, preview, length, \"check\", key_name, location, locations,"
    " occurrences, file_name, url, size, matched_by, remediation",
    " AND ($10::text IS NULL OR secret_type = $10) AND ($11::text IS NULL OR provider = $11)");

static const char *const secret_kinds[] = { "exposed_secret", "sensitive_file", NULL };

struct secrets_args {
	struct area_args area;
	struct str secret_type, provider;
};

static const struct url_param secrets_params[] = {
	AREA_PARAMS(struct secrets_args, secret_kinds),
	FILTER(FIELD_STR, struct secrets_args, secret_type, .lo = 1, .hi = LIM_FILTER,
	    .help = "Exactly."),
	FILTER(FIELD_STR, struct secrets_args, provider, .lo = 1, .hi = LIM_FILTER,
	    .help = "Exactly."),
	URL_PARAM_END,
};

static const struct route secret_routes[] = {
	AREA_ROUTES(secrets, "secrets", struct secrets_args, "Secrets",
	    "exposed secrets and sensitive files"),
	ROUTE_END,
};

ROUTES(153, secret);
