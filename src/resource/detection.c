/* SPDX-License-Identifier: ISC */
/* The members of detection rules (detection.h). */
#include "config.h"

#include "resource/detection.h"
#include "wire/values.h"

/* The names in bodies and answers, and in the column rule.dataset. */
const char *const detection_datasets[] = { "hosts", "services", "dns", "whois", "certificates",
	"open_directories", NULL };
const char *const detection_scopes[] = { "all", "surface", NULL };
const char *const detection_origins[] = { "catalogue", "account", NULL };
const char *const detection_statuses[] = { "draft", "testing", "stable", "deprecated", NULL };
static const char *const detection_areas[] = { "ai_surface", "service", "rule", NULL };
static const char *const own_areas[] = { "rule", NULL };
static const char *const expectations[] = { "match", "no_match", NULL };
static const char *const first_statuses[] = { "draft", "testing", NULL };
static const char *const run_states[] = { "idle", "backfilling", "current", "saturated", "failed",
	NULL };
static const char *const run_relations[] = { "eq", "gte", NULL };

#define DATASET_HELP "It can be changed only while the rule is a draft."
#define SCOPE_HELP                                                                                 \
	"all: every record of the dataset, of which at most 10000 may match. surface: the "        \
	"records in the inventories of the projects in the settings."
#define QUERY_HELP "In the language of surfaced-query(7), on the dataset; empty: every record."
#define EXCLUDE_HELP                                                                               \
	"A query for records that the rule leaves out although they match; empty: none."
#define TAGS_HELP "Slugs of tags that the service knows."
#define TESTS_HELP                                                                                 \
	"Samples: records in the form of a search of the dataset, with only the members that "     \
	"matter."

/* need: REQUIRED in bodies. */
/* clang-format off */
#define TEST_MEMBERS(need)                                                                         \
	TEXT(struct detection_test, name, (need) | TRIM, 1, LIM_NAME),                             \
	{ .name = "record", .type = FIELD_RAW, .flags = (need),                                    \
	    .offset = offsetof(struct detection_test, record), .item = FIELD_OBJECT,               \
	    .help = "At most 16384 bytes." },                                                      \
	ONE_OF(struct detection_test, expect, need, expectations, NULL)
#define PRODUCT_MEMBERS(need, values, about)                                                       \
	ONE_OF(struct detection_product, area, need, values, about),                               \
	TEXT(struct detection_product, exposure_kind, NULLABLE, 1, LIM_TAG_SLUG),                  \
	NUMBER(struct detection_product, rank, 0, 0, LIM_RULE_RANK, 0),                            \
	{ .name = "title", .type = FIELD_STR, .flags = NULLABLE | TRIM,                            \
	    .offset = offsetof(struct detection_product, title), .lo = 1, .hi = LIM_RULE_TITLE,    \
	    .help = "The title of its findings; {ip} is replaced by the value of that field." }
/* clang-format on */

const struct field detection_test_fields[] = { TEST_MEMBERS(REQUIRED), FIELD_END };
const struct field detection_product_fields[] = {
	PRODUCT_MEMBERS(REQUIRED, own_areas,
	    "rule: its findings have the type rule_match. The other types belong to rules of the "
	    "catalogue."),
	FIELD_END,
};
static const struct field test_out[] = { TEST_MEMBERS(0), FIELD_END_OF("RuleTest") };
static const struct field product_out[] = {
	PRODUCT_MEMBERS(0, detection_areas,
	    "The type of its findings: ai_surface, exposed_service or rule_match."),
	FIELD_END_OF("RuleProduct"),
};

/* clang-format off */
#define TEXTS(s, member, fl, most, about)                                                          \
	{ .name = #member, .type = FIELD_STR, .flags = (fl) | BYTES_TOO, .offset = offsetof(s, member), \
	    .lo = 0, .hi = (most), .help = (about) }
#define SLUGS(s, member, fl, most, about)                                                          \
	{ .name = #member, .type = FIELD_LIST, .flags = (fl), .offset = offsetof(s, member), .hi = (most), \
	    .size = sizeof(struct str), .item = FIELD_STR, .help = (about) }

#define TEXTS_OF_CONTENT(s, need)                                                                  \
	TEXT(s, name, (need) | TRIM, 1, LIM_NAME),                                                 \
	TEXT(s, description, PROSE, 0, LIM_RULE_DESCRIPTION),                                      \
	TEXT(s, author, NULLABLE | TRIM, 1, LIM_RULE_AUTHOR),                                      \
	TEXT(s, licence, NULLABLE | TRIM, 1, LIM_RULE_LICENCE),                                    \
	ONE_OF(s, dataset, need, detection_datasets, DATASET_HELP),                                \
	ONE_OF(s, scope, need, detection_scopes, SCOPE_HELP),                                      \
	TEXTS(s, query, need, LIM_QUERY, QUERY_HELP),                                              \
	TEXTS(s, exclude, 0, LIM_QUERY, EXCLUDE_HELP),                                             \
	ONE_OF(s, severity, need, severities, NULL),                                               \
	SLUGS(s, tags, DISTINCT, LIM_RULE_TAGS, TAGS_HELP),                                                  \
	SLUGS(s, techniques, DISTINCT, LIM_RULE_TECHNIQUES, "Techniques of ATT&CK: T1190 or T1059.001."), \
	SLUGS(s, references, 0, LIM_RULE_REFERENCES, "URLs."),                                     \
	SLUGS(s, false_positives, 0, LIM_RULE_REFERENCES, "A description of harmless records that match.")

