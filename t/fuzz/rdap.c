/* SPDX-License-Identifier: ISC */
/* surfacectl import --format rdap. */
#include "config.h"

#include "t/fuzz/records.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_records(read_rdap, DATASET_WHOIS, data, size);
}
