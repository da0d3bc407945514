/* SPDX-License-Identifier: ISC */
/* Registration with PostgreSQL, its clock, and its failures.
 *
 * The incarnation of the mapping is registered before any other call, and again on a new
 * connection or after a failure (meterd_ready). PostgreSQL refuses an incarnation when another
 * file of this host was registered since: two files would lease for the same host. The process
 * then removes the name of its file and ends, and its master starts another one with a new file. */
#include "config.h"

#include "daemon/host.h"
#include "db/guard.h"
#include "meter/meter.h"
#include "meter/slots.h"

enum { CLOCK_US = 1000 }; /* smaller differences of clocks are ignored */

struct moment {
	struct ts at;
};

static const struct field moment_out[] = {
	FIELD(struct moment, at, 0),
	FIELD_END,
};

STMT(begin, moment_out,
    "SELECT clock_timestamp() AS at FROM meter_begin($1, $2, clock_timestamp())");

bool
meterd_ok(struct meterd *m, enum db_rc rc, const char *what)
{
	if (rc != DB_OK && rc != DB_NONE) {
		m->registered = false;
		metrics_add(m->metrics, COUNTER_DATABASE_FAILURES);
	}
	return db_ok(m->db, rc, what);
}

/* Sets the mapping's clock from PostgreSQL's. The server read its clock at an unknown moment
 * between the question and the answer; the middle is assumed, and the error is at most half of
 * that time:
 *
 *   asked ----------------- at? ----------------- answered        boot_us
 *         |<------ slack ------>|<----- slack ----->|
 *
 * Differences within the slack may be nothing but that uncertainty and are ignored, or the clock
 * would jitter with every call. A larger step is logged, because quotas and usage follow it. */
void
meterd_set_clock(struct meterd *m, struct ts at, int64_t asked)
{
	int64_t answered = boot_us(), slack = (answered - asked) / 2 + CLOCK_US;
	int64_t epoch = at.us - (asked + (answered - asked) / 2);
	int64_t step = epoch - atomic_load(&m->file.head->epoch_us);

	if (step <= slack && step >= -slack)
		return;
	atomic_store(&m->file.head->epoch_us, epoch);
	m->now = meter_time(&m->file, answered);
	if (step >= SECOND_US || step <= -SECOND_US)
		log_event(LOGP_NOTICE, "clock_step",
		    "ms=%jd: quotas and usage follow the clock of the database",
		    (intmax_t)(step / 1000));
}

bool
meterd_ready(struct meterd *m)
{
	int64_t asked = boot_us();
	struct moment began;
	enum db_rc rc;

	if (!db_up(m->db))
		return false;
	if (m->registered || m->replaced)
		return true;
	rc = db_one(m->db, &begin, &began, P(m->file.head->incarnation), P(host_name()));
	/* Another file of this host was registered since: start with a new one. */
	if (rc == DB_CONFLICT) {
		log_event(LOGP_ERR, "closed", "why=\"%s\"", db_message(m->db));
		meter_file_drop(&m->file);
		exit(1);
	}
	m->registered = meterd_ok(m, rc, "begin");
	if (!m->registered)
		return false;
	meterd_set_clock(m, began.at, asked);
	slots_store_again(m);
	return true;
}
