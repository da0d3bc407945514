/* SPDX-License-Identifier: ISC */
#ifndef T_FUZZ_RECORDS_H
#define T_FUZZ_RECORDS_H

#include "cli/import/records.h"
#include "t/fuzz/fuzz.h"

/* Feeds a reader of tbl/formats.h: each record that it finds is a document that the strict parser takes as it is. */
int fuzz_records(records_reader *reader, enum dataset d, const uint8_t *data, size_t size);

#endif
