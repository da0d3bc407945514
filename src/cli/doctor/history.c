/* SPDX-License-Identifier: ISC */
/* surfacectl doctor: does surfaced-alert keep the months of the history of records? It makes the
   partitions of record_event two months ahead. An import makes a month that it needs and that is
   missing, so nothing is lost at once; but months that are due are not dropped either. */
#include "config.h"

#include "cli/doctor/doctor.h"

struct history {
	bool next;
	struct str month, since;
};

static const struct field history_out[] = {
	FIELD(struct history, next, 0),
	FIELD(struct history, month, 0),
	FIELD(struct history, since, 0),
	FIELD_END,
};

STMT(read_history, history_out,
    "SELECT to_regclass('record_event_' || to_char(m, 'YYYYMM')) IS NOT NULL AS next,"
    " to_char(m, 'YYYY-MM') AS month,"
    " to_char(greatest(began, oldest) AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS since"
    " FROM record_history, (SELECT now() AT TIME ZONE 'UTC' + interval '1 month' AS m) AS n");

void
doctor_history(struct doctor *d)
{
	struct history h;

	if (!d->database || db_one_row(d->c->db, &read_history, &h, DB_NO_ARGS) != DB_OK)
		return;
	if (h.next) {
		doctor_report(d, HEALTH_OK, "history", NO_ADVICE, "changes of records since %.*s",
		    (int)h.since.n, h.since.p);
		return;
	}
	doctor_report(d, HEALTH_WARNING, "history", DO_WITH(RESTART, "surfaced-alert"),
	    "the table record_event has no partition of %.*s", (int)h.month.n, h.month.p);
	doctor_cause(d, "daemon", "surfaced-alert");
}
