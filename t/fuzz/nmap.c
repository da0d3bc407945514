/* SPDX-License-Identifier: ISC */
/* nmap's XML: what is no XML, another document, or broken in the middle. */
#include "config.h"

#include "t/fuzz/records.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_records(read_nmap, DATASET_HOSTS, data, size);
}
