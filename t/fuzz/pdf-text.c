/* SPDX-License-Identifier: ISC */
/* pdf_text: words at any places give a text, in time that is linear in their number. */
#include "config.h"

#include "cli/report/pdf_text.h"
#include "t/fuzz/fuzz.h"

#include <assert.h>

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(4096 * size + (1 << 20));
	struct str text = pdf_text(a, (struct str){ (const char *)data, size });

	assert(text.n > 0 && text.n <= 2 * size + 1);
	arena_free(a);
	return 0;
}
