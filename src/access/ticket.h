/* SPDX-License-Identifier: ISC */
/* Tickets of the live stream (CONTRACT A4): the API seals one, surfaced-stream opens it. A browser
   cannot set headers of a WebSocket, so the ticket is sent as a subprotocol:

     surfaced.stream.v1.<head>.<claims>.<signature>      a JWT, HS256
                                  iss, aud, iat, nbf, exp (at most 60 s), jti, project, session, key

   A ticket proves that the API issued it. The caller of ticket_open must still use up its jti in
   PostgreSQL, which makes a ticket valid only once. Only ticket.c uses libjwt. */
#ifndef ACCESS_TICKET_H
#define ACCESS_TICKET_H

#include "access/key.h"
#include "json/json.h"

enum {
	TICKET_KEYS = 2, /* the signing key and the previous one */
	TICKET_KEY_LEN = 32,
	TICKET_KID_MAX = 16,
	TICKET_LEEWAY = 5, /* seconds that the clocks of two hosts may differ */
};

struct ticket {
	struct uuid jti, project, session, key;
	struct ts expires_at; /* whole seconds */
};

/* The first key signs; each of them verifies. */
struct ticket_keys {
	size_t n;
	struct ticket_key {
		char kid[TICKET_KID_MAX + 1];
		unsigned char bytes[TICKET_KEY_LEN];
	} keys[TICKET_KEYS];
};

/* Reads a file of lines "kid:64 hexadecimal digits", the newest first. False with a reason. */
bool ticket_keys_read(const char *path, struct ticket_keys *out, char *err, size_t room) MUST_USE;
/* Makes a line with a new key, and a newline at its end. */
enum { TICKET_LINE = TICKET_KID_MAX + 1 + 2 * TICKET_KEY_LEN + 1 };
void ticket_key_make(char out[TICKET_LINE + 1]);

/* A key file that is read again when it has changed, so that a rotation needs no restart. path must
   outlive it. */
struct ticket_ring;
struct ticket_ring *ticket_ring_new(const char *path);
void ticket_ring_free(struct ticket_ring *r);
/* The current keys, valid until the next call; NULL with a reason in err. */
const struct ticket_keys *ticket_ring_keys(struct ticket_ring *r, char *err, size_t room);

/* Makes the subprotocol: at most LIM_STREAM_TICKET characters, all of them token characters of RFC
   6455. */
struct secret ticket_seal(
    struct arena *a, const struct ticket_keys *keys, const struct ticket *t, struct ts now);
/* NULL, or the fault of the ticket, for the log: constant text without any part of the ticket. */
const char *ticket_open(struct arena *a, const struct ticket_keys *keys, struct secret subprotocol,
    struct ts now, struct ticket *out) MUST_USE;

#endif
