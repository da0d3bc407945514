/* SPDX-License-Identifier: ISC */
/* Reads the AI surface and the exposed services of a project, which rules of the catalogue find
   (C-164). */
#include "config.h"

#include "api/surface/area.h"
#include "resource/finding.h"
#include "wire/values.h"

/* The members of the evidence in both areas. */
struct exposure {
	struct area_finding area;
	struct str category, product, version, auth, endpoint, ip, transport, hostname, matched_by;
	struct json port, tls_enabled, suspect, matched;
	struct list models, capabilities;
	struct uuid rule_uuid;
};

/* A test of the rule and the value that passed it, as the database writes them. */
struct passed {
	struct str field, value;
};

static const struct field passed_out[] = {
	AREA_TEXT(struct passed, field, "A field of the dataset services."),
	AREA_TEXT(struct passed, value, "At most 256 characters."),
	FIELD_END_OF("ExposureMatch"),
};

/* clang-format off */
#define EXPOSURE_MEMBERS                                                                           \
	AREA_TEXT(struct exposure, version, "The version of the product, if the service names it."),        \
	AREA_TEXT(struct exposure, auth, "none: no login; required; or unknown."),                 \
	AREA_TEXT(struct exposure, endpoint, "The address and the port."),                         \
	AREA_TEXT(struct exposure, ip, NULL),                                                      \
	AREA_VALUE(struct exposure, port, FIELD_INT, NULL),                                        \
	AREA_TEXT(struct exposure, hostname, NULL)
#define EXPOSURE_ORIGIN                                                                            \
	FIELD(struct exposure, rule_uuid, NULLABLE),                                               \
	AREA_VALUE(struct exposure, suspect, FIELD_BOOL,                                           \
	    "The host answers on more than 50 ports, so it may be a decoy."),              \
	AREA_TEXT(struct exposure, matched_by, "Whether the address or the hostname makes it an asset of the project.")

static const struct field ai_surface_out[] = {
	AREA_MEMBERS(struct exposure, "The category."),
	AREA_TEXT(struct exposure, category, "ai/inference, ai/gateway, ai/agent, ai/mcp and so on."),
	AREA_TEXT(struct exposure, product, "The product that the rule recognises."),
	EXPOSURE_MEMBERS,
	{ .name = "models", .type = FIELD_LIST, .item = FIELD_STR, .size = sizeof(struct str), .hi = LIM_AI_MODELS,
	  .offset = offsetof(struct exposure, models), .help = "Models that an import names." },
	LIST_OF(struct exposure, capabilities, 0, struct str, 0, 0),
	EXPOSURE_ORIGIN,
	FIELD_END_OF("AiSurface"),
};

static const struct field exposures_out[] = {
	AREA_MEMBERS(struct exposure, "database, remote_admin, admin_panel, orchestration and so on."),
	AREA_TEXT(struct exposure, product, "The name that the service gives."),
	EXPOSURE_MEMBERS,
	AREA_TEXT(struct exposure, transport, NULL),
	AREA_VALUE(struct exposure, tls_enabled, FIELD_BOOL, NULL),
	AREA_LIST(struct exposure, matched, LIM_OBSERVED_FIELDS, passed_out, "The tests of the rule that passed."),
	EXPOSURE_ORIGIN,
	FIELD_END_OF("Exposure"),
};
/* clang-format on */

#define EXPOSURE_FILTERS                                                                           \
	" AND ($10::text IS NULL OR lower(product) = lower($10)) AND ($11::text IS NULL OR auth "  \
	"= $11)"

AREA_STATEMENTS(ai_surface, struct exposure, ai_surface_out,
    "category, product, version, auth, endpoint, ip, port, hostname, models, capabilities,"
    " rule_uuid, suspect, matched_by",
    EXPOSURE_FILTERS " AND ($12::text IS NULL OR category = $12)");
AREA_STATEMENTS(exposures, struct exposure, exposures_out,
    "product, version, auth, endpoint, ip, port, hostname, transport, tls_enabled, matched,"
    " rule_uuid, suspect, matched_by",
    EXPOSURE_FILTERS);

static const char *const auth_values[] = { "none", "required", "unknown", NULL };

/* exposures have the parameters before category. */
struct exposure_args {
	struct area_args area;
	struct str product, auth, category;
};

#define EXPOSURE_PARAMS                                                                            \
	AREA_PARAMS(struct exposure_args, NULL),                                                   \
	    FILTER(FIELD_STR, struct exposure_args, product, .lo = 1, .hi = LIM_FILTER,            \
		.help = "In any case."),                                                           \
	    FILTER(FIELD_STR, struct exposure_args, auth, .values = auth_values)

static const struct url_param exposures_params[] = {
	EXPOSURE_PARAMS,
	URL_PARAM_END,
};

static const struct url_param ai_surface_params[] = {
	EXPOSURE_PARAMS,
	FILTER(FIELD_STR, struct exposure_args, category, .lo = 1, .hi = LIM_FILTER,
	    .help = "The exact value, such as ai/inference."),
	URL_PARAM_END,
};

static const struct route exposure_routes[] = {
	AREA_ROUTES(ai_surface, "ai-surface", struct exposure_args, "AI surface",
	    "findings of the AI surface"),
	AREA_ROUTES(exposures, "exposures", struct exposure_args, "Services", "exposed services"),
	ROUTE_END,
};

ROUTES(158, exposure);
