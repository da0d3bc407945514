/* SPDX-License-Identifier: ISC */
#ifndef T_FUZZ_FUZZ_H
#define T_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* What a target defines: called with every input, by libFuzzer or by the replay of main.c. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
