/* SPDX-License-Identifier: ISC */
/* Reads the dangling DNS records of a project, which surfaced-detect finds (C-164). */
#include "config.h"

#include "api/surface/area.h"
#include "resource/finding.h"
#include "wire/values.h"

struct dangling {
	struct area_finding area;
	struct str host, record_type, target, provider, claim, region, remediation, matched_by;
	struct json chain;
};

/* A hop of the chain, as the database writes it. */
struct hop {
	struct str name, type, rcode, seen_at;
};

static const struct field hop_out[] = {
	AREA_TEXT(struct hop, name, NULL),
	AREA_TEXT(struct hop, type, "The type of the record that was followed from this name."),
	AREA_TEXT(
	    struct hop, rcode, "NOERROR, or the code that was returned instead of an answer."),
	AREA_TEXT(struct hop, seen_at, "When the record was last seen."),
	FIELD_END_OF("DanglingHop"),
};

static const struct field dangling_dns_out[] = {
	AREA_MEMBERS(struct dangling, "The kind of dangling record; see surfaced-api(7)."),
	AREA_TEXT(struct dangling, host, "The name whose record is dangling."),
	AREA_TEXT(struct dangling, record_type, NULL),
	AREA_TEXT(struct dangling, target, "The name or the address that the record points to."),
	AREA_LIST(struct dangling, chain, LIM_DANGLING_HOPS + 1, hop_out,
	    "The names to which the record leads, beginning with host."),
	AREA_TEXT(struct dangling, provider, NULL),
	AREA_TEXT(struct dangling, claim,
	    "Whether anybody can claim free names at the provider: open, disputed or closed."),
	AREA_TEXT(struct dangling, region, "The region of a cloud address."),
	AREA_TEXT(struct dangling, matched_by, "hostname: the host is in the project's inventory."),
	AREA_TEXT(struct dangling, remediation, NULL),
	FIELD_END_OF("DanglingDns"),
};

AREA_STATEMENTS(dangling_dns, struct dangling, dangling_dns_out,
    "host, record_type, target, chain, provider, claim, region, matched_by, remediation",
    " AND ($10::text IS NULL OR provider = $10) AND ($11::text IS NULL OR host = lower($11))");

static const char *const dangling_kinds[] = {
#define DANGLING(id, name, title, remediation) name,
#include "tbl/dangling_kinds.h"
	NULL
};

struct dangling_args {
	struct area_args area;
	struct str provider, host;
};

static const struct url_param dangling_dns_params[] = {
	AREA_PARAMS(struct dangling_args, dangling_kinds),
	FILTER(FIELD_STR, struct dangling_args, provider, .lo = 1, .hi = LIM_FILTER,
	    .help = "Exactly."),
	FILTER(FIELD_STR, struct dangling_args, host, .lo = 1, .hi = LIM_FILTER,
	    .help = "In any case."),
	URL_PARAM_END,
};

static const struct route dangling_routes[] = {
	AREA_ROUTES(dangling_dns, "dangling-dns", struct dangling_args, "Dangling DNS",
	    "dangling DNS records"),
	ROUTE_END,
};

ROUTES(151, dangling);
