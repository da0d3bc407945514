/* SPDX-License-Identifier: ISC */
/* Child processes of surfacectl: other programs, and functions that run as another user. */
#ifndef CLI_PROCESS_H
#define CLI_PROCESS_H

#include "base/base.h"

#include <sys/types.h>

enum { PROCESS_ABSENT = 127, PROCESS_KILLED = 126 };

/* Changes this process to a user with its groups, for ever; false: no such user, or no
   permission. */
bool process_become(const char *name) MUST_USE;
/* Starts a program. in and out become its standard input and output; negative: those of this
   process. The child prints a message if the program cannot be executed. */
pid_t process_start(char *const *argv, int in, int out) MUST_USE;
/* The exit status of pid, or PROCESS_ABSENT or PROCESS_KILLED. */
int process_wait(pid_t pid);
/* Runs fn in a child, which exits with the result of fn; its output goes to output, up to about
   most bytes. */
int process_call(
    int (*fn)(const void *arg, int out), const void *arg, struct buf *output, size_t most);
/* Runs a program to its end; out gets its output and error output, up to about most bytes. */
int process_read(char *const *argv, struct buf *out, size_t most);

#endif
