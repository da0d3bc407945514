/* SPDX-License-Identifier: ISC */
/* taxii_page_read: the text of each object is JSON with the id that the tree has, so no text is cut in a wrong place. */
#include "config.h"

#include "cli/report/taxii_page.h"
#include "json/tree.h"
#include "t/fuzz/fuzz.h"

#include <assert.h>

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(4096 * size + (1 << 20));
	struct taxii_page page;
	struct str fault;

	if (taxii_page_read(a, (struct str){ (const char *)data, size }, &page, &fault)) {
		for (size_t i = 0; i < page.n; i++) {
			const struct json_value *v = json_parse(a, page.p[i].text);

			assert(v != NULL && json_type(v) == JSON_OBJECT);
			assert(str_eq(json_text(json_get(v, "id")), page.p[i].id));
		}
	} else {
		assert(fault.n > 0);
	}
	arena_free(a);
	return 0;
}
