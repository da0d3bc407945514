/* SPDX-License-Identifier: ISC */
/* Reports of a batch, in the order of their keys (reports.h). */
#include "config.h"

#include "cli/import/reports.h"

#include "resource/report_store.h"

enum { REPORT_BUDGET_US = 600 * SECOND_US };

static void
count_report(struct import_sum *sum, struct arena *a, const struct import_item *item,
    const struct report_stored *out)
{
	struct str name;

	switch (out->outcome) {
	case REPORT_NEW:
		sum->fresh++;
		return;
	case REPORT_REVISED:
	case REPORT_WITHDRAWN:
		sum->changed++;
		return;
	case REPORT_UNCHANGED:
		sum->unchanged++;
		return;
	case REPORT_BAD:
		break;
	}
	sum->unreadable++;
	name = record_key_text(a, DATASET_REPORTS, item->key);
	buf_printf(&sum->messages, "the report %.*s is left out: %.*s\n", (int)name.n, name.p,
	    (int)out->what.n, out->what.p);
}

static enum db_rc
store_report(struct db *db, struct arena *a, const struct uuid *account,
    const struct import_item *item, struct report_stored *out)
{
	struct record r = import_own_text(a, DATASET_REPORTS, item->text);
	struct report_document doc = report_document_native(a, &r);
	enum db_rc rc = db_begin(db);

	if (rc == DB_OK)
		rc = report_store(db, a, account, &doc, out);
	if (rc == DB_OK)
		rc = db_commit(db);
	if (rc != DB_OK)
		db_rollback(db);
	return rc;
}

enum db_rc
import_reports(struct db *db, struct arena *a, const struct uuid *account,
    const struct import_batch *b, struct import_sum *sum)
{
	enum db_rc rc = DB_OK;

	for (size_t i = 0; rc == DB_OK && i < b->n; i++) {
		struct report_stored out;

		arena_reset(a);
		db_use(db, a, mono_us() + REPORT_BUDGET_US);
		rc = store_report(db, a, account, &b->items[i], &out);
		if (rc == DB_OK)
			count_report(sum, a, &b->items[i], &out);
	}
	return rc;
}
