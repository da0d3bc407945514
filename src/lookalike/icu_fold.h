/* SPDX-License-Identifier: ISC */
/* Characters that look like ASCII characters according to ICU. The build and tests use this; no
   installed program does. */
#ifndef LOOKALIKE_ICU_FOLD_H
#define LOOKALIKE_ICU_FOLD_H

#include <stdbool.h>
#include <stdint.h>

enum { ICU_FOLD_ROOM = 64 };

struct icu_fold;

struct icu_fold *icu_fold_open(void); /* NULL: ICU has no such data */
void icu_fold_close(struct icu_fold *f);
/* Writes the skeleton of a code point in lower case and without marks. Returns false when it is
   empty or has a character other than letters, digits, hyphens and underscores. */
bool icu_fold_skeleton(struct icu_fold *f, uint32_t code, char out[ICU_FOLD_ROOM]);
/* Writes the skeleton, or else the letter in the Unicode name of the code point. */
bool icu_fold_ascii(struct icu_fold *f, uint32_t code, char out[ICU_FOLD_ROOM]);
/* Whether a label of the code point alone is valid (IDNA 2008 as UTS 46 reads it). */
bool icu_fold_is_idna(struct icu_fold *f, uint32_t code);

#endif
