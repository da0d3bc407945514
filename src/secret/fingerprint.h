/* SPDX-License-Identifier: ISC */
/* Fingerprints: equal secrets have equal fingerprints in one project and different ones in two
 * projects, and a copy of the database is of no use for guessing secrets.
 *
 * The import that masks a banner knows the secret, but not the projects; surfaced-detect knows the
 * projects, but never the secret. So the import stores a note of the secret in the table
 * secret_seen:
 *
 *     mac   = HMAC(key, "secret" 0 type 0 secret)
 *     note  = mac xor HMAC(key, "place" 0 place)                what the table has
 *     fingerprint = HMAC(key, "project" 0 project 0 mac)        the first 16 bytes, what a finding has
 *
 * The key is the file fingerprint_file, which is not in the database. Without the key
 *
 *   - a note is random: each place has its own pad, so two notes of one secret are not equal, and a
 *     note is neither equal to a fingerprint nor leads to one;
 *   - a guess cannot be compared with a note or a fingerprint, however short the secret is;
 *   - fingerprints of two projects have nothing in common.
 *
 * The pad of a place is used again when the place shows another secret. The xor of two such
 * notes is the xor of two MACs, which shows only that the secrets differ. With the key and the
 * database, guesses can be compared; therefore the file must be protected. */
#ifndef SECRET_FINGERPRINT_H
#define SECRET_FINGERPRINT_H

#include "base/base.h"

enum { SECRET_NOTE = 32, SECRET_KEY_ID = 16 };

struct secret_key {
	unsigned char bytes[32];
	char id[SECRET_KEY_ID + 1]; /* identifies the key without revealing it */
};

/* Reads the file, which contains at least 32 random bytes. When this returns false, err contains
   the reason. */
bool secret_key_read(const char *path, struct secret_key *out, char *err, size_t room) MUST_USE;

/* Returns the note of a secret at a place, in hexadecimal. */
struct str secret_note(struct arena *a, const struct secret_key *k, struct str type,
    struct str secret, struct str place);
/* Returns the fingerprint in a project of the secret behind a note, or STR_NULL when the note is
   not hexadecimal of the right length. */
struct str secret_fingerprint(struct arena *a, const struct secret_key *k,
    const struct uuid *project, struct str note, struct str place);

#endif
