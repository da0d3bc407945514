/* SPDX-License-Identifier: ISC */
/* The datasets that ClickHouse answers: which layout is asked, and when surfaced-index last said that it is up to date. It
   says so every two seconds, and after each change. */
#include "config.h"

#include "cli/doctor/clickhouse.h"
#include "search/clickhouse/layout.h"

#include <inttypes.h>

enum { LATE_S = 60 };

static void
judge_layouts(struct doctor *d, const char *name, const struct ch_layouts *l)
{
	for (size_t i = 0; i < l->n; i++) {
		int64_t age = (ts_now().us - l->row[i].at) / SECOND_US;

		if (l->row[i].layout != l->asked)
			continue;
		if (age <= LATE_S) {
			doctor_say(d, HEALTH_OK, "clickhouse", NO_ADVICE,
			    "%s: layout %u, fed %" PRId64 " seconds ago", name, l->asked, age);
		} else {
			doctor_say(d, HEALTH_FAILED, "clickhouse",
			    DO_WITH(RESTART, "surfaced-index"),
			    "%s: layout %u was not fed for %" PRId64 " seconds", name, l->asked,
			    age);
			doctor_cause(d, "daemon", "surfaced-index");
		}
		return;
	}
	doctor_say(d, HEALTH_FAILED, "clickhouse", DO_WITH(RESTART, "surfaced-index"),
	    "%s: no layout is asked", name);
	doctor_cause(d, "daemon", "surfaced-index");
}

bool
doctor_clickhouse(struct doctor *d, enum dataset dataset)
{
	const struct conf *c = doctor_conf(d, PROGRAM_API);
	const char *name = record_dataset_name(dataset);
	struct ch_cluster *cluster;
	struct ch_layouts l;

	if (!ch_answers(c, dataset))
		return false;
	cluster = ch_cluster_open(c);
	cluster->patience_us = 5 * SECOND_US;
	if (c->clickhouse_url[0] == '\0')
		doctor_say(d, HEALTH_FAILED, "clickhouse", DO(FIX_LINE),
		    "%s: clickhouse_url names no server", name);
	else if (!ch_layouts_read(cluster, dataset, &l))
		doctor_say(
		    d, HEALTH_FAILED, "clickhouse", NO_ADVICE, "%s: %s", name, cluster->message);
	else {
		judge_layouts(d, name, &l);
		ch_layouts_free(&l);
	}
	ch_cluster_free(cluster);
	return true;
}
