/* SPDX-License-Identifier: ISC */
/* One line on a terminal that shows how far an import is:
 *
 *     [==============>                     ]  42 %  84000 records, 25000/s, 0:05 left
 *
 * The share is that of the file's bytes, compressed or not. A pipe has no size, so its line has
 * neither bar nor share, and shows the time that has passed. Parts that do not fit the terminal are
 * left out, the bar first, so the line is never broken. An import of less than half a second has no
 * line, and nothing is drawn without a terminal on stderr or when the caller wants nothing. */
#ifndef CLI_IMPORT_PROGRESS_H
#define CLI_IMPORT_PROGRESS_H

#include "base/base.h"

struct progress {
	bool on, shown;
	uint64_t size; /* the file's; 0: unknown */
	int64_t began, drawn;
};

/* fd: the input. */
void progress_begin(struct progress *p, bool wanted, int fd);
/* Draws the line, at most five times a second. bytes: the number of bytes read from the file. */
void progress_draw(struct progress *p, uint64_t records, uint64_t bytes);
/* Erases the line before a message; the next progress_draw shows it again. */
void progress_hide(struct progress *p);
/* Draws the line a last time and ends it. */
void progress_end(struct progress *p, uint64_t records, uint64_t bytes);

#endif
