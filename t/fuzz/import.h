/* SPDX-License-Identifier: ISC */
#ifndef T_FUZZ_IMPORT_H
#define T_FUZZ_IMPORT_H

#include "cli/import/import.h"
#include "t/fuzz/fuzz.h"

/* Feeds a reader: each host it finds is a document that the strict reader takes as it is. */
int fuzz_reader(import_reader *reader, const uint8_t *data, size_t size);

#endif
