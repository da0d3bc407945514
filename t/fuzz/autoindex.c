/* SPDX-License-Identifier: ISC */
/* surfacectl import --format autoindex. */
#include "config.h"

#include "t/fuzz/records.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_records(read_autoindex, DATASET_DIRECTORIES, data, size);
}
