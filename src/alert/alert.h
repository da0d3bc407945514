/* SPDX-License-Identifier: ISC */
/* surfaced-alert: compares changed findings and services with the alert rules of their project,
 * raises and clears alerts, and sends webhooks to the destinations of the rules. One process, one
 * thread, one event loop.
 *
 * The life of a change, from a row of a table to an HTTP request:
 *
 *   finding, asset_service       written by an import, the API or surfacectl
 *        | trigger alert_changed, in the same transaction; NOTIFY alert_work
 *        v
 *   alert_change                 "this record changed": no content, only the UUID
 *        |                                        evaluate.c, one transaction:
 *        | alert_take                             delete a batch of changes, lock their records
 *        v                                        and read them as they are now
 *   records x rules              match in memory  (search/query.h, the query language of the API)
 *        | alert_judge                            raise or update the alerts of pairs that match,
 *        v                                        clear alerts whose record matches no longer
 *   alert, alert_delivery        one delivery for each destination of an alert that is new or whose
 *                                severity has risen; a record that matches again after its alert
 *                                was cleared has a new alert. COMMIT
 *        |                                        deliver.c, one statement before and one after:
 *        | delivery_claim                         lease it, count the attempt
 *        v
 *   struct attempt --> resolve.c --> send.c --> receiver
 *        | delivery_finish                        store the result under the number of the attempt
 *        v
 *   pending --> delivered                         an answer 2xx
 *     ^ |  +--> failed                            webhook_attempts have failed, 410, destination
 *     | |                                         deleted or disabled
 *     | |  +--> silenced                          the rule was silenced at the time of delivery
 *     +-+                                         any other result: due again after a growing delay
 *
 * Judging. A change is deleted in the transaction that writes its consequences. A crash, a lost
 * connection or a time-out rolls all of it back, and the change is taken again: it is never lost,
 * and its alerts are never raised twice. Two changes of one record are judged in turn, under a
 * lock, and each sees the record's current state, so the last judgement is about the last state. A
 * rule whose query this version cannot parse is skipped: its alerts stay, none is raised. After a
 * failed batch the next one has an eighth of its changes, unless the connection was lost; each
 * success doubles it, to at most BATCH. A single change that still fails is put off for a minute,
 * so that it cannot hold up the others. Matching stops after JUDGE_US: transfers stand still
 * meanwhile.
 *
 * Sending. A turn of the loop stores the results of ended attempts first, and claims nothing until
 * all are stored. A claim counts the attempt and sets a lease that is longer than an attempt may
 * take. A delivery whose lease ends without a result is due again. The next claim of this delivery,
 * by any process, marks the earlier attempt as interrupted; if that was the last allowed attempt,
 * the delivery fails unsent. The result of attempt 3 is stored only while the delivery is still at
 * attempt 3: a late result changes nothing but the history. A webhook may therefore arrive more
 * than once, always with the same webhook-id, which shows the repetition. A claimed delivery of a
 * silenced rule is not sent; its alert is raised all the same. At SIGTERM no attempt starts, and
 * the process ends when those under way are stored; if PostgreSQL stays away, the service manager
 * kills it (TimeoutStopSec), and their leases end.
 *
 * Addresses. Every address of the receiver's name must be public. libcurl gets these addresses for
 * this connection, and open_public_socket checks the one that it connects to, so another answer of
 * DNS changes nothing. libcurl uses no redirect, no proxy and no connection twice.
 *
 *   result                  delivery
 *   2xx                     delivered
 *   410                     failed, and the destination is disabled
 *   any other, the last     failed
 *   of webhook_attempts
 *   any other, before that  pending; due after webhook_backoff * 4^(tries - 1), less up to a
 *                           quarter at random, or after a longer Retry-After, but at most
 *                           webhook_backoff_max
 *
 * Deaths, and their effects:
 *   either process while judging    the transaction is rolled back; the changes are taken again
 *   surfaced-alert while sending    the lease ends; the next claim marks the attempt interrupted
 *                                   and sends again
 *   surfaced-alert before storing   the same, although the receiver has the webhook: it gets it
 *                                   again
 *   PostgreSQL while sending        the result stays in engine.ended until it can be stored
 *   a receiver, or its DNS          that attempt fails at its deadline; others of its project go on
 *
 * Two instances on two hosts do no harm: claims and changes skip rows that the other one has
 * locked. Changes and deliveries are shared out by project, and deliveries also by destination, so
 * that a large project or a receiver that stalls delays only itself. */
