/* SPDX-License-Identifier: ISC */
/* Decides whether browsers can be started on this host: a dry run of the runner succeeds,
 * surfaced-egress is connected, and evidence_directory has space. Otherwise no session is
 * claimed and the host's row contains the reason. There is no option to run browsers without
 * their sandbox.
 *
 * The dry run starts a runner in exactly the way of a session, so that it has the same user,
 * rights and limits. It is repeated every AGAIN_US until it succeeds, and never afterwards,
 * until a session fails to start: check_at is INT64_MAX while the host is good. */
#include "config.h"

#include "browser/dispatch/caller.h"
#include "browser/dispatch/dispatch.h"
#include "daemon/conf.h"

#include <sys/statvfs.h>
#include <unistd.h>

enum { AGAIN_US = 30000000 };

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

/* Finds the reason in the output of a dry run: the first line that begins with "missing", or else
   the last. */
static void
find_reason(struct str said, char *out, size_t room)
{
	struct str last = STR("the runner's dry run failed"), line;

	while (str_line(&said, &line)) {
		if (line.n > 0)
			last = line;
		if (str_starts(line, STR("missing")))
			break;
	}
	snprintf(out, room, "%.*s", (int)last.n, last.p);
}

static void
end_check(struct dispatcher *d)
{
	link_free(d->check);
	d->check = NULL;
}

static void
on_runner_checked(void *arg, const struct link_received *got)
{
	const struct runner_checked *checked = got->in;
	char reason[sizeof(((struct dispatcher *)NULL)->fault)];
	struct dispatcher *d = arg;

	end_check(d);
	if (checked->good) {
		d->check_at = INT64_MAX;
		host_tend(d);
		return;
	}
	find_reason(checked->said, reason, sizeof(reason));
	set_fault(d, reason);
}

static void
on_check_lost(void *arg, struct link *l)
{
	(void)l;
	end_check(arg);
	set_fault(arg, "missing runner: its dry run ended without a result; see its log: "
		       "journalctl -u 'surfaced-runner@*' -u surfaced-dispatch");
}

static const struct link_side side = {
	.messages =
	    (const struct link_message[]){
		{ "checked", runner_checked_fields, sizeof(struct runner_checked),
		    on_runner_checked },
		{ NULL },
	    },
	.closed = on_check_lost,
};

/* Starts the dry run in the same way as a session, so that it has the same rights and limits. */
static void
begin_check(struct dispatcher *d)
{
	char err[sizeof(d->fault)] = "";
	struct runner_process s;

	d->check_at = mono_us() + AGAIN_US;
	if (!spawn_runner(d, &s, err, sizeof(err))) {
		set_fault(d, err);
		return;
	}
	if (s.pidfd >= 0)
		close(s.pidfd);
	d->check = link_new(d->base, s.fd, &side, d);
	link_send(d->check, "check", NULL, NULL, -1);
}

static bool
has_evidence_space(void)
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

	if (d->check == NULL && mono_us() >= d->check_at)
		begin_check(d);
	if (d->check_at != INT64_MAX)
		return;
	if (d->egress == NULL)
		snprintf(text, sizeof(text), "%.400s/egress.sock: surfaced-egress does not answer",
		    conf.run_directory);
	else if (!has_evidence_space())
		snprintf(text, sizeof(text),
		    "evidence_directory %.300s: not writable, or less room than "
		    "evidence_reserve",
		    conf.evidence_directory);
	else
		text[0] = '\0';
	set_fault(d, text);
}

void
host_report_fault(struct dispatcher *d, const char *fault)
{
	set_fault(d, fault);
	d->check_at = 0;
}

void
host_close(struct dispatcher *d)
{
	if (d->check != NULL)
		end_check(d);
}
