/* SPDX-License-Identifier: ISC */
/* surfaced-dispatch: claims queued sessions, starts a runner for each, renews their leases, and
 * stores their evidence. One process with one loop for each host. link.h describes the four browser
 * processes.
 *
 * The process may be killed at any time, because it stores nothing of its own: all it knows of a
 * session comes from the row and from the runner's hello. The life of a session here:
 *
 *   store_claim -> session_new -> spawn_runner -> hello -> ready -> close -> process ends -> freed
 *                  SESSION_STARTING ....................   RUNNING  CLOSING  gone
 *
 *   after a restart of this process:
 *   hello on dispatch.sock -> row of this host and epoch? -> session_adopt -> as before
 *
 * Two sources move a session, and neither is believed about the other's part:
 * - The row decides what should happen. session_check_rows compares it with the sessions every
 *   second, and at once after a notification: a closing row sends close to the runner; a missing
 *   row means that the session is terminal or belongs to another host, and the runner is given up.
 * - The process decides whether the session still runs. When the process ends, store_lost moves the
 *   row, and is repeated until the database confirms it. The end of a process is known by a pidfd
 *   or, without one, by the end of its connection:
 *
 *     the runner was                              pidfd
 *     forked by spawn_runner (no service          from its start
 *     manager)
 *     started by the service manager, because     none: the pid in its hello is a claim, good for
 *     spawn_runner connected to runner.sock       comparing only. The end of this connection counts
 *                                                 as the runner's end
 *     adopted after a restart of this process     from its hello on dispatch.sock, by SO_PEERCRED
 *
 * A lease is only renewed for a session that is trusted: its runner is connected and has sent
 * hello, or has a few seconds left to do so. Everything else expires by itself, on both sides: the
 * row after 15 s, and the runner earlier, because it is told RUNNER_LEASE_MS less the time that the
 * renewal took.
 *
 * Runners are not trusted, because a page may have taken one over. Every message is bounded by its
 * table; more evidence than LOG_WINDOW closes the connection. A hello on dispatch.sock is a claim
 * (accept_caller):
 *
 *     its session is                              accepted when
 *     known to this process                       the kernel (SO_PEERCRED) names the process of the
 *                                                 session
 *     unknown, after a restart                    a row of this host has its uuid and epoch. The
 *                                                 row has no process, so the first one that knows
 *                                                 both gets the session
 *
 * Every database call blocks the loop, for 1.5 s at most; after a failure, none is made for 250 ms.
 */
#ifndef BROWSER_DISPATCH_DISPATCH_H
#define BROWSER_DISPATCH_DISPATCH_H

#include "browser/dispatch/store.h"
#include "browser/runner_link.h"
#include "counting/totals.h"
#include "daemon/host.h"

#include <sys/queue.h>

enum {
	RENEW_MS = 5000, /* between two renewals of the leases */
	/* The lease that runners are told. Rows have 15 s (session_lease() in sql/): a runner ends
	   first. */
	RUNNER_LEASE_MS = 14000,
};

enum session_state { SESSION_STARTING, SESSION_RUNNING, SESSION_CLOSING };

struct dispatcher;

/* A session whose runner this host has, or is starting. */
struct session {
	LIST_ENTRY(session) next;
	struct dispatcher *d;
	struct arena *arena; /* for row's texts */
	struct session_row row;
	enum session_state state;
	/* Without a pidfd, a service manager has started the runner. pid is then 0 until the hello,
	   and after it only the runner's claim: good for comparing, not for killing. */
	pid_t pid;
	int pidfd, socks;
	struct event *exited;
	struct link *link;     /* NULL: not connected */
	int64_t trusted_until; /* mono_us: until then the lease is renewed without a connection */
	int64_t expires_at;    /* mono_us; of a running session */
	int64_t start_by;      /* mono_us: a session that is still starting is given up */
	int64_t active_at;     /* mono_us: when activity was stored last */
	int64_t close_by;      /* mono_us: a closing session is given up; 0: not closing */
	bool greeted;          /* the runner has sent hello */
	bool ready_unstored;   /* the runner is ready, and the row does not show it yet */
	bool given_up;         /* told to end, or killed; its lease is not renewed any more */
	bool gone;             /* the runner has ended, and the row does not show it yet */
};

/* A connection of a runner. */
struct caller {
	LIST_ENTRY(caller) next;
	struct dispatcher *d;
	struct link *link;
	struct session *session; /* NULL: before hello, or waiting for the database */
	struct runner_hello hello;
	char state[16];
	int socks; /* sent before the caller was accepted; -1: none */
	bool sent_socks;
	int64_t until; /* mono_us: refused then, if it has no session */
};

struct evidence;

struct dispatcher {
	struct event_base *base;
	struct db *db;
	struct arena *arena; /* reset after each turn */
	struct str name;     /* of this host */
	LIST_HEAD(, session) sessions;
	LIST_HEAD(, caller) callers;
	TAILQ_HEAD(, evidence) evidence; /* received, not stored yet */
	struct link *egress;             /* NULL: not connected */
	struct event *db_readable, *tick, *accepting;
	int listener;
	uid_t runner_uid; /* may connect to dispatch.sock */
	struct totals totals;
	int64_t egress_lost; /* mono_us: when the connection to egress ended */
	int64_t beat_at, sweep_at, look_at, renew_at, egress_at, check_at, probe_at;
	bool announced;     /* the database has recorded the start of this process */
	char fault[512];    /* why no session is claimed; "": none */
	struct link *check; /* host.c: a dry run under way; NULL: none */
	size_t probing;     /* unanswered probes of routes */
};

/* ---- session.c ---- */

/* Compares the rows of this host with its sessions: closes and gives up. */
void session_check_rows(struct dispatcher *d);
void session_renew_leases(struct dispatcher *d);
/* Acts on times that have passed, and on runners that have ended. */
void session_tend_all(struct dispatcher *d);
struct session *session_find(struct dispatcher *d, const struct uuid *session, int64_t epoch);
/* Makes a session of a row. */
struct session *session_new(struct dispatcher *d, const struct session_row *row);
void session_log(const struct session *s, enum log_prio prio, const char *event, const char *why);
/* Whether a list of struct uuid contains the session. */
bool session_is_listed(struct list uuids, const struct uuid *session);
/* Makes a session of a row whose runner has connected to this process. */
struct session *session_adopt(struct dispatcher *d, const struct session_row *row, pid_t pid);
/* Notes the hello of a runner that this process has started; pid is the runner's claim. */
void session_note_hello(struct session *s, pid_t pid);
/* Watches the runner's process; pidfd may be -1. Returns false if the process has ended already. */
bool session_watch_process(struct session *s, pid_t pid, int pidfd);
/* Moves the row to running and informs the runner; repeated later if the database is away. */
void session_store_ready(struct session *s);
void session_send_running(const struct session *s);

/* ---- claim.c ---- */

/* Claims queued sessions and starts their runners. */
void session_claim_new(struct dispatcher *d);

/* ---- egress.c ---- */

void egress_tend(struct dispatcher *d);
void egress_open(struct session *s);
void egress_shut(struct session *s);
void egress_close(struct dispatcher *d);

/* ---- host.c: whether browsers can be started here ---- */

void host_tend(struct dispatcher *d);
/* Stops claiming because of this fault, and starts a dry run. */
void host_report_fault(struct dispatcher *d, const char *fault);
void host_close(struct dispatcher *d);

#endif
