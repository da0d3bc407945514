/* SPDX-License-Identifier: ISC */
#ifndef CLI_PROCESS_H
#define CLI_PROCESS_H

#include "base/base.h"

#include <sys/types.h>

enum { PROCESS_ABSENT = 127, PROCESS_KILLED = 126 };

/* This process is that user from now on, with its groups; false: there is none, or no right to. */
bool process_become(const char *name) MUST_USE;
/* in and out become its standard input and output; negative: ours. Says why it could not be run. */
pid_t process_start(char *const *argv, int in, int out) MUST_USE;
/* Its exit status, or one of the two above. */
int process_wait(pid_t pid);
/* fn's answer, which a child gives: it ends with it. What it writes to out, up to about most bytes, is said. */
int process_call(
    int (*fn)(const void *arg, int out), const void *arg, struct buf *said, size_t most);
/* Runs it to its end; both its outputs, up to about most bytes, go to out. */
int process_read(char *const *argv, struct buf *out, size_t most);

#endif
