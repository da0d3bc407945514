/* SPDX-License-Identifier: ISC */
/* Stands in for surfaced-text. The first word of its input selects the fault: never ends, writes 1 GiB, asks for all
   memory, or dies; else it writes its input. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int
main(void)
{
	static char text[65536];
	size_t n = fread(text, 1, sizeof(text) - 1, stdin);

	if (strstr(text, "ENDLESS") != NULL)
		for (;;)
			pause();
	if (strstr(text, "FLOOD") != NULL) {
		memset(text, 'x', sizeof(text));
		for (int i = 0; i < 16384; i++)
			if (fwrite(text, 1, sizeof(text), stdout) == 0)
				return 1;
	}
	if (strstr(text, "MEMORY") != NULL)
		for (;;) {
			char *p = malloc(1 << 20);

			if (p == NULL)
				return 1;
			memset(p, 1, 1 << 20);
		}
	if (strstr(text, "CRASH") != NULL)
		abort();
	fwrite(text, 1, n, stdout);
	return 0;
}
