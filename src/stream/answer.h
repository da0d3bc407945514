/* SPDX-License-Identifier: ISC */
/* The HTTP answers of surfaced-stream. */
#ifndef STREAM_ANSWER_H
#define STREAM_ANSWER_H

#include "counting/totals.h"
#include "wire/error.h"

struct conn;

/* A whole answer, head and envelope, in the arena. */
struct str answer_error(struct arena *a, enum error e, struct str request_id);
struct str answer_upgrade(
    struct arena *a, const char *accept, const char *subprotocol, struct str request_id);
/* 101 and a close frame whose code names the error. */
struct str answer_refusal(struct arena *a, const struct conn *c, enum error e);
/* The answer on which nginx sends the request to the host, or a NULL text when nginx cannot look up
   the machine's name. */
struct str answer_relay(struct arena *a, struct str host);
enum total answer_total(enum error e);

#endif
