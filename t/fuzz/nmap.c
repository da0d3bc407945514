/* SPDX-License-Identifier: ISC */
/* nmap's XML: what is no XML, another document, or broken in the middle. */
#include "config.h"

#include "t/fuzz/import.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_reader(import_nmap, data, size);
}
