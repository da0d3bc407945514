/* SPDX-License-Identifier: ISC */
/* cursor_open: nothing that was not sealed opens, and what was sealed opens to the same bytes. */
#include "config.h"

#include "access/cursor.h"
#include "t/fuzz/fuzz.h"

#include <assert.h>

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct cursor_secret secret = { .bytes = { 1, 2, 3 } };
	static const struct cursor_for use = { .operation = STR_INIT("fuzz") };
	struct str input = { (const char *)data, size }, payload;
	struct arena *a = arena_new(1 << 20);

	/* 128 bits of MAC: no fuzzer finds one, so only our own cursors may open. */
	if (cursor_open(a, &secret, &use, input, &payload))
		assert(str_eq(cursor_seal(a, &secret, &use, payload), input));
	if (size <= CURSOR_PAYLOAD_MAX) {
		struct str text = cursor_seal(a, &secret, &use, input);

		assert(cursor_open(a, &secret, &use, text, &payload) && str_eq(payload, input));
	}
	arena_free(a);
	return 0;
}
