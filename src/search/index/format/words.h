/* SPDX-License-Identifier: ISC */
/* Counting the bits of bitmaps, 64 documents a word. A kernel is one implementation for some
   processors. The best one that this processor can run is chosen at the first call. */
#ifndef SEARCH_INDEX_FORMAT_WORDS_H
#define SEARCH_INDEX_FORMAT_WORDS_H

#include "base/base.h"

uint64_t words_count(const uint64_t *words, size_t n);
/* The bits that are set in both, and those that are set in one of them alone. */
uint64_t words_count_and(const uint64_t *a, const uint64_t *b, size_t n);
uint64_t words_count_xor(const uint64_t *a, const uint64_t *b, size_t n);

struct words_kernel {
	const char *name;
	bool (*runs)(void); /* whether this processor can run it */
	uint64_t (*count)(const uint64_t *words, size_t n);
	uint64_t (*count_and)(const uint64_t *a, const uint64_t *b, size_t n);
	uint64_t (*count_xor)(const uint64_t *a, const uint64_t *b, size_t n);
};

/* All kernels of this build, the best one first. The last one runs everywhere. */
const struct words_kernel *words_kernels(size_t *n);
/* Chooses a kernel, for tests and measurements; NULL: the best one. */
void words_use(const struct words_kernel *kernel);

#endif
