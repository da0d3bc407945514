/* SPDX-License-Identifier: ISC */
/* Fingerprints: equal secrets of one project have equal fingerprints, those of two projects have
 * not, and nobody can try passwords with a copy of the database.
 *
 * The import that masks a banner has the secret, but not the project; surfaced-detect has the
 * project, but never the secret. So the import keeps a note of it in the table secret_seen:
 *
 *     mac   = HMAC(key, "secret" 0 type 0 secret)
 *     note  = mac xor HMAC(key, "place" 0 place)                what the table has
 *     fingerprint = HMAC(key, "project" 0 project 0 mac)        the first 16 bytes, what a finding has
 *
 * The key is the file fingerprint_file, which is not in the database. Without it
 *
 *   - a note is random: each place has its own pad, so two notes of one secret are not equal, and a
 *     note is neither equal to a fingerprint nor leads to one;
 *   - a guess cannot be compared with a note or a fingerprint, however short the secret is;
 *   - fingerprints of two projects have nothing in common.
 *
 * The pad of a place is used again when the place has another secret. The sum of two such notes is
 * the sum of two MACs, which says no more than that they differ. With the key, and the database,
 * guesses can be compared; this is what the file is protected for. */
#ifndef SECRET_FINGERPRINT_H
#define SECRET_FINGERPRINT_H

#include "base/base.h"

enum { SECRET_NOTE = 32, SECRET_KEY_ID = 16 };

struct secret_key {
	unsigned char bytes[32];
	char id[SECRET_KEY_ID + 1]; /* names the key, and tells nothing of it */
};

/* Reads the file, which has at least 32 random bytes of any kind. False with a reason. */
bool secret_key_read(const char *path, struct secret_key *out, char *err, size_t room) MUST_USE;

/* The note of a secret at a place, in hexadecimal. */
struct str secret_note(struct arena *a, const struct secret_key *k, struct str type,
    struct str secret, struct str place);
/* The fingerprint that the note of a place has in a project; STR_NULL: the note is none. */
struct str secret_fingerprint(struct arena *a, const struct secret_key *k,
    const struct uuid *project, struct str note, struct str place);

#endif