#define CONTENT                                                                                    \
	TEXTS_OF_CONTENT(struct detection_in, REQUIRED),                                           \
	{ .name = "tests", .type = FIELD_LIST, .offset = offsetof(struct detection_in, tests),     \
	    .lo = 0, .hi = LIM_RULE_TESTS, .sub = detection_test_fields,                           \
	    .size = sizeof(struct detection_test), .help = TESTS_HELP },                           \
	OBJECT(struct detection_in, produces, NULLABLE, detection_product_fields)

#define TESTS_OUT                                                                                  \
	{ .name = "tests", .type = FIELD_RAW, .offset = offsetof(struct detection, tests),         \
	    .item = FIELD_LIST, .sub = test_out, .hi = LIM_RULE_TESTS, .help = TESTS_HELP }
#define PRODUCES_OUT                                                                               \
	{ .name = "produces", .type = FIELD_RAW, .flags = NULLABLE,                                \
	    .offset = offsetof(struct detection, produces), .sub = product_out }
/* clang-format on */

const struct field detection_new[] = {
	FIELD(struct detection_in, id, 0),
	CONTENT,
	ONE_OF(struct detection_in, status, 0, first_statuses, "draft by default."),
	FIELD_END,
};

const struct field detection_replaced[] = {
	NUMBER(struct detection_in, version, REQUIRED, 1, INT32_MAX, 0),
	CONTENT,
	FIELD_END,
};

const struct field detection_imported[] = {
	FIELD(struct detection_in, id, 0),
	CONTENT,
	ONE_OF(struct detection_in, status, 0, detection_statuses, "draft by default."),
	FIELD_END,
};

static const struct field settings_out[] = {
	FIELD(struct detection_settings, enabled, 0),
	ONE_OF(struct detection_settings, severity, NULLABLE, severities,
	    "Replaces that of the rule; null: that of the rule is used."),
	FIELD(struct detection_settings, exclude, 0),
	LIST_OF(struct detection_settings, project_uuids, 0, struct uuid, 0, LIM_RULE_PROJECTS),
	FIELD(struct detection_settings, findings, 0),
	FIELD(struct detection_settings, updated_at, NULLABLE),
	FIELD_END_OF("RuleSettings"),
};

/* rules_seen() writes the run itself; this table describes it. */
struct run_members {
	struct str state, relation, error;
	int64_t active_count;
	bool anchored, uses_now;
	struct ts evaluated_at;
};

static const struct field run_members[] = {
	ONE_OF(struct run_members, state, 0, run_states, NULL),
	FIELD(struct run_members, active_count, 0),
	ONE_OF(struct run_members, relation, 0, run_relations,
	    "gte: more may match, because the rule is saturated or has not yet looked at "
	    "all older records."),
	FIELD(struct run_members, anchored, 0),
	FIELD(struct run_members, uses_now, 0),
	FIELD(struct run_members, evaluated_at, NULLABLE),
	FIELD(struct run_members, error, NULLABLE),
	FIELD_END_OF("RuleRun"),
};

const struct field detection_out[] = {
	FIELD(struct detection, uuid, 0),
	FIELD(struct detection, id, 0),
	ONE_OF(struct detection, origin, 0, detection_origins, NULL),
	FIELD(struct detection, version, 0),
	TEXTS_OF_CONTENT(struct detection, 0),
	TESTS_OUT,
	ONE_OF(struct detection, status, 0, detection_statuses, NULL),
	FIELD(struct detection, applies_tags, 0),
	PRODUCES_OUT,
	FIELD(struct detection, derived_from_uuid, NULLABLE),
	FIELD(struct detection, replaced_by_uuid, NULLABLE),
	FIELD(struct detection, created_at, 0),
	FIELD(struct detection, updated_at, 0),
	FIELD(struct detection, created_by_membership_uuid, NULLABLE),
	OBJECT(struct detection, settings, 0, settings_out),
	{ .name = "run",
	    .type = FIELD_RAW,
	    .flags = NULLABLE,
	    .offset = offsetof(struct detection, run),
	    .sub = run_members,
	    .help = "The state of its evaluation for the account; null: it is not evaluated." },
	{ .name = "active_findings",
	    .type = FIELD_RAW,
	    .flags = NULLABLE,
	    .offset = offsetof(struct detection, active_findings),
	    .item = FIELD_INT,
	    .help = "Its findings that are open or acknowledged, in the projects that the key sees; "
		    "null: the key may not see findings." },
	FIELD_END_OF("Rule"),
};

const struct field detection_portable[] = {
	FIELD(struct detection, id, 0),
	TEXTS_OF_CONTENT(struct detection, 0),
	TESTS_OUT,
	PRODUCES_OUT,
	ONE_OF(struct detection, status, 0, detection_statuses, NULL),
	FIELD_END_OF("PortableRule"),
};
