/* SPDX-License-Identifier: ISC */
/* The members of a tag of detection rules. */
#include "config.h"

#include "base/limits.h"
#include "resource/rule_tag.h"

const char *const rule_tag_origins[] = { "catalogue", "account", NULL };
const char *const tag_classifications[] = { "informational", "benign", "suspicious", "malicious",
	NULL };

#define CATEGORIES(about)                                                                          \
	{                                                                                          \
		.name = "categories", .type = FIELD_LIST, .flags = DISTINCT,                       \
		.offset = offsetof(struct rule_tag, categories), .hi = LIM_TAG_CATEGORIES,         \
		.size = sizeof(struct str), .item = FIELD_STR,                                     \
		.pattern = "^[a-z0-9][a-z0-9-]{0,127}(/[a-z0-9][a-z0-9-]{0,127})*$",               \
		.help = (about)                                                                    \
	}
#define TAG_COUNT(m, about)                                                                        \
	{                                                                                          \
		.name = #m, .type = FIELD_INT, .offset = offsetof(struct rule_tag, m), .lo = 0,    \
		.hi = LIM_BUCKET_COUNT, .help = (about)                                            \
	}

const struct field rule_tag_out[] = {
	FIELD(struct rule_tag, uuid, 0),
	ONE_OF(struct rule_tag, origin, 0, rule_tag_origins,
	    "catalogue: a tag that every organisation has, and that hosts may have."),
	TEXT(struct rule_tag, slug, 0, 1, LIM_TAG_SLUG),
	TEXT(struct rule_tag, name, 0, 1, LIM_TAG_NAME),
	CATEGORIES("Paths, each with its parents."),
	ONE_OF(struct rule_tag, classification, 0, tag_classifications, NULL),
	TAG_COUNT(rule_count, "Rules that have the tag, of those that the key sees."),
	TAG_COUNT(enabled_rule_count, "The rules among these that the organisation has enabled."),
	FIELD(struct rule_tag, created_by_membership_uuid, NULLABLE),
	FIELD(struct rule_tag, created_at, 0),
	FIELD(struct rule_tag, updated_at, 0),
	FIELD_END_OF("RuleTag"),
};

/* The members that a client may change. The classification has no pointer when it was not sent:
   informational. */
#define CHANGEABLE                                                                                 \
	{ .name = "name",                                                                          \
		.type = FIELD_STR,                                                                 \
		.flags = TRIM,                                                                     \
		.offset = offsetof(struct rule_tag, name),                                         \
		.lo = 1,                                                                           \
		.hi = LIM_TAG_NAME,                                                                \
		.help = "Absent: the slug." },                                                     \
	    CATEGORIES("Paths such as malware/c2, each with its parents."),                        \
	    ONE_OF(                                                                                \
		struct rule_tag, classification, 0, tag_classifications, "Absent: informational.")

const struct field rule_tag_new[] = {
	{ .name = "slug",
	    .type = FIELD_STR,
	    .flags = REQUIRED | TRIM,
	    .offset = offsetof(struct rule_tag, slug),
	    .lo = 1,
	    .hi = LIM_TAG_SLUG,
	    .pattern = "^[a-z0-9][a-z0-9._-]*$",
	    .help = "The word that rules name it by; it never changes." },
	CHANGEABLE,
	FIELD_END,
};

const struct field rule_tag_change[] = { CHANGEABLE, FIELD_END };
