/* SPDX-License-Identifier: ISC */
/* Counts the rules of an account that are evaluated on every document, because they have no
   anchor. */
#include "config.h"

#include "detection/unanchored.h"

struct evaluated_rule {
	struct str dataset, query;
};

static const struct field evaluated_out[] = {
	FIELD(struct evaluated_rule, dataset, 0),
	FIELD(struct evaluated_rule, query, 0),
	FIELD_END,
};

STMT_LIST(list_evaluated, struct evaluated_rule, evaluated_out,
    "SELECT dataset, query FROM rules_evaluated($1)");

bool
rule_is_anchored(struct arena *a, struct str dataset, struct str query, struct ts now)
{
	enum dataset d = rule_query_dataset(dataset);
	struct rule_query_fault fault;
	struct rule_query q;

	return d == DATASETS_AND_CONDITIONS ||
	       !rule_query_parse(a, d, query, STR(""), now, &q, &fault) ||
	       rule_query_anchor(&q) != NULL;
}

enum db_rc
rules_unanchored(
    struct db *db, struct arena *a, const struct uuid *account, struct ts now, size_t *n)
{
	struct list rules = { 0 };
	enum db_rc rc = db_list(db, &list_evaluated, &rules, P(*account));
	const struct evaluated_rule *r = rules.items;

	*n = 0;
	for (size_t i = 0; rc == DB_OK && i < rules.n; i++)
		*n += !rule_is_anchored(a, r[i].dataset, r[i].query, now);
	return rc;
}
