/* SPDX-License-Identifier: ISC */
/* The skeleton of every daemon: options, configuration, listening sockets, privileges, prefork,
 * reaping, watchdog, signals, re-exec and sd_notify. The main() of a daemon is one struct daemon
 * and one call of daemon_main, which reads the options, becomes the master, and runs work() in each
 * worker.
 *
 *   systemd            master (one process)                       workers (one process each)
 *   -------            --------------------                       --------------------------
 *   socket store <---- listening sockets, one per pool ---------> accept(2), one request at a time
 *   WatchdogSec  <---- WATCHDOG=1                                    |
 *                      kills the workers that are stuck <----+       | busy_since, searching
 *                                                            |       v
 *                      shared mapping (memfd): [ pools | slot 0 | slot 1 | ... SLOTS_MAX slots ]
 *                                                            ^
 *   surfacectl workers: opens the memfd in /proc/PID/fd -----+
 *
 * The master handles no request and takes no lock, so nothing that a client sends can stop it. It
 * waits in sigtimedwait and, about once a second, reaps dead workers, kills stuck ones and starts
 * missing ones.
 *
 * The life of a worker: the master reserves a slot and forks. The child closes the sockets of the
 * other pools, changes to conf.user if it is root, and calls work(), which serves until
 * daemon_stopping(). Only the master clears a slot, after waitpid: a slot with a pid always has a
 * process, even if it is a zombie. A worker whose request is older than conf.worker_stuck
 * (busy_since) is killed with SIGKILL. `searching` is the account whose search the worker runs; the
 * master never uses it (api/search/share.h does).
 *
 *   end of a worker                                  delay of its pool before the next start
 *   retired, at a reload or stop                     unchanged; no worker is started in place of
 *                                                    this one
 *   status 0 (after worker_requests, for example),
 *   or any end after its first second                0: replaced at once
 *   SIGKILL within its first second                  100 ms
 *   any other death within its first second          100 ms, doubled with each such death up to 5 s
 *
 * A reload (SIGHUP) is an exec of the program file, which an upgrade may have replaced. The master
 * first runs "FILE -t", for 30 s at most. If that fails (logged as reload_refused) or the exec
 * fails (reload_failed), everything goes on as it was. Four things survive the exec. Their
 * descriptors lose close-on-exec just before it, and get it again when it fails. An environment
 * variable lists them; a process of another pid ignores it (inherited.c):
 *
 *   the process id         the workers remain children of the master, and systemd sees no restart
 *   the listening sockets  no connection is refused, and those that are not accepted yet wait. The
 *                          new master calls listen(2) again: SO_PEERCRED names the last caller, and
 *                          surfacectl looks for it
 *   the shared mapping     the new master finds the pids of the workers that are already running
 *   the program's path     /proc/self/exe would name the deleted file after an upgrade
 *
 * Everything else is read again. If the configuration has become bad since -t, the new master logs
 * the reason and reads it again each second or at SIGHUP, while the old workers serve; a first
 * start ends with status 1. A pool that cannot listen, for example because another process does at
 * its path, ends a first start; after a reload it is logged and left out. The new master marks
 * every worker that it finds as retired, sends SIGTERM to each until it has ended, and starts new
 * workers beside them. A retired worker finishes its request under the configuration with which it
 * began; for that time there are two sets of workers, hence SLOTS_MAX.
 *
 * Listening sockets come from three places, and the place decides who removes the file at the end:
 *
 *   own     bound by this master or by its predecessor       removed at the stop, if the file is
 *                                                            still this one
 *   lent    passed by the service manager (LISTEN_FDS)       never removed
 *   stored  own, and duplicated into systemd's socket store  kept, so that connections made during
 *                                                            a restart wait in its queue
 *
 * Signals. A signal that interrupts libfcgi while it reads a body truncates that body. SA_RESTART
 * does not prevent this, because the kernel never restarts a read from a socket with a time-out
 * (SO_RCVTIMEO). So two signals are blocked in a worker:
 *
 *   signal    sender                      blocked               effect
 *   SIGTERM   the master                  except in the wait    the worker ends after its request;
 *                                         of daemon_wait        daemon_stopping also finds a
 *                                                               pending one
 *   SIGUSR1   the kernel, when the        while a request is    as SIGTERM; an alarm takes the
 *             master has died             read                  place of the watchdog and ends the
 *                                                               worker after
 *                                                               conf.worker_stuck + 1 s
 *
 * SIGUSR1 is not blocked while a handler runs: a handler that is stuck would never reach the point
 * where the pending signal is delivered, and no alarm would end it. */
#ifndef DAEMON_DAEMON_H
#define DAEMON_DAEMON_H

#include "base/base.h"

/* A pool: processes that share one listening Unix socket. */
struct pool {
	char name[64];    /* the upstream's name */
	char path[108];   /* its unix: path; "" for a pool that listens on nothing */
	unsigned workers; /* sum of the weights of its server lines */
};

/* The pool of surfaced-stream; surfaced runs all others. */
#define POOL_STREAM "surfaced_stream"

enum { POOLS_MAX = 16, WORKERS_MAX = 512 };

/* Parses the text of an nginx upstream file: each distinct unix: path is a pool, and the weights of
   its server lines (default 1; backup lines do not count) add up to its number of processes. False
   on bad input, with "LINE: FAULT" in err. */
bool pools_parse(
    struct str text, struct pool out[POOLS_MAX], size_t *n, char *err, size_t room) MUST_USE;

