/* SPDX-License-Identifier: ISC */
/* surfacectl import --format ct-tile. */
#include "config.h"

#include "t/fuzz/records.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_records(read_ct_tile, DATASET_CERTIFICATES, data, size);
}
