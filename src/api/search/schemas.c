/* SPDX-License-Identifier: ISC */
/* The fields of every dataset as a client may use them in queries and aggregations (C-715). */
#include "config.h"

#include "api/api.h"
#include "api/search/documents.h"

static const char *const type_names[] = {
	[VALUE_KEYWORD] = "keyword",
	[VALUE_TEXT] = "text",
	[VALUE_DNS] = "dns",
	[VALUE_IP] = "ip",
	[VALUE_INTEGER] = "integer",
	[VALUE_NUMBER] = "number",
	[VALUE_BOOLEAN] = "boolean",
	[VALUE_DATE] = "date",
	NULL,
};

struct field_answer {
	struct str name, type, value_type;
	bool aggregatable, nested;
	struct list aliases;
};

static const struct field field_out[] = {
	FIELD(struct field_answer, name, 0),
	ONE_OF(struct field_answer, type, 0, type_names, NULL),
	ONE_OF(struct field_answer, value_type, 0, value_types, NULL),
	FIELD(struct field_answer, aggregatable, 0),
	FIELD(struct field_answer, nested, 0),
	LIST_OF(struct field_answer, aliases, 0, struct str, 0, 0),
	FIELD_END_OF("SearchField"),
};

struct schema_answer {
	struct str dataset, count_unit;
	struct list prefix_aliases, fields;
};

static const struct field schema_out[] = {
	FIELD(struct schema_answer, dataset, 0),
	ONE_OF(struct schema_answer, count_unit, NULLABLE, count_units,
	    "null: the dataset cannot be aggregated."),
	LIST_OF(struct schema_answer, prefix_aliases, 0, struct str, 0, 0),
	LIST(struct schema_answer, fields, 0, struct field_answer, field_out, 0, 0),
	FIELD_END_OF("SearchSchema"),
};

struct schemas_answer {
	struct list schemas;
};

static const struct field schemas_out[] = {
	LIST(struct schemas_answer, schemas, 0, struct schema_answer, schema_out, 0, 0),
	FIELD_END,
};

/* Returns the aliases of the field name; "*" means the prefixes that all fields may have. */
static struct list
aliases_of(struct arena *a, enum dataset d, const char *name)
{
	const char *const *pairs;
	size_t n = schema_aliases(d, &pairs), found = 0;
	struct str *out = ARENA_ARRAY(a, n + 1, struct str);

	for (size_t i = 0; i < n; i++)
		if (strcmp(pairs[2 * i + 1], name) == 0)
			out[found++] = str_of(pairs[2 * i]);
	return (struct list){ out, found };
}

static struct schema_answer
schema_of(struct arena *a, enum dataset d)
{
	const char *unit = schema_count_unit(d);
	const struct schema_field *f;
	size_t n = schema_fields(d, &f), found = 0;
	struct field_answer *out = ARENA_ARRAY(a, n, struct field_answer);

	for (size_t i = 0; i < n; i++) {
		if (f[i].store == STORE_GUARD)
			continue;
		out[found++] = (struct field_answer){ str_of(f[i].name),
			str_of(type_names[f[i].type]), str_of(schema_json_type(f[i].type)),
			f[i].aggregatable, f[i].nested, aliases_of(a, d, f[i].name) };
	}
	return (struct schema_answer){ str_of(schema_dataset_name(d)),
		unit[0] == '\0' ? STR_NULL : str_of(unit), aliases_of(a, d, "*"), { out, found } };
}

/* The answer omits datasets that the key may not read. */
static bool
may_read(const struct key *key, enum dataset d)
{
	return key_has_scope(key, answer_names[d].scope) &&
	       key_has_entitlement(key, answer_names[d].entitlement);
}

static int
list_search_schemas(struct req *rq)
{
	struct schema_answer all[DATASETS_AND_CONDITIONS];
	struct schemas_answer answer = { { all, 0 } };

	for (enum dataset d = 0; d < DATASET_FINDINGS; d++)
		if (may_read(rq->key, d))
			all[answer.schemas.n++] = schema_of(rq->arena, d);
	return reply(rq, 200, NULL, schemas_out, &answer);
}

static const struct route schemas_routes[] = {
	{
	    ROUTE(GET, "/search/schemas", list_search_schemas),
	    .scope = SCOPE_SEARCH_VIEW,
	    .entitlement = ENTITLEMENT_SEARCH,
	    COLUMNS_OF_SEARCH,
	    .out = schemas_out,
	    .summary = "List the search schemas",
	    .result = "The datasets with their fields.",
	    .description = "The fields of every dataset that the key may read: type, aliases, and "
			   "whether they can be aggregated.",
	},
	ROUTE_END,
};

ROUTES(15, schemas);