#ifndef ALERT_ALERT_H
#define ALERT_ALERT_H

#include "daemon/ev.h"
#include "db/db.h"

enum { MAINTENANCE_TASKS = 6 };

/* The state of the process. Nothing here must survive it. */
struct engine {
	struct arena *arena; /* emptied after each turn of the loop */
	struct db *db;
	struct event_base *base;
	struct sender *sender;
	struct attempt *ended;              /* attempts whose result is not stored yet */
	int64_t batch;                      /* changes to judge at once; fewer after a failure */
	struct uuid last_project;           /* claimed last: the next claim begins after it */
	int64_t task_at[MAINTENANCE_TASKS]; /* mono_us: next run of each task */
	bool stopping;
	struct event *poll, *notified;
};

/* ---- evaluate.c ---- */

/* Judges a batch of changes. True: there may be more. */
bool evaluate_changes(struct engine *e) MUST_USE;

/* ---- deliver.c ---- */

/* Stores the results of attempts and starts the deliveries that are due, while there is room. True:
   there may be more. */
bool send_deliveries(struct engine *e) MUST_USE;

/* ---- maintain.c ---- */

/* Deletes a batch of rows older than their retention period, and adds up counts. */
void maintain_tables(struct engine *e);

/* ---- resolve.c: the addresses of a name, all of them public, without blocking ---- */

enum { RESOLVED_MAX = 16 };

struct addresses {
	const char *fault; /* for the client; NULL: the addresses are valid */
	size_t n;
	char address[RESOLVED_MAX][46];
};

/* Calls done once, from the loop and never before resolve_public returns. deadline: mono_us. */
void resolve_public(struct event_base *base, const char *host, int64_t deadline,
    void (*done)(void *arg, const struct addresses *r), void *arg);

/* ---- send.c: one attempt of one delivery ---- */

/* GONE: the receiver answered 410, and its destination is disabled. */
enum verdict { VERDICT_DELIVERED, VERDICT_RETRY, VERDICT_GONE };

struct attempt {
	struct attempt *next; /* in engine.ended */
	struct arena *arena;  /* owns the struct and all its text */
	struct uuid uuid;     /* the delivery's; sent as webhook-id */
	int64_t number; /* among all attempts of the delivery; the result is stored under it */
	int64_t tries;  /* attempts since the delivery was last retried by hand */
	struct str url, secret, payload;

	/* the result */
	enum verdict verdict;
	int64_t status;      /* HTTP status; 0: no answer */
	int64_t retry_after; /* seconds, from the answer's header; 0: none */
	struct str failure;  /* for the client; STR_NULL when it was delivered */
	struct str detail;   /* for the log: libcurl's message; STR_NULL: none */

	/* private to send.c */
	struct sender *sender;
	void *easy;
	void *headers, *addresses; /* lists of libcurl */
	char *host, *port;
	int64_t deadline;      /* mono_us */
	size_t head_n, body_n; /* bytes of the answer received */
	bool refused;          /* open_public_socket refused an address */
	char error[256];
};

/* Calls done(arg, attempt) from the loop, or from sender_send, when an attempt has ended. */
struct sender *sender_new(
    struct event_base *base, void (*done)(void *arg, struct attempt *t), void *arg);
void sender_free(struct sender *s);         /* only while no attempt is under way */
size_t sender_busy(const struct sender *s); /* attempts under way */
/* Owns the attempt until done is called with it. */
void sender_send(struct sender *sender, struct attempt *t);

#endif
