/* SPDX-License-Identifier: ISC */
/* Hexadecimal and base64. */
#ifndef BASE_ENCODE_H
#define BASE_ENCODE_H

#include "base/str.h"

/* Bytes as lower-case hexadecimal; out holds 2n+1. */
void hex_print(char *out, const unsigned char *bytes, size_t n);
/* Back again: false when s is not n bytes in that form. */
bool hex_parse(struct str s, unsigned char *out, size_t n) MUST_USE;
/* Unpadded URL-safe base64 (RFC 4648 section 5). Returns the length written; out holds 4*((n+2)/3)+1. */
size_t base64url_print(char *out, const unsigned char *bytes, size_t n);
/* Padded base64 (RFC 4648 section 4): false when s is not canonical or is longer than room. */
bool base64_parse(struct str s, unsigned char *out, size_t room, size_t *n) MUST_USE;
/* False when s is no canonical unpadded base64url or is longer than room; *n gets the length. */
bool base64url_parse(struct str s, unsigned char *out, size_t room, size_t *n) MUST_USE;

#endif
