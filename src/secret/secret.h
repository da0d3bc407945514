/* SPDX-License-Identifier: ISC */
/* Credentials in a text, by the rows of tbl/secrets.h. Pure: no I/O, time linear in the text,
   memory from the arena.

     text -> scan.c -> shape.c -> check.c, placeholder.c -> list of struct secret -> mask.c
             anchors   characters  check digits, parts,                               the same text
                       of the row  words of manuals                                   without them

   Nothing asks a provider whether a secret is in use. The texts of struct secret point into the
   text that was read; who stores anything but the preview has to know why. */
#ifndef SECRET_SECRET_H
#define SECRET_SECRET_H

#include "base/base.h"

enum secret_severity { SECRET_INFO, SECRET_LOW, SECRET_MEDIUM, SECRET_HIGH, SECRET_CRITICAL };

struct secret {
	struct str type, provider; /* as in tbl/secrets.h; the provider may be empty */
	struct str text;
	struct str prefix;   /* the beginning that all secrets of the type have; may be empty */
	struct str name;     /* the identifier before it, as in name = "text"; null: none */
	size_t offset, line; /* the place of its first byte; lines are counted from 1 */
	enum secret_severity severity;
	bool valid; /* its check digits are right; false also for types without any */
};

struct secrets {
	struct secret *p; /* in the order of their offsets; none overlaps another one */
	size_t n;
	bool truncated; /* the text is longer than LIM_SECRET_TEXT or has more than LIM_SECRETS */
	size_t read;    /* no secret behind this offset was looked for */
	size_t open;    /* where a secret begins that the end of the text cuts off, or text.n */
};

/* now: when a token that names its end must still be good. */
struct secrets secrets_find(struct arena *a, struct str text, struct ts now);

/* The prefix, "…" and the length, such as "ghp_…40": no character that only this secret has, and
   never longer than it. */
struct str secret_preview(struct arena *a, const struct secret *s);

/* The text with previews in place of its secrets, or text itself; tokens that have expired are
   replaced as well. The rest that secrets_find did not read, and the beginning of a secret at its
   end, are left out. Masking the result again changes nothing. */
struct str secrets_mask(struct arena *a, struct str text);

#endif
