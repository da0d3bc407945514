/* SPDX-License-Identifier: ISC */
/* Counts as horizontal bars on a terminal. */
#ifndef CLIENT_BARS_H
#define CLIENT_BARS_H

#include "client/screen.h"

enum { BARS_MAX = 200 };

struct bars {
	struct str names[BARS_MAX]; /* harmless */
	int64_t counts[BARS_MAX], most;
	size_t n, width, digits;
};

/* A name as text_show made it; beyond BARS_MAX, nothing is added. */
void bars_add(struct bars *bars, struct str shown, int64_t count);
/* Appends a line for each bar, as wide as the terminal. */
void bars_print(struct buf *b, const struct screen *s, const struct bars *bars);

#endif
