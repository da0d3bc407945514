/* SPDX-License-Identifier: ISC */
/* surfacectl doctor: this host's disks, the processes of its daemons, and the requirements of
   browser sessions. */
#include "config.h"

#include "cli/doctor/doctor.h"
#include "cli/process.h"
#include "daemon/conf.h"
#include "resource/egress_route.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { COMMAND_MAX = 4096, PATIENCE_US = 5000000 };

/* ---- disks ---- */

/* Free space in percent decides, because a small disk and a large one fill up in the same way:
   below 10 % a warning, below 2 % a failure. Three more rules:

     f_bavail, not f_bfree     the blocks that root alone may use are of no help to a daemon
     fewer than 100 inodes     nothing can be written, however much space is left; 0 inodes in all: no limit
     evidence_reserve          below it surfaced-dispatch starts no session, whatever the percentage
                               is; export_reserve ends exports in the same way */
void
doctor_disk(struct doctor *d, const struct disk *disk)
{
	const char *path = disk->path;
	struct statvfs v;
	uint64_t free_mb, percent;
	enum health health = HEALTH_OK;
	const char *less = "";

	if (statvfs(path, &v) != 0) {
		doctor_report(
		    d, HEALTH_FAILED, "disk", DO(MAKE_FOLDERS), "%s: %s", path, strerror(errno));
		doctor_subject(d, path);
		return;
	}
	free_mb = (uint64_t)v.f_bavail * v.f_frsize >> 20;
	percent = v.f_blocks == 0 ? 0 : (uint64_t)v.f_bavail * 100 / v.f_blocks;
	if (percent < 10)
		health = percent < 2 ? HEALTH_FAILED : HEALTH_WARNING;
	if (v.f_files > 0 && v.f_favail < 100)
		health = HEALTH_FAILED;
	if (free_mb << 20 < (uint64_t)disk->reserve) {
		health = HEALTH_FAILED;
		less = PRINTED(d, ", less than %s: %s", disk->parameter, disk->effect);
	}
	doctor_report(d, health, "disk",
	    health == HEALTH_OK ? NO_ADVICE
	    : less[0] != '\0'   ? DO_WITH(LESS_RESERVE, path, disk->parameter)
				: DO_WITH(MAKE_ROOM, path),
	    "%s: %" PRIu64 " MB free, %" PRIu64 " %%%s", path, free_mb, percent, less);
	doctor_subject(d, path);
}

/* ---- daemons ---- */

/* Does the command line name the program and, if it has -c, this installation's
   configuration? Several installations may run on one machine, those of tests for
   example, and each has its own files. /proc/PID/cmdline has the arguments with a
   NUL after each. A process without -c belongs to the default configuration
   directory alone. */
static bool
is_command(const struct doctor *d, const char *text, size_t n, const char *name)
{
	const char *file = PRINTED(d, "%s/%s.conf", d->etc.p, name);
	const char *base = strrchr(text, '/');
	bool asked = false;

	if (strcmp(base == NULL ? text : base + 1, name) != 0)
		return false;
	for (const char *p = text; p < text + n; p += strlen(p) + 1) {
		if (strcmp(p, file) == 0)
			return true;
		asked |= strcmp(p, "-c") == 0;
	}
	return !asked && str_is(d->etc, SYSCONFDIR);
}

static int
find_process(const struct doctor *d, const char *name)
{
	DIR *dir = opendir("/proc");
	struct dirent *e;
	int found = 0;

	while (found == 0 && dir != NULL && (e = readdir(dir)) != NULL) {
		char path[64], text[COMMAND_MAX];
		int64_t pid;
		FILE *in;
		size_t n;

		if (!str_int64(str_of(e->d_name), &pid))
			continue;
		snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
		in = fopen(path, "re");
		if (in == NULL)
			continue;
		n = fread(text, 1, sizeof(text) - 1, in);
		text[n] = '\0';
		fclose(in);
		if (n > 0 && is_command(d, text, n, name))
			found = (int)pid;
	}
	if (dir != NULL)
		closedir(dir);
	return found;
}

