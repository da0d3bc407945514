/* SPDX-License-Identifier: ISC */
/* Cursors of lists: opaque to the client, signed, and bound to one API key, operation and set of
   filters.

     base64url( version | first 16 bytes of HMAC-SHA256 | payload )
                           covers version, API key, operation, filters and payload, each with
                           its length

   A cursor is not secret and not encrypted; the signature prevents a client from making one, and
   from continuing the list of another key or query. The server keeps no state for it. The secret
   file holds the signing key and, after a rotation, the previous key, so that cursors in clients'
   hands stay valid. */
#ifndef ACCESS_CURSOR_H
#define ACCESS_CURSOR_H

#include "base/base.h"

enum { CURSOR_PAYLOAD_MAX = 601 }; /* a byte for the dataset, and a record's key (sql/0005) */

enum { CURSOR_KEY_LEN = 32 };

/* bytes: the key that signs. before: the previous key, whose cursors are still accepted, if there
   is one. */
struct cursor_secret {
	unsigned char bytes[CURSOR_KEY_LEN], before[CURSOR_KEY_LEN];
	bool has_before;
};

/* Reads a secret file: either the lines of cursor_secret_print, or at least 32 random bytes, from
   which the key is derived. When this returns false, err contains the reason. */
bool cursor_secret_read(
    const char *path, struct cursor_secret *out, char *err, size_t room) MUST_USE;
/* Writes the text of a secret file with a new key. The key of `old`, which may be NULL, becomes the
   previous key. */
enum { CURSOR_SECRET_TEXT = 2 * (11 + 2 * CURSOR_KEY_LEN + 1) };
void cursor_secret_print(char out[CURSOR_SECRET_TEXT + 1], const struct cursor_secret *old);

struct cursor_for {
	struct uuid key;
	struct str operation;
	/* all parameters that select or order, such as query and dataset, but not limit */
	struct str filters;
};

/* Makes a cursor of at most LIM_CURSOR characters. payload: the position of the next page, at most
   CURSOR_PAYLOAD_MAX bytes. */
struct str cursor_seal(
    struct arena *a, const struct cursor_secret *s, const struct cursor_for *f, struct str payload);
/* Returns false unless cursor_seal made the text for the same key, operation and filters. */
bool cursor_open(struct arena *a, const struct cursor_secret *s, const struct cursor_for *f,
    struct str text, struct str *payload) MUST_USE;

#endif
