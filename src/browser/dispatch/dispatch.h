/* SPDX-License-Identifier: ISC */
/* surfaced-dispatch: claims sessions, starts a runner for each, keeps their leases, stores what they show.
   One process and one loop; what it knows of a session is made again from the row and from the runner's
   first words, so it may be killed at any time. */
#ifndef BROWSER_DISPATCH_DISPATCH_H
#define BROWSER_DISPATCH_DISPATCH_H

#include "browser/runner_link.h"
#include "counting/totals.h"
#include "daemon/host.h"
#include "db/db.h"
#include "resource/evidence.h"

#include <sys/queue.h>

enum {
	RENEW_MS = 5000, /* how often leases are renewed */
	/* What a runner is told of the 15 s of session_lease() in sql/: it has ended before its row says so. */
	RUNNER_LEASE_MS = 14000,
};

/* What is told of a session's life by its row. */
enum held_state { HELD_STARTING, HELD_RUNNING, HELD_CLOSING };

/* A session of this host as its row has it: session_held() of sql/0009-browser.sql. */
struct held_row {
	struct uuid uuid;
	int64_t epoch;
	struct str state, reason;
	int64_t expires_ms, close_seconds;
	struct str start_url, browser_profile, egress_country;
	int64_t width, height, lifetime_seconds, idle_seconds;
	struct str kind, host;
	int64_t port;
	struct str credential;
};

struct dispatcher;

/* A session whose runner this host has, or is to have. */
struct held {
	LIST_ENTRY(held) next;
	struct dispatcher *d;
	struct arena *arena; /* of row's texts */
	struct held_row row;
	enum held_state state;
	/* Without a pidfd it is a service of whose end that of its first connection tells; its pid is then what it
	   says itself, only good to tell it from others, and 0 until it does. */
	pid_t pid;
	int pidfd, socks;
	struct event *exited;
	struct link *link; /* NULL: not connected */
	/* mono_us: its lease is renewed without a word of it until then */
	int64_t trusted_until;
	int64_t expires_at; /* mono_us, of a running one */
	int64_t start_by;   /* mono_us: then it is killed if it is still starting */
	int64_t active_at;  /* mono_us: its activity was stored */
	int64_t close_by;   /* mono_us: then it is killed; 0: it is not closing */
	bool heard;         /* it has begun */
	bool ready;         /* its runner said so, the row does not yet */
	bool given_up;      /* it was told to go, or killed: nothing is done for it */
	bool gone;          /* its runner has ended, the row does not know yet */
};

/* A connection of a runner, before and after it has said which session it is for. */
struct caller {
	LIST_ENTRY(caller) next;
	struct dispatcher *d;
	struct link *link;
	struct held *held; /* NULL: it has said nothing, or waits for the database */
	struct runner_hello hello;
	char state[16];
	int socks; /* -1, or what it sent before it was let in */
	bool sent_socks;
	int64_t until; /* mono_us: without a session it is sent away then */
};

struct evidence;

struct dispatcher {
	struct event_base *base;
	struct db *db;
	struct arena *arena; /* of one turn */
	struct str name;     /* of this host */
	LIST_HEAD(, held) helds;
	LIST_HEAD(, caller) callers;
	TAILQ_HEAD(, evidence) evidence; /* taken, not stored yet */
	struct link *egress;             /* NULL: not connected */
	struct event *db_readable, *tick, *accepting;
	int listener;
	uid_t runner_uid; /* who may call */
	struct totals totals;
	int64_t egress_lost; /* mono_us: when its connection ended */
	int64_t beat_at, sweep_at, look_at, renew_at, egress_at, check_at, probe_at;
	bool begun;         /* the database knows that we have started */
	char fault[512];    /* why no session is taken; "": nothing */
	struct link *check; /* host.c: a readiness check under way */
	size_t probing;     /* routes that have not been heard of */
};

/* ---- store.c: the database; false or DB_NONE while it is away ---- */

bool store_beat(struct dispatcher *d);
void store_sweep(struct dispatcher *d);
void store_counts(struct dispatcher *d);
/* What was claimed now, as structs of struct uuid. */
bool store_claim(struct dispatcher *d, struct list *out) MUST_USE;
/* Structs of held_row. */
bool store_held(struct dispatcher *d, struct list *out) MUST_USE;
/* Those that were renewed, as structs of struct uuid. */
bool store_renew(struct dispatcher *d, const struct str *uuids, const struct str *epochs,
    size_t n, struct list *out) MUST_USE;
/* DB_NONE: it is not starting any more. */
enum db_rc store_ready(
    struct dispatcher *d, const struct held *h, int64_t *expires_ms) MUST_USE;
void store_activity(struct dispatcher *d, const struct held *h);
/* True when the row knows that the runner is gone. */
bool store_lost(struct dispatcher *d, const struct held *h) MUST_USE;
extern const struct stmt *const dispatch_stmts[]; /* NULL ends it */

