/* SPDX-License-Identifier: ISC */
/* FNV-1a with 64 bits. Some hashes are parts of stored keys, so the function never changes. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/str.h"

#define HASH_START UINT64_C(14695981039346656037)

static inline uint64_t
hash_byte(uint64_t hash, char c)
{
	return (hash ^ (unsigned char)c) * UINT64_C(1099511628211);
}

/* Continues a hash that began with HASH_START. */
static inline uint64_t
hash_str(uint64_t hash, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		hash = hash_byte(hash, s.p[i]);
	return hash;
}

#endif
