/* SPDX-License-Identifier: ISC */
/* The dispatcher's database calls. Each runs one SQL function, and fails at once while the database
   is away (db_up): the caller tries again at a later tick. All structs of a list live in the
   dispatcher's arena. */
#ifndef BROWSER_DISPATCH_STORE_H
#define BROWSER_DISPATCH_STORE_H

#include "db/db.h"
#include "resource/evidence.h"

struct dispatcher;
struct session;

/* A session's row with its route: session_held() in sql/. */
struct session_row {
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

/* Updates this host's row: alive, capacity, fault. */
bool store_beat(struct dispatcher *d);
/* Ends sessions of any host whose lease, lifetime, idle time or right has ended. */
void store_sweep(struct dispatcher *d);
void store_counts(struct dispatcher *d);
/* Claims queued sessions for this host: a list of struct uuid. */
bool store_claim(struct dispatcher *d, struct list *out) MUST_USE;
/* The rows of this host: a list of struct session_row. */
bool store_sessions(struct dispatcher *d, struct list *out) MUST_USE;
/* Renews leases; the renewed ones are a list of struct uuid. */
bool store_renew(struct dispatcher *d, const struct str *uuids, const struct str *epochs, size_t n,
    struct list *out) MUST_USE;
/* Moves a session to running. DB_NONE: it is not starting any more. */
enum db_rc store_ready(struct dispatcher *d, const struct session *s, int64_t *expires_ms) MUST_USE;
void store_activity(struct dispatcher *d, const struct session *s);
/* Records the end of the runner. Returns whether the database has done so. */
bool store_lost(struct dispatcher *d, const struct session *s) MUST_USE;

/* ---- routes ---- */

struct route_due {
	struct uuid uuid;
	struct str kind, host;
	int64_t port;
	struct str credential, target;
};
/* The routes to probe now: a list of struct route_due. */
bool store_routes(struct dispatcher *d, struct list *out) MUST_USE;
void store_probed(
    struct dispatcher *d, struct uuid route, bool answered, int64_t ms, struct str why);

/* ---- evidence ---- */

struct shot_row {
	struct uuid uuid;
	unsigned char sha256[EVIDENCE_HASH_LEN];
	int64_t bytes, width, height, tab;
	struct str mime, reason, url, title;
	struct ts taken_at;
};

/* The position of a piece of evidence in its session's log (see runner_link.h). */
struct log_place {
	struct uuid session;
	int64_t epoch, seq; /* seq 0: from a runner that sends no numbers */
};

enum store_rc {
	STORED,       /* in the database, now or already before */
	STORED_ROOM,  /* store_room: the image may be stored */
	STORED_FULL,  /* the session has reached its limit */
	STORED_STALE, /* the session or its epoch has ended */
	STORED_BAD,   /* the database refuses it for good */
	STORED_LATER, /* the database is away: try again */
};
/* Whether an image of this size may be stored: STORED_ROOM; STORED if it is stored already. */
enum store_rc store_room(struct dispatcher *d, const struct log_place *at, size_t bytes) MUST_USE;
enum store_rc store_shot(
    struct dispatcher *d, const struct log_place *at, const struct shot_row *s) MUST_USE;
/* truncated: marks that events are missing after these. */
enum store_rc store_events(
    struct dispatcher *d, const struct log_place *at, struct strs docs, bool truncated) MUST_USE;

#endif
