/* SPDX-License-Identifier: ISC */
/* Texts that a client gets before it has proved anything, and sends back with the proof. They are
   signed, and nothing is stored until one is used: whoever asks for a million of them costs no row.

     kind       bound to      proved by
     sign_in    nobody        an assertion of a passkey
     register   the person    a new passkey
     step       nobody        a one-time code, after the password of the person whom it names

   Each ends after CHALLENGE_SECONDS, and is used once: the caller stores its digest in proof_used
   in the transaction that believes the proof. */
#ifndef ACCESS_CHALLENGE_H
#define ACCESS_CHALLENGE_H

#include "access/seal.h"

enum { CHALLENGE_SECONDS = 300, CHALLENGE_DIGEST = 32 };

enum challenge_kind { CHALLENGE_SIGN_IN, CHALLENGE_REGISTER, CHALLENGE_STEP };

struct challenge {
	enum challenge_kind kind;
	struct uuid person; /* signed in, or with the right password */
	struct ts expires_at;
};

/* Makes a text of at most SEAL_TOKEN_MAX characters that no other call makes. */
struct str challenge_make(
    struct arena *a, const struct signing_keys *keys, const struct challenge *c);
/* Opens a text of c->kind, and for CHALLENGE_REGISTER of c->person; c->expires_at is the present
   time. SEAL_GOOD: c->person and c->expires_at are those of the text. Else it is malformed, of
   another kind or person (SEAL_BAD), or over (SEAL_OLD). */
enum seal_rc challenge_open(struct arena *a, const struct signing_keys *keys, struct str text,
    struct challenge *c) MUST_USE;
/* The end of a challenge that is made now. */
struct ts challenge_end(struct ts now);
void challenge_digest(struct str text, unsigned char digest[CHALLENGE_DIGEST]);

#endif