/* Was the program's file replaced after the process had started? Linux adds " (deleted)" to the
   target of /proc/PID/exe when no name leads to the file any more, which is the case after a
   package upgrade: dpkg renames the new file over the old one. Such a daemon runs old code until it
   is reloaded, when the master executes the new file. Another user's link cannot be read; then
   nothing is reported. */
static bool
program_is_deleted(int pid)
{
	static const char gone[] = " (deleted)";
	char link[64], target[4096];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	n = readlink(link, target, sizeof(target));
	return n > 0 &&
	       str_ends((struct str){ target, (size_t)n }, (struct str){ gone, sizeof(gone) - 1 });
}

static void
check_daemon(struct doctor *d, struct program *p)
{
	if (p->pid == 0)
		p->pid = find_process(d, p->name);
	if (p->pid == 0)
		doctor_report(d, HEALTH_FAILED, "daemon", DO_WITH(START, p->name),
		    "%s does not run", p->name);
	else
		doctor_report(d, HEALTH_OK, "daemon", NO_ADVICE, "%s: process %d", p->name, p->pid);
	doctor_subject(d, p->name);
	if (p->pid != 0 && program_is_deleted(p->pid))
		doctor_report(d, HEALTH_WARNING, "version", DO_WITH(RELOAD, p->name),
		    "%s: process %d runs a program that was replaced since", p->name, p->pid);
}

/* Every request needs surfaced-meter, so not only its process is checked. */
static void
check_meter(struct doctor *d, const struct program *p)
{
	const char *path = PRINTED(d, "%s/metrics.sock", p->conf.run_directory);

	if (local_listens(path)) {
		doctor_report(d, HEALTH_OK, "meter", NO_ADVICE, "%s answers", path);
		return;
	}
	doctor_report(d, HEALTH_FAILED, "meter", DO_WITH(RESTART, p->name),
	    "%s: %s; every request gets api_metering_unavailable", path, strerror(errno));
	doctor_cause(d, "daemon", p->name);
}

void
doctor_daemons(struct doctor *d)
{
	for (size_t i = 0; i < PROGRAMS; i++)
		if (d->programs[i].wanted)
			check_daemon(d, &d->programs[i]);
	if (d->programs[PROGRAM_METER].good)
		check_meter(d, &d->programs[PROGRAM_METER]);
}

/* ---- browsers ---- */

/* Runs in a child: creates the namespaces that bubblewrap and Chromium need. The kernel has several
   switches that forbid them, and distributions add more, so the only honest test is to create the
   namespaces, as the user that will do it. unshare changes the calling process for good; a child
   ends with them. Exit status: 0 they exist, 1 they are refused, 2 the child could not become the
   user. */
static int
try_namespaces(const void *user, int out)
{
	const struct passwd *pw = getpwnam(user);

	(void)out;
	if (pw == NULL || (pw->pw_uid != geteuid() && !process_become(user)))
		return 2;
	return unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWPID | CLONE_NEWNS) != 0;
}

static struct advice
why_no_namespaces(void)
{
	static const struct {
		const char *file;
		char bad;
		const char *name, *value;
	} knobs[] = {
		{ "/proc/sys/kernel/unprivileged_userns_clone", '0',
		    "kernel.unprivileged_userns_clone", "1" },
		{ "/proc/sys/user/max_user_namespaces", '0', "user.max_user_namespaces", "10000" },
		{ "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", '1',
		    "kernel.apparmor_restrict_unprivileged_userns", "0" },
	};

	for (size_t i = 0; i < COUNT(knobs); i++) {
		FILE *in = fopen(knobs[i].file, "re");
		char text[8] = "";

		if (in == NULL)
			continue;
		if (fgets(text, sizeof(text), in) != NULL && text[0] == knobs[i].bad &&
		    (text[1] == '\n' || text[1] == '\0')) {
			fclose(in);
			return DO_WITH(SYSCTL, knobs[i].name, knobs[i].value);
		}
		fclose(in);
	}
	return DO(ALLOW_SPACES);
}

