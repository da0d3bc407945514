/* SPDX-License-Identifier: ISC */
/* seal_token_open and seal_open: nothing opens that was not made with the keys, and what was made opens to the
   same bytes. */
#include "config.h"

#include "access/seal.h"
#include "t/fuzz/fuzz.h"

#include <assert.h>

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct signing_keys keys = { 1, { { "k1", { 1, 2, 3 } } } };
	static const struct seal_use use = { "fuzz", STR_INIT("bound") };
	struct str input = { (const char *)data, size };
	struct seal_token token = { .expires_at = { 1 } };
	struct secret secret;
	struct arena *a = arena_new(1 << 20);

	/* 256 bits of a tag and 128 of GCM: no fuzzer finds one. */
	if (seal_token_open(a, &keys, &use, input, &token) != SEAL_BAD)
		assert(str_eq(seal_token_make(a, &keys, &use, &token), input));
	assert(seal_open(a, &keys, &use, input, &secret) == SEAL_BAD);
	if (size <= SEAL_PAYLOAD_MAX) {
		struct str text;

		token = (struct seal_token){ input, { 2 } };
		text = seal_token_make(a, &keys, &use, &token);
		token.expires_at.us = 1;
		assert(seal_token_open(a, &keys, &use, text, &token) == SEAL_GOOD);
		assert(str_eq(token.payload, input));
		text = seal_secret(a, &keys, &use, (struct secret){ input });
		assert(seal_open(a, &keys, &use, text, &secret) == SEAL_GOOD);
		assert(str_eq(secret.hidden, input));
	}
	arena_free(a);
	return 0;
}
