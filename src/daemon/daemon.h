/* SPDX-License-Identifier: ISC */
/* The skeleton of every daemon: options, configuration, listening descriptors, privileges, prefork,
   reaping, watchdog, signals, re-exec, sd_notify. A main() is one descriptor and one call. */
#ifndef DAEMON_DAEMON_H
#define DAEMON_DAEMON_H

#include "base/base.h"

/* A pool: processes that share one listening Unix socket (PLATFORM.md, "Workers"). */
struct pool {
	char name[64];    /* the upstream's name */
	char path[108];   /* its unix: path; "" for a pool that listens on nothing */
	unsigned workers; /* sum of the weights of its lines */
};

/* The pool of surfaced-stream; surfaced runs all others. */
#define POOL_STREAM "surfaced_stream"

enum { POOLS_MAX = 16, WORKERS_MAX = 512 };

/* Reads an nginx upstream file: each distinct unix: path is a pool, weights (default 1; backup lines
   do not count) add up to its processes. Pure text; false and "line: what" in err on bad input. */
bool pools_parse(struct str text, struct pool out[POOLS_MAX], size_t *n, char *err,
    size_t room) MUST_USE;

/* Those pools of the file that are wanted (NULL: all); false with a reason, and none. */
bool pools_read(const char *path, bool (*wanted)(const struct pool *p),
    struct pool out[POOLS_MAX], size_t *n, char *err, size_t room) MUST_USE;

struct daemon {
	const char *name;
	/* What runs: fills pools; called at start and at SIGHUP. NULL: one process without a socket. */
	bool (*pools)(struct pool out[POOLS_MAX], size_t *n, char *err, size_t room);
	/* -D what: prints tables; returns an exit status. NULL: no -D. */
	int (*dump)(const char *what);
	const char *usage; /* of what its own main takes besides; NULL: nothing */
	/* In the master before any fork, and for -t: false with a reason refuses to start. */
	bool (*check)(char *err, size_t room);
	/* In a worker: serves until daemon_stopping(), then returns. listener is -1 without a socket. */
	void (*work)(const struct pool *pool, int listener);
};

/* Options: -c FILE configuration (default SYSCONFDIR/NAME.conf of the descriptor, if it exists),
   -t test it and exit, -D WHAT dump, -V version. Always in the foreground. */
int daemon_main(int argc, char **argv, const struct daemon *d);

/* What a command line says. */
struct options {
	const char *file; /* NULL: defaults alone */
	const char *dump;
	bool test, version;
};

/* Reads it for daemon_main, or for a program that is called as a daemon but serves by itself: of d, name and
   dump alone are looked at. -1: to go on; else an exit status, all is said. */
int options_take(const struct daemon *d, int argc, char **argv, struct options *o);

/* ---- for work() ---- */

/* Blocks, with signals let in only here, until listener can be read (true) or the worker is to stop
   (false). extra is one more descriptor whose readability also returns true; -1: none. */
bool daemon_wait(int listener, int extra);
bool daemon_stopping(void);
/* The whole daemon ends, or its master is gone; not just a worker of before a reload. */
bool daemon_ending(void);
/* What others see of this worker, in a mapping shared with the master. The master's watchdog kills
   a worker whose busy_since is older than conf.worker_stuck, and clears the slot of a dead one. */
struct worker_slot {
	_Atomic int32_t pid;
	/* The number of the account whose search this worker runs; 0: none. */
	_Atomic uint32_t searching;
	_Atomic int64_t busy_since; /* mono_us; 0: idle */
	_Atomic uint64_t served;
	uint32_t pool; /* index of its pool */
};
/* The slot of this worker; a private one outside daemon_main. */
struct worker_slot *daemon_slot(void);
/* A pool of the running daemon by its name; NULL: there is none. */
const struct pool *daemon_pool(const char *name);

/* Which searches to count: 0 and NULL match every one. */
struct search_filter {
	uint32_t account;
	const char *pool;
	int64_t before; /* mono_us: only searches of requests that began earlier */
};
/* How many workers run such a search, this one not counted. */
unsigned daemon_searches(const struct search_filter *f);

/* A socket of this daemon's own: SOCK_STREAM, SOCK_SEQPACKET or SOCK_DGRAM bound at path, where it takes
   the place of one that a former self left. -1 with errno. */
int daemon_bind(const char *path, int type, unsigned mode);

/* ---- a running daemon from outside, for surfacectl workers ---- */

struct pool_view {
	unsigned running, busy, searching;
	uint64_t served;    /* by those that run now */
	int64_t longest_us; /* the oldest request under way */
};

struct daemon_view {
	int master; /* pid */
	size_t pool_count;
	struct pool
	    pools[POOLS_MAX]; /* what the master read at its last start or reload */
	struct pool_view views[POOLS_MAX];
};

/* path: the socket of any of its pools. False with a reason: nobody listens, or not permitted; master
   is 0 in the first case. */
bool daemon_view(
    const char *path, struct daemon_view *out, char *err, size_t room) MUST_USE;

#endif
