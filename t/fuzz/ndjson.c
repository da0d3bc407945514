/* SPDX-License-Identifier: ISC */
/* Our own format: lines of documents. */
#include "config.h"

#include "t/fuzz/import.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_reader(import_ndjson, data, size);
}
