/* SPDX-License-Identifier: ISC */
/* A browser's process: namespaces, bubblewrap, Chromium with its own sandbox. */
#ifndef BROWSER_RUNNER_SPAWN_H
#define BROWSER_RUNNER_SPAWN_H

#include "base/base.h"

#include <sys/types.h>

enum { SOCKS_PORT = 1080 };

struct browser_want {
	struct str user_agent, accept_languages, timezone;
	int64_t width, height;
};

struct browser_process {
	pid_t pid;   /* of bubblewrap: its death takes all others along */
	int in, out; /* CDP: what the browser writes, what it reads */
	int errors;  /* its standard error */
	int socks;   /* listens on 127.0.0.1:SOCKS_PORT of the browser's network */
};

/* False with what to change in err. Everything ends with this process, however it ends. */
bool browser_spawn(const struct browser_want *want, struct browser_process *out,
    char *err, size_t room) MUST_USE;
/* "156.0.8078.79" of conf.browser; false with a reason. */
bool browser_version(char out[64], char *err, size_t room) MUST_USE;

/* In a child: its own user and network namespace with lo up; the descriptor of the SOCKS5 listener, or -1
   with what to change in err. */
int namespace_enter(char *err, size_t room);

#endif
