/* SPDX-License-Identifier: ISC */
/* The members of reports and indicators (report.h). */
#include "config.h"

#include "resource/report.h"
#include "base/limits.h"

const char *const report_dispositions[] = {
#define DISPOSITION(id, name, verdict, help) name,
#include "tbl/dispositions.h"
#undef DISPOSITION
	NULL
};
const char *const report_verdicts[] = { "indicator", "ignored", NULL };
const char *const report_sources[] = {
#define REPORT_SOURCE(name) name,
#include "tbl/report_sources.h"
#undef REPORT_SOURCE
	NULL
};
const char *const report_tlps[] = {
#define TLP(spelling, name, strict, marking) name,
#include "tbl/tlps.h"
#undef TLP
	NULL
};
const char *const report_name_kinds[] = {
#define REPORT_NAME(name) name,
#include "tbl/report_names.h"
#undef REPORT_NAME
	NULL
};
const char *const indicator_types[] = {
#define INDICATOR_TYPE(name, form, digits, of) name,
#include "tbl/indicator_types.h"
#undef INDICATOR_TYPE
	NULL
};
const char *const report_statuses[] = { "published", "withdrawn", NULL };
static const char *const visibilities[] = { "shared", "account", NULL };

#define INDICATOR_MEMBERS                                                                          \
	FIELD(struct indicator_row, uuid, 0),                                                      \
	    ONE_OF(struct indicator_row, type, 0, indicator_types, NULL),                          \
	    TEXT(struct indicator_row, value, 0, 1, LIM_INDICATOR),                                \
	    ONE_OF(struct indicator_row, disposition, 0, report_dispositions,                      \
		"indicator: the source calls it malicious; mention: the source contains it; "      \
		"ignored: a list of harmless values has it."),                                     \
	    NUMBER(struct indicator_row, confidence, 0, 0, 100, 0),                                \
	    FIELD(struct indicator_row, first_seen_at, NULLABLE),                                  \
	    FIELD(struct indicator_row, last_seen_at, NULLABLE),                                   \
	    FIELD(struct indicator_row, valid_until, NULLABLE),                                    \
	    FIELD(struct indicator_row, occurrences, 0), FIELD(struct indicator_row, defanged, 0), \
	    TEXT(struct indicator_row, section, NULLABLE, 0, 200),                                 \
	    TEXT(struct indicator_row, context, NULLABLE, 0, 300),                                 \
	    TEXT(struct indicator_row, ignored_by, NULLABLE, 0, 200),                              \
	    LIST_OF(struct indicator_row, labels, 0, struct str, 0, 16),                           \
	    FIELD(struct indicator_row, withdrawn_at, NULLABLE)

const struct field indicator_row[] = { INDICATOR_MEMBERS, FIELD_END };

/* The API writes the member search itself; this table describes it. */
struct search_members {
	struct str dataset, query;
};

static const struct field search_members[] = {
	FIELD(struct search_members, dataset, 0),
	FIELD(struct search_members, query, 0),
	FIELD_END_OF("IndicatorSearch"),
};

const struct field indicator_out[] = { INDICATOR_MEMBERS,
	{ .name = "search",
	    .type = FIELD_RAW,
	    .flags = NULLABLE,
	    .offset = offsetof(struct indicator_row, search),
	    .sub = search_members,
	    .help = "A query of GET /search/{dataset} that finds the value, or null." },
	FIELD_END_OF("Indicator") };

#define NAMES(member, most) LIST_OF(struct report_row, member, 0, struct str, 0, most)

const struct field report_out[] = {
	FIELD(struct report_row, uuid, 0),
	ONE_OF(struct report_row, visibility, 0, visibilities,
	    "account: a report that the account has added itself."),
	FIELD(struct report_row, title, NULLABLE),
	FIELD(struct report_row, summary, NULLABLE),
	FIELD(struct report_row, publisher, NULLABLE),
	FIELD(struct report_row, url, NULLABLE),
	FIELD(struct report_row, language, NULLABLE),
	ONE_OF(struct report_row, tlp, NULLABLE, report_tlps, NULL),
	FIELD(struct report_row, published_at, NULLABLE),
	FIELD(struct report_row, imported_at, 0),
	FIELD(struct report_row, updated_at, 0),
	FIELD(struct report_row, revision, 0),
	NAMES(threat_actors, 100),
	NAMES(malware_families, 100),
	NAMES(sectors, 100),
	NAMES(techniques, 200),
	NAMES(cves, 500),
	NAMES(countries, 250),
	NAMES(tags, 64),
	NAMES(indicator_types, 16),
	{ .name = "indicator_counts",
	    .type = FIELD_RAW,
	    .offset = offsetof(struct report_row, indicator_counts),
	    .help = "The number of its indicators of each type, without those that are ignored." },
	{ .name = "names",
	    .type = FIELD_RAW,
	    .offset = offsetof(struct report_row, names),
	    .help = "Why an actor or a family is listed: objects with kind, name, matched_as and "
		    "confidence." },
	FIELD(struct report_row, truncated, 0),
	ONE_OF(struct report_row, source_kind, 0, report_sources, NULL),
	ONE_OF(struct report_row, status, 0, report_statuses, NULL),
	FIELD_END_OF("ReportDetail"),
};

#define SELECT_REPORT                                                                              \
	"WITH counted AS (SELECT i.type, count(*) AS n FROM " INDICATORS_OF(                       \
	    "$1::uuid") "  WHERE i.report_uuid = $2::uuid AND i.withdrawn_at IS NULL"              \
			"   AND " INDICATOR_DISPOSITION " <> 'ignored' GROUP BY i.type)"           \
			" SELECT uuid, CASE WHEN account_uuid IS NULL THEN 'shared' ELSE "         \
			"'account' END AS visibility,"                                             \
			" title, summary, publisher, url, language, tlp, published_at, "           \
			"imported_at, updated_at,"                                                 \
			" revision, threat_actors, malware_families, sectors, techniques, cves, "  \
			"countries, tags,"                                                         \
			" ARRAY(SELECT type FROM counted ORDER BY type) AS indicator_types,"       \
			" (SELECT coalesce(jsonb_object_agg(type, n), '{}') FROM counted) AS "     \
			"indicator_counts,"                                                        \
			" (SELECT coalesce(jsonb_agg(jsonb_build_object('kind', n.kind, 'name', "  \
			"n.name,"                                                                  \
			"   'matched_as', n.matched_as, 'confidence', n.confidence) ORDER BY "     \
			"n.kind, n.name), '[]')"                                                   \
			"   FROM (SELECT * FROM report_name WHERE report_uuid = r.uuid"            \
			"    ORDER BY confidence DESC, kind, name LIMIT 300) AS n) AS names,"      \
			" truncated, source_kind, status"                                          \
			" FROM report AS r WHERE uuid = $2"

STMT_SHARED(
    select_report, struct report_row, report_out, SELECT_REPORT " AND " REPORT_READABLE("$1"));
STMT_SHARED(
    select_own_report, struct report_row, report_out, SELECT_REPORT " AND r.account_uuid = $1");
