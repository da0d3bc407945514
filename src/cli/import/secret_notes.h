/* SPDX-License-Identifier: ISC */
/* Notes of the secrets that an import has masked, as rows of the table secret_seen
   (secret/fingerprint.h). */
#ifndef CLI_IMPORT_SECRET_NOTES_H
#define CLI_IMPORT_SECRET_NOTES_H

#include "record/record.h"
#include "secret/fingerprint.h"
#include "secret/secret.h"

/* Where a secret was found. place: the address of a host, or a project and a URL; part: of the
   place. */
struct secret_spot {
	struct str place, part;
	size_t item; /* the number of the secret in the part */
	struct ts seen;
};

/* The text that pads the note of a spot. */
struct str secret_spot_text(struct arena *a, const struct secret_spot *at);
/* Adds a note as a JSON object to an array without its last bracket. */
void secret_note_write(struct buf *b, struct arena *a, const struct secret_key *k,
    const struct secret_spot *at, const struct secret *s);
/* Adds the notes of all services of a host. Returns the number of secrets; without a key they are
   counted but not noted. */
size_t secret_notes_of_host(
    struct buf *b, struct arena *a, const struct secret_key *k, const struct record *host);

#endif
