/* SPDX-License-Identifier: ISC */
#ifndef CLI_REPORT_SANDBOX_H
#define CLI_REPORT_SANDBOX_H

#include "base/base.h"

/* Returns a file with the seccomp filter of a converter, as bwrap --seccomp reads it; -1 with
   errno. The caller closes it. */
int sandbox_filter(void) MUST_USE;

/* Replaces this process by program in the sandbox, and returns only when that fails. words: the
   program's arguments, with a NULL behind them. The filter is closed on success. */
void sandbox_exec(const char *program, const char *const *words, int filter);

#endif
