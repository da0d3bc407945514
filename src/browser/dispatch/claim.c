/* SPDX-License-Identifier: ISC */
/* Claims queued sessions and starts a runner for each. */
#include "config.h"

#include "browser/dispatch/caller.h"
#include "browser/dispatch/dispatch.h"

static void
start_claimed_session(struct dispatcher *d, const struct session_row *row)
{
	struct session *s = session_new(d, row);
	char err[512] = "";
	struct runner_process process;

	if (!spawn_runner(d, &process, err, sizeof(err))) {
		session_log(s, LOGP_ERR, "started", err);
		s->gone = true;
		host_report_fault(d, err);
		return;
	}
	if (process.pid > 0 && !session_watch_process(s, process.pid, process.pidfd))
		panic("no pidfd for runner %d", (int)process.pid);
	caller_new_runner(s, process.fd);
}

void
session_claim_new(struct dispatcher *d)
{
	struct list claimed, rows;
	const struct session_row *row;

	if (!d->announced || d->fault[0] != '\0' || !store_claim(d, &claimed) || claimed.n == 0 ||
	    !store_sessions(d, &rows))
		return;
	row = rows.items;
	for (size_t i = 0; i < rows.n; i++)
		if (session_is_listed(claimed, &row[i].uuid) &&
		    session_find(d, &row[i].uuid, row[i].epoch) == NULL)
			start_claimed_session(d, &row[i]);
}
