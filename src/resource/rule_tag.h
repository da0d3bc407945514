/* SPDX-License-Identifier: ISC */
/* Tags of detection rules: the common ones, which are the tags of hosts too, and those of an
   account. The shared index has common tags alone. sql/functions/rule_tag.sql counts the rules that
   have a tag. */
#ifndef RESOURCE_RULE_TAG_H
#define RESOURCE_RULE_TAG_H

#include "db/db.h"

struct rule_tag {
	struct uuid uuid, created_by_membership_uuid;
	struct str origin, slug, name, classification;
	struct list categories;
	int64_t rule_count, enabled_rule_count;
	struct ts created_at, updated_at;
};

/* The columns of rule_tags() that rule_tag_out describes. */
#define RULE_TAG_COLUMNS                                                                           \
	"uuid, origin, slug, name, categories, classification, rule_count, enabled_rule_count,"    \
	" created_by_membership_uuid, created_at, updated_at"

extern const struct field rule_tag_out[];    /* an answer of the API */
extern const struct field rule_tag_new[];    /* the body that creates a tag */
extern const struct field rule_tag_change[]; /* the body that replaces one, without its slug */
/* NULL ends each list. */
extern const char *const rule_tag_origins[], *const tag_classifications[];

#endif
