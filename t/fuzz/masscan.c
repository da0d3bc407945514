/* SPDX-License-Identifier: ISC */
/* masscan's JSON, a list or lines, ended early or not. */
#include "config.h"

#include "t/fuzz/records.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_records(read_masscan, DATASET_HOSTS, data, size);
}
