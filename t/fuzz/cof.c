/* SPDX-License-Identifier: ISC */
/* surfacectl import --format cof. */
#include "config.h"

#include "t/fuzz/records.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_records(read_cof, DATASET_DNS, data, size);
}
