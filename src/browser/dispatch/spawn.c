/* SPDX-License-Identifier: ISC */
/* Runners begin with a connection to us as their standard input, in one of two ways: a service manager that
   listens at R/runner.sock starts each as a service of its own, as whom and with what rights it says; or,
   where nobody does, it is a child of ours with a session of its own, so that it outlives us. */
#include "config.h"

#include "browser/dispatch/dispatch.h"
#include "daemon/conf.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* In the child; what it says of itself goes where our own words go. */
static _Noreturn void
begin(int in)
{
	struct sigaction standard = { .sa_handler = SIG_DFL };
	sigset_t none;

	for (int sig = 1; sig < 32; sig++)
		(void)sigaction(sig, &standard, NULL);
	sigemptyset(&none);
	unsetenv("NOTIFY_SOCKET"); /* it is our service that is meant */
	if (sigprocmask(SIG_SETMASK, &none, NULL) == 0 && setsid() >= 0 &&
	    dup2(in, STDIN_FILENO) >= 0 && close_range(3, ~0U, 0) == 0 && chdir("/") == 0)
		execl(conf.runner, conf.runner, "-c", conf.runner_conf, (char *)NULL);
	log_event(LOGP_ERR, "spawn", "what=%s why=\"%s\"", conf.runner, strerror(errno));
	_exit(127);
}

/* Nobody waits for it: the kernel reaps it (see serve() in main.c). */
static bool
fork_runner(struct spawned *out)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return false;
	out->pid = fork();
	if (out->pid == 0)
		begin(ends[1]);
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
spawn_runner(const struct dispatcher *d, struct spawned *out, char *err, size_t room)
{
	char path[128];

	if ((size_t)snprintf(path, sizeof(path), "%s/runner.sock", conf.run_directory) >=
	    sizeof(path))
		panic("the name of run_directory is too long for a socket");
	*out = (struct spawned){ .fd = link_connect(path), .pidfd = -1 };
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

/* The number may be another's by now, but not while the descriptor says that it lives. */
bool
spawn_kill(pid_t pid, int pidfd)
{
	return pidfd >= 0 &&
	       syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0) == 0 &&
	       (kill(-pid, SIGKILL) == 0 || errno == ESRCH);
}
