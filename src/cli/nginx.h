/* SPDX-License-Identifier: ISC */
/* nginx as it is configured (nginx -T) and as it runs: what it has not loaded yet. */
#ifndef CLI_NGINX_H
#define CLI_NGINX_H

#include "base/base.h"

enum nginx_state {
	NGINX_ABSENT,  /* there is no nginx */
	NGINX_BROKEN,  /* it refuses its configuration, or we may not read it */
	NGINX_STOPPED, /* fine, but it does not run */
	NGINX_RUNS,
};

enum { NGINX_CERTS = 64, NGINX_SOCKETS = 64, NGINX_NAMES = 64 };

/* A server's certificate for one of its names. */
struct nginx_name {
	struct str cert, name;
};

struct nginx_socket {
	struct str path;
	unsigned weight; /* of the lines that are not backup */
};

struct nginx {
	enum nginx_state state;
	struct str complaint; /* of NGINX_BROKEN, in nginx's words */
	struct str user, pid_file;
	struct str certs[NGINX_CERTS];
	struct nginx_socket sockets[NGINX_SOCKETS];
	struct nginx_name names[NGINX_NAMES];
	size_t ncerts, nsockets, nnames;
	bool loop;           /* http.conf is included */
	bool api;            /* and surfaced.conf, in a server */
	int64_t connections; /* worker_connections */
	int64_t files;       /* worker_rlimit_nofile, or what systemd gives without it */
	int master;          /* pid; 0: none */
	struct ts loaded;    /* when the workers that serve began; TS_NULL: not known */
	struct str
	    stale; /* a file of its configuration that changed since; unset: none */
};

/* file: its main configuration, NULL for its own default. Everything lives in the arena. */
void nginx_look(struct arena *a, const char *file, struct nginx *out);
/* 0: its configuration does not know the socket. */
unsigned nginx_weight(const struct nginx *n, const char *path);
/* The daemon behind an upstream, which is the name of its unit too. */
const char *nginx_unit(const char *upstream);
/* This file changed after nginx loaded its configuration, which is known. */
bool nginx_missed(const struct nginx *n, const char *path);

#endif
