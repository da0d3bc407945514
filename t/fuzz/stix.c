/* SPDX-License-Identifier: ISC */
/* report_read_stix: any file is read, as a shared and as a private one, and its indicators are canonical. */
#include "config.h"

#include "cli/report/reading.h"
#include "record/record.h"
#include "t/fuzz/fuzz.h"

#include <assert.h>

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (int private = 0; private < 2; private++) {
		struct arena *a = arena_new(4096 * size + (1 << 20));
		struct report_reading r = { .a = a,
			.file = STR("file.json"),
			.text = { (const char *)data, size },
			.private = private };

		report_read_stix(&r);
		for (size_t i = 0; i < r.n; i++)
			for (size_t j = 0; j < r.docs[i].n; j++) {
				struct str value = r.docs[i].indicators[j].value;

				assert(record_indicator_fault(
					   a, r.docs[i].indicators[j].type, &value) == NULL);
				assert(str_eq(value, r.docs[i].indicators[j].value));
			}
		arena_free(a);
	}
	return 0;
}
