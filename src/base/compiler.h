/* SPDX-License-Identifier: ISC */
/* Attributes, functions that must not be called, and panic(). */
#ifndef BASE_COMPILER_H
#define BASE_COMPILER_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MUST_USE __attribute__((warn_unused_result))
#define PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))

/* Functions whose bounds or state nobody can see at the call: they do not compile (rule 13). */
#ifndef BASE_ALLOW_BANNED
#pragma GCC poison strcpy strcat sprintf vsprintf strtok ctime asctime gmtime localtime  \
    rand srand gets
#endif

/* Our own fault: logs where, with a backtrace, and ends this process; a parent replaces it. */
_Noreturn void panic(const char *fmt, ...) PRINTF(1, 2);

#endif
