/* SPDX-License-Identifier: ISC */
/* surfacectl doctor: the table of checks, and the checks that need only files. findings.c prints
   the results. */
#include "config.h"

#include "cli/doctor/detect.h"
#include "cli/doctor/files.h"
#include "cli/doctor/people.h"
#include "daemon/conf.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <unistd.h>

/* ---- configuration ---- */

/* Files in /etc do not count: a removed package leaves them behind. */
static bool
is_installed(struct doctor *d, const char *name)
{
	return access(PRINTED(d, "%s/%s.conf", d->etc.p, name), F_OK) == 0 &&
	       (!str_is(d->etc, SYSCONFDIR) || access(PRINTED(d, SBINDIR "/%s", name), F_OK) == 0);
}

void
doctor_read(struct doctor *d, struct program *p)
{
	const char *path = PRINTED(d, "%s/%s.conf", d->etc.p, p->name);
	bool there = access(path, F_OK) == 0;
	struct conf own = conf;
	char err[512];

	p->wanted = p->always ||
		    (is_installed(d, p->name) && (p->needs == NULL || is_installed(d, p->needs)));
	if (!p->wanted)
		return;
	p->good = conf_load(p->name, there ? path : NULL, err, sizeof(err));
	p->conf = conf;
	conf = own;
	if (!p->good)
		doctor_report(d, HEALTH_FAILED, "configuration", DO(FIX_LINE), "%s", err);
	else
		doctor_report(d, HEALTH_OK, "configuration", NO_ADVICE, "%s%s", path,
		    there ? "" : ": no such file, the defaults are in force");
}

/* Two daemons that use the same directory and must agree on it. Each has a configuration file of
   its own, so a change in one file is easily forgotten in the other. Neither daemon can notice the
   difference: each uses its own directory, and the reader finds an empty or an outdated one. So
   doctor compares the two files. There is nothing to compare when this host has only one of the
   daemons. */
static void
check_same(struct doctor *d, const char *parameter, const struct program *writer,
    const char *writes, const char *reader, const char *reads)
{
	if (writer->wanted && writer->good && strcmp(writes, reads) != 0)
		doctor_report(d, HEALTH_FAILED, "configuration",
		    DO_WITH(SET_SAME, parameter, d->etc.p), "%s reads %s, %s writes %s", reader,
		    reads, writer->name, writes);
}

static void
check_agreement(struct doctor *d)
{
	const struct program *api = &d->programs[PROGRAM_API], *index = &d->programs[PROGRAM_INDEX],
			     *meter = &d->programs[PROGRAM_METER],
			     *stream = &d->programs[PROGRAM_STREAM],
			     *dispatch = &d->programs[PROGRAM_DISPATCH],
			     *egress = &d->programs[PROGRAM_EGRESS];

	if (api->good) {
		check_same(d, "index_directory", index, index->conf.index_directory, api->name,
		    api->conf.index_directory);
		check_same(d, "run_directory", meter, meter->conf.run_directory, api->name,
		    api->conf.run_directory);
		check_same(d, "stream_keys", stream, stream->conf.stream_keys, api->name,
		    api->conf.stream_keys);
	}
	check_same(d, "evidence_directory", dispatch, dispatch->conf.evidence_directory,
	    "surfacectl", conf.evidence_directory);
	if (dispatch->wanted && dispatch->good)
		check_same(d, "run_directory", egress, egress->conf.run_directory, dispatch->name,
		    dispatch->conf.run_directory);
}

static void
check_upstreams(struct doctor *d)
{
	const char *path = doctor_conf(d, PROGRAM_API)->upstreams;
	unsigned workers = 0;
	char err[512];

	if (!pools_read(path, NULL, d->pools, &d->npools, err, sizeof(err))) {
		doctor_report(
		    d, HEALTH_FAILED, "upstreams", DO_WITH(FIX_UPSTREAMS, d->etc.p), "%s", err);
		return;
	}
	for (size_t i = 0; i < d->npools; i++)
		workers += d->pools[i].workers;
	doctor_report(d, HEALTH_OK, "upstreams", NO_ADVICE, "%s: %zu pools, %u workers", path,
	    d->npools, workers);
}

