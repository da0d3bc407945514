/* SPDX-License-Identifier: ISC */
/* Tickets of a browser session: signed tokens that the API issues in place of a key.

     surfaced.stream.v1.<head>.<claims>.<signature>    a JWT, HS256, of the live stream (C-746)
                        <head>.<claims>.<signature>    the same, of a session's evidence (C-219)
                               iss, aud, iat, nbf, exp, jti, project, session, key;
                               sign_in, when a person asked for the ticket

                opened by          life      uses    sent
     stream     surfaced-stream    30 s      one     as a subprotocol, since a browser cannot
                                                     set headers of a WebSocket
     evidence   the API            15 min    many    in the header X-Evidence-Ticket

   A ticket proves that the API issued it. The audience (aud) prevents the use of one kind as the
   other. Rights may have changed since a ticket was issued, so surfaced-stream marks the jti of
   a stream ticket as used in PostgreSQL, and the API reads the key of an evidence ticket at each
   use. A person's ticket ends with their sign-in: an evidence ticket names it, and so does the row
   of a stream ticket. Only ticket.c uses libjwt. */
#ifndef ACCESS_TICKET_H
#define ACCESS_TICKET_H

#include "access/key.h"
#include "access/signing_keys.h"
#include "json/json.h"

enum {
	TICKET_KEYS = 2,   /* the signing key and the previous one */
	TICKET_LEEWAY = 5, /* seconds that the clocks of two hosts may differ */
};

/* The kinds of tickets. */
enum ticket_kind { TICKET_NONE, TICKET_STREAM, TICKET_EVIDENCE };

struct ticket {
	struct uuid jti, project, session, key;
	struct ts expires_at; /* whole seconds */
	enum ticket_kind kind;
	struct uuid sign_in; /* in an evidence ticket; all zero: no person asked for it */
};

/* The file of keys that the parameter stream_keys names. */
#define TICKET_FILE(path) (&(const struct signing_file){ "stream_keys", path, TICKET_KEYS })

/* Makes the text of a ticket: at most LIM_STREAM_TICKET or LIM_EVIDENCE_TICKET characters, all of
   them token characters of RFC 6455. */
struct secret ticket_seal(
    struct arena *a, const struct signing_keys *keys, const struct ticket *t, struct ts now);
/* Verifies a ticket of the kind out->kind. Returns NULL, or a fault for the log: a constant text
   without any part of the ticket. */
const char *ticket_open(struct arena *a, const struct signing_keys *keys, struct secret text,
    struct ts now, struct ticket *out) MUST_USE;

#endif
