/* SPDX-License-Identifier: ISC */
/* What passes has a canonical form that passes as itself; no text is read beyond its end. */
#include "config.h"

#include "address/start_url.h"
#include "t/fuzz/fuzz.h"

#include <assert.h>

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new((size_t)16 << 20);
	struct str canonical, again;

	if (start_url_check(a, (struct str){ (const char *)data, size }, &canonical) ==
	    START_URL_OK) {
		assert(str_starts(canonical, STR("http://")) ||
		       str_starts(canonical, STR("https://")));
		assert(start_url_check_stored(a, canonical, &again) == START_URL_OK);
		assert(str_eq(canonical, again));
	}
	arena_free(a);
	return 0;
}
