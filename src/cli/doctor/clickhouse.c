/* SPDX-License-Identifier: ISC */
/* surfacectl doctor: the datasets that are searched in ClickHouse. Checks which layout is asked,
   and when surfaced-index last recorded that the layout is up to date, which it does every two
   seconds and after each change. */
#include "config.h"

#include "cli/doctor/clickhouse.h"
#include "search/clickhouse/layout.h"
#include "search/clickhouse/rights.h"

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
			doctor_report(d, HEALTH_OK, "clickhouse", NO_ADVICE,
			    "%s: layout %u, fed %" PRId64 " seconds ago", name, l->asked, age);
		} else {
			doctor_report(d, HEALTH_FAILED, "clickhouse",
			    DO_WITH(RESTART, "surfaced-index"),
			    "%s: layout %u was not fed for %" PRId64 " seconds", name, l->asked,
			    age);
			doctor_cause(d, "daemon", "surfaced-index");
		}
		return;
	}
	doctor_report(d, HEALTH_FAILED, "clickhouse", DO_WITH(RESTART, "surfaced-index"),
	    "%s: no layout is asked", name);
	doctor_cause(d, "daemon", "surfaced-index");
}

/* Asks ClickHouse, as the user of a program, whether it may write; should: whether it has to. */
static void
judge_user(struct doctor *d, enum program_id id, bool should)
{
	const struct conf *c = doctor_conf(d, id);
	struct ch_cluster *cluster;
	bool may;

	if (!d->programs[id].wanted || !d->programs[id].good || c->clickhouse_url[0] == '\0')
		return;
	cluster = ch_cluster_open(c);
	cluster->patience_us = 5 * SECOND_US;
	if (!ch_may_write(cluster, &may) || (should && !may)) {
		doctor_report(d, HEALTH_FAILED, "clickhouse_user", DO(FIX_LINE), "%s: %s",
		    d->programs[id].name, cluster->message);
	} else if (may && !should) {
		doctor_report(d, HEALTH_WARNING, "clickhouse_user", DO(FIX_LINE),
		    "%s: the user %s may change what is searched", d->programs[id].name,
		    c->clickhouse_user);
	} else {
		doctor_report(d, HEALTH_OK, "clickhouse_user", NO_ADVICE, "%s: %s may %s",
		    d->programs[id].name, c->clickhouse_user, should ? "write" : "only read");
	}
	doctor_subject(d, d->programs[id].name);
	ch_cluster_free(cluster);
}

static bool
is_first(const struct conf *c, enum dataset dataset)
{
	for (enum dataset d = 0; d < dataset; d++)
		if (ch_answers(c, d))
			return false;
	return true;
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
	if (is_first(c, dataset)) {
		judge_user(d, PROGRAM_API, false);
		judge_user(d, PROGRAM_INDEX, true);
	}
	cluster = ch_cluster_open(c);
	cluster->patience_us = 5 * SECOND_US;
	if (c->clickhouse_url[0] == '\0')
		doctor_report(d, HEALTH_FAILED, "clickhouse", DO(FIX_LINE),
		    "%s: clickhouse_url names no server", name);
	else if (!ch_layouts_read(cluster, dataset, &l))
		doctor_report(
		    d, HEALTH_FAILED, "clickhouse", NO_ADVICE, "%s: %s", name, cluster->message);
	else {
		judge_layouts(d, name, &l);
		ch_layouts_free(&l);
	}
	ch_cluster_free(cluster);
	return true;
}
