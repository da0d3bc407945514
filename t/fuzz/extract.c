/* SPDX-License-Identifier: ISC */
/* extract(): any bytes; values and contexts are UTF-8 within their limits, and the same bytes give the same work. */
#include "config.h"

#include "base/limits.h"
#include "extract/extract.h"
#include "t/fuzz/fuzz.h"

#include <assert.h>

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(64 << 20);
	struct extract_input in = { .text = { (const char *)data, size },
		.url = STR("https://a.com/") };
	struct extract_output o = extract(a, &in);

	assert(o.n <= LIM_REPORT_INDICATORS);
	assert(o.steps <= 4096 + size * 1024);
	for (size_t i = 0; i < o.n; i++) {
		const struct indicator *x = &o.indicators[i];

		assert(x->value.n > 0 && x->value.n <= LIM_INDICATOR &&
		       str_utf8_bad(x->value) == x->value.n);
		assert(x->confidence <= 100 && x->occurrences > 0);
		assert(str_chars(x->context) <= 300 && str_utf8_bad(x->context) == x->context.n);
		assert(memmem(x->context.p, x->context.n, "http://", 7) == NULL);
		assert((x->disposition == DISPOSITION_INDICATOR) == (x->confidence >= 60));
	}
	arena_free(a);
	return 0;
}
