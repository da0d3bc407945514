/* SPDX-License-Identifier: ISC */
/* The connections of runners, and the start of runner processes. A caller is one connection; it
   belongs to a session as soon as the dispatcher knows which process it is and that this process
   has the session. */
#ifndef BROWSER_DISPATCH_CALLER_H
#define BROWSER_DISPATCH_CALLER_H

#include "base/base.h"

struct dispatcher;
struct session;

/* ---- spawn.c: starting and killing runner processes ---- */

struct runner_process {
	int fd;    /* the other end of its standard input */
	pid_t pid; /* 0: started by a service manager */
	int pidfd; /* -1: started by a service manager */
};

/* Returns false, with a message that contains the remedy, if no runner can be started. */
bool spawn_runner(
    const struct dispatcher *d, struct runner_process *out, char *err, size_t room) MUST_USE;
/* Kills a runner and its process group. Returns false if the process may not be killed. */
bool spawn_kill(pid_t pid, int pidfd);

/* ---- caller.c: the end of a connection ---- */

enum { STRANGER_US = 5000000 }; /* from a connection to its hello */

struct caller;

/* Closes a connection. A runner without a pidfd counts as ended with it. */
void caller_close(struct caller *c);
/* Closes the session's connection. */
void caller_drop(struct session *s);
void runner_send_close(struct session *s, struct str reason);

/* ---- runner.c: the messages of runners ---- */

bool callers_open(struct dispatcher *d, char *err, size_t room) MUST_USE;
/* Adds the first connection of a new runner and sends the job on it. Owns fd. */
void caller_new_runner(struct session *s, int fd);
/* Tries again to accept the callers that wait for the database; refuses those that are late. */
void callers_tend(struct dispatcher *d);
void callers_close(struct dispatcher *d);

#endif
