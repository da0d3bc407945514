/* SPDX-License-Identifier: ISC */
/* Hexadecimal and base64. Each parser accepts exactly one spelling of the same bytes, so that
   encoded tokens can be compared as text. */
#ifndef BASE_ENCODE_H
#define BASE_ENCODE_H

#include "base/str.h"

struct arena;

/* Writes n bytes as lower-case hexadecimal and a NUL; out has room for 2n+1 bytes. */
void hex_print(char *out, const unsigned char *bytes, size_t n);
/* Returns the bytes as lower-case hexadecimal. */
struct str hex_text(struct arena *a, struct str bytes);
/* Parses the form of hex_print; false when s is not n bytes in it. */
bool hex_parse(struct str s, unsigned char *out, size_t n) MUST_USE;
/* Writes unpadded URL-safe base64 (RFC 4648 section 5) and a NUL, and returns its length; out has
   room for 4*((n+2)/3)+1 bytes. */
size_t base64url_print(char *out, const unsigned char *bytes, size_t n);
/* Parses padded base64 (RFC 4648 section 4); false when s is not canonical or its bytes exceed
   room. */
bool base64_parse(struct str s, unsigned char *out, size_t room, size_t *n) MUST_USE;
/* Parses unpadded URL-safe base64 and sets *n to the number of bytes; false when s is not canonical
   or its bytes exceed room. */
bool base64url_parse(struct str s, unsigned char *out, size_t room, size_t *n) MUST_USE;

#endif
