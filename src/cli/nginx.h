/* SPDX-License-Identifier: ISC */
/* The state of nginx on this host, for doctor and workers: its configuration as nginx -T prints it
   (nginx.c), and whether the running workers have loaded that configuration (nginx_loaded.c). nginx
   has no interface for the second question, so the start of the workers is compared with the times
   of the files. */
#ifndef CLI_NGINX_H
#define CLI_NGINX_H

#include "base/base.h"

enum nginx_state {
	NGINX_ABSENT, /* nginx is not installed */
	/* nginx -T fails: a fault in the configuration, or no permission to read it */
	NGINX_BROKEN,
	NGINX_STOPPED, /* the configuration is good, but nginx does not run */
	NGINX_RUNS,
};

enum { NGINX_CERTS = 64, NGINX_SOCKETS = 64, NGINX_NAMES = 64 };

/* A certificate of a server block and one of the server's names. */
struct nginx_name {
	struct str cert, name;
};

struct nginx_socket {
	struct str path;
	unsigned weight; /* the sum of the weights, without backup lines */
};

struct nginx {
	enum nginx_state state;
	struct str complaint; /* for NGINX_BROKEN: the message of nginx */
	struct str user, pid_file;
	struct str certs[NGINX_CERTS];
	struct nginx_socket sockets[NGINX_SOCKETS];
	struct nginx_name names[NGINX_NAMES];
	size_t ncerts, nsockets, nnames;
	bool loop;                         /* http.conf is included */
	struct str listens[NGINX_SOCKETS]; /* paths of Unix sockets */
	size_t nlistens;
	bool api;            /* surfaced.conf is included in a server block */
	struct str site;     /* the first name of that server block; unset: it has none */
	int64_t connections; /* worker_connections */
	int64_t files;       /* worker_rlimit_nofile, or systemd's default without it */
	int master;          /* pid; 0: none */
	struct ts loaded;    /* when the oldest serving worker started; TS_NULL: not known */
	struct str stale;    /* a file of the configuration that changed after that; unset: none */
};

/* file: nginx's main configuration; NULL: its default. All memory is in the arena. */
void nginx_look(struct arena *a, const char *file, struct nginx *out);
/* The weight of a socket; 0: the configuration does not contain it. */
unsigned nginx_weight(const struct nginx *n, const char *path);
/* The daemon behind an upstream, which is also the name of its unit. */
const char *nginx_unit(const char *upstream);
/* Did the file change after nginx had loaded its configuration? False if that time is not known. */
bool nginx_missed(const struct nginx *n, const char *path);

#endif
