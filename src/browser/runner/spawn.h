/* SPDX-License-Identifier: ISC */
/* The browser's processes and the descriptors that connect them with the runner.
 *
 *   surfaced-runner
 *     |  fork, then namespace_enter: user and network namespace in which only lo exists; the SOCKS5
 *     |  listener is created inside and its descriptor is sent out, since no socket of the host is
 *     v  reachable inside
 *   bubblewrap        PID, IPC, UTS and mount namespaces; dies with the runner (PR_SET_PDEATHSIG),
 *     |               and the kernel kills everything in its PID namespace with it
 *     v
 *   Chromium          with its own sandbox for each renderer
 *
 * The only ways out of the browser are the CDP pipes, standard error and 127.0.0.1:SOCKS_PORT.
 * Killing bubblewrap's pid is therefore enough to end a browser. */
#ifndef BROWSER_RUNNER_SPAWN_H
#define BROWSER_RUNNER_SPAWN_H

#include "base/base.h"

#include <sys/types.h>

enum { SOCKS_PORT = 1080 };

struct browser_settings {
	struct str user_agent, accept_languages, timezone;
	struct str
	    locale; /* "de-DE": what the Internationalization API of every process resolves to */
	int64_t width, height;
};

struct browser_process {
	pid_t pid;   /* bubblewrap; every process of the browser dies with it */
	int in, out; /* CDP: in is written by the browser, out is read by the browser */
	int errors;  /* the browser's standard error */
	int socks;   /* a listener on 127.0.0.1:SOCKS_PORT in the browser's network namespace */
};

/* False with the necessary change in err. The browser dies with the calling process, however that
   ends. */
bool browser_spawn(const struct browser_settings *settings, struct browser_process *out, char *err,
    size_t room) MUST_USE;
/* The version of conf.browser, such as "156.0.8078.79"; false with a reason in err. */
bool browser_version(char out[64], char *err, size_t room) MUST_USE;

/* For a child process: enters a new user and network namespace and brings lo up. Returns the
   descriptor of the SOCKS5 listener, or -1 with the necessary change in err. */
int namespace_enter(char *err, size_t room);

#endif
