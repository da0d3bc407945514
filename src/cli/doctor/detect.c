/* SPDX-License-Identifier: ISC */
/* surfacectl doctor: are detection rules evaluated? surfaced-detect moves its cursors every few
   seconds, also when nothing changes. */
#include "config.h"

#include "cli/doctor/detect.h"

enum { BEHIND = 60 };

struct detection {
	int64_t datasets, seconds, rules, failed, work;
};

static const struct field detection_out[] = {
	FIELD(struct detection, datasets, 0),
	FIELD(struct detection, seconds, 0),
	FIELD(struct detection, rules, 0),
	FIELD(struct detection, failed, 0),
	FIELD(struct detection, work, 0),
	FIELD_END,
};

STMT(read_detection, detection_out,
    "SELECT count(*) AS datasets, coalesce(extract(epoch FROM now() - min(at)), 0)::bigint AS "
    "seconds,"
    " (SELECT count(DISTINCT rule_uuid) FROM rule_run WHERE live) AS rules,"
    " (SELECT count(DISTINCT rule_uuid) FROM rule_run WHERE live AND state = 'failed') AS failed,"
    " (SELECT count(*) FROM detect_work WHERE due_at <= now()) AS work FROM detect_cursor");

void
doctor_detection(struct doctor *d)
{
	struct detection s;

	if (!d->database || db_one_row(d->c->db, &read_detection, &s, DB_NO_ARGS) != DB_OK)
		return;
	if (s.datasets > 0 && s.seconds >= BEHIND) {
		doctor_say(d, HEALTH_WARNING, "detection", DO_WITH(RESTART, "surfaced-detect"),
		    "no rule has been evaluated for %jd s", (intmax_t)s.seconds);
		doctor_cause(d, "daemon", "surfaced-detect");
		return;
	}
	doctor_say(d, s.failed > 0 ? HEALTH_WARNING : HEALTH_OK, "detection", NO_ADVICE,
	    "%jd rules, %jd of them failed, %jd being evaluated on older data", (intmax_t)s.rules,
	    (intmax_t)s.failed, (intmax_t)s.work);
}
