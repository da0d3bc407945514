/* SPDX-License-Identifier: ISC */
/* Files of secret keys that several hosts share, and that a rotation changes while programs run:
   stream_keys, which signs tickets, and sign_in_keys, which signs and seals what belongs to
   people.

     kid:64 hexadecimal digits      the newest: it signs and seals
     kid:64 hexadecimal digits      older ones: they verify and open

   A text that was signed or sealed names its kid, so that the key is found without trying all. */
#ifndef ACCESS_SIGNING_KEYS_H
#define ACCESS_SIGNING_KEYS_H

#include "base/base.h"

enum {
	SIGNING_KEYS = 8, /* the most that any file may hold */
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

/* A file of keys: the parameter that names it, which the log shows, and how many it may hold. */
struct signing_file {
	const char *parameter, *path;
	size_t most;
};

/* Reads a file. False with a reason. */
bool signing_keys_read(
    const struct signing_file *f, struct signing_keys *out, char *err, size_t room) MUST_USE;
/* NULL: no key has the kid. */
const struct signing_key *signing_key_find(const struct signing_keys *keys, struct str kid);
/* Makes a new key. */
void signing_key_make(struct signing_key *out);
/* Writes the line of a key with a newline at its end, and returns its length. */
size_t signing_key_print(char out[SIGNING_LINE + 1], const struct signing_key *key);

/* A file that is read again when it has changed, so that a rotation needs no restart. The path must
   outlive it. */
struct signing_ring;
struct signing_ring *signing_ring_new(const struct signing_file *f);
void signing_ring_free(struct signing_ring *r);
/* The current keys, valid until the next call; NULL with a reason in err. */
const struct signing_keys *signing_ring_keys(struct signing_ring *r, char *err, size_t room);
/* The same; the reason goes to the log. */
const struct signing_keys *signing_ring_now(struct signing_ring *r);

#endif
