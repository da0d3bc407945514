/* SPDX-License-Identifier: ISC */
/* Reads any file with one of the readers of cli/report/reading.h, as a shared and as a private one; the indicators that
   it gives are canonical. */
#ifndef T_FUZZ_REPORT_READER_H
#define T_FUZZ_REPORT_READER_H

#include "cli/report/reading.h"
#include "record/record.h"

#include <assert.h>
#include <stdint.h>

static inline void
fuzz_report_reader(void (*read)(struct report_reading *r), const uint8_t *data, size_t size)
{
	for (int private = 0; private < 2; private ++) {
		struct arena *a = arena_new(4096 * size + (1 << 20));
		struct report_reading r = { .a = a,
			.file = STR("file.json"),
			.text = { (const char *)data, size },
			.private = private };

		read(&r);
		for (size_t i = 0; i < r.n; i++)
			for (size_t j = 0; j < r.docs[i].n; j++) {
				struct str value = r.docs[i].indicators[j].value;

				assert(record_indicator_fault(
					   a, r.docs[i].indicators[j].type, &value) == NULL);
				assert(str_eq(value, r.docs[i].indicators[j].value));
			}
		arena_free(a);
	}
}

#endif
