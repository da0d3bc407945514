/* SPDX-License-Identifier: ISC */
/* Reports of the earlier release have a document in record and no row in report. Each gets its rows
   as a native report that every account reads. Programs of that release go on reading the document
   meanwhile. */
#include "config.h"

#include "resource/report_store.h"
#include "cli/migrate.h"

enum { ADOPT_BUDGET_US = 600 * SECOND_US };

struct orphan {
	struct str key, doc;
};

static const struct field orphan_out[] = {
	FIELD(struct orphan, key, 0),
	FIELD(struct orphan, doc, 0),
	FIELD_END,
};

/* $1: the key after which the next one is searched. */
STMT(next_orphan, orphan_out,
    "SELECT key, doc FROM record WHERE dataset = 6 AND NOT gone AND key > $1 AND NOT EXISTS ("
    " SELECT FROM report WHERE uuid = encode(substr(key, 9), 'hex')::uuid) ORDER BY key LIMIT 1");

static enum db_rc
adopt_report(struct db *db, struct arena *a, const struct orphan *o, struct report_stored *out)
{
	struct report_document doc;
	struct str what;
	struct record r;

	out->outcome = REPORT_BAD;
	if (!record_parse(a, DATASET_REPORTS, o->doc, RECORD_LENIENT, &r, &what) ||
	    !record_finish(a, &r, RECORD_LENIENT, &what))
		return DB_OK; /* the document is not changed */
	doc = report_document_native(a, &r);
	return report_store(db, a, NULL, &doc, out);
}

enum db_rc
report_adopt(struct db *db, struct arena *a, int64_t *adopted)
{
	struct buf after = { 0 };
	enum db_rc rc = DB_OK;

	*adopted = 0;
	while (rc == DB_OK) {
		struct report_stored out;
		struct orphan o;

		arena_reset(a);
		db_use(db, a, mono_us() + ADOPT_BUDGET_US);
		rc = db_begin(db);
		if (rc == DB_OK)
			rc = db_one(db, &next_orphan, &o,
			    P(((struct bytes){
				(const unsigned char *)(after.n > 0 ? after.p : ""), after.n })));
		if (rc != DB_OK)
			break;
		buf_clear(&after);
		buf_str(&after, o.key);
		rc = adopt_report(db, a, &o, &out);
		if (rc == DB_OK)
			rc = db_commit(db);
		*adopted += rc == DB_OK && out.outcome == REPORT_NEW;
	}
	db_rollback(db);
	buf_free(&after);
	return rc == DB_NONE ? DB_OK : rc;
}
