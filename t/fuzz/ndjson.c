/* SPDX-License-Identifier: ISC */
/* Our own format: lines of documents. */
#include "config.h"

#include "t/fuzz/records.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_records(read_ndjson, DATASET_HOSTS, data, size);
}
