/* SPDX-License-Identifier: ISC */
/* The log of a session's evidence, as far as the dispatcher has not said that it is stored: what
   browser/runner_link.h says of shot, net and truncated. */
#ifndef BROWSER_RUNNER_OUTBOX_H
#define BROWSER_RUNNER_OUTBOX_H

#include "browser/runner_link.h"

struct outbox;

/* max: bytes that it may keep. */
struct outbox *outbox_new(size_t max);
void outbox_free(struct outbox *o);
/* A copy of the JSON of one event, of at most NET_BATCH_BYTES. Where there is no room, the log says that there
   was more. */
void outbox_event(struct outbox *o, struct str event);
void outbox_truncated(struct outbox *o);
/* Takes n bytes of image over as fd. False: there is no room, and fd stays the caller's. */
bool outbox_shot(
    struct outbox *o, const struct runner_shot *shot, int fd, size_t n) MUST_USE;
/* What may be sent now. Once sent a piece is what it is. */
void outbox_send(struct outbox *o, struct link *l);
/* The connection is another one. */
void outbox_again(struct outbox *o);
/* Answers: this and all before it. */
void outbox_logged(struct outbox *o, int64_t seq);
bool outbox_is_empty(const struct outbox *o);

#endif