static void
check_configuration(struct doctor *d)
{
	for (size_t i = 0; i < PROGRAMS; i++)
		doctor_read(d, &d->programs[i]);
	check_agreement(d);
	doctor_secrets(d);
	doctor_public_url(d);
	check_upstreams(d);
}

/* ---- the host ---- */

static void
check_clock(struct doctor *d)
{
	struct timex t = { 0 };
	int state = adjtimex(&t);

	if (state < 0 || state == TIME_ERROR || (t.status & STA_UNSYNC))
		doctor_report(d, HEALTH_WARNING, "clock", DO(SYNC_CLOCK),
		    "the kernel does not know the clock as synchronised");
	else
		doctor_report(d, HEALTH_OK, "clock", NO_ADVICE, "synchronised, within %ld ms",
		    t.maxerror / 1000);
}

/* A merge needs space for a new segment beside those that it replaces. */
static void
check_index_disk(struct doctor *d)
{
	doctor_disk(d, &(struct disk){ .path = doctor_conf(d, PROGRAM_INDEX)->index_directory });
}

/* ---- the command ---- */

static void (*const checks[])(struct doctor *) = {
	check_configuration,
	doctor_database,
	doctor_alerts,
	doctor_history,
	doctor_exports,
	doctor_detection,
	doctor_fingerprints,
	doctor_sealed,
	doctor_index,
	doctor_sockets,
	doctor_daemons,
	doctor_unread_secret,
	doctor_resolver,
	doctor_nginx,
	doctor_browser,
	check_clock,
	check_index_disk,
};

static const struct program programs[PROGRAMS] = {
	[PROGRAM_API] = { "surfaced", .always = true, .role = "surfaced_api" },
	[PROGRAM_INDEX] = { "surfaced-index", .always = true, .role = "surfaced_index" },
	[PROGRAM_METER] = { "surfaced-meter", .always = true, .role = "surfaced_meter" },
	[PROGRAM_ALERT] = { "surfaced-alert", .role = "surfaced_alert" },
	[PROGRAM_EXPORT] = { "surfaced-export", .role = "surfaced_export" },
	[PROGRAM_DETECT] = { "surfaced-detect", .role = "surfaced_detect" },
	[PROGRAM_STREAM] = { "surfaced-stream", .role = "surfaced_stream",
	    .needs = "surfaced-dispatch" },
	[PROGRAM_DISPATCH] = { "surfaced-dispatch", .role = "surfaced_dispatch" },
	[PROGRAM_EGRESS] = { "surfaced-egress" },
};

/* The checks run in the order of the table, because later checks use results of
   earlier ones: the configuration gives the paths, the database sets d->database,
   and the sockets give the process of a daemon. Causes need no order, as findings.c
   looks for them when all checks are done. A check adds a finding for each thing
   that it looked at, also for a good one, so that the output shows what was checked. */
static int
doctor(struct cli *c, int argc, char **argv)
{
	static struct doctor whole; /* static because of its size */
	struct doctor *d = &whole;
	const struct cli_option options[] = {
		{ "etc", .text = &d->etc },
		{ "nginx", .text = &d->nginx },
		{ "sql-dir", .text = &d->sql_dir },
		{ "user", .text = &d->user },
		{ NULL },
	};
	struct cli_list words;

	d->c = c;
	d->etc = STR(SYSCONFDIR);
	d->sql_dir = STR(PKGDATADIR "/sql");
	memcpy(d->programs, programs, sizeof(programs));
	if (!cli_options(c, argc, argv, options, &words, 0, 0))
		return EXIT_USAGE;
	for (size_t i = 0; i < COUNT(checks); i++)
		checks[i](d);
	return doctor_show(d);
}

static const struct command doctor_command = {
	.name = "doctor",
	.arguments = "[--etc DIR] [--nginx FILE] [--sql-dir DIR] [--user NAME]",
	.help = "find the faults of this installation, with advice",
	.run = doctor,
};

COMMAND(doctor_command);