struct route_due {
	struct uuid uuid;
	struct str kind, host;
	int64_t port;
	struct str credential, target;
};
bool store_routes(struct dispatcher *d, struct list *out) MUST_USE;
void store_probed(
    struct dispatcher *d, struct uuid route, bool answered, int64_t ms, struct str why);

struct shot_row {
	struct uuid uuid;
	unsigned char sha256[EVIDENCE_HASH_LEN];
	int64_t bytes, width, height, tab;
	struct str mime, reason, url, title;
	struct ts taken_at;
};

/* Where a piece of evidence stands: in whose log, and as which. */
struct log_place {
	struct uuid session;
	int64_t epoch, seq; /* 0: without a number */
};

enum stored {
	STORED,
	STORED_ROOM,
	STORED_FULL,
	STORED_STALE,
	STORED_BAD, /* it is none */
	STORED_LATER,
};
/* Whether an image of so many bytes may be stored: STORED_ROOM; STORED, where it is already. */
enum stored store_room(
    struct dispatcher *d, const struct log_place *at, size_t bytes) MUST_USE;
enum stored store_shot(
    struct dispatcher *d, const struct log_place *at, const struct shot_row *s) MUST_USE;
/* truncated: there were more. */
enum stored store_events(struct dispatcher *d, const struct log_place *at,
    struct strs docs, bool truncated) MUST_USE;

/* ---- held.c: sessions ---- */

/* Claims, spawns, adopts, closes: what the rows want done. */
void held_look(struct dispatcher *d);
void held_claim(struct dispatcher *d);
void held_renew(struct dispatcher *d);
/* What only time tells: runners that are gone, that do not close, that are not heard of. */
void held_tend(struct dispatcher *d);
struct held *held_find(struct dispatcher *d, const struct uuid *session, int64_t epoch);
/* Of the row of a session whose runner has come back to us. */
struct held *held_adopt(struct dispatcher *d, const struct held_row *row, pid_t pid);
/* Its first word; pid: as it says. */
void held_begun(struct held *h, pid_t pid);
/* The runner's process is known. False: it is gone already. */
bool held_watch(struct held *h, pid_t pid, int pidfd);
/* Its row is to know that it is ready; and the runner of it, when it is. */
void held_ready(struct held *h);
void held_say_running(const struct held *h);

/* ---- spawn.c: how a runner begins ---- */

struct spawned {
	int fd;    /* our end of its standard input */
	pid_t pid; /* 0: a service manager has started it */
	int pidfd; /* -1 then */
};

/* False with what to do when it cannot be begun. */
bool spawn_runner(
    const struct dispatcher *d, struct spawned *out, char *err, size_t room) MUST_USE;
/* Ends a runner and what it has in its process group. False: it is not ours to kill. */
bool spawn_kill(pid_t pid, int pidfd);

/* ---- runner.c: what runners say ---- */

bool callers_open(struct dispatcher *d, char *err, size_t room) MUST_USE;
/* The connection that a new runner begins with: it is told its job. */
void caller_begin(struct held *h, int fd);
/* Those that wait to be let in. */
void callers_tend(struct dispatcher *d);
void callers_close(struct dispatcher *d);
void caller_forget(struct held *h);
void runner_say_close(struct held *h, struct str reason);

/* ---- egress.c ---- */

void egress_tend(struct dispatcher *d);
void egress_open(struct held *h);
void egress_shut(struct held *h);
void egress_close(struct dispatcher *d);

/* ---- evidence.c: what waits for the database, in its order ---- */

/* False: so much of this runner waits that it should not have sent it. fd: the image, taken over. */
bool evidence_shot(struct held *h, const struct runner_shot *shot, int fd) MUST_USE;
bool evidence_net(struct held *h, const struct runner_net *net) MUST_USE;
bool evidence_truncated(struct held *h, int64_t seq) MUST_USE;
/* Its runner has another connection: it sends again what is not answered. */
void evidence_again(const struct held *h);
void evidence_flush(struct dispatcher *d);

/* ---- image.c: files ---- */

struct image {
	const unsigned char *p;
	size_t n;
};

/* NULL, and the caller closes it; or what is wrong with it. fd stays the caller's. */
const char *image_open(int fd, struct str mime, struct image *out) MUST_USE;
/* Its file stands, and its folder: under this sum. */
bool image_store(const struct image *i, unsigned char sha256[EVIDENCE_HASH_LEN]) MUST_USE;
void image_close(const struct image *i);

/* ---- network.c ---- */

/* Each event decoded, redacted and written again, in a. False: one is none. */
bool network_clean(struct arena *a, struct list events, struct strs *out) MUST_USE;

/* ---- host.c: whether browsers can be started here ---- */

void host_tend(struct dispatcher *d);
/* A runner could not be begun: nothing is claimed until that is looked into. */
void host_doubt(struct dispatcher *d, const char *fault);
void host_close(struct dispatcher *d);

#endif
