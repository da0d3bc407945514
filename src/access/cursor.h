/* SPDX-License-Identifier: ISC */
/* Cursors of lists: opaque to the client, signed, bound to one key, operation and set of filters. */
#ifndef ACCESS_CURSOR_H
#define ACCESS_CURSOR_H

#include "base/base.h"

enum { CURSOR_PAYLOAD_MAX = 360 };

enum { CURSOR_KEY_LEN = 32 };

/* bytes signs. A cursor that before signed is accepted too. */
struct cursor_secret {
	unsigned char bytes[CURSOR_KEY_LEN], before[CURSOR_KEY_LEN];
	bool has_before;
};

/* Of conf.secret_file: the lines that cursor_secret_print makes, or at least 32 random bytes of any kind, from
   which the key is derived. False with a reason otherwise. */
bool cursor_secret_read(
    const char *path, struct cursor_secret *out, char *err, size_t room) MUST_USE;
/* The text of a secret file with a new key, and old's as the one before; old: NULL where there is none. */
enum { CURSOR_SECRET_TEXT = 2 * (11 + 2 * CURSOR_KEY_LEN + 1) };
void cursor_secret_print(
    char out[CURSOR_SECRET_TEXT + 1], const struct cursor_secret *old);

struct cursor_for {
	struct uuid key;
	struct str operation;
	struct str
	    filters; /* everything that selects and orders: query, dataset, limit is not one */
};

/* Text of at most LIM_CURSOR characters. payload: where the next page begins, CURSOR_PAYLOAD_MAX
   bytes at most. */
struct str cursor_seal(struct arena *a, const struct cursor_secret *s,
    const struct cursor_for *f, struct str payload);
/* False for anything that cursor_seal did not make for the same key, operation and filters. */
bool cursor_open(struct arena *a, const struct cursor_secret *s,
    const struct cursor_for *f, struct str text, struct str *payload) MUST_USE;

#endif
