/* SPDX-License-Identifier: ISC */
/* Processes: each begins with no descriptor of ours, no signal blocked and a session of its own, so that it
   outlives us. */
#include "config.h"

#include "browser/dispatch/dispatch.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* From one ordinary user to another what we were given to do this with would stay. */
static bool
become(const struct dispatcher *d)
{
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0)
		return false;
	if (d->runner_uid == geteuid())
		return true;
	return setgroups(0, NULL) == 0 && setgid(d->runner_gid) == 0 &&
	       setuid(d->runner_uid) == 0;
}

/* In the child; what it says of itself goes where our own words go. */
static _Noreturn void
begin(const struct dispatcher *d, const char *const *argv, int out)
{
	struct sigaction standard = { .sa_handler = SIG_DFL };
	int in = open("/dev/null", O_RDONLY);
	sigset_t none;

	for (int sig = 1; sig < 32; sig++)
		(void)sigaction(sig, &standard, NULL);
	sigemptyset(&none);
	if (sigprocmask(SIG_SETMASK, &none, NULL) != 0 || setsid() < 0 || in < 0 ||
	    dup2(in, STDIN_FILENO) < 0 ||
	    (out >= 0 &&
		(dup2(out, STDOUT_FILENO) < 0 || dup2(out, STDERR_FILENO) < 0)) ||
	    close_range(3, ~0U, 0) != 0 || chdir("/") != 0 || !become(d)) {
		log_event(
		    LOGP_ERR, "spawn", "what=%s why=\"%s\"", argv[0], strerror(errno));
		_exit(126);
	}
	execv(argv[0], (char *const *)(uintptr_t)argv);
	log_event(LOGP_ERR, "spawn", "what=%s why=\"%s\"", argv[0], strerror(errno));
	_exit(127);
}

pid_t
spawn(const struct dispatcher *d, const char *const *argv, int out, int *pidfd)
{
	pid_t pid = fork();

	if (pid == 0)
		begin(d, argv, out);
	if (pid < 0)
		return 0;
	*pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (*pidfd >= 0)
		return pid;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return 0;
}

/* The number may be another's by now, but not while the descriptor says that it lives. */
void
spawn_kill(pid_t pid, int pidfd)
{
	if (pidfd >= 0 && syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0) == 0)
		(void)kill(-pid, SIGKILL);
}
