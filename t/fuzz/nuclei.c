/* SPDX-License-Identifier: ISC */
/* surfacectl import --format nuclei, for all datasets that it has records of. */
#include "config.h"

#include "t/fuzz/records.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_records(read_nuclei, DATASET_HOSTS, data, size);
}
