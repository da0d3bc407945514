/* SPDX-License-Identifier: ISC */
/* surfacectl doctor: are the exports of search results written? An export waits only for earlier
   ones. So when no export is being written, and one has waited for longer than PATIENCE, no process
   writes exports. */
#include "config.h"

#include "cli/doctor/doctor.h"

enum { PATIENCE = 60 };

struct waiting {
	int64_t queued, running, seconds;
};

static const struct field waiting_out[] = {
	FIELD(struct waiting, queued, 0),
	FIELD(struct waiting, running, 0),
	FIELD(struct waiting, seconds, 0),
	FIELD_END,
};

STMT(read_waiting, waiting_out,
    "SELECT count(*) FILTER (WHERE state = 'queued') AS queued,"
    " count(*) FILTER (WHERE state = 'running' AND lease_until > now()) AS running,"
    " coalesce(extract(epoch FROM now() - min(created_at)), 0)::bigint AS seconds"
    " FROM search_export WHERE state IN ('queued', 'running')");

void
doctor_exports(struct doctor *d)
{
	const struct program *p = &d->programs[PROGRAM_EXPORT];
	struct waiting w;

	if (p->wanted && p->good)
		doctor_disk(d, &(struct disk){ p->conf.export_directory, p->conf.export_reserve,
				   "export_reserve", "each export fails with disk_full" });
	if (!d->database || db_one_row(d->c->db, &read_waiting, &w, DB_NO_ARGS) != DB_OK)
		return;
	if (w.running > 0 || w.seconds < PATIENCE) {
		doctor_report(d, HEALTH_OK, "exports", NO_ADVICE, "%jd waiting, %jd being written",
		    (intmax_t)w.queued, (intmax_t)w.running);
		return;
	}
	doctor_report(d, HEALTH_WARNING, "exports", DO_WITH(RESTART, "surfaced-export"),
	    "an export has waited for %jd s and none is being written", (intmax_t)w.seconds);
	doctor_cause(d, "daemon", "surfaced-export");
}
