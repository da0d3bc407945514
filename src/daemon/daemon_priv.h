/* SPDX-License-Identifier: ISC */
/* Between the files of the daemon skeleton. */
#ifndef DAEMON_DAEMON_PRIV_H
#define DAEMON_DAEMON_PRIV_H

#include "daemon/daemon.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/types.h>
#include <sys/un.h>

enum {
	SLOTS_MAX =
	    2 * WORKERS_MAX, /* old workers keep theirs until they have finished */
	BACKLOG = 511,
};

/* The mapping that master and workers share, in a memfd, so that it survives a re-exec and
   surfacectl can look at it through /proc. A new layout gets a new magic. */
#define SHARED_MAGIC 0x7375726661636532ULL
#define SHARED_NAME "surfaced-slots"

struct shared {
	uint64_t magic;
	_Atomic uint32_t high; /* slots below it have been used */
	_Atomic bool ending;   /* the master has been told to stop */
	uint32_t pool_count;
	struct pool
	    pools[POOLS_MAX]; /* what the master runs, as it was read at its last start */
	struct worker_slot slots[SLOTS_MAX];
};

/* What a master hands to its next self through the environment, besides the descriptors. */
struct inherited {
	char exe
	    [4096]; /* as it was called at the first start: an upgrade has replaced the file */
	int shared; /* descriptor; -1: a fresh start */
	size_t count;
	struct {
		int fd;
		bool lent; /* a service manager's: its file is not ours to remove */
		char path[108];
	} socks[POOLS_MAX * 2];
};

/* ---- inherited.c ---- */
void inherited_take(struct inherited *h); /* from the environment, which it cleans */
/* For a successor whose configuration went bad after it was tested: the workers of its former self serve
   on while it waits a second, or for SIGHUP. False: a fresh start, or told to stop. */
bool inherited_pause(void);
bool inherited_give(const struct inherited *h) MUST_USE;
/* Hands it over; -1: none. */
int inherited_sock(struct inherited *h, const char *path, bool *lent);

/* ---- listen.c ---- */
int listen_open(const char *path, char *err, size_t room); /* -1 with a reason */
bool listen_adopt(int fd); /* non-blocking, close on exec */
/* Gives the file of an adopted socket the mode and group of a new one. Returns fd, a new descriptor in its place,
   or -1 with a reason. */
int listen_mend(int fd, const char *path, char *err, size_t room);
/* Gives the service manager a duplicate that outlives this process; false: there is none. */
bool listen_store(int fd, const char *path);
void listen_forget(const char *path);

/* ---- worker.c ---- */
struct shared *shared_new(int *fd);
struct shared *shared_map(int fd); /* NULL: not ours */
/* In the child of a fork: never returns. slot is its own. */
_Noreturn void worker_run(const struct daemon *d, const struct pool *pool, int listener,
    struct shared *shared, struct worker_slot *slot);

/* ---- master.c ---- */
int master_run(const struct daemon *d, char **argv, const struct pool *pools, size_t n,
    struct inherited *h);

#endif
