/* SPDX-License-Identifier: ISC */
/* The list of common passwords, for password.c and password_list.c. */
#ifndef ACCESS_PASSWORD_PRIV_H
#define ACCESS_PASSWORD_PRIV_H

#include "access/password.h"

/* A file of common passwords, one on each line. Lines that begin with '#' are comments. Each
   password is folded when it is read. */
struct password_list {
	struct buf text;
	struct str *lines; /* sorted */
	size_t n;
};

/* Reads a list. When this returns false, err contains the reason. */
bool password_list_read(
    const char *path, struct password_list *out, char *err, size_t room) MUST_USE;
void password_list_free(struct password_list *l);
bool password_list_has(const struct password_list *l, struct str folded);

/* Writes s in ASCII lower case without blanks and ASCII punctuation, because an attacker tries such
   variants of a password together. room has s.n bytes. */
struct str password_fold(char *room, struct str s);

#endif
