/* SPDX-License-Identifier: ISC */
/* Evidence on its way from runners into the database: screenshots and network events. Order
   matters: the number of a message is confirmed to the runner together with all lower ones, so one
   queue keeps the order of arrival and its head is tried until the database answers. Everything in
   the queue is unconfirmed, and may be lost with this process: the runner sends it again. */
#ifndef BROWSER_DISPATCH_EVIDENCE_H
#define BROWSER_DISPATCH_EVIDENCE_H

#include "browser/runner_link.h"
#include "db/db.h"
#include "resource/evidence.h"

struct dispatcher;
struct session;

/* The first three return false if more than LOG_WINDOW messages of this runner wait: it broke the
   rules. fd: the image; owned from now on. */
bool evidence_shot(struct session *s, const struct runner_shot *shot, int fd) MUST_USE;
bool evidence_net(struct session *s, const struct runner_net *net) MUST_USE;
bool evidence_truncated(struct session *s, int64_t seq) MUST_USE;
/* Drops the queued messages of a runner that has reconnected: it sends them again. */
void evidence_drop_unanswered(const struct session *s);
void evidence_flush(struct dispatcher *d);

/* ---- image.c: images as files ---- */

struct image {
	const unsigned char *p;
	size_t n;
};

/* Maps and checks an image. Returns NULL on success, to be closed by the caller, or the fault. The
   caller keeps fd. */
const char *image_open(int fd, struct str mime, struct image *out) MUST_USE;
/* Writes the image and its directory durably, under its SHA-256. */
bool image_store(const struct image *i, unsigned char sha256[EVIDENCE_HASH_LEN]) MUST_USE;
void image_close(const struct image *i);

/* ---- network.c ---- */

/* Decodes, redacts and writes again each event, in a. Returns false if any is malformed. */
bool network_clean(struct arena *a, struct list events, struct strs *out) MUST_USE;

#endif
