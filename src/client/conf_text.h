/* SPDX-License-Identifier: ISC */
/* The text of ~/.config/surfaced/config: lines "name = value". Blank lines, and lines that begin
 * with #, mean nothing. No I/O. */
#ifndef CLIENT_CONF_TEXT_H
#define CLIENT_CONF_TEXT_H

#include "base/base.h"

/* The value of the last line of that name; without pointer: there is none. */
struct str config_value(struct str text, const char *name);
/* Appends the text without the lines of that name; each line ends with a newline. */
void config_without(struct buf *b, struct str text, const char *name);

#endif
