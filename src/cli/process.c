/* SPDX-License-Identifier: ISC */
/* Child processes of surfacectl: pg_dump, nginx -T and the like, and functions that run as another
   user.

     process_start   forks and executes a program, with given standard input and output
     process_wait    its exit status; PROCESS_ABSENT: it could not be executed; PROCESS_KILLED: a signal ended it
     process_call    runs a function in a child and collects its output
     process_read    the same for a program

   stdout and stderr are flushed before each fork: a buffer that is not empty would be written by
   the child as well. A child leaves with _exit, so no handler of the parent runs twice. */
#include "config.h"

#include "cli/process.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/wait.h>
#include <unistd.h>

/* Changes the user permanently. The order matters: setting the groups needs root, and so does
   setgid; setuid comes last, because it removes the right to do the other two. A failure must end
   the child: otherwise the process would have the user of one and the groups of another. */
bool
process_become(const char *name)
{
	const struct passwd *pw = getpwnam(name);
	char here[4096];

	if (pw == NULL || initgroups(name, pw->pw_gid) != 0 || setgid(pw->pw_gid) != 0 ||
	    setuid(pw->pw_uid) != 0)
		return false;
	/* libpq looks for certificates and passwords in HOME. */
	if (setenv("HOME", pw->pw_dir, 1) != 0 || setenv("USER", name, 1) != 0 ||
	    setenv("LOGNAME", name, 1) != 0)
		return false;
	/* PostgreSQL's programs print warnings in a working directory that they cannot read, such
	   as /root. */
	return (getcwd(here, sizeof(here)) != NULL && access(here, X_OK) == 0) || chdir("/") == 0;
}

pid_t
process_start(char *const *argv, int in, int out)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid != 0)
		return pid;
	if ((in >= 0 && dup2(in, STDIN_FILENO) < 0) || (out >= 0 && dup2(out, STDOUT_FILENO) < 0))
		_exit(PROCESS_ABSENT);
	execvp(argv[0], argv);
	fprintf(stderr, "surfacectl: %s: %s\n", argv[0], strerror(errno));
	_exit(PROCESS_ABSENT);
}

int
process_wait(pid_t pid)
{
	int status = 0;

	if (pid < 0)
		return PROCESS_ABSENT;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return PROCESS_ABSENT;
	return WIFEXITED(status) ? WEXITSTATUS(status) : PROCESS_KILLED;
}

/* The output is read to its end, also behind `most`, because a child that writes
   into a full pipe would wait for ever and process_wait with it. The output may
   exceed `most` by less than one part. The end of the output comes when the last
   process with the writing end exits; grandchildren that keep it would delay the
   parent, so none may. */
int
process_call(int (*fn)(const void *arg, int out), const void *arg, struct buf *output, size_t most)
{
	char part[16384];
	int ends[2];
	ssize_t n;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return PROCESS_ABSENT;
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		_exit(fn(arg, ends[1]));
	close(ends[1]);
	while ((n = read(ends[0], part, sizeof(part))) > 0)
		if (output->n < most)
			buf_add(output, part, (size_t)n);
	close(ends[0]);
	return process_wait(pid);
}

static int
exec_program(const void *arg, int out)
{
	char *const *argv = arg;

	if (dup2(out, STDOUT_FILENO) >= 0 && dup2(out, STDERR_FILENO) >= 0)
		execvp(argv[0], argv);
	return PROCESS_ABSENT;
}

int
process_read(char *const *argv, struct buf *out, size_t most)
{
	return process_call(exec_program, argv, out, most);
}