/* Reads the file at path and keeps the pools for which wanted returns true (NULL: all). On failure
 * false, n is 0 and err has the reason. */
bool pools_read(const char *path, bool (*wanted)(const struct pool *p), struct pool out[POOLS_MAX],
    size_t *n, char *err, size_t room) MUST_USE;

struct daemon {
	const char *name;
	/* Fills out with the pools to run; called at the start and at SIGHUP. NULL: the daemon is
	   one worker without a socket. */
	bool (*pools)(struct pool out[POOLS_MAX], size_t *n, char *err, size_t room);
	/* Prints the table that -D names and returns an exit status. NULL: the daemon has no -D. */
	int (*dump)(const char *program, const char *what);
	const char *usage; /* further arguments of its main(), for the usage line; NULL: none */
	/* Called in the master before any fork, and for -t. False with a reason in err: the daemon
	   does not start. */
	bool (*check)(char *err, size_t room);
	/* Called in a worker: serves until daemon_stopping(), then returns. listener is -1 if the
	   pool has no socket. */
	void (*work)(const struct pool *pool, int listener);
};

/* Options: -c FILE configuration (default SYSCONFDIR/NAME.conf of the descriptor, if it exists),
   -t test it and exit, -D WHAT dump, -V version. Always in the foreground. */
int daemon_main(int argc, char **argv, const struct daemon *d);

/* A parsed command line. */
struct options {
	const char *file; /* configuration; NULL: only the defaults */
	const char *dump;
	bool test, version;
};

/* Parses the command line for daemon_main, or for a program that has the options of a daemon but
   does not use daemon_main; of d, only name, usage and dump are read. Returns -1 if the program
   should continue, or the status to exit with: help, version or an error has been printed. */
int options_take(const struct daemon *d, int argc, char **argv, struct options *o);

/* ---- for work() ---- */

/* Blocks until listener is readable (true) or the worker should stop (false). SIGTERM is unblocked
   only while this function waits. extra is one more descriptor to wait for; -1: none. */
bool daemon_wait(int listener, int extra);
/* Between these two calls the death of the master does not interrupt a read. They do not nest, and
   each read that they enclose needs a time-out of its own. */
void daemon_defer_orphan(void);
void daemon_admit_orphan(void);
bool daemon_stopping(void);
/* True when the whole daemon stops or its master has died; false when only this worker ends,
   because of a reload. */
bool daemon_ending(void);
/* The public state of a worker, in the mapping that all workers share with the master. The master
   kills a worker whose busy_since is older than conf.worker_stuck, and clears the slot of a dead
   worker. */
struct worker_slot {
	_Atomic int32_t pid;
	/* The number of the account whose search this worker runs; 0: it runs no search. */
	_Atomic uint32_t searching;
	_Atomic int64_t busy_since; /* mono_us; 0: idle */
	_Atomic uint64_t served;
	uint32_t pool; /* index in shared.pools; POOL_REMOVED after a reload without the pool */
	_Atomic uint32_t hashing; /* 0: the worker has no password to hash (hashing.c) */
	/* For whom it hashes or waits: struct hash_claim, and since when (mono_us). */
	_Atomic uint32_t hash_known;
	_Atomic uint64_t hash_person, hash_network;
	_Atomic int64_t hash_since;
};
/* The slot of this worker; outside daemon_main (unit tests), a slot that no other process sees. */
struct worker_slot *daemon_slot(void);
/* The pool of the running daemon with this name; NULL: the daemon has no such pool. */
const struct pool *daemon_pool(const char *name);

/* Selects the searches that daemon_searches counts; a member that is 0 or NULL matches every
   search. */
struct search_filter {
	uint32_t account;
	const char *pool;
	int64_t before; /* mono_us: the request of the search began before this time */
};
/* Counts the other workers that run a search which f selects. */
unsigned daemon_searches(const struct search_filter *f);

/* For whom a password is hashed. person and network are hashes of their names. */
struct hash_claim {
	uint64_t person, network;
	bool known; /* the person has proved before that they use this network */
	bool one;   /* the network has one place, whoever of it claims one */
};
/* Takes one of this host's places for hashes of passwords, of which there are most, and waits for
   it two seconds at most (hashing.c). False: others have a better right to it. */
bool daemon_hash_begin(const struct hash_claim *claim, int64_t most) MUST_USE;
void daemon_hash_end(void);

/* Creates a socket that belongs to no pool (SOCK_STREAM, SOCK_SEQPACKET or SOCK_DGRAM) and binds it
   at path; an old socket file at path is removed first. The caller calls listen(2). -1 with
   errno. */
int daemon_bind(const char *path, int type, unsigned mode);

/* ---- a running daemon from outside, for surfacectl workers ---- */

struct pool_view {
	unsigned running, busy, searching;
	uint64_t served;    /* requests, by the workers that run now */
	int64_t longest_us; /* age of the oldest request under way */
};

struct daemon_view {
	int master; /* pid */
	size_t pool_count;
	struct pool pools[POOLS_MAX]; /* as read at the last start or reload of the master */
	struct pool_view views[POOLS_MAX];
};

/* Reads the state of the daemon that listens on path, the socket of any of its pools. False with a
   reason in err when no process listens there (out->master is 0) or the caller may not read the
   mapping (out->master is the pid). */
bool daemon_view(const char *path, struct daemon_view *out, char *err, size_t room) MUST_USE;

#endif
