/* SPDX-License-Identifier: ISC */
/* Reports and their indicators: the rows of the tables report, indicator and report_name
   (sql/0007-reports.sql), as the store writes them and the API shows them. */
#ifndef RESOURCE_REPORT_H
#define RESOURCE_REPORT_H

#include "db/db.h"

extern const char *const report_dispositions[],
    *const report_verdicts[], *const report_sources[], *const report_tlps[],
							   *const report_name_kinds[],
							       *const report_statuses[],
								   *const indicator_types[];

struct indicator_row {
	struct uuid uuid;
	struct str type, value, disposition, section, context, ignored_by;
	int64_t confidence, occurrences;
	bool defanged;
	struct list labels;
	struct ts first_seen_at, last_seen_at, valid_until, withdrawn_at;
	struct json search; /* {dataset, query}, or null */
};

/* The columns that the table has, as the store writes them. */
extern const struct field indicator_row[];
/* An answer of the API. */
extern const struct field indicator_out[];

/* The columns of an indicator i beside a verdict v of the asking account, whose word is the last
   (C-136). */
#define INDICATOR_DISPOSITION "coalesce(v.disposition, i.disposition)"
#define INDICATOR_COLUMNS                                                                          \
	"i.uuid, i.type, i.value, " INDICATOR_DISPOSITION " AS disposition, i.confidence,"         \
	" i.first_seen_at, i.last_seen_at, i.valid_until, i.occurrences, i.defanged, i.section,"   \
	" i.context, CASE WHEN v.disposition = 'ignored' THEN 'verdict'"                           \
	"  WHEN v.disposition IS NULL THEN i.ignored_by END AS ignored_by, i.labels, "             \
	"i.withdrawn_at"
/* account: the parameter with the account, such as "$1". */
#define INDICATORS_OF(account)                                                                     \
	"indicator AS i LEFT JOIN indicator_verdict AS v ON v.account_uuid = " account             \
	" AND v.type = i.type AND md5(v.value) = md5(i.value)"
/* A report r that the account may read. */
#define REPORT_READABLE(account)                                                                   \
	"r.status = 'published' AND (r.account_uuid IS NULL OR r.account_uuid = " account ")"

struct report_row {
	struct uuid uuid;
	struct str visibility, title, summary, publisher, url, language, tlp, source_kind, status;
	struct ts published_at, imported_at, updated_at;
	int64_t revision;
	struct list threat_actors, malware_families, sectors, techniques, cves, countries, tags,
	    indicator_types;
	struct json indicator_counts, names;
	bool truncated;
};

extern const struct field report_out[];
/* Parameters: account, report. No row: the account reads no such report. */
extern const struct stmt select_report;
/* The same of a report of the account, withdrawn or not. */
extern const struct stmt select_own_report;

#endif
