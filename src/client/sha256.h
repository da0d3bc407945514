/* SPDX-License-Identifier: ISC */
/* SHA-256 (FIPS 180-4), for the file of an export. libcurl has no function for it, and this program
   links no library besides. It protects against damage on the way; nothing secret depends on it. */
#ifndef CLIENT_SHA256_H
#define CLIENT_SHA256_H

#include "base/base.h"

enum { SHA256_BYTES = 32, SHA256_BLOCK = 64 };

struct sha256 {
	uint32_t state[8];
	uint64_t total;
	unsigned char block[SHA256_BLOCK];
};

void sha256_begin(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *bytes, size_t n);
/* Writes 64 lower-case hexadecimal digits and a NUL. */
void sha256_end(struct sha256 *s, char out[2 * SHA256_BYTES + 1]);
/* The SHA-256 of a file; false with errno. */
bool sha256_file(const char *path, char out[2 * SHA256_BYTES + 1]) MUST_USE;

#endif
