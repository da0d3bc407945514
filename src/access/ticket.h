/* SPDX-License-Identifier: ISC */
/* Tickets of the live stream (CONTRACT A4): a WebSocket subprotocol that is a signed token. Beside core.h,
   since it has a key file of its own. Only ticket.c knows libjwt. */
#ifndef ACCESS_TICKET_H
#define ACCESS_TICKET_H

#include "access/key.h"
#include "json/json.h"

enum {
	TICKET_KEYS = 2, /* the one that signs, and the one before it */
	TICKET_KEY_LEN = 32,
	TICKET_KID_MAX = 16,
	TICKET_LEEWAY = 5, /* seconds that two clocks may differ by */
};

struct ticket {
	struct uuid jti, project, session, key;
	struct ts expires_at; /* whole seconds */
};

/* The first one signs, all verify. */
struct ticket_keys {
	size_t n;
	struct ticket_key {
		char kid[TICKET_KID_MAX + 1];
		unsigned char bytes[TICKET_KEY_LEN];
	} keys[TICKET_KEYS];
};

/* Lines "kid:64 hexadecimal digits", the newest first. False with a reason. */
bool ticket_keys_read(
    const char *path, struct ticket_keys *out, char *err, size_t room) MUST_USE;
/* A line of a new key, with its newline. */
enum { TICKET_LINE = TICKET_KID_MAX + 1 + 2 * TICKET_KEY_LEN + 1 };
void ticket_key_make(char out[TICKET_LINE + 1]);

/* What a program holds of the file: it is read again when it has changed. path must outlive it. */
struct ticket_ring;
struct ticket_ring *ticket_ring_new(const char *path);
void ticket_ring_free(struct ticket_ring *r);
/* NULL with a reason in err: there are none. Valid until the next call. */
const struct ticket_keys *ticket_ring_keys(struct ticket_ring *r, char *err, size_t room);

/* The subprotocol: at most LIM_STREAM_TICKET characters, all of them RFC 6455's token characters. */
struct secret ticket_seal(struct arena *a, const struct ticket_keys *keys,
    const struct ticket *t, struct ts now);
/* NULL, or what is wrong with it, for the log: a constant without a part of the ticket. */
const char *ticket_open(struct arena *a, const struct ticket_keys *keys,
    struct secret subprotocol, struct ts now, struct ticket *out) MUST_USE;

#endif
