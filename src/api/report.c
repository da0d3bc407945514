/* SPDX-License-Identifier: ISC */
/* Reads, adds and withdraws reports. Reports of other accounts are not found (C-131). */
#include "config.h"

#include "api/api.h"
#include "api/report.h"

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
		"A shared report, or one of the organisation. No answer has its text. The "
		"counts of indicators take the organisation's verdicts into account.",
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
