/* SPDX-License-Identifier: ISC */
/* A line on stderr that shows how far a long job is, if stderr is a terminal:
     hosts.ndjson.zst  [#########           ]  45%  12.3 of 27.1 MB  3.2 MB/s */
#ifndef CLIENT_PROGRESS_H
#define CLIENT_PROGRESS_H

#include "client/client.h"

struct progress {
	struct client *c;
	const char *what, *unit; /* unit: "MB" for bytes, otherwise a word for what is counted */
	int64_t total;           /* 0: unknown */
	int64_t from, from_us;   /* where this run began */
	int64_t drawn_us;
};

void progress_begin(struct progress *p, struct client *c, const char *what, const char *unit);
/* Draws the line, at most ten times a second. */
void progress_draw(struct progress *p, int64_t done);
/* Empties the line if one is drawn: a message follows in its place. */
void progress_clear(const struct client *c);
/* Removes the line for good. */
void progress_end(struct progress *p);

#endif
