/* SPDX-License-Identifier: ISC */
/* Parts of a text, one after another. Each function removes a part from *rest, with the separator
   behind it. They differ at the end of the text:

     *rest            str_until ','        str_part ','         str_word ","
     "a,,b"           "a" "" "b"           "a" "" "b"           "a" "b"
     "a,"             "a" ""               "a"                  "a"
     ""               ""                   nothing              nothing */
#ifndef BASE_SPLIT_H
#define BASE_SPLIT_H

#include "base/str.h"

/* Returns the part before the separator; *rest is STR_NULL when there is none. So a list has one
   element at least:

     do
             use(str_until(&rest, ','));
     while (rest.p != NULL); */
struct str str_until(struct str *rest, char separator);
/* False: *rest is empty. */
bool str_part(struct str *rest, char separator, struct str *part);
/* The same for lines, without their newline. */
bool str_line(struct str *rest, struct str *line);
/* Any number of the separators may precede a word. False: no word is left; *word is empty then. */
bool str_word(struct str *rest, const char *separators, struct str *word);

#endif
