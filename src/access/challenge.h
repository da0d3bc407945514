/* SPDX-License-Identifier: ISC */
/* Challenges: texts that a client gets before it has proved anything, and sends back with the
   proof. They are signed, and nothing is stored until one is used, so a million requests for
   challenges cost no row.

     kind       bound to      proved by
     sign_in    nobody        an assertion of a passkey
     register   the person    a new passkey
     step       nobody        a one-time code, after the password of the person whom it names

   A challenge is valid for CHALLENGE_SECONDS and can be used once: the caller stores its digest
   in proof_used, in the transaction that accepts the proof. */
#ifndef ACCESS_CHALLENGE_H
#define ACCESS_CHALLENGE_H

#include "access/seal.h"

enum { CHALLENGE_SECONDS = 300, CHALLENGE_DIGEST = 32 };

enum challenge_kind { CHALLENGE_SIGN_IN, CHALLENGE_REGISTER, CHALLENGE_STEP };

struct challenge {
	enum challenge_kind kind;
	struct uuid person; /* the person who is signed in, or who has sent the right password */
	struct ts expires_at;
};

/* Makes a challenge of at most SEAL_TOKEN_MAX characters. No two are equal. */
struct str challenge_make(
    struct arena *a, const struct signing_keys *keys, const struct challenge *c);
/* Verifies a challenge. Before the call, c->kind is the expected kind, c->expires_at the present
   time, and c->person the expected person when the kind is CHALLENGE_REGISTER. SEAL_GOOD sets
   c->person and c->expires_at. SEAL_BAD: the text is malformed or of another kind or person.
   SEAL_OLD: it has expired. */
enum seal_rc challenge_open(struct arena *a, const struct signing_keys *keys, struct str text,
    struct challenge *c) MUST_USE;
/* Returns the time at which a challenge that is made at `now` expires. */
struct ts challenge_end(struct ts now);
void challenge_digest(struct str text, unsigned char digest[CHALLENGE_DIGEST]);

#endif
