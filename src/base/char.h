/* SPDX-License-Identifier: ISC */
/* Characters that text of strangers must not bring to a terminal, a page or a log: they control the
   terminal, reorder a line, or make two different texts look alike. */
#ifndef BASE_CHAR_H
#define BASE_CHAR_H

#include "base/buf.h"

/* Decodes one character of valid UTF-8 at *p and moves *p behind it. */
uint32_t char_next(const char **p);
/* True for control characters, marks of direction, invisible characters and fillers, line
   separators, private use and tags. */
bool char_is_harmful(uint32_t c);
/* True for a valid UTF-8 text without harmful characters: one line that shows what it contains. */
bool str_visible(struct str s);
/* The same for a text of several lines: tabs and line ends are allowed. */
bool str_prose(struct str s);
/* Appends JSON with its harmful characters as escapes, so that a terminal may show it: the value is
   the same. A text that is no UTF-8 is appended as it is. */
void json_shown(struct buf *b, struct str json);

#endif
