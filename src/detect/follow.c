/* SPDX-License-Identifier: ISC */
/* New data: the documents that the cursor of a dataset has not seen (detect_changed in
   sql/functions/detect.sql). */
#include "config.h"

#include "db/guard.h"
#include "detect/detect.h"

struct changed_row {
	struct str next, changed, key, doc;
	bool gone;
};

static const struct field changed_out[] = {
	FIELD(struct changed_row, next, 0),
	FIELD(struct changed_row, changed, NULLABLE),
	FIELD(struct changed_row, key, NULLABLE),
	FIELD(struct changed_row, doc, NULLABLE),
	FIELD(struct changed_row, gone, 0),
	FIELD_END,
};

STMT_LIST(read_changed, struct changed_row, changed_out,
    "SELECT next, changed, key, doc, gone FROM detect_changed($1::smallint, $2)");

static enum db_rc
follow_dataset(struct detect *x, enum dataset d, bool *more)
{
	const int64_t number = record_dataset_number(d), most = BATCH_DOCUMENTS;
	struct batch b = { .source = d, .followed = true };
	struct list rows = { 0 };
	const struct changed_row *row, *last;
	enum db_rc rc = db_list(x->db, &read_changed, &rows, P(number), P(most));
	bool complete;

	if (rc != DB_OK || rows.n == 0)
		return rc;
	row = rows.items;
	complete = row[rows.n - 1].key.p == NULL;
	b.ndocuments = rows.n - (complete ? 1 : 0);
	b.documents = ARENA_ARRAY(x->a, rows.n, struct document);
	for (size_t i = 0; i < b.ndocuments; i++)
		b.documents[i] = (struct document){ .key = row[i].key,
			.text = row[i].gone ? STR("") : row[i].doc };
	last = &row[b.ndocuments == 0 ? 0 : b.ndocuments - 1];
	*more |= !complete;
	return batch_store(x, &b,
	    complete
		? arena_printf(x->a, "{\"dataset\":%jd,\"next\":\"%.*s\",\"complete\":true}",
		      (intmax_t)number, (int)row->next.n, row->next.p)
		: arena_printf(x->a,
		      "{\"dataset\":%jd,\"next\":\"%.*s\",\"changed\":\"%.*s\",\"key\":\"%.*s\","
		      "\"complete\":false}",
		      (intmax_t)number, (int)row->next.n, row->next.p, (int)last->changed.n,
		      last->changed.p, (int)last->key.n, last->key.p));
}

bool
follow_changes(struct detect *x)
{
	bool more = false;

	for (enum dataset d = 0; d < DATASETS; d++) {
		if (!db_up(x->db) || !db_ok(x->db, follow_dataset(x, d, &more), "follow"))
			return false;
		arena_reset(x->a);
	}
	return more;
}
