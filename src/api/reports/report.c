/* SPDX-License-Identifier: ISC */
/* Reads, changes and withdraws reports. Reports of other accounts are not found (C-131). */
#include "config.h"

#include "api/api.h"
#include "api/reports/report.h"
#include "record/lookup.h"
#include "resource/report_store.h"

int
report_fail_missing(struct req *rq)
{
	struct report_row r;
	enum db_rc rc = db_one(rq->db, &select_report, &r, P(rq->key->account), P(rq->path[0]));

	if (rc == DB_OK)
		return PASS;
	return rc == DB_NONE ? fail(rq, ERR_REPORT_NOT_FOUND) : fail_db(rq, rc);
}

static int
get_report(struct req *rq)
{
	struct report_row r;
	enum db_rc rc = db_one(rq->db, &select_report, &r, P(rq->key->account), P(rq->path[0]));

	return reply_found(rq, rc, ERR_REPORT_NOT_FOUND, &r);
}

/* ---- changing ---- */

struct report_change {
	struct str title, tlp;
	struct list tags;
};

static const struct field change_in[] = {
	TEXT(struct report_change, title, REQUIRED | TRIM, 1, 500),
	ONE_OF(struct report_change, tlp, NULLABLE, report_tlps, NULL),
	LIST_OF(struct report_change, tags, 0, struct str, 0, 64),
	FIELD_END,
};

void
report_check_title(struct str title, struct body_faults *faults)
{
	if (title.p != NULL && !name_visible(title))
		body_fault(faults, "title", "invalid_format", "must not have control characters");
}

void
report_check_tags(struct req *rq, struct list *tags, struct body_faults *faults)
{
	struct str *tag = tags->items;

	for (size_t i = 0; i < tags->n; i++)
		if (tag[i].p != NULL && (tag[i].n == 0 || !record_canonical(rq->arena,
							      DATASET_REPORTS, "tags", &tag[i])))
			body_fault(faults, arena_printf(rq->arena, "tags[%zu]", i).p,
			    "invalid_format", "must be 1 to 128 ASCII characters without blanks");
}

static int
check_change(struct req *rq, void *body, struct body_faults *faults)
{
	struct report_change *in = body;

	report_check_title(in->title, faults);
	report_check_tags(rq, &in->tags, faults);
	return PASS;
}

static int
update_report(struct req *rq)
{
	const struct report_change *in = rq->in;
	struct report_row r;
	enum db_rc rc = report_edit(rq->db, rq->arena,
	    &(struct report_edit){ .account = &rq->key->account,
		.report = &rq->path[0],
		.title = in->title,
		.tlp = in->tlp,
		.tags = { in->tags.items, in->tags.n } });

	if (rc == DB_OK)
		rc = db_one(rq->db, &select_own_report, &r, P(rq->key->account), P(rq->path[0]));
	return reply_found(rq, rc, ERR_REPORT_NOT_FOUND, &r);
}

/* ---- withdrawing ---- */

struct withdrawn {
	bool found;
};

static const struct field withdrawn_out[] = { FIELD(struct withdrawn, found, 0), FIELD_END };

STMT(withdraw_report, withdrawn_out, "SELECT report_withdraw($1, $2) AS found");

static int
withdraw(struct req *rq)
{
	struct withdrawn w;
	struct report_row r;
	enum db_rc rc = db_one(rq->db, &withdraw_report, &w, P(rq->key->account), P(rq->path[0]));

	if (rc == DB_OK && !w.found)
		return fail(rq, ERR_REPORT_NOT_FOUND);
	if (rc == DB_OK)
		rc = db_one(rq->db, &select_own_report, &r, P(rq->key->account), P(rq->path[0]));
	return reply_found(rq, rc, ERR_REPORT_NOT_FOUND, &r);
}

const enum error report_errors[] = { ERR_REPORT_NOT_FOUND, ERR_UNSET };

static const struct route report_routes[] = {
	{
	    ROUTE(GET, "/reports/{report_uuid}", get_report),
	    REPORT_ROW(SCOPE_REPORTS_VIEW),
	    .wrapper = "report",
	    .out = report_out,
	    .errors = report_errors,
	    .summary = "Get a report",
	    .description =
		"A shared report, or one of the organisation. The answer does not have its text. "
		"The counts of indicators take the organisation's verdicts into account.",
	},
	{
	    ROUTE(PUT, "/reports/{report_uuid}", update_report),
	    REPORT_ROW(SCOPE_REPORTS_MANAGE),
	    BODY_CHECKED(struct report_change, change_in, BODY_CONFIGURED, check_change),
	    .wrapper = "report",
	    .out = report_out,
	    .errors = report_errors,
	    .example = JSON({ "title" : "A campaign", "tlp" : "amber", "tags" : ["loader"] }),
	    .summary = "Change a report of the organisation",
	    .description =
		"Replaces the title, the TLP and the tags; without tlp the report has none, "
		"without tags no tags. A shared report is not found. The change stays until the "
		"source of the report has other contents, which replace the whole report. Equal "
		"values are no new revision.",
	},
	{
	    ROUTE_AS(DELETE, "/reports/{report_uuid}", "delete_report", withdraw),
	    REPORT_ROW(SCOPE_REPORTS_MANAGE),
	    .wrapper = "report",
	    .out = report_out,
	    .errors = report_errors,
	    .summary = "Withdraw a report of the organisation",
	    .description =
		"The report disappears from searches and all answers. A shared report is not "
		"found. Withdrawing a report again changes nothing.",
	},
	ROUTE_END,
};

ROUTES(51, report);