static void
check_namespaces(struct doctor *d)
{
	const char *user = d->user.p != NULL ? d->user.p : "surfaced-runner";
	struct buf nothing = { .a = d->c->arena };
	int status = process_call(try_namespaces, user, &nothing, 0);

	if (status == 0)
		doctor_report(
		    d, HEALTH_OK, "namespaces", NO_ADVICE, "the user %s can make them", user);
	else if (status == 1)
		doctor_report(d, HEALTH_FAILED, "namespaces", why_no_namespaces(),
		    "the user %s cannot make user namespaces: no browser will start", user);
	else
		doctor_report(d, HEALTH_WARNING, "namespaces",
		    getpwnam(user) == NULL ? DO(NAME_USER) : DO(AS_ROOT),
		    "could not be tried as the user %s", user);
}

STMT_LIST(read_routes, struct egress_route, egress_route_row,
    "SELECT " EGRESS_ROUTE_COLUMNS
    " FROM egress_route WHERE enabled ORDER BY country, kind, host, port");

static void
check_route(struct doctor *d, const struct egress_route *r)
{
	char at[TS_LEN + 1] = "never";

	if (!ts_is_null(r->probed_at))
		ts_print(r->probed_at, at);
	if (r->answered)
		doctor_report(d, HEALTH_OK, "routes", NO_ADVICE, "%.*s, %.*s", (int)r->country.n,
		    r->country.p, (int)r->kind.n, r->kind.p);
	else
		doctor_report(d, HEALTH_WARNING, "routes",
		    DO_WITH(FIX_ROUTE, arena_uuid(d->c->arena, &r->uuid).p),
		    "%.*s, %.*s %.*s port %" PRId64 ": did not answer (last tried %s)",
		    (int)r->country.n, r->country.p, (int)r->kind.n, r->kind.p, (int)r->host.n,
		    r->host.p == NULL ? "" : r->host.p, r->port, at);
}

static void
check_routes(struct doctor *d)
{
	struct list routes;

	db_use(d->c->db, d->c->arena, mono_us() + PATIENCE_US);
	if (!d->database || db_rows(d->c->db, &read_routes, &routes, DB_NO_ARGS) != DB_OK) {
		doctor_report(d, HEALTH_WARNING, "routes", DO_WITH(MIGRATE, SETUP),
		    "cannot be told without the database");
		doctor_cause(d, "database", NULL);
		return;
	}
	for (size_t i = 0; i < routes.n; i++)
		check_route(d, &((const struct egress_route *)routes.items)[i]);
	if (routes.n == 0)
		doctor_report(d, HEALTH_WARNING, "routes", DO(ADD_ROUTE),
		    "there are none: no session can be created");
}

/* surfaced-egress refuses non-public addresses by itself, but it cannot know the administrator's
   public ones. */
static void
check_closed(struct doctor *d, const struct program *p)
{
	if (p->conf.egress_closed[0] != '\0')
		doctor_report(d, HEALTH_OK, "egress", NO_ADVICE, "closed to browsers: %s",
		    p->conf.egress_closed);
	else
		doctor_report(d, HEALTH_OK, "egress", NO_ADVICE,
		    "browsers reach every public address; networks of yours that they "
		    "must "
		    "not reach belong into egress_closed in %s/%s.conf",
		    d->etc.p, p->name);
}

void
doctor_browser(struct doctor *d)
{
	const struct program *p = &d->programs[PROGRAM_DISPATCH];

	if (!p->wanted)
		return;
	check_namespaces(d);
	check_routes(d);
	if (d->programs[PROGRAM_EGRESS].good)
		check_closed(d, &d->programs[PROGRAM_EGRESS]);
	if (p->good && (p->pid == 0 || !d->database || !doctor_dispatcher(d)))
		doctor_runner(d);
	if (p->good)
		doctor_disk(d, &(struct disk){ p->conf.evidence_directory, p->conf.evidence_reserve,
				   "evidence_reserve", "no session is started" });
}
