/* SPDX-License-Identifier: ISC */
/* Detection rules (C-145), as bodies have them and as the API shows them. rule.h has the
 * alert rules.
 *
 *   struct detection_in    a body that creates, replaces or imports a rule
 *   struct detection       a row of rules_seen(): the rule, what the asking account has set beside it, and its run
 *
 * The members that both have are described once, by DETECTION_CONTENT. */
#ifndef RESOURCE_DETECTION_H
#define RESOURCE_DETECTION_H

#include "base/limits.h"
#include "db/db.h"

extern const char *const detection_datasets[];
extern const char *const detection_scopes[];
extern const char *const detection_origins[];
extern const char *const detection_statuses[];

struct detection_test {
	struct str name;
	struct json record;
	struct str expect;
};

struct detection_product {
	struct str area, exposure_kind, title;
	int64_t rank;
};

struct detection_in {
	struct uuid id;
	int64_t version;
	struct str status;
	struct str name, description, author, licence, dataset, scope, query, exclude, severity;
	struct list tags, techniques, references, false_positives, tests;
	struct detection_product produces; /* without an area: it produces nothing */
};

extern const struct field detection_test_fields[], detection_product_fields[];

/* Bodies: a new rule, which may be staged at once; a replaced one, with the version that was read;
   one of an import. */
extern const struct field detection_new[], detection_replaced[], detection_imported[];

struct detection_settings {
	bool enabled, findings;
	struct str severity, exclude;
	struct list project_uuids;
	struct ts updated_at;
};

struct detection {
	struct uuid uuid, id, derived_from_uuid, replaced_by_uuid, created_by_membership_uuid;
	struct str origin, name, description, author, licence, dataset, scope, query, exclude,
	    severity, status;
	int64_t version;
	struct list tags, techniques, references, false_positives;
	struct json tests, produces, run;
	bool applies_tags;
	struct ts created_at, updated_at;
	struct detection_settings settings;
	struct json active_findings;
};

/* An answer of the API, and the columns of rules_seen(). */
extern const struct field detection_out[];
#define DETECTION_COLUMNS                                                                          \
	"uuid, id, origin, version, name, description, author, licence, dataset, scope, query,"    \
	" exclude, severity, tags, techniques, \"references\", false_positives, tests, status,"    \
	" applies_tags, produces, derived_from_uuid, replaced_by_uuid, created_at, updated_at,"    \
	" created_by_membership_uuid, enabled, own_severity, own_exclude, project_uuids,"          \
	" findings, set_at, run, to_json(active_findings) AS active_findings"

/* The form of exports, which imports take: no uuid and no times, so that it is the same in any
   account. */
extern const struct field detection_portable[];

#endif
