/* SPDX-License-Identifier: ISC */
/* Reads the domains that resemble watched domains of a project, which surfaced-detect finds
   (C-164). */
#include "config.h"

#include "api/surface/area.h"
#include "lookalike/lookalike.h"
#include "resource/finding.h"
#include "wire/values.h"

struct typosquatting {
	struct area_finding area;
	struct str watched, found, found_unicode, class, edit, registrar, certificate_sha256;
	struct json score, reasons;
	struct list addresses, mail_exchangers;
	struct ts registered_at, last_resolved_at;
};

/* A reason of the score, as the database writes it. */
static const struct field lookalike_reason_out[] = {
	{ .name = "code", .type = FIELD_STR, .flags = NULLABLE },
	{ .name = "weight", .type = FIELD_RAW, .item = FIELD_INT, .flags = NULLABLE },
	FIELD_END_OF("TyposquattingReason"),
};

#define TEXTS_AT(m, about)                                                                         \
	{                                                                                          \
		.name = #m, .type = FIELD_LIST, .offset = offsetof(struct typosquatting, m),       \
		.hi = 16, .size = sizeof(struct str), .item = FIELD_STR, .help = (about)           \
	}

static const struct field typosquatting_out[] = {
	AREA_MEMBERS(struct typosquatting, "The class."),
	AREA_TEXT(struct typosquatting, watched, "The watched domain."),
	AREA_TEXT(struct typosquatting, found,
	    "The name that resembles the watched domain, in A-labels."),
	AREA_TEXT(struct typosquatting, found_unicode, "The same name in Unicode."),
	AREA_TEXT(struct typosquatting, class, "The kind of resemblance; see surfaced-api(7)."),
	AREA_TEXT(struct typosquatting, edit, "How the watched label is misspelled."),
	AREA_VALUE(struct typosquatting, score, FIELD_INT, "0 to 100."),
	AREA_LIST(struct typosquatting, reasons, 32, lookalike_reason_out,
	    "Codes and points; the score is their sum."),
	FIELD(struct typosquatting, registered_at, NULLABLE),
	AREA_TEXT(struct typosquatting, registrar, NULL),
	TEXTS_AT(addresses, "Addresses of the name."),
	TEXTS_AT(mail_exchangers, "Hosts that receive mail for the name."),
	AREA_TEXT(
	    struct typosquatting, certificate_sha256, "The newest certificate with the name."),
	FIELD(struct typosquatting, last_resolved_at, NULLABLE),
	FIELD_END_OF("Typosquatting"),
};

AREA_STATEMENTS(typosquatting, struct typosquatting, typosquatting_out,
    "watched, found, found_unicode, class, edit, score, reasons, registered_at, registrar,"
    " addresses, mail_exchangers, certificate_sha256, last_resolved_at",
    " AND ($10::text IS NULL OR watched = lower($10)) AND ($11::text IS NULL OR class = $11)"
    " AND ($12::bigint < 0 OR (score #>> '{}')::bigint >= $12)");

struct typosquatting_args {
	struct area_args area;
	struct str watched, class;
	int64_t min_score;
};

static const struct url_param typosquatting_params[] = {
	AREA_PARAMS(struct typosquatting_args, lookalike_class_names),
	FILTER(FIELD_STR, struct typosquatting_args, watched, .lo = 1, .hi = LIM_FILTER,
	    .help = "A watched domain, in any case."),
	FILTER(FIELD_STR, struct typosquatting_args, class, .values = lookalike_class_names),
	FILTER(FIELD_INT, struct typosquatting_args, min_score, .lo = 0, .hi = 100, .def = -1,
	    .help = "The least score."),
	URL_PARAM_END,
};

static const struct route typosquatting_routes[] = {
	AREA_ROUTES(typosquatting, "typosquatting", struct typosquatting_args, "Typosquatting",
	    "domains that resemble watched ones"),
	ROUTE_END,
};

ROUTES(157, typosquatting);
