/* SPDX-License-Identifier: ISC */
/* Stores reports: one call a report, in a transaction of the caller, from an importer or POST
 * /reports.
 *
 *   struct report_document     --report_tree-->  canonical tree of the document that searches find
 *        |  digest of the contents                      |
 *        v                                              v
 *   tables report, indicator, report_name, report_text  table record: report_put writes all of them
 *
 *   stored               contents      outcome
 *   no                   any           REPORT_NEW        revision 1
 *   yes                  the same      REPORT_UNCHANGED  nothing is written
 *   yes                  others        REPORT_REVISED    revision + 1; indicators that are gone get withdrawn_at
 *   yes, withdrawn       any           REPORT_REVISED    it is published again
 *   any                  .withdrawn    REPORT_WITHDRAWN  it leaves search; the rows stay
 *
 * A native report (.seen is set) is revised by a later version alone; of two of one time the one
 * with the greater digest stays, so the order of imports makes no difference. */
#ifndef RESOURCE_REPORT_STORE_H
#define RESOURCE_REPORT_STORE_H

#include "db/db.h"
#include "record/record.h"
#include "resource/report_document.h"

enum report_outcome {
	REPORT_NEW,
	REPORT_REVISED,
	REPORT_UNCHANGED,
	REPORT_WITHDRAWN,
	REPORT_BAD, /* nothing is written; .what is the reason */
};

struct report_stored {
	enum report_outcome outcome;
	struct uuid uuid;
	int64_t revision;
	struct str what; /* REPORT_BAD: "tlp: ..." */
};

/* Stores the report for every account (account NULL) or for one. The caller begins and ends the
   transaction. */
enum db_rc report_store(struct db *db, struct arena *a, const struct uuid *account,
    const struct report_document *doc, struct report_stored *out) MUST_USE;

/* The members of a report that its organisation may change. */
struct report_edit {
	const struct uuid *account, *report;
	struct str title, tlp; /* tlp: null: none */
	struct strs tags;
};

/* Changes a published report of the account in the caller's transaction; DB_NONE: the account has
   no such report. Equal values are no new revision. */
enum db_rc report_edit(struct db *db, struct arena *a, const struct report_edit *e) MUST_USE;

/* The document of a native report: a finished record, as surfacectl import reports reads it. */
struct report_document report_document_native(struct arena *a, const struct record *r);

/* The UUID of version 5 of a name in a space. */
struct uuid report_name_uuid(const struct uuid *space, struct str name);
/* The UUID of an indicator, version 5 of its report, type and value. */
struct uuid report_indicator_uuid(const struct uuid *report, struct str type, struct str value);

#endif
