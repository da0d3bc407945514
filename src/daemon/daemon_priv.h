/* SPDX-License-Identifier: ISC */
/* Private to src/daemon: the shared mapping and what its files call from one another. The design
   note is in daemon.h. */
#ifndef DAEMON_DAEMON_PRIV_H
#define DAEMON_DAEMON_PRIV_H

#include "daemon/daemon.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/types.h>
#include <sys/un.h>

enum {
	SLOTS_MAX = 2 * WORKERS_MAX, /* retired workers keep their slots until they end */
	BACKLOG = 511,
	POOL_REMOVED = POOLS_MAX,
};

/* The mapping that master and workers share. A memfd holds the mapping, so that it survives a
   re-exec and surfacectl can read it through /proc. Change the magic with every change of the
   layout: a master that finds another magic after a re-exec starts with an empty mapping instead of
   misreading the old one. */
#define SHARED_MAGIC 0x7375726661636533ULL
#define SHARED_NAME "surfaced-slots"

struct shared {
	uint64_t magic;
	_Atomic uint32_t high; /* no slot at this index or above was ever used */
	_Atomic bool ending;   /* the master has received SIGTERM or SIGINT */
	uint32_t pool_count;
	struct pool pools[POOLS_MAX]; /* as read at the last start or reload of the master */
	struct worker_slot slots[SLOTS_MAX];
};

/* The state that a master passes to the program it executes at a reload. */
struct inherited {
	char exe[4096]; /* path of the program at the first start: after an upgrade,
			   /proc/self/exe names the deleted file */
	int shared;     /* descriptor of the mapping; -1: a first start, not a reload */
	size_t count;
	struct {
		int fd;
		bool lent; /* belongs to the service manager: never remove its file */
		char path[108];
	} socks[POOLS_MAX * 2];
};

/* ---- inherited.c ---- */
/* Reads the state from the environment and removes the variable. */
void inherited_read(struct inherited *h);
/* Waits a second, or until SIGHUP, before the configuration is read again: after a reload, the
   configuration may have become bad since -t tested it, and the old workers still serve. False when
   the caller should give up instead: at a first start, or on SIGTERM. */
bool inherited_pause(void);
/* Writes the state into the environment for an exec and clears close-on-exec of the descriptors. */
bool inherited_write(const struct inherited *h) MUST_USE;
/* Removes the socket of path from h and returns its descriptor, which the caller owns; -1: none. */
int inherited_socket(struct inherited *h, const char *path, bool *lent);

/* ---- listen.c ---- */
int listen_open(const char *path, char *err, size_t room); /* -1 with a reason */
/* Prepares an inherited socket for this process: non-blocking, close-on-exec, and this process as
   the one that peers see (SO_PEERCRED). */
bool listen_adopt(int fd);
/* Gives the file of an adopted socket the mode and group of a new one. Returns fd; or, when the
   file cannot be changed, the descriptor of a new socket at path; or -1 with a reason. */
int listen_repair(int fd, const char *path, char *err, size_t room);
/* Sends a duplicate of fd to the socket store of the service manager, so that the socket outlives
   this process. False when the process has no service manager. */
bool listen_store(int fd, const char *path);
/* Removes the socket of path from the store. */
void listen_forget(const char *path);

/* ---- worker.c ---- */
struct shared *shared_new(int *fd);
struct shared *shared_map(int fd); /* NULL: no mapping of this layout */
/* Runs the worker in the child of a fork; never returns. slot is the slot of this worker, master
   the pid of the process that forked it. */
_Noreturn void worker_run(const struct daemon *d, const struct pool *pool, int listener,
    struct shared *shared, struct worker_slot *slot, pid_t master);

/* The mapping of this worker; NULL outside daemon_main. */
const struct shared *worker_shared(void);

/* ---- master.c ---- */
int master_run(
    const struct daemon *d, char **argv, const struct pool *pools, size_t n, struct inherited *h);

#endif
