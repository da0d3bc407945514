/* SPDX-License-Identifier: ISC */
/* stix_pattern_read: any text is read in memory linear in it, and what was read is within the text. */
#include "config.h"

#include "cli/report/pattern.h"
#include "t/fuzz/fuzz.h"

#include <assert.h>

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(1024 * size + 65536);
	struct str text = { (const char *)data, size };
	struct stix_pattern p = stix_pattern_read(a, text);

	for (size_t i = 0; i < p.n; i++) {
		assert(p.p[i].object.n > 0 && p.p[i].path.n > 0);
		assert(p.p[i].value.n <= size);
	}
	assert(p.fault != NULL || p.n > 0);
	arena_free(a);
	return 0;
}
