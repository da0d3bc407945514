/* SPDX-License-Identifier: ISC */
/* surfaced-runner: runs one browser session (runner.h). Its standard input is a connection of
   surfaced-dispatch, which sends the job; the session outlives that connection. With -t it checks
   the host instead. */
#include "config.h"

#include "browser/runner/browser.h"
#include "browser/runner/control.h"
#include "browser/runner/network.h"
#include "browser/runner/ready.h"
#include "browser/runner/screencast.h"
#include "browser/runner/shots.h"
#include "browser/runner/tabs.h"
#include "daemon/conf.h"
#include "daemon/daemon.h"
#include "daemon/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OUTBOX_MAX = 32 * 1024 * 1024 };

/* SIGTERM of a service manager, or SIGINT: the session fails, which ends its browser. */
static void
on_end_signal(evutil_socket_t number, short what, void *arg)
{
	(void)what;
	runner_fail(arg, "stopped by signal %d", (int)number);
}

static struct event *
watch_signal(struct runner *r, int number)
{
	struct event *e = evsignal_new(r->base, number, on_end_signal, r);

	if (e == NULL || event_add(e, NULL) != 0)
		panic("event_add failed for signal %d", number);
	return e;
}

static void
run_session(int fd, const char *fault)
{
	struct runner r = {
		.base = event_base_new(), .keep = arena_new(1024 * 1024), .fault = fault
	};
	struct event *term, *intr;

	if (r.base == NULL)
		panic("event_base_new failed");
	TAILQ_INIT(&r.tabs);
	LIST_INIT(&r.children);
	r.outbox = outbox_new(OUTBOX_MAX);
	r.network = network_new(&r);
	r.shots = shots_new(&r);
	r.cast = screencast_new(&r);
	control_new(&r, fd);
	term = watch_signal(&r, SIGTERM);
	intr = watch_signal(&r, SIGINT);
	event_base_dispatch(r.base);

	browser_stop(&r);
	event_free(term);
	event_free(intr);
	tabs_free(&r);
	screencast_free(r.cast);
	shots_free(r.shots);
	network_free(r.network);
	control_free(r.control);
	outbox_free(r.outbox);
	profile_free(r.profile);
	event_base_free(r.base);
	arena_free(r.keep);
}

/* Moves the dispatcher's connection away from descriptor 0, which child processes inherit. -1:
   standard input is not such a connection. */
static int
take_stdin_socket(void)
{
	int type = 0, null = open("/dev/null", O_RDONLY | O_CLOEXEC), fd = -1;
	socklen_t n = sizeof(type);

	if (getsockopt(STDIN_FILENO, SOL_SOCKET, SO_TYPE, &type, &n) == 0 && type == SOCK_SEQPACKET)
		fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0)
		panic("/dev/null: %s", strerror(errno));
	close(null);
	return fd;
}

int
main(int argc, char **argv)
{
	static const struct daemon called = { .name = "surfaced-runner" };
	char err[512], *fault = NULL;
	struct options o;
	int fd, status = options_take(&called, argc, argv, &o);

	umask(007);
	journal_use();
	signal(SIGPIPE, SIG_IGN);
	if (status >= 0)
		return status;
	if (!conf_load(called.name, o.file, err, sizeof(err))) {
		log_event(LOGP_ERR, "config", "why=\"%s\"", err);
		fault = err;
	}
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (o.test)
		return fault != NULL || !ready_check(stdout);
	fd = take_stdin_socket();
	if (fd < 0) {
		fprintf(stderr, "surfaced-runner: standard input is no connection of "
				"surfaced-dispatch; -t tests this host\n");
		return 2;
	}
	run_session(fd, fault);
	return fault != NULL;
}
