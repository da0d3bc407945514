/* SPDX-License-Identifier: ISC */
/* Shared by the operations of reports. */
#ifndef API_REPORTS_REPORT_H
#define API_REPORTS_REPORT_H

#include "http/http.h"
#include "resource/report.h"

#define REPORT_ROW(need)                                                                           \
	.scope = (need), .access = ACCESS_ACCOUNT, .meter = METER_QUOTA, .area = AREA_SERVICE,     \
	.entitlement = ENTITLEMENT_REPORTS, .tag = "Reports"

extern const enum error report_errors[];

/* Fails with report_not_found unless the account reads the report of the path. */
int report_fail_missing(struct req *rq);

/* Faults of a title with control characters, and of each tag that is none. Tags become canonical. */
void report_check_title(struct str title, struct body_faults *faults);
void report_check_tags(struct req *rq, struct list *tags, struct body_faults *faults);

/* Adds a test of a field as surfaced-query(7) has it; a value that is no plain word is quoted. */
void query_term(struct buf *b, struct str field, struct str value);
/* The value alone, quoted where it must be. */
void query_word(struct buf *b, struct str value);

/* Completes the member search of each indicator. */
void indicator_searches(struct arena *a, struct list rows);

#endif
