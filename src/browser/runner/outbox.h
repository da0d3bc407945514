/* SPDX-License-Identifier: ISC */
/* The log of a session's evidence, from the moment it is recorded until the dispatcher answers that
 * it is in the database. The messages shot, net and truncated of browser/runner_link.h carry it.
 *
 *   pieces:   1 net   2 shot   3 net | 4 net   5 net (open batch)
 *             sent, not answered     | not sent
 *                                    ^ next
 *
 * A piece is one message, numbered from 1. An unsent net piece takes further events until it is
 * full; after it has been sent, its content never changes, because the dispatcher may have stored
 * it under that number. outbox_logged frees the answered pieces. When the link is lost, next
 * returns to the first piece, and the database ignores the numbers that it already has.
 *
 * The bytes of all pieces are bounded. A log without room gets a single piece "truncated" and
 * continues: an incomplete log must be visible. */
#ifndef BROWSER_RUNNER_OUTBOX_H
#define BROWSER_RUNNER_OUTBOX_H

#include "browser/runner_link.h"

struct outbox;

/* max: the bytes of events and images that the outbox may hold. */
struct outbox *outbox_new(size_t max);
void outbox_free(struct outbox *o);
/* Appends a copy of one event's JSON of at most NET_BATCH_BYTES, or "truncated" if there is no
   room. */
void outbox_event(struct outbox *o, struct str event);
/* Appends "truncated", once per session. */
void outbox_truncated(struct outbox *o);
/* Appends an image of n bytes and takes fd over. False: there is no room, and the caller keeps
   fd. */
bool outbox_shot(struct outbox *o, const struct runner_shot *shot, int fd, size_t n) MUST_USE;
/* Sends pieces until LOG_WINDOW of them are unanswered. */
void outbox_send(struct outbox *o, struct link *l);
/* A new connection: every unanswered piece is sent again. */
void outbox_restart(struct outbox *o);
/* The dispatcher has answered piece seq and with it all earlier ones. */
void outbox_logged(struct outbox *o, int64_t seq);
bool outbox_is_empty(const struct outbox *o);

#endif
