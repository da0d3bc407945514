/* SPDX-License-Identifier: ISC */
/* Files of secret keys that several hosts share, and that a rotation changes while programs run:
   stream_keys, which signs tickets, and sign_in_keys, which signs and seals what belongs to
   people.

     kid:64 hexadecimal digits      the newest: it signs and seals
     kid:64 hexadecimal digits      older ones: they verify and open

   Signed and sealed texts contain the kid of their key, so that the key is found without trying
   all. */
#ifndef ACCESS_SIGNING_KEYS_H
#define ACCESS_SIGNING_KEYS_H

#include "base/base.h"

enum {
	SIGNING_KEYS = 8, /* the most keys that any file may contain */
	SIGNING_KEY_LEN = 32,
	SIGNING_KID_MAX = 16,
	SIGNING_LINE = SIGNING_KID_MAX + 1 + 2 * SIGNING_KEY_LEN + 1,
};

struct signing_keys {
	size_t n;
	struct signing_key {
		char kid[SIGNING_KID_MAX + 1];
		unsigned char bytes[SIGNING_KEY_LEN];
	} keys[SIGNING_KEYS];
};

/* A file of keys: the parameter that names it (for the log), its path, and the most keys that it
   may contain. */
struct signing_file {
	const char *parameter, *path;
	size_t most;
};

/* Reads a file. When this returns false, err contains the reason. */
bool signing_keys_read(
    const struct signing_file *f, struct signing_keys *out, char *err, size_t room) MUST_USE;
/* Returns the key of a kid, or NULL. */
const struct signing_key *signing_key_find(const struct signing_keys *keys, struct str kid);
/* Makes a new key. */
void signing_key_make(struct signing_key *out);
/* Writes the line of a key with a newline at its end, and returns its length. */
size_t signing_key_print(char out[SIGNING_LINE + 1], const struct signing_key *key);

/* A file of keys that is read again when it has changed, so that a rotation needs no restart. The
   path must outlive the ring. */
struct signing_ring;
struct signing_ring *signing_ring_new(const struct signing_file *f);
void signing_ring_free(struct signing_ring *r);
/* Returns the current keys, which are valid until the next call, or NULL with a reason in err. */
const struct signing_keys *signing_ring_keys(struct signing_ring *r, char *err, size_t room);
/* Like signing_ring_keys, but logs the reason. */
const struct signing_keys *signing_ring_now(struct signing_ring *r);

#endif
