/* SPDX-License-Identifier: ISC */
/* surfacectl rules export: rules of the database become struct rule_file, which rule_file_print
   writes. */
#include "config.h"

#include "cli/rule/rule_set.h"

#include "json/tree.h"

struct row {
	struct uuid id;
	struct str name, description, author, licence, dataset, scope, query, exclude, severity;
	struct list tags, techniques, reference_urls, false_positives;
	struct str status;
	bool applies_tags;
	struct json produces, related;
	struct list test_names, test_records, test_expects;
};

static const struct field row_out[] = {
	FIELD(struct row, id, 0),
	FIELD(struct row, name, 0),
	FIELD(struct row, description, 0),
	FIELD(struct row, author, NULLABLE),
	FIELD(struct row, licence, NULLABLE),
	FIELD(struct row, dataset, 0),
	FIELD(struct row, scope, 0),
	FIELD(struct row, query, 0),
	FIELD(struct row, exclude, 0),
	FIELD(struct row, severity, 0),
	LIST_OF(struct row, tags, 0, struct str, 0, 0),
	LIST_OF(struct row, techniques, 0, struct str, 0, 0),
	LIST_OF(struct row, reference_urls, 0, struct str, 0, 0),
	LIST_OF(struct row, false_positives, 0, struct str, 0, 0),
	FIELD(struct row, status, 0),
	FIELD(struct row, applies_tags, 0),
	FIELD(struct row, produces, NULLABLE),
	FIELD(struct row, related, 0),
	LIST_OF(struct row, test_names, 0, struct str, 0, 0),
	LIST_OF(struct row, test_records, 0, struct str, 0, 0),
	LIST_OF(struct row, test_expects, 0, struct str, 0, 0),
	FIELD_END,
};

/* In the order of ids, so that the same rules are the same bytes. $2: ids; none: all. */
STMT_LIST(read_rules, struct row, row_out,
    "SELECT id, name, description, author, licence, dataset, scope, query, exclude, severity, tags,"
    " techniques, reference_urls, false_positives, status, applies_tags, produces,"
    " coalesce((SELECT json_agg(json_build_object('id', o.id, 'type', o.type) ORDER BY o.type, "
    "o.id)"
    "  FROM (SELECT d.id, 'derived' AS type FROM rule AS d WHERE d.uuid = r.derived_from_uuid"
    "   UNION ALL SELECT d.id, 'obsolete' FROM rule AS d"
    "    WHERE d.replaced_by_uuid = r.uuid AND d.account_uuid = r.account_uuid) AS o), '[]') AS "
    "related,"
    " ARRAY(SELECT t ->> 'name' FROM json_array_elements(tests) WITH ORDINALITY AS e(t, i) ORDER "
    "BY i) AS test_names,"
    " ARRAY(SELECT (t -> 'record')::text FROM json_array_elements(tests) WITH ORDINALITY AS e(t, "
    "i) ORDER BY i)"
    "  AS test_records,"
    " ARRAY(SELECT t ->> 'expect' FROM json_array_elements(tests) WITH ORDINALITY AS e(t, i) ORDER "
    "BY i)"
    "  AS test_expects"
    " FROM rule AS r WHERE account_uuid = $1 AND deleted_at IS NULL"
    " AND (cardinality($2::text[]) = 0 OR id::text = ANY ($2)) ORDER BY id");

static struct str
rule_text_of(const struct json_value *v, const char *name)
{
	const struct json_value *m = json_get(v, name);

	return m == NULL || json_type(m) != JSON_STRING ? STR_NULL : json_text(m);
}

static struct strs
rule_texts_of(const struct list *l)
{
	return (struct strs){ l->items, l->n };
}

static void
read_samples(const struct row *row, struct rule_file *out)
{
	const struct strs names = rule_texts_of(&row->test_names),
			  records = rule_texts_of(&row->test_records),
			  expects = rule_texts_of(&row->test_expects);

	for (size_t i = 0; i < names.n && i < RULE_TESTS; i++)
		out->tests[out->ntests++] = (struct rule_file_test){ names.p[i], records.p[i],
			str_is(expects.p[i], "match") };
}

static void
read_relations(const struct json_value *list, struct rule_file *out)
{
	for (size_t i = 0; list != NULL && i < json_length(list) && i < RULE_RELATIONS; i++) {
		struct rule_file_relation *to = &out->related[out->nrelated];

		to->type = rule_text_of(json_at(list, i), "type");
		if (uuid_parse(rule_text_of(json_at(list, i), "id"), &to->id))
			out->nrelated++;
	}
}

static void
read_row(struct arena *a, const struct row *row, struct rule_file *out)
{
	const struct json_value *p =
	    row->produces.text.p == NULL ? NULL : json_parse(a, row->produces.text);

	*out = (struct rule_file){ .id = row->id,
		.title = row->name,
		.status = row->status,
		.severity = row->severity,
		.description = row->description,
		.author = row->author,
		.licence = row->licence,
		.scope = row->scope,
		.query = row->query,
		.exclude = row->exclude,
		.tags = rule_texts_of(&row->tags),
		.techniques = rule_texts_of(&row->techniques),
		.references = rule_texts_of(&row->reference_urls),
		.false_positives = rule_texts_of(&row->false_positives),
		.applies_tags = row->applies_tags };
	if (!rule_dataset(row->dataset, &out->dataset))
		panic("a stored rule has the dataset %.*s", (int)row->dataset.n, row->dataset.p);
	if (p != NULL && json_type(p) == JSON_OBJECT) {
		out->produces = (struct rule_file_product){ .area = rule_text_of(p, "area"),
			.exposure_kind = rule_text_of(p, "exposure_kind"),
			.title = rule_text_of(p, "title") };
		if (json_get(p, "rank") == NULL ||
		    !json_int(json_get(p, "rank"), &out->produces.rank))
			out->produces.rank = 50;
	}
	read_samples(row, out);
	read_relations(json_parse(a, row->related.text), out);
}

int
rule_export(struct cli *c, int argc, char **argv)
{
	struct str account = STR_NULL;
	const struct cli_option options[] = { { "account", .text = &account }, { NULL } };
	struct buf out = { .a = c->arena };
	struct cli_list words;
	struct list rows;
	struct uuid owner;
	enum db_rc rc;
	int status;

	if (!cli_options(c, argc, argv, options, &words, 0, 1000))
		return EXIT_USAGE;
	status = cli_account(c, account, &owner);
	if (status != EXIT_OK)
		return status;
	for (size_t i = 0; i < words.n; i++)
		words.p[i] = arena_lower(c->arena, words.p[i]);
	rc = db_list(c->db, &read_rules, &rows, P(owner), P(((struct strs){ words.p, words.n })));
	if (rc != DB_OK)
		return cli_fail_db(c, rc, "rules");
	if (words.n > rows.n)
		return cli_fail(EXIT_NOT_FOUND, "the account does not have each of these rules");
	for (size_t i = 0; i < rows.n; i++) {
		struct rule_file r;

		read_row(c->arena, &((const struct row *)rows.items)[i], &r);
		buf_z(&out, i > 0 ? "---\n" : "");
		rule_file_print(c->arena, &out, &r);
	}
	str_write(buf_done(&out), stdout);
	return EXIT_OK;
}
