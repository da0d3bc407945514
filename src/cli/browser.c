/* SPDX-License-Identifier: ISC */
/* surfacectl browser-check: whether this host can run browser sessions, and which changes it needs.
   The command changes nothing and starts only the runner's host check. */
#include "config.h"

#include "cli/doctor/doctor.h"
#include "daemon/conf.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum {
	FIRST_MB = 260, /* memory of the first session, and of each further one */
	NEXT_MB = 100,
};

/* ---- the host ---- */

static void
check_evidence(struct doctor *d)
{
	const struct conf *k = doctor_conf(d, PROGRAM_DISPATCH);
	struct statvfs v;
	uint64_t room;

	if (statvfs(k->evidence_directory, &v) != 0) {
		doctor_report(d, HEALTH_FAILED, "evidence", DO(MAKE_FOLDERS), "%s: %s",
		    k->evidence_directory, strerror(errno));
		return;
	}
	room = (uint64_t)v.f_bavail * v.f_frsize;
	if (room < (uint64_t)k->evidence_reserve)
		doctor_report(d, HEALTH_FAILED, "evidence",
		    DO_WITH(LESS_RESERVE, k->evidence_directory),
		    "%s: %" PRIu64 " MB free, less than evidence_reserve", k->evidence_directory,
		    room >> 20);
	else
		doctor_report(d, HEALTH_OK, "evidence", NO_ADVICE, "%s: %" PRIu64 " MB free",
		    k->evidence_directory, room >> 20);
}

static void
check_memory(struct doctor *d)
{
	int64_t slots = doctor_conf(d, PROGRAM_DISPATCH)->browser_sessions, mb = 0,
		needed = slots == 0 ? 0 : FIRST_MB + (slots - 1) * NEXT_MB;
	static const char available[] = "MemAvailable:";
	FILE *in = fopen("/proc/meminfo", "re");
	char line[256];

	while (in != NULL && fgets(line, sizeof(line), in) != NULL)
		if (strncmp(line, available, strlen(available)) == 0)
			mb = strtoll(line + strlen(available), NULL, 10) / 1024;
	if (in != NULL)
		fclose(in);
	doctor_report(d, mb < needed ? HEALTH_WARNING : HEALTH_OK, "memory",
	    mb < needed ? DO(MORE_MEMORY) : NO_ADVICE,
	    "%" PRId64 " MB available, %" PRId64 " for %" PRId64 " sessions", mb, needed, slots);
}

static void
check_egress(struct doctor *d)
{
	const char *path =
	    PRINTED(d, "%s/egress.sock", doctor_conf(d, PROGRAM_DISPATCH)->run_directory);
	int fd = fd_connect(path, SOCK_SEQPACKET);

	if (fd >= 0)
		doctor_report(d, HEALTH_OK, "egress", NO_ADVICE, "%s answers", path);
	else
		doctor_report(d, HEALTH_FAILED, "egress", DO_WITH(START, "surfaced-egress"),
		    "%s: %s", path, strerror(errno));
	fd_close(fd);
}

static void
check_dispatch(struct doctor *d)
{
	const char *path =
	    PRINTED(d, "%s/dispatch.lock", doctor_conf(d, PROGRAM_DISPATCH)->run_directory);
	int fd = fd_lock(path, O_RDONLY);

	if (fd < 0 && errno == EWOULDBLOCK)
		doctor_report(d, HEALTH_OK, "dispatcher", NO_ADVICE, "surfaced-dispatch runs");
	else
		doctor_report(d, HEALTH_FAILED, "dispatcher", DO_WITH(START, "surfaced-dispatch"),
		    "%s: %s", path, fd < 0 ? strerror(errno) : "no process holds its lock");
	fd_close(fd);
}

/* ---- the dispatcher's row in the database ---- */

struct ways {
	int64_t usable, enabled;
};

static const struct field ways_out[] = {
	FIELD(struct ways, usable, 0),
	FIELD(struct ways, enabled, 0),
	FIELD_END,
};

STMT(count_routes, ways_out,
    "SELECT count(*) FILTER (WHERE answered) AS usable, count(*) AS enabled"
    " FROM egress_route WHERE enabled");

static void
check_database(struct doctor *d)
{
	struct ways w = { 0 };

	(void)doctor_dispatcher(d);
	if (db_one_row(d->c->db, &count_routes, &w, DB_NO_ARGS) != DB_OK)
		doctor_report(
		    d, HEALTH_FAILED, "database", DO(ASK_DOCTOR), "%s", db_message(d->c->db));
	else if (w.usable == 0)
		doctor_report(d, HEALTH_FAILED, "routes", DO(ADD_ROUTE),
		    "%" PRId64 " are enabled, none answers: no session can be created", w.enabled);
	else
		doctor_report(d, HEALTH_OK, "routes", NO_ADVICE,
		    "%" PRId64 " of %" PRId64 " enabled ones answer", w.usable, w.enabled);
}

static void (*const checks[])(struct doctor *) = {
	doctor_runner,
	check_evidence,
	check_memory,
	check_egress,
	check_dispatch,
	check_database,
};

static int
browser_check(struct cli *c, int argc, char **argv)
{
	static struct doctor whole; /* static because of its size, as in doctor.c */
	struct doctor *d = &whole;
	struct program *p = &d->programs[PROGRAM_DISPATCH];
	const struct cli_option options[] = { { "etc", .text = &d->etc }, { NULL } };
	struct cli_list words;

	d->c = c;
	d->etc = STR(SYSCONFDIR);
	p->name = "surfaced-dispatch";
	if (!cli_options(c, argc, argv, options, &words, 0, 0))
		return EXIT_USAGE;
	doctor_read(d, p);
	if (!p->wanted)
		doctor_report(d, HEALTH_FAILED, "configuration",
		    DO_WITH(INSTALL, "./surfaced-browser_*.deb"),
		    "%s/surfaced-dispatch.conf or its program is not there", d->etc.p);
	for (size_t i = 0; i < COUNT(checks) && p->good; i++)
		checks[i](d);
	return doctor_show(d);
}

static const struct command browser_command = {
	.name = "browser-check",
	.arguments = "[--etc DIR]",
	.help = "whether this host can run browser sessions, and what to do where it cannot",
	.run = browser_check,
};

COMMAND(browser_command);
