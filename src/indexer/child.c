/* SPDX-License-Identifier: ISC */
/* A child process that works beside the passes: it merges segments, or it builds the whole index
   again. The child has its own address space and reads only immutable files, so it needs no lock.
   The ids of its files begin with its family, and the parent removes no file of that family while
   the child runs. The result is a file (index_state_store). When the child dies, nothing is lost:
   the work is tried again later.

     pid 0 ----- child_fork -----> pid ----- child_ended: its result -----> pid 0
                                    |
                                    +------- child_kill ------------------------------> pid 0 */
#include "config.h"

#include "indexer/beside.h"
#include "search/index/write/state.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { AGAIN_US = 10000000, EXIT_FULL = 3 };

bool
child_fork(struct child *c)
{
	pid_t parent = getpid();

	do
		random_bytes(&c->family, sizeof(c->family));
	while (c->family == 0);
	c->pid = fork();
	if (c->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)!nice(5); /* may fail: the service unit can forbid it */
		if (getppid() != parent)
			_exit(1);
		return true;
	}
	if (c->pid < 0) {
		log_event(LOGP_ERR, "index", "fork=\"%s\"", strerror(errno));
		c->pid = 0;
		c->next = mono_us() + AGAIN_US;
	}
	return false;
}

void
child_exit(const char *directory, struct index_state *made, enum child_rc rc, char err[INDEX_FAULT])
{
	if (rc == CHILD_DONE && !index_state_store(directory, made, err))
		rc = CHILD_FAILED;
	if (rc != CHILD_DONE)
		log_event(LOGP_ERR, "index", "child_failed=\"%s\"", err);
	_exit(rc == CHILD_DONE ? 0 : rc == CHILD_FULL ? EXIT_FULL : 1);
}

enum child_rc
child_ended(struct child *c)
{
	int status = 0;
	pid_t ended;

	if (c->pid == 0)
		return CHILD_NONE;
	ended = waitpid(c->pid, &status, WNOHANG);
	if (ended == 0)
		return CHILD_RUNS;
	c->pid = 0;
	if (ended > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return CHILD_DONE;
	if (ended > 0 && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_FULL)
		return CHILD_FULL;
	c->next = mono_us() + AGAIN_US;
	return CHILD_FAILED;
}

void
child_kill(struct child *c)
{
	if (c->pid != 0) {
		kill(c->pid, SIGKILL);
		waitpid(c->pid, NULL, 0);
	}
	c->pid = 0;
	c->next = mono_us() + AGAIN_US;
}
