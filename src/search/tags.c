/* SPDX-License-Identifier: ISC */
/* The table tag as structs. */
#include "config.h"

#include "search/tags.h"

struct taxonomy_row {
	struct str slug, name, classification;
	struct list categories;
};

static const struct field taxonomy_out[] = {
	FIELD(struct taxonomy_row, slug, 0),
	FIELD(struct taxonomy_row, name, 0),
	FIELD(struct taxonomy_row, classification, 0),
	LIST_OF(struct taxonomy_row, categories, 0, struct str, 0, 0),
	FIELD_END,
};

STMT_LIST(read_tags, struct taxonomy_row, taxonomy_out,
    "SELECT slug, name, classification, categories FROM tag"
    " WHERE account_uuid IS NULL");

enum db_rc
tags_read(struct db *db, struct arena *a, struct tag **tags, size_t *ntags)
{
	struct list rows = { 0 };
	enum db_rc rc = db_rows(db, &read_tags, &rows, DB_NO_ARGS);
	const struct taxonomy_row *row = rows.items;

	if (rc != DB_OK)
		return rc;
	*tags = ARENA_ARRAY(a, rows.n + 1, struct tag);
	*ntags = rows.n;
	for (size_t i = 0; i < rows.n; i++, row++) {
		struct tag *t = &(*tags)[i];
		const struct str *categories = row->categories.items;

		*t = (struct tag){
			.slug = row->slug, .name = row->name, .classification = row->classification
		};
		for (size_t k = 0; k < row->categories.n && k < COUNT(t->categories); k++)
			t->categories[t->ncategories++] = categories[k];
	}
	return DB_OK;
}
