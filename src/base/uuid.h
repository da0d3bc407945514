/* SPDX-License-Identifier: ISC */
/* UUIDs, and random bytes. */
#ifndef BASE_UUID_H
#define BASE_UUID_H

#include "base/memory.h"

struct uuid {
	unsigned char b[16];
};

#define UUID_LEN 36
/* Accepts 8-4-4-4-12 digits in either case and no other form (C-020). */
bool uuid_parse(struct str s, struct uuid *out) MUST_USE;
void uuid_print(const struct uuid *u, char out[UUID_LEN + 1]); /* lower case */

struct uuid_text {
	char z[UUID_LEN + 1];
};

struct uuid_text uuid_text(const struct uuid *u);
struct str arena_uuid(struct arena *a, const struct uuid *u); /* NUL-terminated */
struct uuid uuid_random(void);                                /* version 4 */
int uuid_cmp(const struct uuid *a, const struct uuid *b);
void random_bytes(void *out, size_t n); /* from getrandom(2); panics if it fails */

#endif
