/* SPDX-License-Identifier: ISC */
/* secrets_find() and secrets_mask(): any bytes; secrets are in order and apart, and a masked text has none. */
#include "config.h"

#include "base/limits.h"
#include "secret/secret.h"
#include "t/fuzz/fuzz.h"

#include <assert.h>

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(256 << 20);
	struct str text = { (const char *)data, size }, masked, again;
	struct secrets l = secrets_find(a, text, (struct ts){ 0 });
	size_t end = 0;

	assert(l.n <= LIM_SECRETS && l.read <= size && l.open <= size);
	for (size_t i = 0; i < l.n; i++) {
		const struct secret *s = &l.p[i];

		assert(s->offset >= end && s->text.n > 0 && s->text.p == text.p + s->offset);
		assert(s->line >= 1 && s->name.n <= 64);
		assert(secret_preview(a, s).n <= s->text.n);
		end = s->offset + s->text.n;
	}
	assert(end <= size);
	masked = secrets_mask(a, text);
	again = secrets_mask(a, masked);
	assert(masked.n <= size && str_eq(masked, again));
	l = secrets_find(a, masked, (struct ts){ 0 });
	assert(l.n == 0);
	arena_free(a);
	return 0;
}
