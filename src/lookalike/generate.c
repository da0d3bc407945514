/* SPDX-License-Identifier: ISC */
/* Prints src/lookalike/confusables.inc: each code point beyond ASCII that becomes ASCII by ICU's
   skeleton (UTS 39), case folding and the removal of marks. It runs at build time, so that no
   installed program needs ICU. */
#define BASE_ALLOW_BANNED
#include "config.h"

#include "lookalike/icu_fold.h"

#include <stdio.h>

int
main(void)
{
	struct icu_fold *f = icu_fold_open();
	char text[ICU_FOLD_ROOM];

	if (f == NULL) {
		fprintf(stderr, "ICU has no data about confusable characters\n");
		return 1;
	}
	for (uint32_t code = 0x80; code <= 0x10ffff; code++)
		if (icu_fold_ascii(f, code, text))
			printf("{ 0x%x, \"%s\" },\n", (unsigned)code, text);
	icu_fold_close(f);
	return ferror(stdout) || fflush(stdout) != 0;
}
