/* SPDX-License-Identifier: ISC */
/* query_parse: never a crash; a fault is well formed, and a tree survives its canonical text. */
#include "config.h"

#include "base/limits.h"
#include "t/fuzz/fuzz.h"
#include "t/unit/query_print.h"

#include <assert.h>

static void
check_fault(const struct query_fault *fault, struct str text)
{
	assert(fault->at >= 1 && fault->at <= str_chars(text) + 1);
	assert(fault->message.n > 0 && str_chars(fault->message) <= 400);
	assert(str_utf8_bad(fault->message) == fault->message.n);
	for (size_t i = 0; i < fault->message.n; i++) {
		unsigned char c = (unsigned char)fault->message.p[i];

		assert(c >= ' ' && c != 0x7f && c != '<' && c != '>' && c != '&');
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new((size_t)64 << 20);
	struct str text = { (const char *)data, size };
	struct ts now = { 1767225600LL * 1000000 };
	struct buf once = { .a = a }, twice = { .a = a };
	struct query_fault fault = { 0 };
	struct query q;

	if (!query_parse(a, DATASET_HOSTS, text, now, &q, &fault)) {
		check_fault(&fault, text);
		arena_free(a);
		return 0;
	}
	query_print(&once, &q);
	if (once.n <= LIM_QUERY) { /* a date or a country list may grow past it */
		assert(query_parse(a, DATASET_HOSTS, buf_done(&once), now, &q, &fault));
		query_print(&twice, &q);
		assert(str_eq(buf_done(&once), buf_done(&twice)));
	}
	arena_free(a);
	return 0;
}
