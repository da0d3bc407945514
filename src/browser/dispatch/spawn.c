/* SPDX-License-Identifier: ISC */
/* Starts runners for surfaced-dispatch. A runner has a connection to the dispatcher as its
 * standard input, in one of two ways:
 *
 *   runner.sock exists    a service manager listens there and starts a service for each connection,
 *                         with the user and the limits of its unit
 *   no such socket        the runner is a child of this process, in a session (setsid) of its own
 *
 * Either way the runner outlives this process, which may be restarted while browsers run.
 * Signals and descriptors of a child are reset, so that nothing of the dispatcher leaks into it.
 * Another user than the dispatcher's own needs the service manager. */
#include "config.h"

#include "browser/dispatch/caller.h"
#include "browser/dispatch/dispatch.h"
#include "daemon/conf.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Runs in the child, which keeps the dispatcher's standard error. */
static _Noreturn void
run_runner(int in)
{
	struct sigaction standard = { .sa_handler = SIG_DFL };
	sigset_t none;

	for (int sig = 1; sig < 32; sig++)
		(void)sigaction(sig, &standard, NULL);
	sigemptyset(&none);
	unsetenv("NOTIFY_SOCKET"); /* the socket is for the dispatcher alone */
	if (sigprocmask(SIG_SETMASK, &none, NULL) == 0 && setsid() >= 0 &&
	    dup2(in, STDIN_FILENO) >= 0 && close_range(3, ~0U, 0) == 0 && chdir("/") == 0)
		execl(conf.runner, conf.runner, "-c", conf.runner_conf, (char *)NULL);
	log_event(LOGP_ERR, "spawn", "what=%s why=\"%s\"", conf.runner, strerror(errno));
	_exit(127);
}

/* Forks a runner. Nobody waits for it: SIGCHLD is ignored, so the kernel reaps it. */
static bool
fork_runner(struct runner_process *out)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return false;
	out->pid = fork();
	if (out->pid == 0)
		run_runner(ends[1]);
	close(ends[1]);
	out->fd = ends[0];
	out->pidfd = out->pid < 0 ? -1 : (int)syscall(SYS_pidfd_open, out->pid, 0);
	if (out->pidfd >= 0)
		return true;
	if (out->pid > 0)
		kill(out->pid, SIGKILL);
	close(ends[0]);
	return false;
}

bool
spawn_runner(const struct dispatcher *d, struct runner_process *out, char *err, size_t room)
{
	char path[128];

	if ((size_t)snprintf(path, sizeof(path), "%s/runner.sock", conf.run_directory) >=
	    sizeof(path))
		panic("the name of run_directory is too long for a socket");
	*out = (struct runner_process){ .fd = link_connect(path), .pidfd = -1 };
	if (out->fd >= 0)
		return true;
	if (errno != ENOENT)
		snprintf(err, room,
		    "missing runner: %s: %s; systemctl start "
		    "surfaced-runner.socket",
		    path, strerror(errno));
	else if (d->runner_uid != geteuid())
		snprintf(err, room,
		    "missing runner: %s: %s; only a service manager can "
		    "start it as the user %s: systemctl start "
		    "surfaced-runner.socket",
		    path, strerror(errno), conf.runner_user);
	else if (fork_runner(out))
		return true;
	else
		snprintf(err, room, "missing runner: a process: %s", strerror(errno));
	return false;
}

/* The signal by pidfd proves that pid is still this process, and only then the group is killed by
   number. */
bool
spawn_kill(pid_t pid, int pidfd)
{
	return pidfd >= 0 && syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0) == 0 &&
	       (kill(-pid, SIGKILL) == 0 || errno == ESRCH);
}
