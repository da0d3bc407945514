/* SPDX-License-Identifier: ISC */
/* Whether browsers can be started on this host: what the runner's own dry run says, a way out, and room for
   evidence.
   Where not, nothing is claimed and the host's row says why; there is no way around the sandbox. */
#include "config.h"

#include "browser/dispatch/dispatch.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

enum { AGAIN_US = 30000000, PATIENCE_US = 30000000, OUTPUT_MAX = 8192 };

static void
set_fault(struct dispatcher *d, const char *text)
{
	if (strcmp(d->fault, text) == 0)
		return;
	snprintf(d->fault, sizeof(d->fault), "%s", text);
	d->beat_at = 0;
	if (text[0] == '\0')
		log_event(LOGP_NOTICE, "host", "ready=yes");
	else
		log_event(LOGP_ERR, "host", "ready=no why=\"%s\"", text);
}

/* The first line that begins with "missing"; else the last one there is. */
static void
find_reason(char *text, char *out, size_t room)
{
	char *rest = text, *line, *last = NULL;

	while ((line = strsep(&rest, "\n")) != NULL) {
		if (line[0] != '\0')
			last = line;
		if (strncmp(line, "missing", strlen("missing")) == 0)
			break;
	}
	snprintf(out, room, "%s", last == NULL ? "the runner's dry run failed" : last);
}

static void
end_check(struct dispatcher *d)
{
	event_free(d->checked);
	close(d->check_pidfd);
	close(d->check_out);
	d->checked = NULL;
}

static void
on_checked(int fd, short what, void *arg)
{
	struct dispatcher *d = arg;
	char text[OUTPUT_MAX + 1], reason[sizeof(d->fault)];
	siginfo_t how = { 0 };
	ssize_t n;

	(void)what;
	if (waitid(P_PIDFD, (id_t)fd, &how, WEXITED | WNOHANG) != 0 || how.si_pid == 0)
		return;
	n = pread(d->check_out, text, OUTPUT_MAX, 0);
	text[n > 0 ? n : 0] = '\0';
	end_check(d);
	if (how.si_code == CLD_EXITED && how.si_status == 0) {
		d->check_at = INT64_MAX;
		host_tend(d);
		return;
	}
	find_reason(text, reason, sizeof(reason));
	set_fault(d, reason);
}

static void
begin_check(struct dispatcher *d)
{
	const char *argv[] = { conf.runner, "-t", "-c", conf.runner_conf, NULL };
	pid_t pid;

	d->check_at = mono_us() + AGAIN_US;
	d->check_out = memfd_create("dry run", MFD_CLOEXEC);
	if (d->check_out < 0)
		panic("memfd: %s", strerror(errno));
	pid = spawn(d, argv, d->check_out, &d->check_pidfd);
	if (pid == 0) {
		close(d->check_out);
		set_fault(d, "no process can be started");
		return;
	}
	d->checked =
	    event_new(d->base, d->check_pidfd, EV_READ | EV_PERSIST, on_checked, d);
	if (d->checked == NULL || event_add(d->checked, NULL) != 0)
		panic("no event");
}

static bool
has_room(void)
{
	struct statvfs v;

	return statvfs(conf.evidence_directory, &v) == 0 &&
	       (uint64_t)v.f_bavail * v.f_frsize >= (uint64_t)conf.evidence_reserve &&
	       access(conf.evidence_directory, W_OK) == 0;
}

void
host_tend(struct dispatcher *d)
{
	char text[sizeof(d->fault)];

	if (d->checked == NULL && mono_us() >= d->check_at)
		begin_check(d);
	if (d->check_at != INT64_MAX)
		return;
	if (d->egress == NULL)
		snprintf(text, sizeof(text),
		    "%.400s/egress.sock: surfaced-egress does not answer",
		    conf.run_directory);
	else if (!has_room())
		snprintf(text, sizeof(text),
		    "evidence_directory %.300s: not writable, or less room than "
		    "evidence_reserve",
		    conf.evidence_directory);
	else
		text[0] = '\0';
	set_fault(d, text);
}
