/* SPDX-License-Identifier: ISC */
/* Signatures and seals for sign-ins, made with the keys of the file sign_in_keys. There are three
   forms:

     tag       HMAC-SHA-256 of a text                       CSRF tokens, names of buckets
     token     base64url( head | tag | expiry | payload )   challenges, half-open sign-ins: a client
                                                            carries it, may read it, and cannot
                                                            change it
     sealed    head | nonce | AES-256-GCM( secret ) | tag   secrets of TOTP in the database

     head      version, and the kid of the key, padded with zeros to 16 bytes

   The newest key signs and seals; the kid finds the key of an older text. Each purpose has its
   own key, derived from the key of the file, so that a text made for one purpose is invalid for
   another. A text can also be bound to something that it does not contain, such as a person. */
#ifndef ACCESS_SEAL_H
#define ACCESS_SEAL_H

#include "access/key.h"
#include "access/signing_keys.h"

enum {
	SEAL_TAG = 32,
	SEAL_HEAD = 1 + SIGNING_KID_MAX,
	SEAL_PAYLOAD_MAX = 256,          /* bytes of a token */
	SEAL_SECRET_MAX = 256,           /* bytes that can be sealed */
	SEAL_MORE = SEAL_HEAD + 12 + 16, /* bytes by which sealing lengthens a secret */
	SEAL_TOKEN_MAX = 420,            /* characters */
};

/* The file that the parameter sign_in_keys names. */
#define SIGN_IN_FILE(path) (&(const struct signing_file){ "sign_in_keys", path, SIGNING_KEYS })

struct seal_use {
	const char *purpose; /* "challenge", "csrf": a constant */
	/* a value to which the text is bound, such as a person's UUID; may be empty */
	struct str bound;
};

void seal_tag(const struct signing_keys *keys, const struct seal_use *use, struct str text,
    unsigned char tag[SEAL_TAG]);
/* Whether one of the keys made the tag. The comparison takes constant time. */
bool seal_tag_is(const struct signing_keys *keys, const struct seal_use *use, struct str text,
    const unsigned char tag[SEAL_TAG]) MUST_USE;

/* The content of a token: at most SEAL_PAYLOAD_MAX bytes, and the time at which it expires. */
struct seal_token {
	struct str payload;
	struct ts expires_at;
};

struct str seal_token_make(struct arena *a, const struct signing_keys *keys,
    const struct seal_use *use, const struct seal_token *t);
enum seal_rc {
	SEAL_GOOD,
	SEAL_BAD, /* not a token or a sealed secret of this use */
	/* an expired token; or a valid secret that an older key has sealed and that should be
	   sealed again */
	SEAL_OLD,
};
/* Verifies a token. out->expires_at is the present time before the call. SEAL_GOOD and SEAL_OLD set
   *out. */
enum seal_rc seal_token_open(struct arena *a, const struct signing_keys *keys,
    const struct seal_use *use, struct str text, struct seal_token *out) MUST_USE;

/* Seals at most SEAL_SECRET_MAX bytes. The result is SEAL_MORE bytes longer. */
struct str seal_secret(struct arena *a, const struct signing_keys *keys, const struct seal_use *use,
    struct secret secret);
enum seal_rc seal_open(struct arena *a, const struct signing_keys *keys, const struct seal_use *use,
    struct str sealed, struct secret *out) MUST_USE;

#endif
