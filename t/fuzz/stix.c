/* SPDX-License-Identifier: ISC */
/* report_read_stix: any file is read, as a shared and as a private one, and its indicators are canonical. */
#include "config.h"

#include "t/fuzz/fuzz.h"
#include "t/fuzz/report_reader.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_report_reader(report_read_stix, data, size);
	return 0;
}
