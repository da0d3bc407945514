/* SPDX-License-Identifier: ISC */
/* Processes of this machine, as /proc shows them. */
#ifndef CLI_PROC_H
#define CLI_PROC_H

#include "base/base.h"

/* Reads a small file; false: it cannot be read, or is empty. */
bool proc_read(const char *path, char *text, size_t room) MUST_USE;
/* The start of the oldest child of master that `wanted` accepts (NULL: any); TS_NULL: there is
   none. */
struct ts proc_oldest_child(int master, bool (*wanted)(const char *pid));
/* Whether a file changed after that time. Times of /proc are in ticks, so two ticks are allowed.
   False if the time is TS_NULL. */
bool proc_changed_since(const char *path, struct ts start);

#endif
