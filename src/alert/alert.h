/* SPDX-License-Identifier: ISC */
/* surfaced-alert: what changed is judged by the rules of its project, and alerts are sent to destinations.
   Everything that must last stands in PostgreSQL: killed anywhere it takes up again where the rows stand. */
#ifndef ALERT_ALERT_H
#define ALERT_ALERT_H

#include "daemon/ev.h"
#include "db/db.h"

enum { KEEPS = 3 };

struct engine {
	struct arena *arena; /* of one turn */
	struct db *db;
	struct event_base *base;
	struct sender *sender;
	struct sending *sent;   /* came to an end, and is not stored yet */
	int64_t batch;          /* changes judged at once: fewer after a failure */
	struct uuid served;     /* the project whose turn to send was last */
	int64_t keep_at[KEEPS]; /* mono_us: when each of keep.c's is next */
	bool stopping;
	struct event *poll, *news;
};

/* ---- evaluate.c ---- */

/* Judges a batch of changes. True: there may be more. */
bool evaluate(struct engine *e) MUST_USE;

/* ---- deliver.c ---- */

/* Stores how attempts ended, and begins what is due while there is room. True: there may be more. */
bool deliver(struct engine *e) MUST_USE;

/* ---- keep.c ---- */

/* What has been kept for long enough goes, a batch at a time; counts are added up. */
void keep(struct engine *e);

/* ---- resolve.c: names to addresses, every one of them public, without blocking ---- */

enum { RESOLVED_MAX = 16 };

struct resolved {
	const char *fault; /* NULL: the addresses stand */
	size_t n;
	char address[RESOLVED_MAX][46];
};

/* Calls done(arg, ...) once, from the loop and never before this returns. deadline: mono_us. */
void resolve(struct event_base *base, const char *host, int64_t deadline,
    void (*done)(void *arg, const struct resolved *r), void *arg);

/* ---- send.c: one attempt of one delivery ---- */

enum verdict { VERDICT_DELIVERED, VERDICT_RETRY, VERDICT_GONE };

struct sending {
	struct sending *next; /* in engine.sent */
	struct arena
	    *arena; /* of this attempt; owns all its text and the struct itself */
	struct uuid uuid;
	int64_t attempt, tries;
	struct str url, secret, payload;

	/* what came of it */
	enum verdict verdict;
	int64_t status;      /* 0: no answer */
	int64_t retry_after; /* seconds; 0: not said */
	struct str failure;  /* for the client; STR_NULL when it was delivered */
	struct str detail;   /* for the log: libcurl's words; STR_NULL: none */

	/* send.c's own */
	struct sender *sender;
	void *easy;
	void *headers, *addresses; /* lists of libcurl */
	char *host, *port;
	int64_t deadline;
	size_t head, answered; /* bytes of the answer's head and body */
	bool refused;          /* a connection to an address that is not public */
	char error[256];
};

/* done(arg, s) is called from the loop when an attempt has ended. */
struct sender *sender_new(
    struct event_base *base, void (*done)(void *arg, struct sending *s), void *arg);
void sender_free(struct sender *s); /* with nothing under way */
size_t sender_busy(const struct sender *s);
/* Takes s, which done() gives back. */
void sender_send(struct sender *sender, struct sending *s);

/* For -D sql; NULL ends each. */
extern const struct stmt *const deliver_stmts[], *const evaluate_stmts[],
						     *const keep_stmts[];

#endif
