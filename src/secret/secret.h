/* SPDX-License-Identifier: ISC */
/* Credentials in a text, by the rows of tbl/secrets.h. Pure: no I/O, time linear in the text,
   memory from the arena.

     text -> scan.c -> shape.c -> check.c, placeholder.c -> list of struct secret -> mask.c
             anchors   characters  check digits, parts,                               the same text
                       of the row  words of manuals                                   without them

   No provider is asked whether a secret is valid. The texts of struct secret point into the
   scanned text; store only the preview. */
#ifndef SECRET_SECRET_H
#define SECRET_SECRET_H

#include "base/base.h"

enum secret_severity { SECRET_INFO, SECRET_LOW, SECRET_MEDIUM, SECRET_HIGH, SECRET_CRITICAL };

struct secret {
	struct str type, provider; /* as in tbl/secrets.h; the provider may be empty */
	struct str text;
	struct str prefix;   /* the beginning that all secrets of this type share; may be empty */
	struct str name;     /* the identifier in name = "text"; STR_NULL: none */
	size_t offset, line; /* position of the first byte; lines are counted from 1 */
	enum secret_severity severity;
	bool valid; /* the check digits are right; false for types without check digits, too */
};

struct secrets {
	struct secret *p; /* in the order of their offsets, without overlaps */
	size_t n;
	bool truncated; /* the text is longer than LIM_SECRET_TEXT or has more than LIM_SECRETS */
	size_t read;    /* the text behind this offset was not scanned */
	size_t open;    /* the offset of a secret that the end of the text cuts off, or text.n */
};

/* Finds the secrets in a text. now: tokens that expired before this time do not count. */
struct secrets secrets_find(struct arena *a, struct str text, struct ts now);

/* Returns the prefix, "…" and the length, such as "ghp_…40". A preview has no character that only
   this secret has, and is never longer than the secret. */
struct str secret_preview(struct arena *a, const struct secret *s);

/* Returns the text with previews in place of its secrets, or the text itself when it has none.
   Expired tokens are replaced, too. The part that secrets_find did not scan and a secret that the
   end cuts off are removed. Masking the result again changes nothing. */
struct str secrets_mask(struct arena *a, struct str text);

#endif
